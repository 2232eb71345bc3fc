"""GPT-2's vocab.json and merges.txt, and a side-car for what the two files cannot say.

merges.txt has a header and a final line end because older readers drop the first line and what follows the last.
"""

import json
import re
from collections.abc import Iterator, Mapping
from itertools import chain
from pathlib import Path
from typing import Any

from core.alphabet import Base, Marker
from core.corpus import Pipeline
from core.errors import BpeError, FormatError
from core.formats.base import COUNTS_ARE_LOST, Finding, Format, Lines, Severity
from core.formats.json_lines import separated, text_of
from core.formats.patterns import portable
from core.formats.rebuild import Settings, SpelledMerge, recording_of
from core.formats.spelling import BYTE_OF_STAND_IN, Contents, Spelling, same_spelling
from core.formats.strict_json import is_id, read_object, read_text
from core.normalizer import Normalizer
from core.pre_tokenizer import GPT2, named
from core.recording import Recording

VOCAB, MERGES, SIDE_CAR = "vocab.json", "merges.txt", "bpe-gui.json"
HEADER = "#version: 0.2"
VERSION_LINE = "#version"
KIND, KIND_VERSION = "bpe-gui tokenizer settings", 1
_SPACE = re.compile(r"\s")


def findings(recording: Recording, step: int) -> Iterator[Finding]:
    alphabet, pipeline = recording.alphabet, recording.pipeline
    contents = Contents.of(recording, step)
    yield from same_spelling(recording, contents)
    yield from _unwritable(recording, contents)
    if alphabet.marker is Marker.SYMBOL:
        yield Finding(
            Severity.REFUSAL,
            "No reader of these files puts a marker of its own behind each word. "
            "Train with the marker attached to the last letter, or without one.",
        )
    if pipeline.pre_tokenizer.pattern != GPT2:
        yield _loss(f"how the text is cut ({pipeline.pre_tokenizer.title}); a reader that is not told uses GPT-2's way")
    if pipeline.normalizer:
        yield _loss(f"the normalizer ({', '.join(pipeline.normalizer.names)}); normalize texts before encoding them")
    if alphabet.special_ids:
        yield _loss("which tokens are special; they are ordinary entries of the vocabulary")
    if alphabet.marker is Marker.SUFFIX:
        yield _loss(f"that {recording.config.marker_text!r} marks the end of a word; a reader must be told")
    if recording.has_counts:
        yield Finding(Severity.LOSS, COUNTS_ARE_LOST)
    if recording.config.unknown_token is not None:
        yield _loss(f"that {recording.config.unknown_token!r} is the unknown token; a reader must be told")


def _loss(what: str) -> Finding:
    return Finding(Severity.LOSS, f"The two files cannot keep {what}. {SIDE_CAR} keeps it for this program.")


def _unwritable(recording: Recording, contents: Contents) -> Iterator[Finding]:
    if recording.alphabet.base is Base.CHARACTERS:
        symbols = (token.content.decode() for token in recording.alphabet.tokens.values())
        spaces = [symbol for symbol in symbols if _SPACE.search(symbol)]
        if spaces:
            yield Finding(
                Severity.REFUSAL,
                f"Tokens hold white space, such as {spaces[0]!r}, and {MERGES} separates tokens by it. "
                "Save as Hugging Face tokenizer.json, or train on bytes or without white space in words.",
            )
    if contents.starting(VERSION_LINE.encode()):
        yield Finding(
            Severity.REFUSAL,
            f"A token begins with {VERSION_LINE!r}, and readers of {MERGES} skip such a line. "
            "Save as Hugging Face tokenizer.json.",
        )


def render(recording: Recording, step: int, path: Path) -> Mapping[Path, Lines]:
    return {
        path / MERGES: _merge_lines(recording, step),
        path / VOCAB: _vocab_lines(recording, step),
        path / SIDE_CAR: _side_car_lines(recording),
    }


