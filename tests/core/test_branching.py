from dataclasses import replace
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.added_tokens import AddedToken
from core.alphabet import Base, Marker
from core.branching import (
    branch_corpus,
    candidates_with,
    continuation,
    forbidding,
    forcing,
    fresh,
    going_on,
    order_problem,
    pair_label,
    turn_at,
    with_stop_of,
    words_of,
)
from core.corpus import Corpus
from core.decoders import Decoder
from core.errors import ConfigError
from core.merge import Merge
from core.pipeline import Pipeline
from core.pre_tokenizer import PRE_TOKENIZERS
from core.recording import Recording
from core.trainer import Score, StopReason, TieBreak, TrainerConfig, build_alphabet
from tests.core.recount import KINDS, PLAIN_CORPORA, encoded
from tests.core.runs import count, finish, listed, record, record_words, spelled

CHARACTERS = TrainerConfig(base=Base.CHARACTERS)
FOUR_WORDS = {"low": 5, "lower": 2, "newest": 6, "widest": 3}
WHITESPACE = Pipeline(pre_tokenizer=PRE_TOKENIZERS["whitespace"])


def run(words, beginning, pipeline=None, corpus=None):
    return record_words(words, beginning.config, beginning.alphabet, pipeline, corpus, beginning.plan)


def shapes(recording):
    return [(merge.pair, merge.token_id) for merge in recording]


@pytest.fixture
def four_words():
    """e s, es t, l o, lo w, n e, ne w, new est, ..."""
    return record_words(FOUR_WORDS, CHARACTERS)


def test_a_fresh_run_begins_with_nothing():
    beginning = fresh(FOUR_WORDS, CHARACTERS)
    assert not beginning.plan
    assert beginning.about == ""
    assert [token.content for token in beginning.alphabet.tokens.values()] == [b"d", b"e", b"i", b"l", b"n", b"o", b"r",
                                                                               b"s", b"t", b"w"]  # fmt: skip


def test_what_an_imported_tokenizer_looks_for_is_looked_for_still(four_words):
    config = replace(CHARACTERS, special_tokens=("<s>", "<think>"))
    recording = record_words(FOUR_WORDS, config)
    ids = recording.alphabet.special_ids
    kept = (AddedToken("<s>", ids["<s>"], lstrip=True), AddedToken("<think>", ids["<think>"], special=False))
    recording.added_tokens = (*kept, AddedToken("low", recording[3].token_id))
    assert going_on(recording, config).added_tokens == recording.added_tokens
    for beginning in (continuation(recording, 1, FOUR_WORDS), forbidding(recording, 1, FOUR_WORDS)):
        assert beginning.added_tokens == kept
    assert continuation(four_words, 1, FOUR_WORDS).added_tokens == ()


def test_how_texts_come_back_goes_along(four_words):
    four_words.decoder = Decoder(({"type": "Fuse"},))
    for beginning in (going_on(four_words, four_words.config), continuation(four_words, 1, FOUR_WORDS)):
        recording = Recording(four_words.alphabet)
        beginning.hand_on(recording)
        assert recording.decoder == four_words.decoder
        assert recording.added_tokens == four_words.added_tokens


@settings(max_examples=60, deadline=None, derandomize=True)
@given(PLAIN_CORPORA, st.sampled_from(KINDS), st.sampled_from(TieBreak), st.sampled_from(Score), st.data())
def test_going_on_is_as_if_training_had_never_ended(words, kind, tie_break, score, data):
    base, marker = kind
    config = TrainerConfig(base=base, marker=marker, tie_break=tie_break, score=score)
    whole = record_words(words, config)
    step = data.draw(st.integers(0, len(whole)))
    part = record_words(words, replace(config, merges=step))
    beginning = going_on(part, part.config)
    assert beginning.config.merges is None
    assert list(run(words, beginning)) == list(whole)


def test_going_on_keeps_a_limit_that_is_not_reached(four_words):
    config = replace(CHARACTERS, merges=5)
    part = record_words(FOUR_WORDS, replace(CHARACTERS, merges=3))
    assert going_on(part, config).config.merges == 5
    assert going_on(part, replace(CHARACTERS, vocab_size=13, min_frequency=4)).config == replace(
        CHARACTERS, min_frequency=4
    )


def test_going_on_passes_a_token_that_stopped_the_run(four_words):
    part = record_words(FOUR_WORDS, replace(CHARACTERS, stop_token="^es"))
    assert part.stop_reason is StopReason.TOKEN_FOUND
    assert len(part) == 1
    more = run(FOUR_WORDS, going_on(part, part.config))
    assert listed(more) == "e s 9 | es t 9"
    assert more.stop_reason is StopReason.TOKEN_FOUND
    assert list(run(FOUR_WORDS, going_on(more, replace(part.config, stop_token="low$"))))[2:] == list(four_words)[2:4]


