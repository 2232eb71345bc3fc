"""Which tokenizer a file or folder holds."""

import json
import shutil

import pytest

from core.errors import FormatError
from core.formats import opening
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


def test_of_large_texts_only_the_beginning_is_read(tmp_path, monkeypatch):
    """Large JSON is read whole, where its keys may be anywhere; lines of JSON are texts."""
    monkeypatch.setattr(opening, "read_bytes", lambda path: pytest.fail(f"{path.name} was read"))
    texts = {"a.txt": b"low lower lowest\n", "b.jsonl": b'{"text": "low", "model": {}}\n', "c.txt": b"\xff\x00 12\n"}
    for name, line in texts.items():
        (tmp_path / name).write_bytes(line * (2 * opening.PEEKED // len(line)))
        assert not opening.is_model(tmp_path / name)


def test_large_json_is_known_by_a_key_at_its_end(models, tmp_path):
    file = json.loads((models / "bytes" / "tokenizer.json").read_text(encoding="utf-8"))
    model = file.pop("model")
    for indent in (None, 2):
        text = json.dumps({"normalizer": None, "x": "y" * 2 * opening.PEEKED, "model": model}, indent=indent)
        (tmp_path / "t.json").write_text(text, encoding="utf-8")
        assert opening.is_model(tmp_path / "t.json")
