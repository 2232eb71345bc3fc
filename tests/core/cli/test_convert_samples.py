"""`bpe` on a file of every format that is read: shown, encoded, decoded, and converted to whatever can hold it."""

import shutil

import pytest

from core.formats import EXPORTS, FORMATS
from tests.core.cli.commands import bpe, output
from tests.core.formats.test_mutations import KEPT, MADE, samples

__all__ = ["samples"]

TEXT = "low lower"


@pytest.mark.parametrize("name", [*KEPT, *MADE])
def test_every_file_can_be_shown_encoded_and_converted(name, samples, tmp_path):
    place = tmp_path / "in"
    shutil.copytree(samples[name].parent, place) if name.startswith("gpt2") else place.mkdir()
    file = shutil.copy(samples[name], place)
    if name == "tiktoken side-car":
        shutil.copy(samples[name].with_suffix(".tiktoken"), place)
    file = place if name == "gpt2 side-car" else file
    before = {path: path.read_bytes() for path in place.iterdir()}
    assert "merges" in output("show", file)
    ids = output("encode", file, TEXT, "--ids").strip()
    assert bpe("decode", file, *ids.split()).status == 0
    written = 0
    for format in EXPORTS.values():
        if format.read:
            result = bpe("convert", file, tmp_path / f"as {format.name}", "--format", format.name, "--quiet")
            assert result.status == 0 or "cannot hold this tokenizer" in result.err, (format.name, result.err)
            written += result.status == 0
    assert written >= 1  # the own recording holds all
    assert {path: path.read_bytes() for path in place.iterdir()} == before


@pytest.mark.parametrize("name", [name for name in FORMATS if name in (*KEPT, *MADE)])
def test_nothing_is_written_over_what_is_read(name, samples, tmp_path):
    shutil.copytree(samples[name].parent, tmp_path, dirs_exist_ok=True)
    file = tmp_path / samples[name].name
    other = "minbpe" if name != "minbpe" else "recording"
    result = bpe("convert", file, file, "--format", other, "--quiet")
    assert result.status != 0
    assert "would be written over" in result.err or "cannot" in result.err
