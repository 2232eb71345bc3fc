import importlib.util
import json
import re
import sys
from pathlib import Path

import pytest
import regex
from hypothesis import given, settings
from hypothesis import strategies as st

from core.errors import ConfigError, PatternError
from core.normalizer import NORMALIZERS, Alignment, Normalizer
from core.normalizer_steps import Lowercase, Metaspace, Numbers, Replace
from core.unicode_forms import Nfc
from tests.core.hard_texts import any_text, hard_text
from tests.core.test_unicode_forms import is_known_to_tokenizers

VECTORS = Path(__file__).parents[1] / "data" / "vectors"
LIBRARIES = {"nmt_nfkc": "sentencepiece", "ftfy": "ftfy"}
INSTALLED = [name for name in NORMALIZERS if name not in LIBRARIES or importlib.util.find_spec(LIBRARIES[name])]
LOCAL = ["lowercase", "nfc", "nfd", "nfkc", "nfkd", "strip_accents", "collapse_whitespace"]

replacements = st.lists(
    st.sampled_from(
        [(r"\s+", " "), ("a|1\n", ""), ("(?<=[ae\n])[^a]", "\n"), (" $", "-"), (r"\n", ""), ("^[^a]", ""), (".", "ab")]
    ),
    min_size=1,
    max_size=3,
)
normalizers = st.builds(
    lambda names, pairs: Normalizer.named(*names, number_token="0 \n", replacements=pairs),
    st.lists(st.sampled_from(INSTALLED), max_size=4),
    replacements,
)


def test_steps_one_after_the_other():
    assert Normalizer.named("nfd", "strip_accents", "lowercase").normalize("Čapek Ångström") == "capek angstrom"
    assert Normalizer.named("strip", "collapse_whitespace", "metaspace").normalize("  a  b \n c") == "▁a▁b\nc"
    assert Normalizer.named("metaspace", "strip").normalize("  a ") == "▁▁a▁"
    assert Normalizer.named("numbers", "replace", replacements=[("<num>", "1")]).normalize("a 23") == "a 1"
    assert Normalizer().normalize(" Aé1") == " Aé1"


def test_alignment_of_steps_one_after_the_other():
    # A + ring joins to Å (0-2), lowers to å; İ (3-4) lowers to two
    assert Normalizer.named("nfc", "lowercase").align("A\u030a İ") == Alignment("å i\u0307", [0, 2, 3, 3], [2, 3, 4, 4])
    assert Normalizer.named("lowercase", "nfc").align("İ\u0323") == Alignment("ị\u0307", [0, 0], [2, 2])
    assert Normalizer.named("strip", "metaspace").align("  a b") == Alignment("▁a▁b", [2, 2, 3, 4], [3, 3, 4, 5])
    accents = Normalizer.named("nfd", "strip_accents", "prepend_metaspace")
    assert accents.align("é ﬁ") == Alignment("▁e▁ﬁ", [0, 0, 1, 2], [1, 1, 2, 3])


def test_alignment_over_several_lines():
    normalizer = Normalizer.named("replace", "metaspace", replacements=[(r"b\n", " ")])
    assert normalizer.align("ab\nb\nc") == Alignment("▁a▁▁c", [0, 0, 1, 3, 5], [1, 1, 3, 5, 6])
    assert normalizer.align("ab\nc", at_start=False) == Alignment("a▁c", [0, 1, 3], [1, 3, 4])


def test_identity_alignment_costs_no_list():
    assert Normalizer().align("abc") == Alignment("abc", range(3), range(1, 4))
    assert Normalizer.named("nfc", "nfkc", "strip").align("abc") == Alignment("abc", range(3), range(1, 4))
    kept = Normalizer.named("replace", "nfc", replacements=[("x", "y")])
    assert kept.align("a\nb") == Alignment("a\nb", range(3), range(1, 4))


@settings(max_examples=400)
@given(normalizers, any_text)
def test_align_and_normalize_agree(normalizer, text):
    for at_start in (True, False):
        alignment = normalizer.align(text, at_start)
        assert alignment.text == normalizer.normalize(text, at_start)
        assert len(alignment.starts) == len(alignment.ends) == len(alignment.text)
        assert all(0 <= start < end <= len(text) for start, end in zip(alignment.starts, alignment.ends, strict=True))
        assert list(alignment.starts) == sorted(alignment.starts)
        assert list(alignment.ends) == sorted(alignment.ends)