def _vocab_lines(recording: Recording, step: int) -> Lines:
    names = Spelling(recording, recording.config.marker_text).vocabulary(step)
    yield "{\n"
    yield from separated(f"{text_of(name)}: {token_id}" for name, token_id in names)
    yield "}\n"


def _merge_lines(recording: Recording, step: int) -> Lines:
    yield HEADER + "\n"
    for left, right in Spelling(recording, recording.config.marker_text).merges(step):
        yield f"{left} {right}\n"


def _side_car_lines(recording: Recording) -> Lines:
    alphabet, pipeline, config = recording.alphabet, recording.pipeline, recording.config
    settings = {
        "format": KIND,
        "version": KIND_VERSION,
        "base": alphabet.base,
        "marker": alphabet.marker,
        "marker_text": config.marker_text,
        "normalizer": pipeline.normalizer.names,
        "pre_tokenizer": pipeline.pre_tokenizer.name,
        "pattern": pipeline.pre_tokenizer.pattern,
        "special_tokens": list(alphabet.special_ids),
        "unknown_token": config.unknown_token,
    }
    yield json.dumps(settings, ensure_ascii=False, indent=2) + "\n"


def read(path: Path) -> Recording:
    """From the folder. Without the side-car the tokenizer is taken for a byte-level one that cuts as GPT-2 does."""
    folder = path if path.is_dir() else path.parent
    vocab = read_object(folder / VOCAB)
    for text, token_id in vocab.items():
        if not is_id(token_id):
            raise FormatError(f"{VOCAB}: expected an id, a whole number from 0, for {text!r}, found {token_id!r}.")
    merges = read_merges(folder / MERGES)
    side_car = folder / SIDE_CAR
    settings = read_settings(side_car) if side_car.exists() else _gpt2_settings(vocab, merges)
    return recording_of(vocab, merges, settings, lambda rank: f"{MERGES}, merge {rank + 1}", VOCAB)


def read_merges(path: Path) -> list[SpelledMerge]:
    """The pairs of a merges.txt, with or without header, final line end and carriage returns."""
    lines = read_text(path).split("\n")
    if not lines[-1]:
        lines.pop()
    merges = []
    for number, line in enumerate(lines, 1):
        if number == 1 and line.startswith(VERSION_LINE):
            continue
        parts = line.removesuffix("\r").split(" ")
        if len(parts) != 2 or not all(parts):
            raise FormatError(f"{path.name}, line {number}: expected two tokens with a space between, found {line!r}.")
        merges.append((parts[0], parts[1]))
    return merges


def _gpt2_settings(vocab: Mapping[str, int], merges: list[SpelledMerge]) -> Settings:
    """As for the files of GPT-2 itself: what is neither a byte nor made by a merge is a special token."""
    made = {left + right for left, right in merges}
    return Settings(special_tokens=tuple(t for t in vocab if t not in made and t not in BYTE_OF_STAND_IN))


def read_settings(path: Path) -> Settings:
    """What the side-car says. Raises FormatError naming the key that is not as expected."""
    data = read_object(path)
    if data.get("format") != KIND or data.get("version") != KIND_VERSION:
        raise FormatError(f"{path.name} is not a file of {KIND}, version {KIND_VERSION}.")
    for key in ("base", "marker", "marker_text", "pre_tokenizer", "pattern"):
        if not isinstance(data.get(key), str):
            raise FormatError(f"{path.name}, {key}: expected a string, found {data.get(key)!r}.")
    for key in ("normalizer", "special_tokens"):
        if not isinstance(data.get(key), list) or not all(isinstance(item, str) for item in data[key]):
            raise FormatError(f"{path.name}, {key}: expected a list of strings, found {data.get(key)!r}.")
    if not isinstance(data.get("unknown_token"), str | None):
        raise FormatError(f"{path.name}, unknown_token: expected a string or null, found {data['unknown_token']!r}.")
    try:
        return _settings(data)
    except (BpeError, ValueError) as error:
        raise FormatError(f"{path.name}: {error}") from None


