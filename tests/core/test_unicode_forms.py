import importlib.util
import json
import sys
import types
import unicodedata
from pathlib import Path

import pytest
from hypothesis import given, settings

from core.alignment import Alignment
from core.errors import ConfigError
from core.unicode_forms import Nfc, Nfd, Nfkc, Nfkd, NmtNfkc
from tests.core.hard_texts import any_text

VECTORS = Path(__file__).parents[1] / "data" / "vectors"
FORMS = {"NFC": Nfc(), "NFD": Nfd(), "NFKC": Nfkc(), "NFKD": Nfkd()}
every_form = pytest.mark.parametrize("form", FORMS)
needs_sentencepiece = pytest.mark.skipif(
    importlib.util.find_spec("sentencepiece") is None, reason="the sentencepiece package is not installed"
)


@pytest.mark.parametrize(
    ("form", "text", "expected"),
    [
        ("NFC", "cafe\u0301", "café"),
        ("NFC", "\u212b\u2126", "ÅΩ"),
        ("NFC", "\u1112\u1161\u11ab", "한"),
        ("NFC", "a\u0301\u0327", "á\u0327"),
        ("NFC", "ﬁ①", "ﬁ①"),
        ("NFD", "café한", "cafe\u0301\u1112\u1161\u11ab"),
        ("NFD", "á\u0327", "a\u0327\u0301"),
        ("NFD", "ﬁ①", "ﬁ①"),
        ("NFKC", "ﬁ①Ａ²", "fi1A2"),
        ("NFKC", "\u00a0a\u3000b", " a b"),
        ("NFKC", "ﾊﾟ", "パ"),
        ("NFKD", "ﬁ①é", "fi1e\u0301"),
        ("NFKD", "パ", "ハ\u309a"),
    ],
)
def test_expected_text(form, text, expected):
    assert FORMS[form].normalize(text) == expected


@every_form
def test_reference_vectors(form):
    cases = json.loads((VECTORS / "63_hf_normalizers.json").read_text(encoding="utf-8"))["results"][form]
    assert [FORMS[form].normalize(text) for text, _ in cases] == [expected for _, expected in cases]


def test_alignment_when_characters_join():
    assert Nfc().align("xe\u0301y") == Alignment("xéy", [0, 1, 3], [1, 3, 4])


def test_alignment_when_a_character_falls_apart():
    assert Nfkc().align("aﬁb") == Alignment("afib", [0, 1, 1, 2], [1, 2, 2, 3])
    assert Nfd().align("aéb") == Alignment("ae\u0301b", [0, 1, 1, 2], [1, 2, 2, 3])
    assert Nfkd().align("한x") == Alignment("\u1112\u1161\u11abx", [0, 0, 0, 1], [1, 1, 1, 2])


def test_alignment_when_marks_trade_places():
    assert Nfd().align("xa\u0301\u0327") == Alignment("xa\u0327\u0301", [0, 1, 1, 1], [1, 4, 4, 4])


@every_form
@given(text=any_text)
def test_pieces_normalize_as_the_whole(form, text):
    step = FORMS[form]
    alignment = step.align(text)
    assert alignment.text == step.normalize(text)
    spans = sorted(set(zip(alignment.starts, alignment.ends, strict=True)))
    assert [start for start, _ in spans] == [0, *(end for _, end in spans)][: len(spans)]
    assert not spans or spans[-1][1] == len(text)
    for start, end in spans:  # each piece alone gives just its part
        made = "".join(char for char, at in zip(alignment.text, alignment.starts, strict=True) if at == start)
        assert made == step.normalize(text[start:end])


@every_form
def test_every_character_is_as_tokenizers_has_it(form):
    """Alone, and between marks that may trade places with it."""
    theirs = getattr(pytest.importorskip("tokenizers.normalizers"), form)()
    codes = (code for code in range(0x110000) if not 0xD800 <= code < 0xE000)
    known = [chr(code) for code in codes if unicodedata.category(chr(code)) != "Cn"]
    for marks in (("", ""), ("\u0334", "\u0323"), ("\u0301", "\u0345")):
        text = "".join(f"a{char.join(marks)}\n" for char in known)
        assert FORMS[form].normalize(text) == theirs.normalize_str(text)


@every_form
def test_what_unicode_had_first_is_as_python_has_it(form):
    text = "".join(f"a{chr(code)}\u0301\n" for code in range(0x300, 0x600))
    assert FORMS[form].normalize(text) == unicodedata.normalize(form, text)


@every_form
def test_every_pair_of_a_base_and_a_character_is_cut_only_where_nothing_joins(form):
    step = FORMS[form]
    firsts = "aA\u1100가\u1025\u09c7\u0b47\u0bc6\u0cc6\u0d46\u0dd9か\U00011131\U0001134b\U000114b9\U000115b8\U00011935"
    seconds = [chr(code) for code in range(0x20000) if unicodedata.decomposition(chr(code))]
    seconds += [chr(code) for code in range(0x20000) if unicodedata.category(chr(code)).startswith("M")]
    for first in firsts:  # "\n" joins with nothing, so that a pair is cut as if it stood alone
        text = "".join(f"{first}{second}\n" for second in seconds)
        assert step.align(text).text == step.normalize(text)