def test_going_on_behind_special_tokens_with_the_last_ids():
    config = replace(CHARACTERS, special_tokens=("<s>", "</s>"), specials_last=True, merges=3)
    part = record_words(FOUR_WORDS, config)
    assert part.alphabet.special_ids == {"<s>": 13, "</s>": 14}
    more = run(FOUR_WORDS, going_on(part, config))
    assert shapes(more)[:3] == shapes(part)
    assert [merge.token_id for merge in more][:6] == [10, 11, 12, 15, 16, 17]
    assert more.alphabet == part.alphabet


def test_going_on_fills_the_hole_before_the_special_tokens():
    config = replace(CHARACTERS, special_tokens=("<s>",), specials_last=True, merges=4)
    stopped = record_words(FOUR_WORDS, config)
    two = Recording(stopped.alphabet, config, word_counts=FOUR_WORDS)
    two.extend(list(stopped)[:2])
    more = run(FOUR_WORDS, going_on(two, config))
    assert list(more) == list(stopped)
    assert [merge.token_id for merge in more] == [10, 11, 12, 13]


def test_going_on_never_merges_what_is_forbidden(four_words):
    beginning = forbidding(four_words, 0, FOUR_WORDS)
    part = run(FOUR_WORDS, replace(beginning, config=replace(CHARACTERS, merges=2)))
    more = run(FOUR_WORDS, going_on(part, part.config))
    assert four_words[0].pair not in {merge.pair for merge in more}
    assert len(more) > 2


@settings(max_examples=60, deadline=None, derandomize=True)
@given(PLAIN_CORPORA, PLAIN_CORPORA, st.sampled_from(KINDS), st.data())
def test_merges_that_stay_keep_pair_rank_and_id_and_count_the_new_words(words, new_words, kind, data):
    base, marker = kind
    old = record_words(words, TrainerConfig(base=base, marker=marker, special_tokens=("<s>",)))
    step = data.draw(st.integers(0, len(old)))
    new = run(new_words, continuation(old, step, new_words))
    assert shapes(new)[:step] == shapes(old)[:step]
    assert all(new.alphabet.tokens[i] == token for i, token in old.alphabet.tokens.items())
    ids = [*new.alphabet.tokens, *(merge.token_id for merge in new)]
    assert len(ids) == len(set(ids))
    assert all(new.alphabet.id_of(letter.encode()) >= 0 or base is Base.BYTES for word in new_words for letter in word)
    applied = sum(
        weight * (len(encoded(new, word, 0)) - len(encoded(new, word, step))) for word, weight in new_words.items()
    )
    assert sum(merge.applied for merge in list(new)[:step]) == applied


def test_training_on_learns_from_the_new_words_with_new_characters(four_words):
    beginning = continuation(four_words, 2, {"zest": 4, "zoo": 3}, TrainerConfig(merges=4))
    assert beginning.about == "Trained on from step 2"
    new = run({"zest": 4, "zoo": 3}, beginning)
    assert listed(new) == "e s 4 | es t 4 | z est 4 | o o 3"
    assert new.alphabet.tokens[12].content == b"z"
    assert [merge.token_id for merge in new] == [10, 11, 13, 14]
    assert [merge.completed for merge in new] == [0, 0, 4, 0]
    assert new.stop_reason is StopReason.MERGES


def test_training_on_from_a_tokenizer_without_counts_and_with_ids_of_its_own():
    config = TrainerConfig(base=Base.CHARACTERS, special_tokens=("<unk>",))
    alphabet = build_alphabet({"abc": 1}, config)
    imported = Recording(alphabet, config)
    imported.append(Merge(0, 1, 2, 50))
    new = run({"abab": 2}, continuation(imported, 1, {"abab": 2}))
    assert [(merge.pair, merge.token_id, merge.count) for merge in new] == [((1, 2), 50, 4), ((50, 50), 51, 2)]


@pytest.mark.parametrize(
    "merges",
    [
        [Merge(0, 0, 1, 3), Merge(1, 4, 2, 5), Merge(2, 3, 2, 4)],  # needs a token made later
        [Merge(0, 0, 1, 3), Merge(1, 0, 1, 4)],  # the same pair again
        [Merge(0, 0, 1, 3), Merge(1, 1, 2, 3)],  # makes a token that is there
    ],
)
def test_merges_out_of_order_can_stay_only_up_to_the_first_of_them(merges):
    alphabet = build_alphabet({"abc": 1}, CHARACTERS)
    vocabulary = {4: alphabet.tokens[0]}
    imported = Recording(alphabet, CHARACTERS, vocabulary=vocabulary)
    imported.extend(merges)
    assert order_problem(imported, 1) is None
    assert continuation(imported, 1, {"abc": 1}).plan.given == (merges[0],)
    with pytest.raises(ConfigError, match="Training can go on from the first 1 merges at most"):
        continuation(imported, 2, {"abc": 1})


