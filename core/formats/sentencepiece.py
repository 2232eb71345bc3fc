"""SentencePiece's .model of the type BPE, read with its own normalizer and written."""

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from core.formats.base import Format, Kept, Reading, ReadOptions
from core.formats.sentencepiece_findings import findings
from core.formats.sentencepiece_model import looks_like_model, read_model, written
from core.formats.sentencepiece_reader import document_of, recording_of
from core.formats.sentencepiece_writer import lines_of, model_of
from core.formats.strict_json import read_bytes
from core.recording import Recording

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


def render(recording: Recording, step: int, path: Path) -> Mapping[Path, Iterable[bytes]]:
    return {path: _pieces(recording, step)}


def _pieces(recording: Recording, step: int) -> Iterator[bytes]:
    yield from written(model_of(recording, step, _document(recording)))


def previewed(recording: Recording, step: int) -> Iterator[str]:
    return lines_of(model_of(recording, step, _document(recording)))


def _document(recording: Recording) -> Mapping[str, Any]:
    """What is kept of a model of SentencePiece; other formats keep other things."""
    imported = recording.imported
    return imported.document if imported and imported.format == NAME else {}


def python(path: Path) -> str:
    return f"""\
# pip install sentencepiece
from sentencepiece import SentencePieceProcessor

tokenizer = SentencePieceProcessor(model_file={str(path)!r})

ids = tokenizer.encode("Hello, world!")
print(ids, tokenizer.id_to_piece(ids))
print(tokenizer.decode(ids))
"""


FORMAT = Format(
    name=NAME,
    title="SentencePiece .model",
    help="The model file of SentencePiece, of the type BPE; Llama 2 and Mistral came with one.",
    suggested_name="bpe.model",
    is_folder=False,
    findings=findings,
    render=render,
    read=reading,
    recognizes=lambda data, path: looks_like_model(data),
    finds=finds,
    python=python,
    no_javascript="No library for JavaScript that reads it is looked after.",
    keeps=frozenset(Kept) - {Kept.SPECIAL_TOKENS},  # they are never looked for there
    previewed=previewed,
    follows=frozenset(),
)
