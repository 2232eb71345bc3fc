"""The options of `bpe train` that say how to learn: each is a field of core.options.Options with its default there."""

import argparse
from typing import Any

from core.alphabet import Base, ByteOrder, Marker, Unknown
from core.cli.parser import choice, choices, decimal, listed, utf8_text, whole_number, with_default
from core.option_values import MAX_NUMBER, NORMALIZER_ORDER
from core.options import Options
from core.pipeline import Texts
from core.pre_tokenizer import PRE_TOKENIZERS, Digits
from core.special_tokens import Specials
from core.trainer_config import Score, TieBreak
from core.word_limits import Beyond

PRESET_TITLES = {
    "gpt2": "GPT-2 (bytes)",
    "gpt4": "GPT-4 (bytes)",
    "gpt4o": "GPT-4o (bytes)",
    "qwen": "Qwen (bytes)",
    "minbpe": "minbpe (bytes)",
    "rustbpe": "rustbpe, nanochat (bytes)",
    "textbook": "Textbook (characters, </w>)",
    "textbook-bytes": "Textbook (bytes, end of word is 256)",
    "subword-nmt": "subword-nmt (characters, t</w>)",
    "wordpiece": "WordPiece (characters, ##m)",
    "sentencepiece": "SentencePiece (characters, ▁)",
    "llama2": "Llama 2 (characters, ▁, bytes)",
}

MARKER_SPELLINGS = {
    "</w>": Marker.SUFFIX,
    "</w>-suffix": Marker.SUFFIX,
    "</w>-symbol": Marker.SYMBOL,
    "##": Marker.CONTINUING,
    "▁": Marker.METASPACE,
}

FLAGS = {
    "merges": "--merges",
    "vocab_size": "--vocab-size",
    "min_frequency": "--min-frequency",
    "longest_token": "--longest-token",
    "stop_token": "--stop-at-token",
    "texts": "--texts",
    "normalizers": "--normalizer",
    "number_token": "--number-token",
    "replacements": "--replace",
    "pre_tokenizer": "--pre-tokenizer",
    "pattern": "--pattern",
    "digits": "--digits",
    "punctuation": "--isolate-punctuation",
    "base": "--base",
    "byte_order": "--byte-order",
    "marker": "--marker",
    "marker_text": "--marker-text",
    "complete_alphabet": "--complete-alphabet",
    "initial_characters": "--initial-characters",
    "coverage": "--coverage",
    "alphabet_limit": "--alphabet-limit",
    "special_tokens": "--special",
    "specials_last": "--specials-last",
    "specials_in_text": "--specials-in-text",
    "unknown": "--unknown",
    "unknown_token": "--unknown-token",
    "score": "--score",
    "tie_break": "--tie-break",
    "word_memory_mb": "--memory-limit",
    "beyond_memory": "--beyond-limit",
    "min_word_count": "--min-word-count",
}
"""The fields of Options by the name of their option; `stop` follows from the two that end a run."""

_number = whole_number(0, MAX_NUMBER)
_positive = whole_number(1, MAX_NUMBER)


def add_training_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--preset",
        type=choice(PRESET_TITLES),
        metavar="NAME",
        help=f"all that a well-known tokenizer chooses; other options change it: {listed(PRESET_TITLES)}",
    )
    _add_stop_options(parser.add_argument_group("where to stop"))
    _add_text_options(parser.add_argument_group("the text"))
    _add_word_options(parser.add_argument_group("how it is cut into words, which no merge crosses"))
    _add_alphabet_options(parser.add_argument_group("what merges start from"))
    _add_merge_options(parser.add_argument_group("which pair is merged"))
    _add_limit_options(parser.add_argument_group("more different words than memory holds"))


def _add(group: argparse._ArgumentGroup, field: str, help_text: str, usual: str = "", **settings: Any) -> None:
    default = getattr(Options(), field)
    shown = default if isinstance(default, bool) else default or usual
    group.add_argument(FLAGS[field], dest=field, help=with_default(help_text, shown), **settings)


def _add_stop_options(group: argparse._ArgumentGroup) -> None:
    limits = group.add_mutually_exclusive_group()
    limits.add_argument("--vocab-size", type=_number, metavar="N", help=_VOCAB_SIZE_HELP)
    limits.add_argument("--merges", type=_number, metavar="N", help=_MERGES_HELP)
    _add(
        group,
        "min_frequency",
        "a pair that occurs less often than this is not merged",
        type=_positive,
        metavar="N",
    )
    _add(
        group,
        "longest_token",
        "no token gets longer, in characters, or bytes with --base bytes",
        type=_positive,
        metavar="N",
    )
    _add(group, "stop_token", "stop when a new token matches", type=utf8_text, metavar="REGEX")


_VOCAB_SIZE_HELP = "special tokens, base symbols and merges together (default: until no pair is left)"
_MERGES_HELP = "so many merges (default: until no pair is left)"


