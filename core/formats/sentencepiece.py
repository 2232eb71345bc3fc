"""SentencePiece's .model of the type BPE, read with its own normalizer."""

from collections.abc import Iterator
from pathlib import Path

from core.formats.base import Format, Reading, ReadOptions
from core.formats.sentencepiece_model import looks_like_model, read_model
from core.formats.sentencepiece_reader import document_of, recording_of
from core.formats.strict_json import read_bytes

NAME = "sentencepiece"


def reading(path: Path, options: ReadOptions) -> Reading:
    model = yield from read_model(read_bytes(path), path.name)
    return (yield from recording_of(model, NAME, path.name, document_of(model)))


def finds(folder: Path) -> Iterator[Path]:
    """Not beside a tokenizer.json, which says the same there."""
    if not (folder / "tokenizer.json").is_file():
        yield from (file for file in sorted(folder.glob("*.model")) if _begins_like_one(file))


def _begins_like_one(file: Path) -> bool:
    try:
        with file.open("rb") as opened:
            return looks_like_model(opened.read(1 << 10))
    except OSError:
        return False


FORMAT = Format(
    name=NAME,
    title="SentencePiece .model",
    help="The model file of SentencePiece, of the type BPE; Llama 2 and Mistral came with one.",
    suggested_name="bpe.model",
    is_folder=False,
    read=reading,
    recognizes=lambda data, path: looks_like_model(data),
    finds=finds,
)
