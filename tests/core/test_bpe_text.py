"""Text with @@ between the tokens of a word, as subword-nmt writes and reads it."""

import io
import json
from pathlib import Path

import pytest
import regex
from hypothesis import given
from hypothesis import strategies as st

from core.alphabet import Base, Marker
from core.bpe_text import BpeText, decoded
from core.errors import BpeError
from core.formats import FORMATS
from core.normalizer import Normalizer
from core.pipeline import Pipeline
from core.pre_tokenizer import PRE_TOKENIZERS
from core.special_tokens import Specials
from core.tokenizer import Dropout, Tokenizer
from core.trainer import TrainerConfig
from tests.core.runs import record

VECTORS = Path(__file__).parents[1] / "data" / "vectors"
WORDS = Pipeline(pre_tokenizer=PRE_TOKENIZERS["whitespace"])
SUFFIX = TrainerConfig(Base.CHARACTERS, Marker.SUFFIX, special_tokens=("<s>",), merges=2)


def codes(text, folder):
    path = folder / "bpe.codes"
    path.write_bytes(text.encode())
    return Tokenizer(FORMATS["subword-nmt"].load(path))


def written(tokenizer, text, *arguments, **options):
    return "".join(BpeText(tokenizer, *arguments, **options).encoded(text))


CASES = json.loads((VECTORS / "31_subword_nmt_apply_cases.json").read_text(encoding="utf-8"))["cases"]


@pytest.mark.parametrize("case", [case for case in CASES if not case["glossaries"]], ids=lambda case: case["title"])
def test_what_subword_nmt_writes(case, tmp_path):
    tokenizer = codes(case["codes_file"], tmp_path)
    for encoding in case["encodings"]:
        assert written(tokenizer, encoding["text"], case["separator"], case["vocab"]) == encoding["segmented"]


def test_spaces_stay_at_the_ends_of_a_line_and_one_is_left_between_words(tmp_path):
    tokenizer = codes("#version: 0.2\nl o\n", tmp_path)
    assert written(tokenizer, "  low   lo \r\n\n lo\rx ") == "  lo@@ w l@@ o \r\n\n l@@ o\rx "
    assert written(tokenizer, "   \n") == "   \n"
    assert written(tokenizer, "") == ""


def test_other_white_space_is_part_of_words_for_codes_and_cuts_them_where_the_tokenizer_says_so(tmp_path):
    tokenizer = codes("#version: 0.2\nl o</w>\n", tmp_path)
    assert written(tokenizer, "lo\u00a0lo\tlo") == "l@@ o@@ \u00a0@@ l@@ o@@ \t@@ lo"
    recording = record("lo lo lo", TrainerConfig(Base.CHARACTERS, Marker.SUFFIX, merges=1), WORDS)
    assert written(Tokenizer(recording), "lo\u3000lo") == "lo@@ lo"


def test_what_is_in_no_vocabulary_falls_into_its_parts(tmp_path):
    tokenizer = codes("#version: 0.2\nl o\nlo w</w>\nlow e\n", tmp_path)
    assert written(tokenizer, "low lox", "@@", {"low", "lo@@", "x"}) == "low lo@@ x"
    assert written(tokenizer, "low lox", "@@", {"l@@", "lo@@", "w"}) == "lo@@ w lo@@ x"
    assert written(tokenizer, "low lox", "@@", {"low@@"}) == "l@@ o@@ w l@@ o@@ x"


def test_a_vocabulary_for_codes_whose_marker_is_a_symbol(tmp_path):
    tokenizer = codes("l o\nlo </w>\n", tmp_path)
    assert written(tokenizer, "lo") == "lo"
    assert written(tokenizer, "lo", "@@", {"l@@", "o"}) == "l@@ o"


def test_special_tokens_stay_whole_unless_they_are_text():
    tokenizer = Tokenizer(record("low low <s>", SUFFIX, WORDS))
    assert written(tokenizer, "low<s>low <s>") == "low@@ <s>@@ low <s>"
    assert written(tokenizer, "<s>", specials=Specials.AS_TEXT) == "<@@ s@@ >"


def test_dropout_cuts_equal_words_by_another_luck():
    recording = record("abcdefgh abcdefgh", TrainerConfig(Base.CHARACTERS, Marker.SUFFIX), WORDS)
    text = written(Tokenizer(recording, dropout=Dropout(0.5, 1)), "abcdefgh " * 20)
    assert len(set(decoded(text).split())) == 1
    assert len(set(text.replace("@@ ", "@@").split())) > 5
    assert text == written(Tokenizer(recording, dropout=Dropout(0.5, 1)), "abcdefgh " * 20)


def test_the_normalizer_comes_first():
    pipeline = Pipeline(Normalizer.named("lowercase"), PRE_TOKENIZERS["whitespace"])
    recording = record("low low", TrainerConfig(Base.CHARACTERS, Marker.SUFFIX, merges=1), pipeline)
    assert written(Tokenizer(recording), "LOW İ") == "lo@@ w i@@ \u0307"


def test_tokens_that_make_no_such_text_are_refused():
    with pytest.raises(BpeError, match="Its tokens are bytes"):
        BpeText(Tokenizer(record("low", TrainerConfig())))
    metaspace = Pipeline(Normalizer.named("metaspace"), PRE_TOKENIZERS["metaspace"])
    with pytest.raises(BpeError, match="A ▁ begins its words"):
        BpeText(Tokenizer(record("low", TrainerConfig(Base.CHARACTERS, Marker.METASPACE), metaspace)))


def test_back_to_text():
    assert decoded("lo@@ w er@@ ed\n") == "low ered\n"
    assert decoded("a@@\r\nb@@ \nc@@") == "a\r\nb\nc"
    assert decoded("x\uffed y @@ z", "\uffed") == "xy @@ z"
    assert decoded("a.b. c", ".") == "a.bc"


LINES = "#version: 0.2\nl o\nlo w\ne r</w>\ns t\ne st</w>\ne s\nlo we\nlow e\n\u00a0 l\n"
HARD = st.text(st.sampled_from("lowerst </w>@\u00a0\t\u3000é\U0001f600\u0301"), max_size=40)


@pytest.fixture(scope="module")
def tokenizer(tmp_path_factory):
    return codes(LINES, tmp_path_factory.mktemp("codes"))


@given(lines=st.lists(HARD, max_size=4))
def test_the_library_writes_the_same(lines, tokenizer):
    bpe = pytest.importorskip("subword_nmt.apply_bpe").BPE(io.StringIO(LINES, newline="\n"))
    expected = "\n".join(map(bpe.process_line, lines))
    assert written(tokenizer, "\n".join(lines)) == expected


@given(lines=st.lists(HARD.filter(lambda line: "@" not in line), max_size=4))
def test_what_is_written_comes_back_but_for_spaces_between_words(lines, tokenizer):
    text = "\n".join(lines)
    assert decoded(written(tokenizer, text)).split(" ") == regex.sub(r"(?<=[^ \n]) +(?=[^ \n])", " ", text).split(" ")
