"""A pattern rewritten for other engines cuts the same words there, for every code point and for hard text."""

import sys
from dataclasses import replace

import pytest
import regex
from hypothesis import given, settings
from hypothesis import strategies as st

from core.errors import FormatError
from core.formats.patterns import (
    WORD,
    from_portable,
    inside_set,
    javascript_reads,
    portable,
    portable_in_lines,
    portable_words,
    without_intersections,
)
from core.normalizer import Normalizer
from core.pre_tokenizer import CL100K, GPT2, LINES, PRE_TOKENIZERS, WHITESPACE, Digits, by_splits, custom
from core.splits import Split

O200K = (
    r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+(?i:'s|'t|'re|'ve|'m|'ll|'d)?"
    r"|[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*(?i:'s|'t|'re|'ve|'m|'ll|'d)?"
    r"|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+"
)
R50K = r"'(?:[sdmt]|ll|ve|re)| ?\p{L}++| ?\p{N}++| ?[^\s\p{L}\p{N}]++|\s++$|\s+(?!\S)|\s"
PATTERNS = (
    *(known.pattern for known in PRE_TOKENIZERS.values()),
    O200K,
    R50K,
    r"\w{2,5}+|\d{3}?|\W",
    r"\w{1,200}|\W",
    r"(?i)[a-z]+|[^a-m]",
    r"(?i:it|[^g-p]'s)|.",
    r"(?i:pa(?-i:x)[j-z]*)+|[&&~~\-\]|^]+|[]x]",
    r"\b\w+\b|\B.\B",
    r"^.|.$|\A\s|\s\Z|\S",
    r"(?<=[\s'])\w+|(?<!a)b+?|a*+b",
    r"(?P<word>[\x61-\u007a]+)|(?<other>\U0001F600)|\t|\x0b|[\v\f\a\b]",
    r"\pL+|\p{^L}|\PN{,2}x",
    r"\p{Script=Han}+|\p{Hiragana}|\p{Letter}{2}|\p{isCyrillic}",
    r"(?>a|ab)c|[\w.-]+@|\{|\}|\#",
    r"[\d\s\p{Lu}_]+|[^\d\s]{2}",
)
HARD = st.text(
    st.sampled_from(
        "abcipsxzABCIPSXZ019'’.,-_@#{}[]&~|^$ \t\n\r\x0b\x0c\x07\x08\xa0\u2028éßſKİıσς²½中ひд😀\u0301\u200d"
    ),
    max_size=30,
)


def oniguruma(pattern):
    tokenizers = pytest.importorskip("tokenizers")
    splitter = tokenizers.pre_tokenizers.Split(tokenizers.Regex(pattern), "removed", invert=True)
    return lambda text: [word for word, _ in splitter.pre_tokenize_str(text)]


def fancy_regex(pattern):
    """tiktoken gives no words, but with a token for every byte and one id more it gives the text of what matched."""
    tiktoken = pytest.importorskip("tiktoken")
    ranks = {bytes([value]): value for value in range(256)}
    encoding = tiktoken.Encoding("bytes", pat_str=pattern, mergeable_ranks=ranks, special_tokens={})
    return lambda text: bytes(encoding.encode(text)).decode()


def words(pattern, text):
    return [match[0] for match in regex.finditer(pattern, text) if match[0]]


@pytest.mark.parametrize("pattern", PATTERNS)
def test_every_engine_cuts_the_same_words(pattern):
    rewritten = portable(pattern)
    onig, fancy = oniguruma(rewritten), fancy_regex(rewritten)

    @given(HARD)
    def cuts(text):
        expected = words(pattern, text)
        assert words(rewritten, text) == expected
        assert onig(text) == expected
        assert fancy(text) == "".join(expected)

    cuts()


@pytest.mark.parametrize("pattern", [GPT2, CL100K, LINES, WHITESPACE, O200K])
def test_patterns_that_are_portable_stay_as_they_are(pattern):
    assert portable(pattern) == pattern


@pytest.mark.parametrize("pattern", [portable(pattern) for pattern in PATTERNS])
def test_what_is_portable_stays_so(pattern):
    assert portable(pattern) == pattern or words(pattern, "It's 12 ſ") == words(portable(pattern), "It's 12 ſ")


def test_known_pre_tokenizers_come_back_under_their_names():
    for name, known in PRE_TOKENIZERS.items():
        assert from_portable(portable(known.pattern)).name == ("cl100k" if name == "llama3" else name)
    assert from_portable(r"\d+").name == "custom"


def test_possessive_repeats_become_atomic_groups():
    assert portable(r"\d{1,3}+") == r"(?>\p{Nd}{1,3})"
    assert not javascript_reads(portable(r"\s++"))
    assert javascript_reads(portable(GPT2))


APART = [
    replace(known, digits=digits, punctuation=punctuation)
    for known in PRE_TOKENIZERS.values()
    for digits in Digits
    for punctuation in (False, True)
    if known.name not in ("llama3", "words") and (digits, punctuation) != (Digits.TOGETHER, False)
]
APART += [replace(PRE_TOKENIZERS["words"], digits=Digits.SINGLE, punctuation=True)]
APART += [replace(custom(r"^\p{Ll}+|(?i:it|[^a-p])+|.$|[\d.,!?]|\A\s|\S\Z|\D"), digits=Digits.SINGLE, punctuation=True)]


@pytest.mark.parametrize("words", APART, ids=lambda words: f"{words.name} {words.digits} {words.punctuation}")
def test_one_pattern_cuts_digits_and_punctuation_apart_in_every_engine(words):
    pattern = portable_words(words)
    onig, fancy = oniguruma(pattern), fancy_regex(pattern)

    @settings(max_examples=40)
    @given(HARD)
    def cuts(text):
        expected = [word.text for word in words.words(text)]
        assert onig(text) == expected
        assert fancy(text) == "".join(expected)

    cuts()


@pytest.mark.parametrize(
    ("words", "cut"),
    [
        (replace(PRE_TOKENIZERS["gpt2"], digits=Digits.SINGLE), ["a", " ", "1", "2", " b"]),
        (replace(PRE_TOKENIZERS["gpt2"], digits=Digits.THREES), ["a", " ", "12", " b"]),
        (replace(PRE_TOKENIZERS["qwen2"], digits=Digits.THREES), ["a", " ", "1", "2", " b"]),
    ],
)
def test_the_end_of_a_piece_is_the_end_of_a_text(words, cut):
    """GPT-2 looks one character ahead, and alone would cut "a", " 12", " b"."""
    assert [word.text for word in words.words("a 12 b")] == cut
    assert oniguruma(portable_words(words))("a 12 b") == cut


@pytest.mark.parametrize(
    "pattern",
    [
        "a+",
        r"\d{2}|[A-Z]",
        r"^[^\w\n]?x|.$|^b$",
        r"(?i)[a-c]+(?!x)|\bé\b",
        r"(?<=b)a|(?<![ab])\S",
        r"[^\S\n]+",
        r"\Aa|[^\n]\Z",
    ],
)
def test_what_is_replaced_line_by_line_here_is_replaced_in_the_whole_text_there(pattern):
    normalizers = pytest.importorskip("tokenizers.normalizers")
    tokenizers = pytest.importorskip("tokenizers")
    theirs = normalizers.Replace(tokenizers.Regex(portable_in_lines(pattern)), "-")
    ours = Normalizer.named("replace", replacements=[(pattern, "-")])

    @given(st.text(st.sampled_from("abABxé12 \n\r\t"), max_size=15))
    def same(text):
        assert theirs.normalize_str(text) == ours.normalize(text)

    same()


@pytest.mark.parametrize("pattern", [r"\s+", r"[^a]", r"a\n", r"\W", r"a(?=\n)", r"(?<!\s)a", r"\D", r"(?s:a)|\n"])
def test_a_pattern_that_could_match_a_line_end_cannot_be_said_elsewhere(pattern):
    with pytest.raises(FormatError):
        portable_in_lines(pattern)


def test_a_set_of_characters_written_out():
    assert inside_set("abcdxz-]^\\") == r"\-\\-\^a-dxz"


@pytest.mark.parametrize("pattern", [r"\w", r"\s", r"\d", r"\p{L}", r"\p{N}", r"\p{M}", r"\p{Lu}", r"\S"])
def test_classes_agree_on_every_code_point_that_python_knows(pattern):
    import unicodedata

    known = [chr(i) for i in range(sys.maxunicode) if unicodedata.category(chr(i)) not in ("Cn", "Cs")]
    onig = oniguruma(portable(pattern))
    text = "\n".join(known) if pattern != r"\s" else "a".join(known)
    assert "".join(onig(text)) == "".join(regex.findall(pattern, text))


def test_the_engines_own_word_class_would_not_do():
    assert [char for char in "²³¹¼½¾_é" if oniguruma(r"\w")(char)] == list("²³¹¼½¾_é")
    assert [char for char in "²³¹¼½¾_é" if oniguruma(f"[{WORD}]")(char)] == list("_é")


@pytest.mark.parametrize(
    ("pattern", "message"),
    [
        (r"\X", r"\X"),
        (r"(a)\1", r"\1"),
        (r"\h+", r"\h"),
        (r"\N{SPACE}", r"\N"),
        (r"\p{InBasicLatin}", "this property"),
        (r"[[:alpha:]]", "POSIX"),
        (r"[\W]", r"\W"),
        (r"[a-[b]", "this range"),
        (r"a(?m:b)", "kind of group"),
        (r"a(?i)b", "kind of group"),
        (r"(?V1)a", "kind of group"),
        (r"(?#hm)a", "kind of group"),
        (r"(?R)?a", "kind of group"),
        (r"(?:foo){e<=1}", "brace"),
        (r"a{,}", "brace"),
        (r"a{1,201}", "a repeat of more than 200 times"),
        (r"(?<=a+)b", "look-behind"),
        (r"(?<=a|bc)d", "look-behind"),
        (r"(?i:ss)", "case is ignored"),
        (r"(?i:\p{Lu})", "case is ignored"),
        (r"(?i:İ)", "case is ignored"),
    ],
)
def test_what_engines_disagree_on_is_refused_with_its_place(pattern, message):
    with pytest.raises(FormatError) as caught:
        portable(pattern)
    assert message in str(caught.value)
    assert "at character" in str(caught.value)


def test_several_patterns_are_not_one():
    """As in DeepSeek's and Falcon's files."""
    with pytest.raises(FormatError, match="The text is cut by several patterns one after the other"):
        portable_words(by_splits([Split(r"\p{N}{1,3}"), Split(r"\s+")]))


@pytest.mark.parametrize(
    "pattern",
    [r"\p{Han}+|[\p{L}\p{M}&&[^\p{Han}]]+", r"[\w&&[a-fé]]|[^\]]\[?[^a&]"],
)
def test_what_two_sets_share_is_what_tiktoken_takes(pattern):
    fancy = fancy_regex(pattern)

    @settings(max_examples=100)
    @given(HARD)
    def cuts(text):
        assert "".join(words(without_intersections(pattern), text)) == fancy(text)

    cuts()


def test_only_what_two_sets_share_is_rewritten():
    assert without_intersections(r"[\p{L}&&[^\p{Han}]]+") == r"(?:(?![\p{Han}])[\p{L}])+"
    assert without_intersections(r"[ab&&[bc]]") == "(?:(?=[bc])[ab])"
    assert without_intersections(r"\[a&&[b]|[\]&&[]|[]&&x]") == r"\[a&&[b]|[\]&&[]|[]&&x]"
