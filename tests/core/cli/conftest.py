"""Texts and tokenizers that are only read, made once."""

from pathlib import Path

import pytest

from tests.core.cli.commands import FOUR_WORDS, output


@pytest.fixture(scope="session")
def texts(tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("texts")
    (folder / "four.txt").write_text(FOUR_WORDS)
    return folder


@pytest.fixture(scope="session")
def four(texts) -> Path:
    """The textbook's text."""
    return texts / "four.txt"


@pytest.fixture(scope="session")
def models(tmp_path_factory, four) -> Path:
    """A folder with `bytes` (GPT-2, a special token) and `suffix` (</w>), both Hugging Face's; `kept`, which is
    `suffix` with unknown characters left as they are; and `ranks.tiktoken`."""
    folder = tmp_path_factory.mktemp("models")
    special = ["--special", "<|end|>"]
    output("train", four, "--merges", 12, *special, "--out", folder / "bytes")
    suffix = ["--base", "characters", "--pre-tokenizer", "whitespace", "--marker", "</w>"]
    output("train", four, "--merges", 9, *suffix, "--out", folder / "suffix")
    output("train", four, "--merges", 9, *suffix, "--out", folder / "kept", "--format", "gpt2")
    output("train", four, "--merges", 12, *special, "--out", folder / "ranks.tiktoken")
    return folder