def test_stop_rules_of_another_config():
    learned = TrainerConfig(special_tokens=("<s>",), specials_last=True, merges=7, min_frequency=2, stop_token="x")
    assert with_stop_of(learned, TrainerConfig(vocab_size=500)) == replace(
        learned, merges=None, vocab_size=500, min_frequency=1, stop_token=""
    )
    assert with_stop_of(learned, TrainerConfig()) == TrainerConfig(special_tokens=("<s>",))
    wordpiece = TrainerConfig(score=Score.WORDPIECE, min_frequency=3)
    assert with_stop_of(wordpiece, TrainerConfig(merges=2)) == replace(wordpiece, merges=2)


def test_a_forbidden_pair_is_never_merged_and_what_came_before_stays(four_words):
    beginning = forbidding(four_words, 1, FOUR_WORDS)
    assert beginning.about == "Branch at step 2: es + t forbidden"
    branch = run(FOUR_WORDS, beginning)
    assert branch[0] == four_words[0]
    assert listed(branch).startswith("e s 9 | l o 7 | lo w 7 | e w 6 | n ew 6 | new es 6 | newes t 6")
    assert four_words[1].pair not in {merge.pair for merge in branch}


def test_branches_add_up(four_words):
    once = run(FOUR_WORDS, forbidding(four_words, 1, FOUR_WORDS))
    twice = run(FOUR_WORDS, forbidding(once, 1, FOUR_WORDS))
    assert twice.plan.forbidden == {four_words[1].pair, once[1].pair}
    assert listed(twice).startswith("e s 9 | o w 7 |")


def test_a_forbidden_pair_is_forgotten_where_its_token_is_not_there_any_more(four_words):
    once = run(FOUR_WORDS, forbidding(four_words, 1, FOUR_WORDS))  # es + t, and es is made by rank 0
    assert forbidding(once, 0, FOUR_WORDS).plan.forbidden == {four_words[0].pair}


def test_another_pair_takes_the_place_of_a_merge(four_words):
    wanted = (four_words[2].left, four_words[2].right)
    beginning = forcing(four_words, 1, wanted, FOUR_WORDS)
    assert beginning.about == "Branch at step 2: l + o in place of es + t"
    branch = run(FOUR_WORDS, beginning)
    assert listed(branch).startswith("e s 9 | l o 7 | es t 9 | lo w 7")
    assert branch[1].token_id == four_words[1].token_id
    assert branch.stop_reason is StopReason.NO_PAIR


def test_a_branch_of_an_imported_tokenizer_can_force_new_characters():
    alphabet = build_alphabet({"ab": 1}, CHARACTERS)
    imported = Recording(alphabet, CHARACTERS)
    imported.append(Merge(0, 0, 1, 2))
    beginning = forcing(imported, 0, (2, 3), {"cd": 1, "ab": 1})
    assert beginning.about == "Branch at step 1: c + d in place of a + b"
    assert beginning.alphabet.tokens[3].content == b"d"
    branch = run({"cd": 1, "ab": 1}, beginning)
    assert shapes(branch) == [((2, 3), 4)]


def test_a_forced_token_and_new_characters_get_ids_of_their_own():
    imported = Recording(build_alphabet({"ab": 1}, CHARACTERS), CHARACTERS)
    imported.extend([Merge(0, 0, 1, 2), Merge(1, 2, 2, 3), Merge(2, 3, 3, 4)])
    words = {"abcd": 2, "ab": 1}  # with new characters, which have the ids 2 and 3 once all merges are taken back
    branch = run(words, forcing(imported, 0, (1, 2), words))
    assert spelled(branch, [1, 2]) == "b c"
    assert shapes(branch) == [((1, 2), 4), ((0, 4), 5), ((5, 3), 6)]


@pytest.mark.parametrize(
    ("reason", "limits", "rank", "expected"),
    [
        (StopReason.MERGES, {"merges": 6}, 2, 6),
        (StopReason.CANCELLED, {"merges": 9}, 2, 9),
        (StopReason.NO_PAIR, {}, 2, None),
        (StopReason.CANCELLED, {}, 2, 6),
        (None, {}, 2, 6),
        (None, {"merges": 2}, 2, 6),
    ],
)
def test_a_branch_goes_as_far_as_the_recording(four_words, reason, limits, rank, expected):
    recording = Recording(four_words.alphabet, replace(CHARACTERS, **limits), stop_reason=reason)
    recording.extend(list(four_words)[:6])
    assert forbidding(recording, rank, FOUR_WORDS).config.merges == expected


