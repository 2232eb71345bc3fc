import json
import sys
import unicodedata
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.errors import ConfigError
from core.normalizer import NORMALIZERS, Alignment, Normalizer, Step
from core.normalizer_steps import Lowercase
from core.unicode_forms import Nfc, Nfkc

VECTORS = Path(__file__).parents[3] / "shared" / "vectors" / "reference" / "63_hf_normalizers.json"

# everything that joins, reorders or falls apart: Latin, Greek, Hangul jamo (also half-width), Indic two-part vowels,
# kana voice marks, Hebrew points, ligatures, and marks of several classes
HARD = "aeo\u0301\u0323\u0327\u0338\u0345ÅΩέςΣİ한가\u1100\u1161\u11a8\u11a7\uffa1\uffc2ㄳ" + (
    "\u09c7\u09be\u09d7\u0b47\u0b56\u0dd9\u0dcf\u0dca\u1025\u102e\u0bc6\u0bbe\u0cc6\u0cd5\u0cd6"
    "か\u3099ｶﾞﾊﾟ\u309a\u05e9\u05c1\u05bcשּׁﬁ²①㎏¨\u0344\u0958\u2126\u212b\ufdfa\U0001d15e\U000110a5\U000110ba"
    "\U00011131\U00011127\U0001134b\U0001133e \n\u00a0\u200d"
)
SIMPLE = NORMALIZERS.keys() - {"replace", "nmt_nfkc", "metaspace", "prepend_metaspace"}
hard_text = st.text(st.one_of(st.sampled_from(HARD), st.characters()), max_size=40)


@pytest.mark.parametrize(
    ("name", "text", "expected"),
    [
        ("lowercase", "ΟΔΟΣ Σ", "οδοσ σ"),  # no final sigma, as Hugging Face
        ("lowercase", "İI", "i\u0307i"),
        ("lowercase", "ẞß", "ßß"),
        ("nfc", "cafe\u0301", "café"),
        ("nfc", "\u212b\u2126", "ÅΩ"),
        ("nfc", "\u1112\u1161\u11ab", "한"),
        ("nfc", "a\u0301\u0327", "á\u0327"),
        ("nfc", "ﬁ①", "ﬁ①"),
        ("nfkc", "ﬁ①Ａ²", "fi1A2"),
        ("nfkc", "\u00a0a\u3000b", " a b"),
        ("nfkc", "ﾊﾟ", "パ"),
    ],
)
def test_expected_text(name, text, expected):
    assert Normalizer.named(name).normalize(text) == expected


@pytest.mark.parametrize(("name", "theirs"), [("lowercase", "Lowercase"), ("nfc", "NFC"), ("nfkc", "NFKC")])
def test_reference_vectors(name, theirs):
    if not VECTORS.exists():
        pytest.skip("the larger data set is not beside this checkout")
    cases = json.loads(VECTORS.read_text(encoding="utf-8"))["results"][theirs]
    normalizer = Normalizer.named(name)
    assert [normalizer.normalize(text) for text, _ in cases] == [expected for _, expected in cases]


def test_lowercase_is_per_character_for_every_character():
    for code in range(sys.maxunicode + 1):
        char = chr(code)
        assert Lowercase().normalize(char) == char.lower()


@given(hard_text)
def test_lowercase_is_per_character_in_context(text):
    assert Lowercase().normalize(text) == "".join(char.lower() for char in text)


def test_alignment_when_characters_join():
    assert Nfc().align("xe\u0301y") == Alignment("xéy", [0, 1, 3], [1, 3, 4])


def test_alignment_when_a_character_falls_apart():
    assert Nfkc().align("aﬁb") == Alignment("afib", [0, 1, 1, 2], [1, 2, 2, 3])


def test_alignment_when_lower_case_is_longer():
    assert Lowercase().align("AİB") == Alignment("ai\u0307b", [0, 1, 1, 2], [1, 2, 2, 3])


