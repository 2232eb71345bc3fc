import json
from dataclasses import fields, replace

import pytest

from core.alphabet import Base, ByteOrder, Marker
from core.alphabet_facts import count_alphabet, room_problem
from core.errors import ConfigError
from core.options import MAX_NUMBER, Options, Stop
from core.pre_tokenizer import PRE_TOKENIZERS
from core.presets import PRESETS, preset_of
from core.trainer import TieBreak, TrainerConfig
from tests.core.runs import finish

CHARACTERS = Options(pre_tokenizer="whitespace", base=Base.CHARACTERS)


def test_the_defaults_are_gpt2s():
    pipeline, config = Options().pipeline(), Options().config()
    assert pipeline.pre_tokenizer is PRE_TOKENIZERS["gpt2"]
    assert config == TrainerConfig(merges=1_000, min_frequency=1)


@pytest.mark.parametrize(
    ("stop", "merges", "vocab_size"),
    [(Stop.MERGES, 7, None), (Stop.VOCAB_SIZE, None, 300), (Stop.NO_PAIR, None, None)],
)
def test_one_stop_rule_counts(stop, merges, vocab_size):
    config = Options(stop=stop, merges=7, vocab_size=300).config()
    assert (config.merges, config.vocab_size) == (merges, vocab_size)


def test_bytes_rule_out_a_marker_on_the_last_character_and_remember_it():
    options = replace(CHARACTERS, marker=Marker.SUFFIX)
    assert options.config().marker is Marker.SUFFIX
    options = replace(options, base=Base.BYTES)
    assert options.config().marker is Marker.NONE
    assert "no final letters" in options.unusable_markers()[Marker.SUFFIX]
    assert replace(options, base=Base.CHARACTERS).config().marker is Marker.SUFFIX


def test_the_unknown_token_is_a_special_token_of_characters():
    options = replace(CHARACTERS, special_tokens=("[UNK]",), unknown_token="[UNK]")
    assert options.config().unknown_token == "[UNK]"
    assert replace(options, base=Base.BYTES).config().unknown_token is None
    assert replace(options, special_tokens=()).config().unknown_token is None


@pytest.mark.parametrize(
    ("options", "unusable"),
    [
        (Options(), {"pattern", "marker_text", "complete_alphabet", "unknown_token", "vocab_size"}),
        (CHARACTERS, {"pattern", "byte_order", "marker_text", "complete_alphabet", "unknown_token", "vocab_size"}),
        (
            replace(CHARACTERS, marker=Marker.SUFFIX, special_tokens=("[UNK]",), stop=Stop.NO_PAIR),
            {"pattern", "byte_order", "merges", "vocab_size"},
        ),
        (Options(marker=Marker.SYMBOL, pre_tokenizer="custom"), {"complete_alphabet", "unknown_token", "vocab_size"}),
    ],
)
def test_unusable_fields_have_a_reason(options, unusable):
    reasons = options.unusable()
    assert set(reasons) == unusable
    assert all(reason.endswith(".") for reason in reasons.values())


def test_a_bad_pattern_is_an_error_with_its_place():
    error = Options(pre_tokenizer="custom", pattern="[a-z]+(\\w").pattern_error()
    assert error is not None
    assert error.position == 9  # the end
    assert Options(pattern="(").pattern_error() is None  # not in use


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (Options(special_tokens=("a", "a")), "listed twice"),
        (Options(marker=Marker.SYMBOL, marker_text=""), "needs at least one character"),
        (Options(min_frequency=0), "at least 1"),
    ],
)
def test_impossible_choices(options, message):
    assert message in str(options.config_error())
    with pytest.raises(ConfigError, match=message):
        options.config()


@pytest.mark.parametrize("preset", PRESETS, ids=lambda preset: preset.title)
def test_presets(preset):
    options = preset.applied_to(Options(special_tokens=("<|endoftext|>",), stop=Stop.NO_PAIR, min_frequency=5))
    assert preset_of(options) is preset
    assert options.special_tokens == ("<|endoftext|>",)
    assert (options.stop, options.min_frequency) == (Stop.NO_PAIR, 5)
    assert options.config_error() is None