@every_form
def test_same_as_tokenizers(form):
    normalizers = pytest.importorskip("tokenizers.normalizers", reason="the tokenizers package is not installed")
    theirs = getattr(normalizers, form)()

    @given(text=any_text)
    def check(text):
        assert FORMS[form].normalize(text) == theirs.normalize_str(text)

    check()


def is_known_to_tokenizers(char: str) -> bool:
    """Whether Unicode 9, which tokenizers has the tables of, knows this character and its marks and parts."""
    normalizers = pytest.importorskip("tokenizers.normalizers")
    is_mark = unicodedata.category(char).startswith("M")
    return is_mark == (normalizers.StripAccents().normalize_str("a" + char) == "a") and all(
        getattr(normalizers, form)().normalize_str(char) == unicodedata.normalize(form, char) for form in FORMS
    )


@needs_sentencepiece
@pytest.mark.parametrize(
    ("text", "expected", "starts", "ends"),
    [
        ("aﬁb", "afib", [0, 1, 1, 2], [1, 2, 2, 3]),
        ("xe\u0301y", "xéy", [0, 1, 3], [1, 3, 4]),
        (" a\u3000 b\r\n", " a  b  ", range(7), range(1, 8)),
        ("\x01a\x02b\x03", "ab", [1, 3], [3, 5]),
        ("a\u200b\ufeffb\u200dc", "a  b\u200dc", range(6), range(1, 7)),
        ("①Ａﾊﾟ", "1Aパ", [0, 1, 2], [1, 2, 4]),
        ("a\x00", "a\x00", range(2), range(1, 3)),
        ("\x01", "", [], []),
        ("", "", range(0), range(0)),
        ("a\ufffdb\ud800c", "a b c", range(5), range(1, 6)),
    ],
)
def test_nmt_nfkc(text, expected, starts, ends):
    alignment = NmtNfkc().align(text)
    assert (alignment.text, list(alignment.starts), list(alignment.ends)) == (expected, list(starts), list(ends))
    assert NmtNfkc().normalize(text) == expected


@needs_sentencepiece
def test_nmt_nfkc_uses_the_whole_table_and_nothing_else():
    """Every entry of SentencePiece's table, and every other assigned character, which stays."""
    from sentencepiece import SentencePieceNormalizer

    table = SentencePieceNormalizer(rule_name="nmt_nfkc").Decompile()
    assert len(table) > 200_000
    step = NmtNfkc()
    assert [step.normalize(text) for text, _ in table] == [expected for _, expected in table]
    changed = {text for text, _ in table}
    codes = (code for code in range(sys.maxunicode + 1) if not 0xD800 <= code < 0xE000)
    others = "".join(char for char in map(chr, codes) if char not in changed and unicodedata.category(char) != "Cn")
    assert [step.normalize(char) for char in others] == list(others)


@needs_sentencepiece
def test_nmt_nfkc_is_as_tokenizers_precompiled():
    normalizers = pytest.importorskip("tokenizers.normalizers", reason="the tokenizers package is not installed")
    from sentencepiece import SentencePieceNormalizer

    spec = SentencePieceNormalizer(rule_name="nmt_nfkc").serialized_normalizer_spec()
    theirs = normalizers.Precompiled(charsmap(spec))
    for code in range(sys.maxunicode + 1):
        if not 0xD800 <= code < 0xE000:
            assert NmtNfkc().normalize(chr(code)) == theirs.normalize_str(chr(code)), hex(code)


def charsmap(spec: bytes) -> bytes:
    """Field 2 of a NormalizerSpec, behind the name in field 1."""
    assert spec[0] == 0x0A
    start = 2 + spec[1]
    assert spec[start] == 0x12
    size, shift, start = 0, 0, start + 1
    while True:
        byte = spec[start]
        size |= (byte & 0x7F) << shift
        shift, start = shift + 7, start + 1
        if byte < 0x80:
            return spec[start : start + size]


@needs_sentencepiece
@settings(max_examples=300)
@given(any_text)
def test_nmt_nfkc_spans_normalize_alone(text):
    alignment = NmtNfkc().align(text)
    assert alignment.text == NmtNfkc().normalize(text)
    assert list(alignment.starts) == sorted(alignment.starts)
    for start, end in set(zip(alignment.starts, alignment.ends, strict=True)):
        made = "".join(char for char, at in zip(alignment.text, alignment.starts, strict=True) if at == start)
        assert made == NmtNfkc().normalize(text[start:end])


def test_nmt_nfkc_without_its_library_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "sentencepiece", None)
    with pytest.raises(ConfigError, match=r"needs the Python package sentencepiece.*pip install sentencepiece"):
        NmtNfkc()


def test_nmt_nfkc_with_an_old_library_says_what_to_install(monkeypatch):
    old = types.ModuleType("sentencepiece")
    old.__spec__ = importlib.util.spec_from_loader("sentencepiece", loader=None)
    monkeypatch.setitem(sys.modules, "sentencepiece", old)
    monkeypatch.setattr(
        "core.unicode_forms._sentencepiece", sys.modules["core.unicode_forms"]._sentencepiece.__wrapped__
    )
    with pytest.raises(ConfigError, match=r"needs the Python package sentencepiece 0\.2 or newer: cannot import name"):
        NmtNfkc().normalize("a")