def test_alignment_of_steps_one_after_the_other():
    # A + ring joins to Å (0-2), lowers to å; İ (3-4) lowers to two
    assert Normalizer.named("nfc", "lowercase").align("A\u030a İ") == Alignment("å i\u0307", [0, 2, 3, 3], [2, 3, 4, 4])
    assert Normalizer.named("lowercase", "nfc").align("İ\u0323") == Alignment("ị\u0307", [0, 0], [2, 2])


def test_identity_alignment_costs_no_list():
    assert Normalizer().align("abc") == Alignment("abc", range(3), range(1, 4))
    assert Normalizer.named("nfc", "nfkc").align("abc") == Alignment("abc", range(3), range(1, 4))


FORMS: dict[str, Step] = {"NFC": Nfc(), "NFKC": Nfkc()}


@pytest.mark.parametrize("form", ["NFC", "NFKC"])
@given(text=hard_text)
def test_pieces_normalize_as_the_whole(form, text):
    step = FORMS[form]
    alignment = step.align(text)
    assert alignment.text == unicodedata.normalize(form, text) == step.normalize(text)
    spans = sorted(set(zip(alignment.starts, alignment.ends, strict=True)))
    assert [start for start, _ in spans] == [0, *(end for _, end in spans)][: len(spans)]
    assert not spans or spans[-1][1] == len(text)
    for start, end in spans:  # each piece alone gives just its part
        made = "".join(char for char, at in zip(alignment.text, alignment.starts, strict=True) if at == start)
        assert made == unicodedata.normalize(form, text[start:end])


@pytest.mark.parametrize("form", ["NFC", "NFKC"])
def test_every_pair_of_a_base_and_a_character_is_cut_only_where_nothing_joins(form):
    step = FORMS[form]
    firsts = "aA\u1100가\u1025\u09c7\u0b47\u0bc6\u0cc6\u0d46\u0dd9か\U00011131\U0001134b\U000114b9\U000115b8\U00011935"
    for code in range(0x20000):
        if not unicodedata.decomposition(chr(code)) and not unicodedata.category(chr(code)).startswith("M"):
            continue
        for first in firsts:
            text = first + chr(code)
            assert step.align(text).text == step.normalize(text), ascii(text)


@given(st.lists(st.sampled_from(sorted(SIMPLE)), max_size=3), hard_text)
def test_align_and_normalize_agree(names, text):
    normalizer = Normalizer.named(*names)
    alignment = normalizer.align(text)
    assert alignment.text == normalizer.normalize(text)
    assert len(alignment.starts) == len(alignment.ends) == len(alignment.text)
    assert all(0 <= start < end <= len(text) for start, end in zip(alignment.starts, alignment.ends, strict=True))


@given(st.lists(st.sampled_from(sorted(SIMPLE)), max_size=3), hard_text, hard_text)
def test_steps_work_line_by_line(names, before, after):
    normalizer = Normalizer.named(*names)
    whole = normalizer.normalize(before + "\n" + after)
    assert whole == normalizer.normalize(before + "\n") + normalizer.normalize(after)


def test_a_step_that_adds_and_removes_text_keeps_its_place():
    """Later steps may drop characters (empty gaps) or add some (empty spans)."""
    dropped = Alignment("ac", [0, 2], [1, 3])
    prefixed = Alignment("_ac", [0, 0, 1], [0, 1, 2])
    assert dropped.then(prefixed) == Alignment("_ac", [0, 0, 2], [0, 1, 3])
    assert Alignment("", [], []).then(Alignment("_", [0], [0])) == Alignment("_", [0], [0])


def test_names():
    assert Normalizer.named("nfkc", "lowercase").names == ("nfkc", "lowercase")
    assert Normalizer.named("nfkc")
    assert not Normalizer()
    assert Normalizer.named("nfc") == Normalizer((Nfc(),))
    assert {name: step.name for name, step in NORMALIZERS.items()} == {name: name for name in NORMALIZERS}


def test_unknown_name_says_which_are_known():
    with pytest.raises(ConfigError, match=r"'nfx'. Known are: lowercase, nfc, nfkc"):
        Normalizer.named("nfc", "nfx")
