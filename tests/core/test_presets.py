from dataclasses import replace

import pytest

from core.alphabet import Base, ByteOrder, Marker, Unknown
from core.options import Options, Stop
from core.pipeline import Texts
from core.pre_tokenizer import Digits
from core.presets import PRESETS, preset_of
from core.special_tokens import Specials
from core.trainer_config import Score, TieBreak
from tests.core.runs import listed, record

BY_TITLE = {preset.title: preset for preset in PRESETS}
TITLES = (
    "GPT-2 (bytes)",
    "GPT-4 (bytes)",
    "GPT-4o (bytes)",
    "Qwen (bytes)",
    "minbpe (bytes)",
    "rustbpe, nanochat (bytes)",
    "Textbook (characters, </w>)",
    "Textbook (bytes, end of word is 256)",
    "subword-nmt (characters, t</w>)",
    "WordPiece (characters, ##m)",
    "SentencePiece (characters, ▁)",
    "Llama 2 (characters, ▁, bytes)",
)


def test_there_are_presets_for_the_fields_tokenizers():
    assert tuple(BY_TITLE) == TITLES


@pytest.mark.parametrize("preset", PRESETS, ids=lambda preset: preset.title)
def test_a_preset_can_be_used_and_leaves_where_to_stop_and_the_special_tokens(preset):
    own = Options(
        special_tokens=("<unk>", "<s>"),
        specials_last=True,
        specials_in_text=Specials.MATCH,
        unknown_token="<s>",
        stop=Stop.VOCAB_SIZE,
        vocab_size=777,
        merges=5,
        stop_token="^x",
        normalizers=("lowercase",),
        longest_token=3,
    )
    options = preset.applied_to(own)
    assert preset_of(options) is preset
    assert (options.special_tokens, options.specials_last, options.unknown_token) == (("<unk>", "<s>"), True, "<s>")
    assert options.specials_in_text is Specials.MATCH
    assert (options.stop, options.vocab_size, options.merges, options.stop_token) == (Stop.VOCAB_SIZE, 777, 5, "^x")
    assert options.problem() is None


@pytest.mark.parametrize("preset", PRESETS, ids=lambda preset: preset.title)
def test_a_preset_after_another_is_the_same(preset):
    for other in PRESETS:
        assert preset.applied_to(other.applied_to(Options())) == preset.applied_to(Options())


@pytest.mark.parametrize(
    "options",
    [
        Options(pattern="x", marker_text="_", complete_alphabet=False, coverage=0.5, number_token="x"),
        Options(unknown=Unknown.DROP, initial_characters="x", alphabet_limit=5, replacements=(("a", "b"),)),
        Options(marker=Marker.SUFFIX),  # bytes rule it out
        Options(normalizers=("prepend_metaspace",)),
        Options(stop=Stop.NO_PAIR, special_tokens=("a",), stop_token="("),
    ],
)
def test_what_has_no_effect_or_is_no_part_of_a_preset_leaves_it(options):
    assert preset_of(options) is BY_TITLE["GPT-2 (bytes)"]


def test_a_marker_written_as_usual_leaves_the_preset():
    textbook = BY_TITLE["Textbook (characters, </w>)"].options
    assert preset_of(replace(textbook, marker_text="</w>")) is BY_TITLE["Textbook (characters, </w>)"]
    assert preset_of(replace(textbook, marker_text="_")) is None


def test_a_pre_tokenizer_that_the_marker_replaces_leaves_the_preset():
    sentencepiece = BY_TITLE["SentencePiece (characters, ▁)"]
    assert preset_of(replace(sentencepiece.options, pre_tokenizer="gpt2")) is sentencepiece
    assert preset_of(replace(sentencepiece.options, pre_tokenizer="none")) is None


@pytest.mark.parametrize(
    "change",
    [
        {"normalizers": ("nfc",)},
        {"byte_order": ByteOrder.VALUE},
        {"texts": Texts.LINES},
        {"digits": Digits.SINGLE},
        {"punctuation": True},
        {"score": Score.WORDPIECE},
        {"min_frequency": 2},
        {"longest_token": 5},
        {"tie_break": TieBreak.BYTES},
        {"base": Base.CHARACTERS},
    ],
)
def test_what_has_an_effect_does_not(change):
    assert preset_of(replace(Options(), **change)) is None


def test_the_order_of_normalizers_is_part_of_a_preset():
    sentencepiece = BY_TITLE["SentencePiece (characters, ▁)"].options
    assert preset_of(replace(sentencepiece, normalizers=sentencepiece.normalizers[::-1])) is None


@pytest.mark.parametrize(
    ("title", "merges"),
    [
        ("GPT-2 (bytes)", "l o 4 | lo w 4 |   low 3"),
        ("minbpe (bytes)", "l o 4 | lo w 4 |   low 3"),
        ("rustbpe, nanochat (bytes)", "l o 4 | lo w 4 |   low 3"),
        ("Textbook (characters, </w>)", "l o 4 | lo w 4 | low </w> 2"),
        ("subword-nmt (characters, t</w>)", "l o 4 | w e 2 | lo we 2"),
        ("SentencePiece (characters, ▁)", "l o 4 | lo w 4 | ▁ low 4"),
    ],
)
def test_the_first_merges_of_presets(title, merges):
    options = replace(BY_TITLE[title].options, merges=3)
    assert listed(record("low low lower lowest", options.config(), options.pipeline())) == merges


@pytest.mark.parametrize(
    ("title", "merge"),
    [("GPT-2 (bytes)", "a b 2"), ("rustbpe, nanochat (bytes)", "  a 2"), ("minbpe (bytes)", "  a 2")],
)
def test_a_space_is_a_late_byte_in_gpt2_only(title, merge):
    options = replace(BY_TITLE[title].options, merges=1)
    assert listed(record("x ab ab", options.config(), options.pipeline())) == merge
