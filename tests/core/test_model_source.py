from pathlib import Path

import pytest

from core.errors import FormatError, PatternError
from core.model_source import ModelSource
from core.pre_tokenizer import PRE_TOKENIZERS, custom


def test_it_is_the_same_after_a_restart() -> None:
    for source in (ModelSource(Path("/春/tokenizer.json")), ModelSource(Path("/a b.tiktoken"), r"\w+")):
        assert ModelSource.from_json(source.to_json()) == source


@pytest.mark.parametrize(
    "text",
    [
        "", "[]", "{}", '{"model": 3, "pre_tokenizer": ""}', '{"model": "", "pre_tokenizer": ""}',
        '{"model": "a", "pre_tokenizer": null}', '{"model": "a", "pre_tokenizer": "("}', "[" * 100_000,
    ],
)  # fmt: skip
def test_what_others_wrote_is_refused(text: str) -> None:
    with pytest.raises(FormatError, match="which tokenizer to read"):
        ModelSource.from_json(text)


def test_files_that_are_all_called_the_same_are_named_by_their_folder() -> None:
    assert ModelSource(Path("/models/qwen3/tokenizer.json")).name == "qwen3"
    assert ModelSource(Path("/models/gpt_oss_300.tokenizer.json")).name == "gpt_oss_300.tokenizer.json"
    assert ModelSource(Path("/models/llama")).name == "llama"
    assert ModelSource(Path("/tokenizer.json")).name == "tokenizer.json"


def test_the_way_to_cut_is_a_known_name_or_a_pattern() -> None:
    source = ModelSource(Path("a.tiktoken"))
    assert source.chosen_pre_tokenizer is None
    assert source.listing == "a.tiktoken\nread as a tokenizer"
    by_name = source.cut_by(PRE_TOKENIZERS["o200k"])
    assert (by_name.pre_tokenizer, by_name.chosen_pre_tokenizer) == ("o200k", PRE_TOKENIZERS["o200k"])
    by_pattern = source.cut_by(custom(r"\d|\D"))
    assert (by_pattern.pre_tokenizer, by_pattern.chosen_pre_tokenizer) == (r"\d|\D", custom(r"\d|\D"))
    assert by_pattern.listing == "a.tiktoken\nread as a tokenizer\ntexts are cut by \\d|\\D"
    with pytest.raises(PatternError):
        _ = ModelSource(Path("a"), "(").chosen_pre_tokenizer
