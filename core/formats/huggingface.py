"""Hugging Face's tokenizer.json with the tokenizer_config.json that transformers wants beside it.

All kinds of tokenizer were checked with tokenizers 0.13 to 0.23 and transformers 4.57 and 5.0. Merges are written as
strings, which every version reads, unless a token holds a space. What the file says of the way from text to words and
back is in huggingface_pipeline.py.
"""

import json
import re
from collections.abc import Iterator, Mapping
from pathlib import Path

from core.encoding_rules import Encoder
from core.formats import javascript
from core.formats.base import Format, Kept, Lines, Reading, ReadOptions
from core.formats.huggingface_findings import findings
from core.formats.huggingface_normalizer import Json
from core.formats.huggingface_pipeline import Layout, unknown_token
from core.formats.huggingface_reader import reading
from core.formats.huggingface_writer import beside_of, tokenizer_lines
from core.recording import Recording
from core.trainer import Score

TOKENIZER, CONFIG = "tokenizer.json", "tokenizer_config.json"


def render(recording: Recording, step: int, path: Path) -> Mapping[Path, Lines]:
    files = {path / TOKENIZER: tokenizer_lines(recording, step), path / CONFIG: _config_lines(recording)}
    for name, content in beside_of(recording).items():
        files[path / name] = iter((json.dumps(content, ensure_ascii=False, indent=2) + "\n",))
    return files


def _config_lines(recording: Recording) -> Lines:
    # GPT2Tokenizer and its like would rebuild the pipeline and ignore ours; cleaning up would alter decoded text
    config: Json = {
        "tokenizer_class": "PreTrainedTokenizerFast",
        "clean_up_tokenization_spaces": False,
        "model_max_length": 10**30,
    }
    if unknown := unknown_token(Layout.of(recording)):
        config["unk_token"] = unknown
    yield json.dumps(config, ensure_ascii=False, indent=2) + "\n"


def encoder_of(recording: Recording) -> Encoder:
    """How the library encodes with the file."""
    return Encoder.LONGEST_MATCH if recording.config.score is Score.WORDPIECE else Encoder.MERGE_RANK


def read(path: Path, options: ReadOptions) -> Reading:
    """From the folder, or a file of whatever name."""
    return (yield from reading(path / TOKENIZER if path.is_dir() else path))


def recognizes(data: bytes, path: Path) -> bool:
    return data.lstrip()[:1] == b"{" and _MODEL.search(data) is not None


def finds(folder: Path) -> Iterator[Path]:
    if (folder / TOKENIZER).is_file():
        yield folder


_MODEL = re.compile(rb'"model"\s*:\s*\{')


def python(path: Path) -> str:
    return f"""\
# pip install tokenizers
from tokenizers import Tokenizer

tokenizer = Tokenizer.from_file({str(path / TOKENIZER)!r})

encoding = tokenizer.encode("Hello, world!", add_special_tokens=False)
print(encoding.ids, encoding.tokens)
print(tokenizer.decode(encoding.ids, skip_special_tokens=False))
"""


FORMAT = Format(
    name="huggingface",
    title="Hugging Face tokenizer.json",
    help="A folder that tokenizers, transformers and transformers.js load as it is.",
    suggested_name="tokenizer",
    is_folder=True,
    findings=findings,
    render=render,
    read=read,
    recognizes=recognizes,
    finds=finds,
    python=python,
    javascript=lambda path: javascript.hugging_face(path / TOKENIZER, path / CONFIG),
    encoder=encoder_of,
    keeps=frozenset(Kept),
    follows=frozenset(),
)
