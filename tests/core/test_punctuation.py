import json
import sys
import unicodedata
from pathlib import Path

import pytest
import regex

from core.punctuation import PUNCTUATION

VECTORS = Path(__file__).parents[1] / "data" / "vectors"
EVERY = "".join(map(chr, range(sys.maxunicode + 1)))


def test_the_table_is_that_of_hugging_face():
    vector = json.loads((VECTORS / "62_hf_char_classes.json").read_text(encoding="utf-8"))
    theirs = [chr(code) for start, end in vector["Punctuation"] for code in range(start, end + 1)]
    assert regex.findall(f"[{PUNCTUATION}]", EVERY) == theirs
    assert len(theirs) == 726


def test_ascii():
    assert "".join(regex.findall(f"[{PUNCTUATION}]", EVERY[:128])) == "!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~"


def test_none_is_a_letter_a_number_or_white_space():
    assert regex.findall(rf"(?V1)[[\p{{L}}\p{{N}}\s]&&[{PUNCTUATION}]]", EVERY) == []


def test_tokenizers_has_the_same_today():
    theirs = pytest.importorskip("tokenizers.pre_tokenizers", reason="the tokenizers package is not installed")
    known = [char for char in EVERY if unicodedata.category(char) not in ("Cs", "Cn")]
    text = "a".join(known)
    pieces = {piece for piece, _ in theirs.Punctuation("isolated").pre_tokenize_str(text) if len(piece) == 1}
    assert pieces - {"a"} == set(regex.findall(f"[{PUNCTUATION}]", text))
