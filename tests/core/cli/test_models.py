"""Which tokenizer a file or folder holds."""

import shutil

import pytest

from core.errors import FormatError
from core.formats.opening import open_model
from tests.core.cli.commands import output


@pytest.fixture
def folder(models, tmp_path):
    for file in models.glob("ranks.*"):
        shutil.copy(file, tmp_path)
    return tmp_path


def test_a_folder_with_one_tokenizer(folder):
    assert len(open_model(folder).recording) == 12
    assert len(open_model(folder / "ranks.json").recording) == 12


def test_a_folder_with_several_tokenizers(models, folder):
    shutil.copy(models / "suffix" / "tokenizer.json", folder)
    with pytest.raises(
        FormatError,
        match=r"there are 2 tokenizers in this folder: Hugging Face token.*\.json, ranks\.tiktoken\. Name",
    ):
        open_model(folder)
    assert len(open_model(folder / "tokenizer.json").recording) == 9


def test_transformers_writes_old_files_beside_the_new_one(models, folder):
    shutil.rmtree(folder)
    shutil.copytree(models / "bytes", folder)
    output("convert", models / "suffix", folder, "--format", "gpt2")
    assert len(open_model(folder).recording) == 12
    assert len(open_model(folder / "vocab.json").recording) == len(open_model(folder / "merges.txt").recording) == 9


def test_any_name(models, tmp_path):
    shutil.copy(models / "bytes" / "tokenizer.json", tmp_path / "mine.json")
    assert len(open_model(tmp_path / "mine.json").recording) == 12
    shutil.copy(models / "bytes" / "tokenizer.json", tmp_path / "mine.txt")
    assert len(open_model(tmp_path / "mine.txt").recording) == 12