def _add_text_options(group: argparse._ArgumentGroup) -> None:
    _add(
        group,
        "texts",
        "what is normalized and cut on its own: " + listed(Texts),
        type=choice(Texts),
        metavar="UNIT",
    )
    _add(
        group,
        "normalizers",
        "what is done to the text, in this order, with commas between: " + listed(NORMALIZER_ORDER),
        type=choices(NORMALIZER_ORDER),
        metavar="NAMES",
    )
    _add(
        group,
        "replacements",
        "replace every match; may be given several times, and adds the normalizer replace",
        action="append",
        nargs=2,
        type=utf8_text,
        metavar=("REGEX", "TEXT"),
    )
    _add(
        group,
        "number_token",
        "what takes the place of a number; adds the normalizer numbers",
        type=utf8_text,
        metavar="TEXT",
    )


def _add_word_options(group: argparse._ArgumentGroup) -> None:
    _add(
        group,
        "pre_tokenizer",
        "how the text becomes words: " + listed([*PRE_TOKENIZERS, "custom"]),
        type=choice([*PRE_TOKENIZERS, "custom"]),
        metavar="NAME",
    )
    group.add_argument(
        "--pattern",
        type=utf8_text,
        metavar="REGEX",
        help="every match is a word: the pre-tokenizer custom (default: none)",
    )
    _add(group, "digits", "cut digits apart first: " + listed(Digits), type=choice(Digits), metavar="HOW")
    _add(
        group,
        "punctuation",
        "make every punctuation mark a word first",
        action=argparse.BooleanOptionalAction,
    )


def _add_alphabet_options(group: argparse._ArgumentGroup) -> None:
    _add(group, "base", "what a base symbol is: " + listed(Base), type=choice(Base), metavar="KIND")
    _add(
        group,
        "byte_order",
        "which byte gets which id: stand-in (as GPT-2, ! first) or value",
        type=choice(ByteOrder),
        metavar="ORDER",
    )
    _add(
        group,
        "marker",
        "how merges see where a word ends: none, symbol (l o w </w>), suffix (l o w</w>), continuing (l ##o ##w), "
        "metaspace (▁ l o w). </w> is short for suffix, as Hugging Face and subword-nmt have it, </w>-symbol for "
        "symbol, as the textbooks have it, ## for continuing, ▁ for metaspace",
        type=choice(Marker, MARKER_SPELLINGS),
        metavar="NAME",
    )
    _add(
        group,
        "marker_text",
        "how the marker is written",
        "</w>, with --marker continuing ##",
        type=utf8_text,
        metavar="TEXT",
    )
    _add(
        group,
        "complete_alphabet",
        "give every character its final or continuing form, seen or not",
        action=argparse.BooleanOptionalAction,
    )
    _add(
        group,
        "initial_characters",
        "characters that are in the alphabet whether they occur or not",
        type=utf8_text,
        metavar="TEXT",
    )
    _add(
        group,
        "coverage",
        "share of the text that the characters of the alphabet make up, such as 0.9995; rarer ones are left out",
        type=decimal(0, 1),
        metavar="SHARE",
    )
    _add(
        group,
        "alphabet_limit",
        "keep so many characters, the most frequent ones",
        type=_positive,
        metavar="N",
    )
    _add(
        group,
        "special_tokens",
        "a token that no merge makes; may be given several times",
        action="append",
        type=utf8_text,
        metavar="TOKEN",
    )
    _add(
        group,
        "specials_last",
        "special tokens get the ids behind the merges, not the first ones",
        action=argparse.BooleanOptionalAction,
    )
    _add(
        group,
        "specials_in_text",
        "what a special token is that stands in the training text: "
        + listed(Specials)
        + "; one that matches is left out and parts texts",
        type=choice(Specials),
        metavar="HOW",
    )
    _add(
        group,
        "unknown",
        "what a character becomes that is not in the alphabet: " + listed(Unknown),
        type=choice(Unknown),
        metavar="FATE",
    )
    _add(
        group,
        "unknown_token",
        "the special token for unknown characters, added where --special does not name it; "
        "goes with --unknown token, which it implies, or fuse",
        type=utf8_text,
        metavar="TOKEN",
    )


def _add_merge_options(group: argparse._ArgumentGroup) -> None:
    _add(
        group,
        "score",
        "what makes a pair better: frequency (byte pair encoding) or wordpiece",
        type=choice(Score),
        metavar="NAME",
    )
    _add(
        group,
        "tie_break",
        "which pair of several with the same score is merged: " + listed(TieBreak),
        type=choice(TieBreak),
        metavar="RULE",
    )


def _add_limit_options(group: argparse._ArgumentGroup) -> None:
    _add(
        group,
        "word_memory_mb",
        "about so many megabytes for different words while they are counted; what training needs comes on top",
        "no limit",
        type=_positive,
        metavar="MB",
    )
    _add(
        group,
        "beyond_memory",
        "what becomes of words beyond --memory-limit: spill keeps them on the disk, in /var/tmp or TMPDIR, and counts "
        "exactly; drop leaves out those that occurred fewer than --min-word-count times by then, at least 2",
        type=choice(Beyond),
        metavar="HOW",
    )
    _add(
        group,
        "min_word_count",
        "leave out words that occur less often than this",
        type=_positive,
        metavar="N",
    )