@settings(max_examples=300)
@given(st.lists(st.sampled_from(LOCAL), max_size=4), any_text)
def test_every_character_is_made_from_its_span(names, text):
    normalizer = Normalizer.named(*names)
    alignment = normalizer.align(text)
    for char, start, end in zip(alignment.text, alignment.starts, alignment.ends, strict=True):
        assert char in normalizer.normalize(text[start:end])


@settings(max_examples=500)
@given(normalizers, any_text, any_text)
def test_cutting_after_any_line_feed_changes_nothing(normalizer, before, after):
    first, second = before + "\n", after
    whole = normalizer.align(first + second)
    parts = [(0, normalizer.align(first)), (len(first), normalizer.align(second, at_start=False))]
    together = Alignment.of_parts(parts)
    assert whole.text == normalizer.normalize(first) + normalizer.normalize(second, at_start=False)
    assert whole.text == together.text
    assert (list(whole.starts), list(whole.ends)) == (list(together.starts), list(together.ends))


def test_only_the_start_of_the_text_gets_a_metaspace():
    for name in ("metaspace", "prepend_metaspace"):
        normalizer = Normalizer.named("lowercase", name)
        assert normalizer.normalize("A b\nC d\n") == "▁a▁b\nc▁d\n"
        assert normalizer.normalize("C d\n", at_start=False) == "c▁d\n"


def test_reference_vector_of_two_steps():
    cases = json.loads((VECTORS / "63_hf_normalizers.json").read_text(encoding="utf-8"))["results"]["NFD+StripAccents"]
    normalizer = Normalizer.named("nfd", "strip_accents")
    assert [normalizer.normalize(text) for text, _ in cases] == [expected for _, expected in cases]


@settings(max_examples=300)
@given(st.lists(st.sampled_from(["NFC", "NFD", "NFKC", "NFKD", "Lowercase", "StripAccents"]), max_size=4), hard_text)
def test_sequences_are_those_of_tokenizers(kinds, text):
    theirs = pytest.importorskip("tokenizers.normalizers", reason="the tokenizers package is not installed")
    names = ["strip_accents" if kind == "StripAccents" else kind.lower() for kind in kinds]
    known = "".join(char for char in text if is_known_to_tokenizers(char))
    sequence = theirs.Sequence([getattr(theirs, kind)() for kind in kinds])
    assert Normalizer.named(*names).normalize(known) == sequence.normalize_str(known)


def test_names():
    assert Normalizer.named("nfkc", "lowercase").names == ("nfkc", "lowercase")
    assert Normalizer.named("nfkc")
    assert not Normalizer()
    assert Normalizer.named("nfc") == Normalizer((Nfc(),))
    assert Normalizer.named("numbers", number_token="#") == Normalizer((Numbers("#"),))
    assert Normalizer.named("replace", replacements=[("a", "b")]) == Normalizer((Replace((("a", "b"),)),))
    assert {name: step.name for name, step in NORMALIZERS.items()} == {name: name for name in NORMALIZERS}
    assert hash(Normalizer.named("metaspace")) == hash(Normalizer((Metaspace(),)))


def test_which_have_a_metaspace():
    assert [name for name in INSTALLED if Normalizer.named(name, replacements=[("a", "b")]).has_metaspace] == [
        *("metaspace", "prepend_metaspace"),
    ]
    assert Normalizer.named("nfc", "metaspace", "strip").has_metaspace


@pytest.mark.parametrize("step", NORMALIZERS.values(), ids=NORMALIZERS)
def test_everyone_has_words_for_people(step):
    assert step.title
    assert not step.title.endswith(".")
    assert step.help.endswith(".")
    assert step.loss.endswith(".")
    assert max(len(step.help), len(step.loss)) <= 120
    assert step.is_lossless == (step.name in ("metaspace", "prepend_metaspace"))


@settings(max_examples=200)
@given(any_text)
def test_what_metaspace_loses_is_what_it_says(text):
    """A text comes back from the normalized one, but for a space at its very start and its own "▁"."""
    plain = text.replace("▁", "")
    assert Normalizer.named("prepend_metaspace").normalize(plain).replace("▁", " ")[1:] == plain
    assert Normalizer.named("metaspace").normalize(plain).replace("▁", " ")[1:] == plain.removeprefix(" ")


def test_unknown_name_says_which_are_known():
    with pytest.raises(ConfigError, match=r"'nfx'. Known are: lowercase, nfc, nfkc"):
        Normalizer.named("nfc", "nfx")


