from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.alphabet import Base, Marker, Unknown
from core.corpus import Corpus, load_corpora
from core.merge import UNKNOWN, Merge
from core.normalizer import Normalizer
from core.pipeline import Pipeline, Texts
from core.pre_tokenizer import PRE_TOKENIZERS, custom
from core.recording import Recording, record
from core.segmentation import CELL_CHARS, GAP, MAX_WORD_CHARS, Segment, Segmenter, is_quick, prepare, prepare_now
from core.special_tokens import Specials
from core.trainer import Trainer, TrainerConfig, build_alphabet
from tests.core.schemes import listed

NASTY = "ab Z1²_'s.,，。!é́中文😀\u200d\u0300\u2028\u00a0\u3000\t\r\n\n  "


def recorded(text, pre_tokenizer="gpt2", config=None, merges=300, normalizer=None):
    pre = custom(pre_tokenizer[7:]) if pre_tokenizer.startswith("custom:") else PRE_TOKENIZERS[pre_tokenizer]
    pipeline = Pipeline(normalizer or Normalizer(), pre)
    config = config or TrainerConfig(merges=merges)
    counts = {}
    for word in pipeline.words(text):
        counts[word.text] = counts.get(word.text, 0) + 1
    alphabet = build_alphabet(counts, config)
    trainer = Trainer(counts, config, alphabet)
    list(trainer.count_pairs())
    recording = Recording(alphabet, config, pipeline, word_counts=counts, base_counts=dict(trainer.symbol_counts))
    recording.extend(trainer.merges())
    return recording


def finished(generator):
    while True:
        try:
            next(generator)
        except StopIteration as stop:
            return stop.value


def test_tokens_of_a_small_text_at_every_step():
    recording = recorded("aaab aaab", config=TrainerConfig(base=Base.CHARACTERS, merges=2))
    segmenter = prepare_now(recording, "aaab")
    # ids: space 0, a 1, b 2; merges a+a (3), aa+a or aa... the rank order decides
    assert [s[:3] for s in segmenter.segments(0, 4, 0)] == [(1, 0, 1), (1, 1, 2), (1, 2, 3), (2, 3, 4)]
    assert [s[:3] for s in segmenter.segments(0, 4, 1)] == [(3, 0, 2), (1, 2, 3), (2, 3, 4)]
    assert [s.is_new for s in segmenter.segments(0, 4, 1)] == [True, False, False]


def test_bytes_of_one_character_share_it():
    recording = recorded("")
    segments = prepare_now(recording, "中").segments(0, 1, 0)
    assert [(s.start, s.end, s.lead, s.trail) for s in segments] == [(0, 1, 0, 2), (0, 1, 1, 1), (0, 1, 2, 0)]


def test_dropped_white_space_is_a_gap():
    recording = recorded("a  b", "whitespace", merges=0)
    segments = prepare_now(recording, " a  b\n").segments(0, 6, 0)
    assert [(s.token_id == GAP, s.start, s.end) for s in segments] == [
        (True, 0, 1),
        (False, 1, 2),
        (True, 2, 4),
        (False, 4, 5),
        (True, 5, 6),
    ]


def test_an_unknown_character_stays():
    recording = recorded("ab", config=TrainerConfig(base=Base.CHARACTERS))
    assert prepare_now(recording, "aZ").segments(1, 2, 0) == [Segment(UNKNOWN, 1, 2)]


def test_a_character_that_vanishes_is_a_gap():
    config = TrainerConfig(base=Base.CHARACTERS, unknown=Unknown.DROP)
    segmenter = prepare_now(recorded("ab ab", "whitespace", config), "ZaZb Z")
    shown = [(s.token_id == GAP, s.start, s.end) for s in segmenter.segments(0, 6, 0)]
    assert shown == [(True, 0, 1), (False, 1, 2), (True, 2, 3), (False, 3, 4), (True, 4, 5), (True, 5, 6)]
    assert [(s.token_id == GAP, s.start, s.end) for s in segmenter.segments(0, 4, 1)] == [(True, 0, 1), (False, 1, 4)]
    assert finished(segmenter.count_tokens(0)) == 2