def test_what_has_no_effect_leaves_the_preset():
    assert preset_of(Options(pattern="x", marker_text="_", complete_alphabet=False)) is PRESETS[0]
    assert preset_of(Options(normalizers=("nfc",))) is None
    assert preset_of(Options(byte_order=ByteOrder.VALUE)) is None


EVERYTHING = Options(
    ("lowercase", "nfkc"), "custom", "日本|\\w", Base.CHARACTERS, ByteOrder.VALUE, Marker.SUFFIX, "▁", False,
    ("<s>", "[UNK]"), "[UNK]", Stop.VOCAB_SIZE, 5, 6, 7, TieBreak.FIRST_SEEN,
)  # fmt: skip


@pytest.mark.parametrize("options", [Options(), EVERYTHING, *(preset.options for preset in PRESETS)])
def test_json_round_trip(options):
    again = Options.from_json(options.to_json())
    assert again == options
    assert [type(getattr(again, f.name)) for f in fields(again)] == [
        type(getattr(options, f.name)) for f in fields(options)
    ]


def test_missing_fields_have_their_defaults():
    assert Options.from_json('{"merges": 9}') == Options(merges=9)


@pytest.mark.parametrize(
    "text",
    ["", "{", "[]", "null", "[" * 100_000, '{"colour": 1}', '{"special_tokens": "abc"}', '{"special_tokens": [1]}',
     '{"merges": true}', '{"merges": 1.5}', '{"merges": -1}', f'{{"merges": {MAX_NUMBER + 1}}}', '{"merges": NaN}',
     '{"min_frequency": 0}', '{"base": "letters"}', '{"base": []}', '{"marker": {}}', '{"pre_tokenizer": "gpt5"}',
     '{"pre_tokenizer": ["gpt2"]}', '{"normalizers": ["nfd"]}', '{"complete_alphabet": 1}', '{"pattern": null}',
     '{"marker_text": 5}', '{"unknown_token": 5}', '{"tie_break": "random"}'],
)  # fmt: skip
def test_other_json_is_refused(text):
    with pytest.raises(ConfigError):
        Options.from_json(text)


def test_json_is_for_people_too():
    assert json.loads(EVERYTHING.to_json())["marker_text"] == "▁"
    assert "▁" in EVERYTHING.to_json()


def alphabet(options, text="low lower\nnewest"):
    return finish(count_alphabet(text, options.pipeline(), options.config()))


@pytest.mark.parametrize(
    ("options", "size", "message"),
    [
        (
            Options(special_tokens=("<s>",)),
            257,
            "There are 257 tokens before the first merge: 1 special token and 256 bytes. A vocabulary of 257 leaves no "
            "room for merges; choose at least 258.",
        ),
        (
            replace(CHARACTERS, marker=Marker.SYMBOL),
            9,
            "There are 9 tokens before the first merge: 8 characters and 1 end-of-word marker. A vocabulary of 9 "
            "leaves no room for merges; choose at least 10.",
        ),
        (
            replace(CHARACTERS, marker=Marker.SUFFIX, complete_alphabet=False, special_tokens=("a", "b")),
            13,
            "There are 13 tokens before the first merge: 2 special tokens, 8 characters and 3 final characters. A "
            "vocabulary of 13 leaves no room for merges; choose at least 14.",
        ),
    ],
)
def test_room_for_merges(options, size, message):
    assert room_problem(size, alphabet(options)) == message
    assert room_problem(size + 1, alphabet(options)) is None
    assert room_problem(None, alphabet(options)) is None


def test_room_in_a_text_of_one_character():
    assert room_problem(0, alphabet(CHARACTERS, "aa")) == (
        "There is 1 token before the first merge: 1 character. A vocabulary of 0 leaves no room for merges; choose at "
        "least 2."
    )
