import pytest

from core.cut_preview import MAX_WORDS, cut_preview
from core.errors import PatternError
from core.pre_tokenizer import PRE_TOKENIZERS, custom
from core.progress import without_progress


def test_words_with_their_white_space() -> None:
    preview = without_progress(cut_preview(PRE_TOKENIZERS["gpt2"], "It's  春眠\n🌸\u200d"))
    assert preview.pre_tokenizer is PRE_TOKENIZERS["gpt2"]
    assert preview.words == "It │ 's │ ␣ │ ␣春眠 │ ⏎ │ 🌸⟨E2 80 8D⟩"


def test_a_pattern_of_ones_own() -> None:
    assert without_progress(cut_preview(r"\d|\D+", "ab12")) == (custom(r"\d|\D+"), "ab │ 1 │ 2")
    with pytest.raises(PatternError, match="cannot be read"):
        without_progress(cut_preview("(", "ab"))


def test_a_long_sample_is_cut() -> None:
    words = without_progress(cut_preview(PRE_TOKENIZERS["whitespace"], "a " * 10_000)).words
    assert words.split(" │ ") == ["a"] * MAX_WORDS