def test_gaps_inside_a_word_are_cut_where_the_view_ends():
    config = TrainerConfig(base=Base.CHARACTERS, unknown=Unknown.DROP)
    segmenter = prepare_now(recorded("ab", "whitespace", config), "aZZZZb")
    assert segmenter.segments(2, 4, 0) == [Segment(GAP, 2, 4)]


def test_merges_in_any_order_show_as_they_are_encoded():
    recording = listed([("ab", "c"), ("a", "b"), ("abc", "x")])
    segmenter = prepare_now(recording, "abcxab")
    assert [[s[1:3] for s in segmenter.segments(0, 6, step)] for step in range(4)] == [
        [(0, 1), (1, 2), (2, 3), (3, 4), (4, 5), (5, 6)],
        [(0, 1), (1, 2), (2, 3), (3, 4), (4, 5), (5, 6)],
        [(0, 3), (3, 4), (4, 6)],
        [(0, 4), (4, 6)],
    ]
    assert [[s.is_new for s in segmenter.segments(0, 6, step)] for step in (2, 3)] == [
        [True, False, True],
        [True, False],
    ]
    assert finished(segmenter.find_merge(2, 0))[1:3] == (0, 4)
    assert finished(segmenter.find_merge(0, 0)) is None


@pytest.mark.parametrize("base", list(Base))
def test_a_marker_of_its_own_stands_behind_its_word(base):
    recording = recorded("low low", "whitespace", TrainerConfig(base=base, marker=Marker.SYMBOL))
    low = prepare_now(recording, "low")
    assert [(s.start, s.end) for s in low.segments(0, 3, 0)] == [(0, 1), (1, 2), (2, 3), (3, 3)]
    assert [(s.start, s.end) for s in low.segments(0, 3, len(recording))] == [(0, 3)]


@pytest.mark.parametrize("name", list(PRE_TOKENIZERS))
@given(pieces=st.lists(st.text(NASTY, max_size=12), max_size=8), repeat=st.integers(1, 400))
def test_words_cut_out_of_the_middle_are_those_of_the_whole_text(name, pieces, repeat):
    text = "".join(pieces) * repeat
    recording = Recording(build_alphabet({}, TrainerConfig()), pipeline=Pipeline(pre_tokenizer=PRE_TOKENIZERS[name]))
    segmenter = prepare_now(recording, text)
    found = list(segmenter.words(0, len(text)))
    if segmenter.is_exact:
        assert found == list(PRE_TOKENIZERS[name].words(text))
    middle = len(text) // 2
    assert list(segmenter.words(middle, middle + 50)) == [
        word for word in found if word.end > middle and word.start < middle + 50
    ]


@pytest.mark.parametrize("texts", list(Texts))
@pytest.mark.parametrize("name", ["gpt2", "whitespace", "metaspace", "none"])
@given(pieces=st.lists(st.text(NASTY, max_size=12), max_size=8), repeat=st.integers(1, 40))
def test_words_are_cut_text_by_text(name, texts, pieces, repeat):
    text = "".join(pieces) * repeat
    normalizer = Normalizer.named("metaspace") if name == "metaspace" else Normalizer.named("nfkc")
    pipeline = Pipeline(normalizer, PRE_TOKENIZERS[name], texts)
    segmenter = prepare_now(Recording(build_alphabet({}, TrainerConfig()), pipeline=pipeline), text)
    found = list(segmenter.words(0, len(segmenter.text)))

    assert segmenter.text == "".join(normal + end for normal, end in pipeline.corpus_texts(text))
    if segmenter.is_exact:
        assert found == list(pipeline.corpus_words(text))
    assert "".join(word.text for word in found) == "".join(word.text for word in pipeline.corpus_words(text))


