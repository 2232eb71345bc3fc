"""Hugging Face's tokenizer.json with the tokenizer_config.json that transformers wants beside it.

All kinds of tokenizer were checked with tokenizers 0.13 to 0.23 and transformers 4.57 and 5.0. Merges are written as
strings, which every version reads, unless a token holds a space. What the file says of the way from text to words and
back is in huggingface_pipeline.py.
"""

import json
import re
from collections.abc import Iterator, Mapping
from pathlib import Path

from core.alphabet import Marker
from core.encoding_rules import Encoder
from core.formats import javascript
from core.formats.base import Format, Lines, Reading, ReadOptions
from core.formats.huggingface_findings import findings, needs_lists
from core.formats.huggingface_normalizer import Json
from core.formats.huggingface_pipeline import (
    MAX_WORD_CHARS,
    Layout,
    bpe_options,
    decoder_of,
    normalizer_of,
    pre_tokenizer_of,
    unknown_token,
)
from core.formats.huggingface_reader import reading
from core.formats.json_lines import opened, separated, text_of
from core.formats.spelling import Contents, Spelling
from core.recording import Recording
from core.trainer import Score

TOKENIZER, CONFIG = "tokenizer.json", "tokenizer_config.json"


def render(recording: Recording, step: int, path: Path) -> Mapping[Path, Lines]:
    return {path / TOKENIZER: _tokenizer_lines(recording, step), path / CONFIG: _config_lines(recording)}


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


def _tokenizer_lines(recording: Recording, step: int) -> Lines:
    layout = Layout.of(recording)
    head: Json = {
        "version": "1.0",
        "truncation": None,
        "padding": None,
        "added_tokens": [_added_token(text, i) for text, i in recording.alphabet.special_ids.items()],
        "normalizer": normalizer_of(layout),
        "pre_tokenizer": pre_tokenizer_of(layout),
        "post_processor": None,
        "decoder": decoder_of(layout),
    }
    yield from opened(head)
    yield '  "model": {\n'
    for key, value in _model_options(layout).items():
        yield f"    {text_of(key)}: {text_of(value)},\n"
    spelling = Spelling(recording, layout.marker_text)
    yield '    "vocab": {\n'
    yield from separated(f"      {text_of(name)}: {i}" for name, i in spelling.vocabulary(step))
    if layout.is_word_piece:
        yield "    }\n"
    else:
        yield '    },\n    "merges": [\n'
        as_lists = needs_lists(recording, Contents.of(recording, step))
        yield from separated(
            f"      {text_of(list(pair) if as_lists else ' '.join(pair))}" for pair in spelling.merges(step)
        )
        yield "    ]\n"
    yield "  }\n}\n"


def _added_token(text: str, token_id: int) -> Json:
    flags = dict.fromkeys(("single_word", "lstrip", "rstrip", "normalized"), False)
    return {"id": token_id, "content": text, **flags, "special": True}


def _model_options(layout: Layout) -> Json:
    if not layout.is_word_piece:
        return {"type": "BPE", "dropout": None, **bpe_options(layout), "ignore_merges": False}
    return {
        "type": "WordPiece",
        # a name is required; where nothing is unknown it is never looked for
        "unk_token": unknown_token(layout) or "[UNK]",
        "continuing_subword_prefix": layout.marker_text if layout.alphabet.marker is Marker.CONTINUING else "",
        "max_input_chars_per_word": MAX_WORD_CHARS,
    }


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
)
