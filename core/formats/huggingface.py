"""Hugging Face's tokenizer.json with the tokenizer_config.json that transformers wants beside it.

The templates were checked with tokenizers 0.13 to 0.23. Merges are written as strings, which every version reads,
unless a token holds a space.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from pathlib import Path
from typing import Any

from core.alphabet import MARKER_TEXT, Base, Marker
from core.corpus import Pipeline
from core.errors import BpeError, FormatError
from core.formats.base import COUNTS_ARE_LOST, Finding, Format, Lines, Severity
from core.formats.json_lines import opened, separated, text_of
from core.formats.patterns import TEXT_END, WORD, from_portable, javascript_reads, portable
from core.formats.rebuild import Settings, SpelledMerge, recording_of
from core.formats.spelling import Contents, Spelling, bytes_of, same_spelling
from core.formats.strict_json import is_id, read_object
from core.normalizer import Normalizer
from core.pre_tokenizer import CL100K, GPT2, LINES, PRE_TOKENIZERS, WHITESPACE, WORDS, PreTokenizer, custom
from core.recording import Recording
from core.tokenizer import Tokenizer

Json = dict[str, Any]

TOKENIZER, CONFIG = "tokenizer.json", "tokenizer_config.json"
VERSION_LINE = "#version"  # a merge written as a string that begins so is skipped by every reader

BYTE_LEVEL = {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": True, "use_regex": True}
BYTE_LEVEL_ONLY = BYTE_LEVEL | {"use_regex": False}
BYTE_LEVEL_DECODER = BYTE_LEVEL | {"add_prefix_space": True}
FUSE = {"type": "Fuse"}
NORMALIZERS = {"lowercase": "Lowercase", "nfc": "NFC", "nfkc": "NFKC"}

PRIVATE_USE = range(0xE000, 0xF900)
# Where a zero-width Replace puts the marker that is a symbol of its own, and what a marked word is.
WORD_ENDS = {
    WHITESPACE: rf"(?<=\S){TEXT_END}|(?<=\S)(?=\s)",
    WORDS: rf"(?<=[{WORD}])(?![{WORD}])|(?<=[^\s{WORD}])(?![^\s{WORD}])",
    LINES: rf"(?<=[^\r\n])(?=\r?\n|{TEXT_END})|(?<=\r)(?=\r\n|{TEXT_END})",
}
MARKED_WORD = {WHITESPACE: r"[^\s{0}]+{0}", WORDS: r"[^\s{0}]+{0}", LINES: r"(?:[^\r\n{0}]|\r(?!\n))+{0}"}


def findings(recording: Recording, step: int) -> Iterator[Finding]:
    contents = Contents.of(recording, step)
    yield from same_spelling(recording, contents)
    yield from _marker_findings(recording)
    yield from _pattern_findings(recording.pipeline.pre_tokenizer)
    yield from _normalizer_findings(recording.pipeline.normalizer)
    yield from _special_findings(recording)
    if recording.alphabet.base is Base.CHARACTERS and recording.config.unknown_token is None:
        yield Finding(
            Severity.WARNING,
            "There is no unknown token: Hugging Face leaves out characters that were not in the corpus and may merge "
            "their neighbours with each other. Train with a special token such as <unk> as the unknown token.",
        )
    if _needs_lists(recording, contents):
        yield Finding(
            Severity.WARNING,
            "Some tokens hold a space, so the merges are written as lists: tokenizers 0.20 (2024) and later read them.",
        )
    if recording.has_counts:
        yield Finding(Severity.LOSS, COUNTS_ARE_LOST)


def _marker_findings(recording: Recording) -> Iterator[Finding]:
    if recording.alphabet.marker is not Marker.SYMBOL:
        return
    if recording.alphabet.base is Base.BYTES:
        yield Finding(
            Severity.REFUSAL,
            "Hugging Face has no byte-level tokenizer whose words end in a symbol of its own. "
            "Train without a marker: with bytes, the space before a word does the marker's work.",
        )
    elif recording.pipeline.pre_tokenizer.pattern not in WORD_ENDS:
        yield Finding(
            Severity.REFUSAL,
            "Hugging Face can place a marker that is a symbol of its own only behind words cut at white space, into "
            "words and punctuation, or into lines. Train with one of those, or with the marker attached to the last "
            "letter.",
        )
    else:
        yield Finding(
            Severity.WARNING,
            f"Hugging Face has no marker that is its own symbol: U+{ord(_marks(recording)[0]):04X} stands for it "
            "in the file. Ids and decoded text are the same.",
        )


def _pattern_findings(pre_tokenizer: PreTokenizer) -> Iterator[Finding]:
    try:
        pattern = portable(pre_tokenizer.pattern)
    except FormatError as error:
        yield Finding(Severity.REFUSAL, str(error))
        return
    if not javascript_reads(pattern):
        yield Finding(
            Severity.WARNING,
            "The pattern has possessive repeats, or ignores the case of an i, which JavaScript cannot do: "
            "transformers.js cannot load the file.",
        )


def _normalizer_findings(normalizer: Normalizer) -> Iterator[Finding]:
    if "nfkc" in normalizer.names:
        yield Finding(
            Severity.WARNING,
            "Hugging Face's NFKC follows an older Unicode: 72 characters, such as ㋿ (U+32FF), stay as they are there.",
        )
    if "lowercase" in normalizer.names:
        yield Finding(
            Severity.WARNING,
            "Python and Hugging Face may follow different versions of Unicode: some 50 capital letters added since "
            "2022 are put in lower case by one and not by the other.",
        )


def _special_findings(recording: Recording) -> Iterator[Finding]:
    if recording.alphabet.base is not Base.BYTES:
        return
    for text in recording.alphabet.special_ids:
        content = bytes_of(text)
        if content is not None and content != text.encode():
            yield Finding(
                Severity.WARNING,
                f"Hugging Face decodes the special token {text!r} as if its letters stood for bytes: "
                f"it comes out as {content.decode(errors='replace')!r}.",
            )


def _needs_lists(recording: Recording, contents: Contents) -> bool:
    if contents.starting(VERSION_LINE.encode()):
        return True
    has_spaces = recording.alphabet.base is Base.CHARACTERS and b" " in contents.joined
    return has_spaces and any(b" " in content for content in contents.merged)


def render(recording: Recording, step: int, path: Path) -> Mapping[Path, Lines]:
    return {path / TOKENIZER: _tokenizer_lines(recording, step), path / CONFIG: _config_lines(recording)}


def _config_lines(recording: Recording) -> Lines:
    # GPT2Tokenizer and its like would rebuild the pipeline and ignore ours; cleaning up would alter decoded text
    config: Json = {
        "tokenizer_class": "PreTrainedTokenizerFast",
        "clean_up_tokenization_spaces": False,
        "model_max_length": 10**30,
    }
    if recording.config.unknown_token is not None:
        config["unk_token"] = recording.config.unknown_token
    yield json.dumps(config, ensure_ascii=False, indent=2) + "\n"


def _tokenizer_lines(recording: Recording, step: int) -> Lines:
    head: Json = {
        "version": "1.0",
        "truncation": None,
        "padding": None,
        "added_tokens": [_added_token(text, i) for text, i in recording.alphabet.special_ids.items()],
        "normalizer": _normalizer(recording),
        "pre_tokenizer": _pre_tokenizer(recording),
        "post_processor": None,
        "decoder": _decoder(recording),
    }
    yield from opened(head)
    yield '  "model": {\n'
    for key, value in _model_options(recording).items():
        yield f"    {text_of(key)}: {text_of(value)},\n"
    marker = _file_marker(recording)
    spelling = Spelling(recording, marker)
    yield '    "vocab": {\n'
    yield from separated(f"      {text_of(name)}: {i}" for name, i in spelling.vocabulary(step))
    yield '    },\n    "merges": [\n'
    as_lists = _needs_lists(recording, Contents.of(recording, step))
    yield from separated(
        f"      {text_of(list(pair) if as_lists else ' '.join(pair))}" for pair in spelling.merges(step)
    )
    yield "    ]\n  }\n}\n"


def _added_token(text: str, token_id: int) -> Json:
    flags = dict.fromkeys(("single_word", "lstrip", "rstrip", "normalized"), False)
    return {"id": token_id, "content": text, **flags, "special": True}


def _model_options(recording: Recording) -> Json:
    suffix = recording.config.marker_text if recording.alphabet.marker is Marker.SUFFIX else None
    return {
        "type": "BPE",
        "dropout": None,
        "unk_token": recording.config.unknown_token,
        "continuing_subword_prefix": None,
        "end_of_word_suffix": suffix,
        "fuse_unk": False,
        "byte_fallback": False,
        "ignore_merges": False,
    }


def _file_marker(recording: Recording) -> str:
    is_symbol = recording.alphabet.marker is Marker.SYMBOL
    return _marks(recording)[0] if is_symbol else recording.config.marker_text


def _marks(recording: Recording) -> tuple[str, str]:
    """Two characters the recording does not use: one to stand for the marker, one for that character in a text."""
    used = b"".join(token.content for token in recording.alphabet.tokens.values()).decode(errors="replace")
    free = (chr(code) for code in PRIVATE_USE if chr(code) not in used)
    return next(free), next(free)


def _normalizer(recording: Recording) -> Json | None:
    steps = [{"type": NORMALIZERS[name]} for name in recording.pipeline.normalizer.names]
    if recording.alphabet.marker is Marker.SYMBOL:
        steps += _marking(recording.pipeline.pre_tokenizer.pattern, *_marks(recording))
    return steps[0] if len(steps) == 1 else {"type": "Sequence", "normalizers": steps} if steps else None


def _marking(pattern: str, mark: str, stranger: str) -> list[Json]:
    """Put `mark` behind each word. One that stands in the text already is unknown to us: so is `stranger`."""
    return [
        {"type": "Replace", "pattern": {"String": mark}, "content": stranger},
        {"type": "Replace", "pattern": {"Regex": WORD_ENDS[pattern]}, "content": mark},
    ]


def _pre_tokenizer(recording: Recording) -> Json:
    pre_tokenizer = recording.pipeline.pre_tokenizer
    if recording.alphabet.marker is Marker.SYMBOL:
        return _matches_only(MARKED_WORD[pre_tokenizer.pattern].format(_marks(recording)[0]))
    if recording.alphabet.base is Base.CHARACTERS:
        return _split(pre_tokenizer)
    if pre_tokenizer.pattern == GPT2:
        return BYTE_LEVEL
    return {"type": "Sequence", "pretokenizers": [_split(pre_tokenizer), BYTE_LEVEL_ONLY]}


def _split(pre_tokenizer: PreTokenizer) -> Json:
    if pre_tokenizer.pattern == WHITESPACE:
        return {"type": "WhitespaceSplit"}
    # not "Whitespace" for words: to transformers.js only ASCII letters are word characters there
    pattern = portable(pre_tokenizer.pattern)
    if pre_tokenizer.keeps_everything:
        return {"type": "Split", "pattern": {"Regex": pattern}, "behavior": "Isolated", "invert": False}
    return _matches_only(pattern)


def _matches_only(pattern: str) -> Json:
    """As we do it: what the pattern does not match is dropped, where "Isolated" would keep it."""
    return {"type": "Split", "pattern": {"Regex": pattern}, "behavior": "Removed", "invert": True}


def _decoder(recording: Recording) -> Json | None:
    alphabet = recording.alphabet
    if alphabet.base is Base.BYTES:
        return BYTE_LEVEL_DECODER
    if alphabet.marker is not Marker.NONE:
        return _marker_decoder(recording, _file_marker(recording))
    return None if Tokenizer(recording, 0).joins_with_spaces else FUSE


def _marker_decoder(recording: Recording, marker: str) -> Json:
    """A marker is a space, except at the end of the text, or nothing where the words hold their spaces themselves."""
    if not recording.pipeline.pre_tokenizer.keeps_everything:
        return {"type": "BPEDecoder", "suffix": marker}
    without_marker = {"type": "Replace", "pattern": {"String": marker}, "content": ""}
    return {"type": "Sequence", "decoders": [without_marker, FUSE]}


def read(path: Path) -> Recording:
    """From the folder, or its tokenizer.json."""
    file = path if path.suffix == ".json" and not path.is_dir() else path / TOKENIZER
    return _Reader(file).recording()


@dataclass(frozen=True)
class _Words:
    """What pre-tokenizer, normalizer and marker come to."""

    base: Base
    pre_tokenizer: PreTokenizer
    mark: str | None = None


class _Reader:
    """Reads what `render` writes. Whatever else a tokenizer.json can say is refused by name, never ignored."""

    def __init__(self, file: Path) -> None:
        self._file = file.name
        self._data = read_object(file)

    def recording(self) -> Recording:
        model = self._model()
        specials = self._specials()
        vocab = self._vocab(model, specials)
        normalizer_steps = _steps(self._data.get("normalizer"), "normalizers")
        words = self._words(normalizer_steps)
        suffix = model.get("end_of_word_suffix")
        if suffix and words.base is Base.BYTES:
            raise self._error("model.end_of_word_suffix", suffix, "null for a byte-level tokenizer")
        marker = Marker.SYMBOL if words.mark else Marker.SUFFIX if suffix else Marker.NONE
        settings = Settings(
            words.base,
            marker,
            words.mark or suffix or MARKER_TEXT,
            specials,
            model.get("unk_token"),
            Pipeline(self._normalizer(normalizer_steps), words.pre_tokenizer),
        )
        merges = self._merges(model)
        recording = recording_of(vocab, merges, settings, lambda n: f"{self._file}, merge {n + 1}", self._file)
        if words.mark:  # the character was the file's stand-in, not the text of the marker
            recording.config = replace(recording.config, marker_text=MARKER_TEXT)
        self._check_decoder(recording)
        return recording

    def _error(self, key: str, found: object, expected: str) -> FormatError:
        shown = text_of(found)
        shown = shown if len(shown) <= 100 else shown[:99] + "…"
        return FormatError(f"{self._file}, {key}: expected {expected}, found {shown}.")

    def _model(self) -> Json:
        model = self._data.get("model")
        if not isinstance(model, dict):
            raise self._error("model", model, "an object")
        if model.get("type", "BPE") != "BPE":
            raise self._error("model.type", model["type"], '"BPE"; other kinds of tokenizers are not supported')
        for key in ("dropout", "continuing_subword_prefix", "fuse_unk", "byte_fallback", "ignore_merges"):
            if model.get(key):
                raise self._error(f"model.{key}", model[key], "null or false; it is not supported")
        for key in ("unk_token", "end_of_word_suffix"):
            if not isinstance(model.get(key), str | None):
                raise self._error(f"model.{key}", model[key], "a string or null")
        for key in ("truncation", "padding", "post_processor"):
            if self._data.get(key) is not None:
                raise self._error(key, self._data[key], "null; it is not supported")
        return model

    def _specials(self) -> tuple[str, ...]:
        added = self._data.get("added_tokens") or []
        if not isinstance(added, list):
            raise self._error("added_tokens", added, "a list")
        for number, token in enumerate(added):
            key = f"added_tokens[{number}]"
            if not isinstance(token, dict) or not isinstance(token.get("content"), str) or not token["content"]:
                raise self._error(key, token, 'an object with a non-empty "content"')
            if not token.get("special"):
                raise self._error(f"{key}.special", token.get("special"), "true; other added tokens are not supported")
            for flag in ("single_word", "lstrip", "rstrip", "normalized"):
                if token.get(flag):
                    raise self._error(f"{key}.{flag}", token[flag], "false; it is not supported")
        return tuple(token["content"] for token in added)

    def _vocab(self, model: Json, specials: Sequence[str]) -> dict[str, int]:
        vocab = model.get("vocab")
        if not isinstance(vocab, dict):
            raise self._error("model.vocab", vocab, "an object from token to id")
        for text, token_id in vocab.items():
            if not is_id(token_id):
                raise self._error(f"model.vocab[{text!r}]", token_id, "an id, a whole number from 0")
        size = len(vocab)
        missing = [text for text in specials if text not in vocab]
        # an added token's own id is ignored by the library: it counts on from the model's vocabulary
        return vocab | {text: size + n for n, text in enumerate(missing)}

    def _merges(self, model: Json) -> list[SpelledMerge]:
        merges = model.get("merges")
        if not isinstance(merges, list):
            raise self._error("model.merges", merges, "a list")
        pairs = (self._merge(number, merge) for number, merge in enumerate(merges))
        return [pair for pair in pairs if pair]

    def _merge(self, number: int, merge: object) -> SpelledMerge | None:
        if isinstance(merge, str) and merge.startswith(VERSION_LINE):
            return None
        parts = merge.split(" ") if isinstance(merge, str) else merge
        if isinstance(parts, list) and len(parts) == 2 and all(isinstance(part, str) and part for part in parts):
            return parts[0], parts[1]
        raise self._error(f"model.merges[{number}]", merge, "two tokens")

    def _words(self, normalizer_steps: list[Json]) -> _Words:
        steps = _steps(self._data.get("pre_tokenizer"), "pretokenizers")
        if steps == [BYTE_LEVEL]:
            return _Words(Base.BYTES, PRE_TOKENIZERS["gpt2"])
        if marked := self._marked_words(steps, normalizer_steps):
            return marked
        is_bytes = steps[-1:] == [BYTE_LEVEL_ONLY]
        splits = steps[:-1] if is_bytes else steps
        if len(splits) != 1:
            expected = "a splitter, alone or followed by ByteLevel without prefix space and regex"
            raise self._error("pre_tokenizer", self._data.get("pre_tokenizer"), expected)
        return _Words(Base.BYTES if is_bytes else Base.CHARACTERS, self._splitter(splits[0]))

    def _marked_words(self, steps: list[Json], normalizer_steps: list[Json]) -> _Words | None:
        """The marker that is a symbol of its own, told by the two Replace steps that end the normalizer."""
        if len(normalizer_steps) < 2:
            return None
        stranger, mark = (str(step.get("content")) for step in normalizer_steps[-2:])
        for pattern, marked in MARKED_WORD.items():
            marking = _marking(pattern, mark, stranger)
            if steps == [_matches_only(marked.format(mark))] and normalizer_steps[-2:] == marking:
                del normalizer_steps[-2:]
                return _Words(Base.CHARACTERS, from_portable(pattern), mark)
        return None

    def _splitter(self, step: Json) -> PreTokenizer:
        if step == {"type": "WhitespaceSplit"}:
            # without spaces between decoded tokens it is not quite ours of that name
            return custom(WHITESPACE) if self._data.get("decoder") == FUSE else PRE_TOKENIZERS["whitespace"]
        if step == {"type": "Whitespace"}:
            return PRE_TOKENIZERS["words"]
        regex = step["pattern"].get("Regex") if isinstance(step.get("pattern"), dict) else None
        manner = (step.get("behavior"), step.get("invert"))
        if step.get("type") != "Split" or not isinstance(regex, str):
            raise self._error("pre_tokenizer", step, "WhitespaceSplit, Whitespace or Split with a Regex")
        try:
            if manner == ("Removed", True):
                known = from_portable(regex)
                return custom(regex) if known.name == "words" and self._data.get("decoder") == FUSE else known
            if manner == ("Isolated", False):
                # what the pattern leaves over is a word too
                return from_portable(regex) if regex in (GPT2, CL100K) else custom(rf"{regex}|(?:(?!{regex})[\s\S])+")
        except BpeError as error:
            raise FormatError(f"{self._file}, pre_tokenizer: {error}") from None
        raise self._error("pre_tokenizer", step, '"Isolated", or "Removed" with "invert"')

    def _normalizer(self, steps: list[Json]) -> Normalizer:
        names = {kind: name for name, kind in NORMALIZERS.items()}
        for step in steps:
            if list(step) != ["type"] or step["type"] not in names:
                raise self._error("normalizer", step, f"one of {', '.join(names)}")
        return Normalizer.named(*(names[step["type"]] for step in steps))

    def _check_decoder(self, recording: Recording) -> None:
        decoder, expected = self._data.get("decoder"), _decoder(recording)
        if recording.alphabet.marker is Marker.SYMBOL:
            expected = _marker_decoder(recording, self._marker_character(recording))
        if recording.alphabet.base is Base.BYTES:  # its options change nothing
            decoder, expected = ({"type": d.get("type")} if isinstance(d, dict) else d for d in (decoder, expected))
        if decoder != expected:
            raise self._error("decoder", decoder, text_of(expected))

    def _marker_character(self, recording: Recording) -> str:
        marker_id = recording.alphabet.id_of(b"", ends_word=True)
        return next((text for text, i in self._data["model"]["vocab"].items() if i == marker_id), "")


def _steps(value: object, key: str) -> list[Json]:
    """The steps of a normalizer or pre-tokenizer, be it one or a Sequence of them."""
    if value is None:
        return []
    if isinstance(value, dict) and value.get("type") == "Sequence" and isinstance(value.get(key), list):
        return list(chain.from_iterable(_steps(step, key) for step in value[key]))
    return [value] if isinstance(value, dict) else [{"type": value}]


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
    python=python,
)
