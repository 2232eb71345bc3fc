"""SentencePiece's way with texts, against the library and cut after line ends."""

import json
from functools import cache
from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.charsmap import Charsmap
from core.errors import ConfigError
from core.formats.huggingface_normalizer import nmt_nfkc_charsmap
from core.normalizer import Normalizer
from core.sentencepiece_text import SentencePieceText
from tests.core.hard_texts import any_text, hard_text

FLAGS = [*product((False, True), repeat=4)]
spaced = st.lists(
    st.sampled_from([" ", "  ", "\u3000", "▁", "a", "ﬁ", "\n", "\x01", "¨", "e\u0301", "\ufdfa", "中", " x"]),
    max_size=8,
).map("".join)


@cache
def theirs(has_table: bool, prefix: bool, removes: bool, escapes: bool):  # type: ignore[no-untyped-def]  # it has no types
    from sentencepiece import SentencePieceNormalizer

    return SentencePieceNormalizer(
        rule_name="nmt_nfkc" if has_table else "identity",
        add_dummy_prefix=prefix,
        remove_extra_whitespaces=removes,
        escape_whitespaces=escapes,
    )


def ours(has_table: bool, prefix: bool, removes: bool, escapes: bool) -> SentencePieceText:
    charsmap = Charsmap.of(nmt_nfkc_charsmap()) if has_table else None
    return SentencePieceText(
        charsmap=charsmap, dummy_prefix=prefix, removes_extra_spaces=removes, escapes_spaces=escapes
    )


@settings(max_examples=600)
@given(st.sampled_from(FLAGS), spaced | hard_text | any_text)
def test_texts_and_places_as_sentencepiece_has_them(flags: tuple[bool, bool, bool, bool], text: str) -> None:
    text = text.encode("utf-8", "replace").decode()
    normalized, places = theirs(*flags).Normalize(text, with_offsets=True)
    alignment = ours(*flags).align(text)
    assert alignment.text == ours(*flags).normalize(text) == normalized
    assert list(alignment.starts) == list(places[:-1])
    assert all(start < end <= len(text) for start, end in zip(alignment.starts, alignment.ends, strict=True))


@settings(max_examples=300)
@given(st.booleans(), st.booleans(), st.lists(spaced, min_size=1, max_size=4))
def test_cut_after_line_ends(prefix: bool, removes: bool, lines: list[str]) -> None:
    step = Normalizer((ours(False, prefix, removes, True),))
    assert not step.needs_whole_text
    parts = [line.replace("\n", "") + "\n" for line in lines[:-1]] + lines[-1:]
    cut = [step.normalize(part, at_start=not i) for i, part in enumerate(parts)]
    assert "".join(cut) == step.normalize("".join(parts))


def test_kept_texts_are_not_touched() -> None:
    step = SentencePieceText(charsmap=Charsmap(b"", {"ﬁ": "fi", "a": "b"}), kept=("aﬁ", "a a"))
    assert step.normalize("ﬁ aﬁaa a") == "▁fi▁aﬁba▁a"
    assert step.normalize("aﬁa") == "▁aﬁb"
    assert step.normalize("xa a") == "▁xa▁a"


def test_behind_the_text() -> None:
    step = SentencePieceText(as_suffix=True)
    assert step.normalize("  a  b ") == "a▁b▁"
    alignment = step.align("a ")
    assert (alignment.text, list(alignment.starts), list(alignment.ends)) == ("a▁", [0, 1], [1, 2])
    assert step.normalize("") == step.normalize("  ") == ""
    assert step.needs_whole_text


def test_several_spaces_of_the_table_stay() -> None:
    step = SentencePieceText(charsmap=Charsmap(b"", {"x": "  "}))
    assert step.normalize("axb") == "▁a▁▁b"
    assert step.normalize("a xb") == "▁a▁b"


def test_as_json() -> None:
    step = Normalizer((SentencePieceText(charsmap=Charsmap.of(nmt_nfkc_charsmap()), as_suffix=True, kept=("a",)),))
    data = json.loads(json.dumps(step.to_json()))
    assert Normalizer.from_json(data) == step
    assert Normalizer.from_json(Normalizer((SentencePieceText(),)).to_json()) == Normalizer((SentencePieceText(),))
    for key, value in (("kept", [""]), ("kept", 1), ("as_suffix", None), ("charsmap", 5)):
        with pytest.raises(ConfigError):
            Normalizer.from_json([{**data[0], key: value}])