def test_a_corpus_of_several_files_is_cut_file_by_file(tmp_path):
    for name in ("a", "b"):
        (tmp_path / name).write_text(name * 2, encoding="utf-8")
    corpus = load_corpora([tmp_path / "a", tmp_path / "b"])
    pipeline = Pipeline(pre_tokenizer=PRE_TOKENIZERS["none"], texts=Texts.FILES)
    recording = record(corpus, pipeline, TrainerConfig())

    assert [word.text for word in prepare_now(recording, corpus.text).words(0, 5)] == ["aa", "bb"]
    assert [s[1:3] for s in prepare_now(recording, corpus.text).segments(0, 5, 2)] == [(0, 2), (2, 3), (3, 5)]
    assert [word.text for word in prepare_now(recording, "aa\nbb\n").words(0, 6)] == ["aa\nbb\n"]


def test_special_tokens_that_part_texts_are_gaps():
    pipeline = Pipeline(pre_tokenizer=PRE_TOKENIZERS["none"], special_tokens=("<s>",), specials=Specials.MATCH)
    recording = record(Corpus.typed("ab<s>ab"), pipeline, TrainerConfig())
    segments = prepare_now(recording, "ab<s>ab").segments(0, 7, 1)

    assert [(s.token_id == GAP, s.start, s.end) for s in segments] == [(False, 0, 2), (True, 2, 5), (False, 5, 7)]


@pytest.mark.parametrize("text", ["a" * 30_000, "中" * 30_000, "\n" * 30_000, "ab1," * 9_000])
def test_long_words_are_covered_without_a_hole(text):
    segmenter = prepare_now(recorded("aaaa 中中 ab1,ab1,"), text)
    place = 0
    for start in range(0, len(text), 1_000):
        for segment in segmenter.segments(start, start + 1_000, 2):
            if segment.end > place:
                assert segment.start <= place
                place = segment.end
    assert place == len(text)


def test_a_long_word_is_admitted_to_be_inexact():
    segmenter = prepare_now(recorded("a"), "a" * (MAX_WORD_CHARS + 1))
    segmenter.segments(0, 10, 0)
    assert not segmenter.is_exact


def test_own_patterns_are_matched_from_the_start():
    recording = recorded("", "custom:...")
    text = "abcdefgh" * 2_000
    segmenter = prepare_now(recording, text)
    assert [word.text for word in segmenter.words(9_000, 9_003)] == [text[9_000:9_003]]
    assert not is_quick(recording, text)


def test_the_normalized_text_is_shown():
    recording = recorded("", normalizer=Normalizer.named("lowercase"))
    segmenter = prepare_now(recording, "ABC\n" * 50_000)
    assert segmenter.text == "abc\n" * 50_000
    assert segmenter.is_changed
    assert not prepare_now(recording, "abc").is_changed


def test_segments_follow_a_recording_that_grows():
    grown = recorded("the then them the", merges=3)
    recording = Recording(grown.alphabet, grown.config, grown.pipeline)
    segmenter = Segmenter(recording, "the")
    assert len(segmenter.segments(0, 3, 0)) == 3
    recording.append(grown[0])
    assert len(segmenter.segments(0, 3, 1)) == 2
    recording.append(grown[1])
    assert len(segmenter.segments(0, 3, 2)) == 1
    assert len(segmenter.segments(0, 3, 1)) == 2


TEXT = "x " * CELL_CHARS + "the other thing\n" + "y " * CELL_CHARS


def test_a_merge_is_found_from_a_place_on_and_then_from_the_start():
    recording = recorded("th th")
    segmenter = prepare_now(recording, TEXT)
    rank = 0  # t + h
    first = TEXT.index("the")
    assert finished(segmenter.find_merge(rank, 0)).start == first
    assert finished(segmenter.find_merge(rank, first + 1)).start == TEXT.index("ther")
    assert finished(segmenter.find_merge(rank, len(TEXT) - 1)).start == first
    assert finished(prepare_now(recording, "hat").find_merge(rank, 0)) is None


def test_a_merge_of_parts_of_a_character_is_found():
    recording = recorded("中中中")
    segmenter = prepare_now(recording, "x" * 9_000 + " 中")
    found = finished(segmenter.find_merge(0, 0))
    assert (found.start, found.end, found.is_new) == (9_001, 9_002, True)


