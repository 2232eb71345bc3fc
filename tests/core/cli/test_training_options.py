"""The options of `bpe train` are those of the window: one for each field, the same defaults, the same presets."""

import argparse
from dataclasses import fields, replace

import pytest

from core.alphabet import Base, ByteOrder, Marker, Unknown
from core.cli.chosen_options import options_of
from core.cli.commands import COMMANDS
from core.cli.training_options import FLAGS, PRESET_TITLES, add_training_options
from core.option_values import Stop
from core.options import Options
from core.pipeline import Texts
from core.pre_tokenizer import Digits
from core.presets import PRESETS
from core.special_tokens import Specials
from core.trainer_config import Score, TieBreak
from tests.core.cli.commands import bpe

CHARACTERS = ("--base", "characters")


def chosen(*arguments: str) -> Options:
    return options_of(COMMANDS["train"].parse(["text.txt", *arguments]), "train")


def test_every_field_has_an_option():
    assert set(FLAGS) == {field.name for field in fields(Options)} - {"stop"}


@pytest.mark.parametrize(
    ("flag", "default"),
    [("--isolate-punctuation", "no"), ("--specials-last", "no"), ("--complete-alphabet", "yes"), ("--special", "none")],
)
def test_help_says_what_is_usual(flag, default):
    parser = argparse.ArgumentParser()
    add_training_options(parser)
    action = next(action for action in parser._actions if flag in action.option_strings)
    assert action.help.endswith(f"(default: {default})")


def test_nothing_chosen_is_the_window_s_choice_without_an_end():
    assert chosen() == replace(Options(), stop=Stop.NO_PAIR)


def test_every_preset_has_a_name():
    assert list(PRESET_TITLES.values()) == [preset.title for preset in PRESETS]


@pytest.mark.parametrize("name", PRESET_TITLES)
def test_presets(name):
    preset = next(preset for preset in PRESETS if preset.title == PRESET_TITLES[name])
    assert chosen("--preset", name) == replace(preset.options, stop=Stop.NO_PAIR)
    assert chosen("--preset", name, "--merges", "7", "--min-frequency", "3") == replace(
        preset.options, stop=Stop.MERGES, merges=7, min_frequency=3
    )


@pytest.mark.parametrize(
    ("arguments", "changes"),
    [
        (("--vocab-size", "300"), {"stop": Stop.VOCAB_SIZE, "vocab_size": 300}),
        (("--longest-token", "16", "--stop-at-token", "ing$"), {"longest_token": 16, "stop_token": "ing$"}),
        (("--texts", "lines_with_ends"), {"texts": Texts.LINES_WITH_ENDS}),
        (("--normalizer", "strip,nfkc,strip_accents"), {"normalizers": ("strip", "nfkc", "strip_accents")}),
        (("--normalizer", "none"), {"normalizers": ()}),
        (("--number-token", "0"), {"number_token": "0", "normalizers": ("numbers",)}),
        (
            ("--normalizer", "nfc,strip", "--replace", "a+", "a", "--replace", "-", ""),
            {"replacements": (("a+", "a"), ("-", "")), "normalizers": ("nfc", "replace", "strip")},
        ),
        (
            ("--normalizer", "replace,nfc", "--replace", "a", "b"),
            {"replacements": (("a", "b"),), "normalizers": ("replace", "nfc")},
        ),
        (("--pattern", r"\w+|\s"), {"pre_tokenizer": "custom", "pattern": r"\w+|\s"}),
        (("--digits", "threes", "--isolate-punctuation"), {"digits": Digits.THREES, "punctuation": True}),
        (("--byte-order", "value"), {"byte_order": ByteOrder.VALUE}),
        (("--special", "<s>", "--special", "</s>"), {"special_tokens": ("<s>", "</s>")}),
        (
            ("--special", "<s>", "--specials-last", "--merges", "9"),
            {"special_tokens": ("<s>",), "specials_last": True, "stop": Stop.MERGES, "merges": 9},
        ),
        (
            ("--special", "<s>", "--specials-in-text", "match"),
            {"special_tokens": ("<s>",), "specials_in_text": Specials.MATCH},
        ),
        (("--tie-break", "reverse-lexicographic"), {"tie_break": TieBreak.REVERSE_LEXICOGRAPHIC}),
        (("--score", "wordpiece"), {"score": Score.WORDPIECE}),
    ],
)
def test_options_with_bytes(arguments, changes):
    assert chosen(*arguments) == replace(Options(), **{"stop": Stop.NO_PAIR, **changes})


@pytest.mark.parametrize(
    ("arguments", "changes"),
    [
        (("--coverage", "0.9995", "--alphabet-limit", "90"), {"coverage": 0.9995, "alphabet_limit": 90}),
        (("--initial-characters", "äß"), {"initial_characters": "äß"}),
        (
            ("--marker", "suffix", "--marker-text", "_", "--no-complete-alphabet"),
            {"marker": Marker.SUFFIX, "marker_text": "_", "complete_alphabet": False},
        ),
        (
            ("--unknown-token", "<unk>", "--special", "<s>"),
            {"unknown": Unknown.TOKEN, "unknown_token": "<unk>", "special_tokens": ("<unk>", "<s>")},
        ),
        (
            ("--unknown-token", "<?>", "--special", "<s>", "--special", "<?>", "--unknown", "fuse"),
            {"unknown": Unknown.FUSE, "unknown_token": "<?>", "special_tokens": ("<s>", "<?>")},
        ),
        (("--unknown", "bytes"), {"unknown": Unknown.BYTES}),
    ],
)
def test_options_with_characters(arguments, changes):
    assert chosen(*CHARACTERS, *arguments) == replace(Options(), base=Base.CHARACTERS, stop=Stop.NO_PAIR, **changes)


@pytest.mark.parametrize(
    ("written", "marker"),
    [
        ("none", Marker.NONE),
        ("</w>", Marker.SUFFIX),
        ("suffix", Marker.SUFFIX),
        ("</w>-suffix", Marker.SUFFIX),
        ("</w>-symbol", Marker.SYMBOL),
        ("symbol", Marker.SYMBOL),
        ("##", Marker.CONTINUING),
        ("▁", Marker.METASPACE),
    ],
)
def test_markers_by_what_they_look_like(written, marker):
    assert chosen(*CHARACTERS, "--marker", written).marker is marker


def test_values_are_of_the_kinds_that_core_asks_for():
    options = chosen("--base", "bytes", "--tie-break", "ids", "--texts", "lines", "--digits", "single")
    assert options.base is Base.BYTES  # a string that is equal would not do
    assert options.texts is Texts.LINES


def test_an_unknown_token_does_not_change_what_a_preset_does_with_unknown_characters(four, tmp_path):
    line = ["train", four, "--out", tmp_path / "m", "--preset", "llama2", "--unknown-token", "<unk>"]
    result = bpe(*line)
    assert result.status == 2
    assert "--unknown-token <unk>: Only where unknown characters become the unknown token." in result.err