def _settings(data: dict[str, Any]) -> Settings:
    pipeline = Pipeline(Normalizer.named(*data["normalizer"]), named(data["pre_tokenizer"], data["pattern"]))
    return Settings(
        Base(data["base"]),
        Marker(data["marker"]),
        data["marker_text"],
        tuple(data["special_tokens"]),
        data["unknown_token"],
        pipeline,
    )


_NORMALIZERS = {"lowercase": "Lowercase", "nfc": "NFC", "nfkc": "NFKC"}


def python(path: Path) -> str:
    """Reads the two files with tokenizers and adds in code what they cannot say."""
    settings = read_settings(path / SIDE_CAR) if (path / SIDE_CAR).exists() else Settings()
    return "\n".join(chain(_imports(settings), [""], _model_code(path, settings), _pipeline_code(settings), _EXAMPLE))


def _imports(settings: Settings) -> Iterator[str]:
    used = "\n".join(_pipeline_code(settings))
    names = [name for name in ("AddedToken", "Regex", "decoders", "normalizers", "pre_tokenizers") if name in used]
    yield "# pip install tokenizers"
    yield f"from tokenizers import {', '.join(sorted(['Tokenizer', *names]))}"
    yield "from tokenizers.models import BPE"


def _model_code(path: Path, settings: Settings) -> Iterator[str]:
    options = ""
    if settings.unknown_token is not None:
        options += f", unk_token={settings.unknown_token!r}"
    if settings.marker is Marker.SUFFIX:
        options += f", end_of_word_suffix={settings.marker_text!r}"
    yield f"model = BPE.from_file({str(path / VOCAB)!r}, {str(path / MERGES)!r}{options})"
    yield "tokenizer = Tokenizer(model)"


def _pipeline_code(settings: Settings) -> Iterator[str]:
    names = settings.pipeline.normalizer.names
    if names:
        steps = ", ".join(f"normalizers.{_NORMALIZERS[name]}()" for name in names)
        yield f"tokenizer.normalizer = normalizers.Sequence([{steps}])"
    yield f"tokenizer.pre_tokenizer = {_pre_tokenizer_code(settings)}"
    if decoder := _decoder_code(settings):
        yield f"tokenizer.decoder = {decoder}"
    if settings.special_tokens:
        yield f"specials = {list(settings.special_tokens)!r}"
        yield "tokenizer.add_special_tokens([AddedToken(text, normalized=False) for text in specials])"


def _pre_tokenizer_code(settings: Settings) -> str:
    pattern = settings.pipeline.pre_tokenizer.pattern
    is_bytes = settings.base is Base.BYTES
    if is_bytes and pattern == GPT2:
        return "pre_tokenizers.ByteLevel(add_prefix_space=False)"
    split = f'pre_tokenizers.Split(Regex({portable(pattern)!r}), "removed", invert=True)'
    byte_level = "pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)"
    return f"pre_tokenizers.Sequence([{split}, {byte_level}])" if is_bytes else split


def _decoder_code(settings: Settings) -> str | None:
    if settings.base is Base.BYTES:
        return "decoders.ByteLevel()"
    if settings.marker is Marker.SUFFIX:
        if settings.pipeline.pre_tokenizer.keeps_everything:
            return f'decoders.Sequence([decoders.Replace({settings.marker_text!r}, ""), decoders.Fuse()])'
        return f"decoders.BPEDecoder({settings.marker_text!r})"
    return None if settings.pipeline.pre_tokenizer.name in ("whitespace", "words") else "decoders.Fuse()"


_EXAMPLE = (
    "",
    'encoding = tokenizer.encode("Hello, world!")',
    "print(encoding.ids, encoding.tokens)",
    "print(tokenizer.decode(encoding.ids, skip_special_tokens=False))",
    "",
)

FORMAT = Format(
    name="gpt2",
    title="GPT-2 vocab.json and merges.txt",
    help="A folder with the two files that GPT-2 came with, read by tokenizers and by many older tools.",
    suggested_name="gpt2",
    is_folder=True,
    findings=findings,
    render=render,
    read=read,
    python=python,
)