def test_the_text_of_a_branch(four_words):
    own, at_hand = Corpus.typed("low low"), Corpus.typed("new")
    trained = record("low low", CHARACTERS, WHITESPACE)
    imported = Recording(four_words.alphabet, CHARACTERS, WHITESPACE)
    assert branch_corpus(trained, at_hand) is trained.corpus
    assert branch_corpus(imported, at_hand) is at_hand
    assert finish(words_of(trained, trained.corpus)) is trained.word_counts
    assert finish(words_of(imported, at_hand)) == {"new": 1}
    assert finish(words_of(trained, own)) == {"low": 2}


def test_given_word_counts_are_the_words_of_a_branch(four_words):
    corpus = replace(Corpus.typed("low\nnew\n"), given_counts={"low": 5, "new": 2})
    assert finish(words_of(Recording(four_words.alphabet), corpus)) == {"low": 5, "new": 2}


def turn(recording, rank, corpus=None):
    return finish(turn_at(recording, rank, corpus or recording.corpus))


def test_what_could_have_been_merged():
    text = "low low low low low lower lower newest newest newest newest newest newest widest widest widest"
    recording = record(text, CHARACTERS, WHITESPACE)
    found = turn(recording, 1)
    named = [(pair_label(found.before, one.pair), one.count) for one in found.candidates]
    assert named[:5] == [("es + t", 9), ("l + o", 7), ("o + w", 7), ("n + e", 6), ("e + w", 6)]
    assert found.taken == recording[1].pair
    assert len(found.before) == 1
    assert [one.score for one in found.candidates[:2]] == [None, None]


@settings(max_examples=40, deadline=None, derandomize=True)
@given(
    st.lists(st.sampled_from(["ab", "abc", "aab", "中文", "🙂a", "é"]), max_size=9), st.sampled_from(Score), st.data()
)
def test_candidates_are_all_pairs_of_the_encoded_words_best_first(words, score, data):
    recording = record(" ".join(words), TrainerConfig(base=Base.CHARACTERS, score=score))
    if not len(recording):
        return
    rank = data.draw(st.integers(0, len(recording) - 1))
    found = turn(recording, rank)
    counts = {}
    for word, weight in recording.word_counts.items():
        ids = encoded(recording, word, rank)
        for pair in pairwise(ids):
            counts[pair] = counts.get(pair, 0) + weight
    assert {one.pair: one.count for one in found.candidates} == counts
    values = [one.count if one.score is None else one.score for one in found.candidates]
    assert values == sorted(values, reverse=True)
    assert found.candidates[0].pair == recording[rank].pair
    assert found.candidates[0].score == recording[rank].score


def test_forbidden_pairs_cannot_be_chosen(four_words):
    branch = run(FOUR_WORDS, forbidding(four_words, 1, FOUR_WORDS), corpus=Corpus.typed("x"))
    assert four_words[1].pair not in {one.pair for one in turn(branch, 1).candidates}


def test_candidates_of_an_imported_tokenizer_come_from_the_text_at_hand():
    imported = Recording(build_alphabet({"ab": 1}, CHARACTERS), CHARACTERS, WHITESPACE)
    imported.append(Merge(0, 0, 1, 2))
    found = turn(imported, 0, Corpus.typed("zz ab zz"))
    assert [(pair_label(found.before, one.pair), one.count) for one in found.candidates] == [("z + z", 2), ("a + b", 1)]


@pytest.mark.parametrize(
    ("text", "pairs"),
    [("", 11), ("es", ["es + t", "w + es", "d + es"]), ("ES", []), ("ow", ["o + w"]), ("xyz", []), (" ", [])],
)
def test_candidates_are_found_by_the_text_they_make(text, pairs):
    recording = record(" ".join(["low"] * 5 + ["lower"] * 2 + ["newest"] * 6 + ["widest"] * 3), CHARACTERS, WHITESPACE)
    found = turn(recording, 1)
    shown = [pair_label(found.before, one.pair) for one in finish(candidates_with(found, text))]
    if isinstance(pairs, int):
        assert len(shown) == len(found.candidates) == pairs
    else:
        assert shown == pairs


def test_markers_can_be_searched():
    recording = record("low low", TrainerConfig(base=Base.CHARACTERS, marker=Marker.SUFFIX), WHITESPACE)
    found = turn(recording, 0)
    assert [spelled(found.before, one.pair) for one in finish(candidates_with(found, "w</w>"))] == ["o w</w>"]


def test_words_are_counted_as_the_recording_cuts_them():
    assert count("a b", WHITESPACE) == {"a": 1, "b": 1}