def test_a_merge_is_found_in_words_of_an_own_pattern():
    recording = recorded("abc" * 3, "custom:...")
    segmenter = finished(prepare(recording, "zzz" * 2_000 + "abc"))
    assert finished(segmenter.find_merge(0, 0)).start == 6_000


def test_tokens_are_counted():
    text = "the cat the hat " * 2_000
    recording = recorded(text)
    segmenter = prepare_now(recording, text)
    for step in (0, 1, len(recording)):
        assert finished(segmenter.count_tokens(step)) == recording.corpus_length(step)


def test_text_to_copy_shows_lone_bytes_as_hex():
    segmenter = prepare_now(recorded(""), "a中")
    assert [segmenter.shown_text(s) for s in segmenter.segments(0, 2, 0)] == ["a", "⟨E4⟩", "⟨B8⟩", "⟨AD⟩"]


def test_a_merge_is_found_around_dropped_characters_and_beside_half_a_surrogate_pair():
    recording = recorded("ab", config=TrainerConfig(Base.CHARACTERS, unknown=Unknown.DROP))
    segmenter = prepare_now(recording, "a\ud800 a?b axxb")
    assert finished(segmenter.find_merge(0, 0))[1:3] == (7, 11)
    assert segmenter.byte_count == 13


def test_bytes_of_the_same_text_are_counted_once(monkeypatch):
    first, again, other = (prepare_now(recorded("a"), text) for text in ("中a", "中a", "中文"))
    assert first.byte_count == 4
    for segmenter in (again, other):
        segmenter.know_size_from(first)
    with monkeypatch.context() as patch:
        patch.setattr("core.segmentation.utf8", lambda text: pytest.fail("counted again"))
        assert again.byte_count == 4
    assert other.byte_count == 6


def test_merge_applies_where_rank_order_puts_it():
    alphabet = build_alphabet({"abc": 1}, TrainerConfig(base=Base.CHARACTERS))
    recording = Recording(alphabet, TrainerConfig(base=Base.CHARACTERS))
    recording.extend([Merge(0, 1, 2, 3), Merge(1, 0, 1, 4)])  # b+c first: a+b never applies in abc
    assert finished(Segmenter(recording, "abc ab").find_merge(1, 0)).start == 4


def test_walking_from_token_to_token_meets_each_once():
    text = " low  中a\n" + " " * 2_000 + "low"
    recording = recorded("low", "whitespace", TrainerConfig(marker=Marker.SYMBOL))
    segmenter = prepare_now(recording, text)
    expected = [s for s in segmenter.segments(0, len(text), 1) if s.token_id != GAP]
    found = [segmenter.token_at(0, 0, 1)]
    while (token := segmenter.token_behind(found[-1], 1)) is not None:
        found.append(token)
    assert found == expected
    backwards = [found[-1]]
    while (token := segmenter.token_before(backwards[-1], 1)) is not None:
        backwards.append(token)
    assert backwards == expected[::-1]


def test_token_at_a_byte_of_a_character():
    segmenter = prepare_now(recorded(""), "a中b")
    assert segmenter.token_at(1, 2, 0)[1:5] == (1, 2, 2, 0)
    assert segmenter.token_at(2, 0, 0)[1:5] == (2, 3, 0, 0)
    assert segmenter.token_at(3, 0, 0) is None


def test_words_of_given_counts_are_shown_as_they_are():
    corpus = replace(Corpus.typed("a b\n low\nlow\n"), given_counts={"a b": 2, " low": 1, "low": 5})
    recording = record(corpus, Pipeline(Normalizer.named("nfkc"), PRE_TOKENIZERS["whitespace"]))
    segmenter = prepare_now(recording, corpus.text)

    assert [word.text for word in segmenter.words(0, len(corpus.text))] == ["a b", " low", "low"]
    assert [segment.end for segment in segmenter.segments(0, 4, len(recording)) if segment.token_id == GAP] == [4]
