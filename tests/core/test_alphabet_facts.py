from dataclasses import replace

import pytest

from core.alphabet import Base, Marker, Unknown
from core.alphabet_facts import count_alphabet, dropped_line, needs_counting, room_problem
from core.corpus import Corpus
from core.options import Options, Stop
from tests.core.runs import finish

CHARACTERS = Options(pre_tokenizer="whitespace", base=Base.CHARACTERS)


def alphabet(options, text="low lower\nnewest"):
    return finish(count_alphabet(Corpus.typed(text), options.pipeline(), options.config()))


@pytest.mark.parametrize(
    ("options", "is_needed"),
    [
        (Options(), False),
        (Options(stop=Stop.VOCAB_SIZE), True),
        (Options(stop=Stop.VOCAB_SIZE, min_frequency=0), False),  # cannot be used
        (Options(coverage=0.5, alphabet_limit=5), False),  # without effect in bytes
        (CHARACTERS, False),
        (replace(CHARACTERS, coverage=0.9999), True),
        (replace(CHARACTERS, alphabet_limit=5), True),
        (replace(CHARACTERS, stop=Stop.VOCAB_SIZE), True),
    ],
)
def test_an_alphabet_is_counted_where_it_matters(options, is_needed):
    assert needs_counting(options) is is_needed


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
        (
            replace(CHARACTERS, marker=Marker.CONTINUING),
            16,
            "There are 16 tokens before the first merge: 8 characters and 8 continuing characters. A vocabulary of 16 "
            "leaves no room for merges; choose at least 17.",
        ),
        (
            replace(CHARACTERS, unknown=Unknown.BYTES),
            264,
            "There are 264 tokens before the first merge: 256 fallback bytes and 8 characters. A vocabulary of 264 "
            "leaves no room for merges; choose at least 265.",
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


def test_nothing_is_dropped_as_a_rule():
    assert dropped_line(alphabet(CHARACTERS)) == ""
    assert dropped_line(alphabet(Options(coverage=0.5))) == ""  # bytes


@pytest.mark.parametrize(
    ("options", "text", "line"),
    [
        (replace(CHARACTERS, alphabet_limit=2), "aaabbc", "1 rare character is left out of the alphabet: c (1)."),
        (
            replace(CHARACTERS, coverage=0.5),
            "aaaabbc",
            "2 rare characters are left out of the alphabet: b (2), c (1).",
        ),
        (
            replace(CHARACTERS, alphabet_limit=1, pre_tokenizer="none"),
            "aaaa \n\u200b",
            "3 rare characters are left out of the alphabet: ⏎ (1), ␣ (1), ⟨E2 80 8B⟩ (1).",
        ),
        (
            replace(CHARACTERS, alphabet_limit=1),
            "aa" + "bcdefghijklmno",
            "14 rare characters are left out of the alphabet: b (1), c (1), d (1), e (1), f (1), g (1), h (1), i (1), "
            "j (1), k (1), l (1), m (1) and 2 more.",
        ),
    ],
)
def test_dropped_characters_are_named(options, text, line):
    assert dropped_line(alphabet(options, text)) == line


def test_letters_from_right_to_left_can_be_kept_to_themselves():
    line = dropped_line(alphabet(replace(CHARACTERS, alphabet_limit=1), "aaبa"), isolate=True)
    assert line == "1 rare character is left out of the alphabet: \u2068ب\u2069 (1)."


def test_given_word_counts_are_used_as_they_are():
    counts = {"a b": 9, "c": 1}
    corpus = replace(Corpus.typed("x"), given_counts=counts)
    options = replace(CHARACTERS, alphabet_limit=2)
    found = finish(count_alphabet(corpus, options.pipeline(), options.config()))
    assert found.dropped == {"b": 9, "c": 1}
    assert counts == {"a b": 9, "c": 1}