@pytest.mark.parametrize(
    ("names", "settings_", "error", "message"),
    [
        (["numbers"], {"number_token": ""}, ConfigError, "The text for numbers is empty"),
        (["replace"], {}, ConfigError, "There is nothing to replace"),
        (["replace"], {"replacements": [("[a", "b")]}, PatternError, "Replacement 1: The pattern cannot be read"),
    ],
)
def test_wrong_settings(names, settings_, error, message):
    with pytest.raises(error, match=message):
        Normalizer.named(*names, **settings_)
    assert Normalizer.named("nfc", **settings_).names == ("nfc",)  # what is not used does no harm


def test_json():
    normalizer = Normalizer.named(
        "nfd", "numbers", "replace", "metaspace", number_token="0", replacements=[("a+", "é")]
    )
    data = [
        "nfd",
        {"name": "numbers", "token": "0"},
        {"name": "replace", "replacements": [["a+", "é"]]},
        "metaspace",
    ]
    assert normalizer.to_json() == data
    assert Normalizer.from_json(json.loads(json.dumps(data))) == normalizer
    assert Normalizer.from_json([]) == Normalizer()
    assert Normalizer.from_json(["lowercase"]) == Normalizer((Lowercase(),))


@given(normalizers)
def test_json_keeps_every_normalizer(normalizer):
    assert Normalizer.from_json(json.loads(json.dumps(normalizer.to_json()))) == normalizer


@pytest.mark.parametrize(
    ("data", "message"),
    [
        ("nfc", "The normalizer should be a list of steps, but it is 'nfc'."),
        (None, "The normalizer should be a list of steps, but it is None."),
        ([1], "A normalizer should be a name or an object, but one is 1."),
        (["nfx"], "There is no normalizer named 'nfx'. Known are: lowercase"),
        (["numbers"], "The normalizer 'numbers' should be an object with its settings, not a name alone."),
        ([{}], "There is no normalizer with settings named None. Known are: numbers, replace, "),
        ([{"name": "nfc"}], "There is no normalizer with settings named 'nfc'."),
        ([{"name": []}], "There is no normalizer with settings named []."),
        ([{"name": "numbers"}], "The normalizer 'numbers' should have a 'token' and nothing else."),
        (
            [{"name": "numbers", "token": "a", "x": 1}],
            "The normalizer 'numbers' should have a 'token' and nothing else.",
        ),
        ([{"name": "numbers", "token": 5}], "The text for numbers should be a string, but it is 5."),
        ([{"name": "numbers", "token": ""}], "The text for numbers is empty"),
        ([{"name": "replace", "replacements": "ab"}], "The replacements should be a list, but they are 'ab'."),
        ([{"name": "replace", "replacements": []}], "There is nothing to replace"),
        (
            [{"name": "replace", "replacements": ["ab"]}],
            "A replacement should be a pattern and a text, but one is 'ab'.",
        ),
        ([{"name": "replace", "replacements": [["a"]]}], "A replacement should be a pattern and a text"),
        ([{"name": "replace", "replacements": [["a", 1]]}], "A replacement should be a pattern and a text"),
    ],
)
def test_other_json_is_refused(data, message):
    with pytest.raises(ConfigError, match=re.escape(message)):
        Normalizer.from_json(data)


def test_json_with_a_pattern_of_no_use():
    with pytest.raises(PatternError, match="Replacement 1: The pattern matches nothing"):
        Normalizer.from_json([{"name": "replace", "replacements": [["a*", ""]]}])


def test_json_that_needs_a_library_that_is_not_there(monkeypatch):
    monkeypatch.setitem(sys.modules, "sentencepiece", None)
    with pytest.raises(ConfigError, match="needs the Python package sentencepiece"):
        Normalizer.from_json(["nmt_nfkc"])


def test_sentencepiece_s_default_in_full():
    """Its own encoder, with the extra spaces taken away and one put in front, as people train with it."""
    sentencepiece = pytest.importorskip("sentencepiece", reason="the sentencepiece package is not installed")
    theirs = sentencepiece.SentencePieceNormalizer(
        rule_name="nmt_nfkc", add_dummy_prefix=True, escape_whitespaces=True, remove_extra_whitespaces=True
    )
    ours = Normalizer.named("nmt_nfkc", "strip", "collapse_whitespace", "prepend_metaspace")

    @settings(max_examples=300)
    @given(hard_text)
    def check(text):
        text = regex.sub(
            r"[\n▁\x85]", "", text
        )  # theirs takes the whole text for one line, and U+0085 for no white space
        assert ours.normalize(text) == theirs.Normalize(text)

    check()
