"""Reads a tokenizer.json as our exporter writes it. What else it can say is refused by name, never ignored."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from core.alphabet import Base, Marker, Unknown
from core.errors import BpeError, FormatError
from core.formats.huggingface_findings import VERSION_LINE
from core.formats.huggingface_normalizer import Json, read_normalizer, steps_of
from core.formats.huggingface_pipeline import (
    BYTE_LEVEL,
    BYTE_LEVEL_DECODER,
    BYTE_LEVEL_ONLY,
    FUSE,
    MARKED_WORD,
    MAX_WORD_CHARS,
    METASPACE_SPLIT,
    Layout,
    decoder_of,
    digits_apart,
    is_without_strangers,
    marking,
    matches_only,
    pre_tokenizer_of,
    punctuation_apart,
)
from core.formats.json_lines import text_of
from core.formats.patterns import from_portable
from core.formats.rebuild import Settings, SpelledMerge, recording_of, recovered_merges
from core.formats.strict_json import is_id, read_object
from core.normalizer import Normalizer, Step
from core.normalizer_steps import Metaspace
from core.pipeline import Pipeline
from core.pre_tokenizer import PRE_TOKENIZERS, WHITESPACE, Digits, PreTokenizer, custom
from core.recording import Recording
from core.trainer import Score

PUNCTUATION_STEP: Json = {"type": "Punctuation", "behavior": "Isolated"}
DIGITS_STEP: Json = {"type": "Digits", "individual_digits": True}


@dataclass(frozen=True)
class _Words:
    """What the pre-tokenizer comes to, with what normalizer and marker have there."""

    base: Base
    pre_tokenizer: PreTokenizer
    mark: str = ""
    last_step: tuple[Step, ...] = ()
    has_strangers_cut: bool = False


def read_tokenizer(file: Path) -> Recording:
    return _Reader(file).recording()


class _Reader:
    def __init__(self, file: Path) -> None:
        self._file = file.name
        self._data = read_object(file)

    def recording(self) -> Recording:
        model = self._model()
        specials = self._specials()
        vocab = self._vocab(model, specials)
        steps = steps_of(self._data.get("normalizer"), "normalizers")
        words = self._words(steps)
        settings = self._settings(model, specials, words, self._normalizer(steps, words))
        if settings.score is Score.WORDPIECE:
            merges = recovered_merges(vocab, settings, self._file)
        else:
            merges = self._merges(model)
        recording = recording_of(vocab, merges, settings, lambda n: f"{self._file}, merge {n + 1}", self._file)
        if words.mark:  # the character was the file's stand-in, not the text of the marker
            recording.config = replace(recording.config, marker_text="")
        self._check(recording, words)
        return recording

    def _error(self, key: str, found: object, expected: str) -> FormatError:
        shown = text_of(found)
        shown = shown if len(shown) <= 100 else shown[:99] + "…"
        return FormatError(f"{self._file}, {key}: expected {expected}, found {shown}.")

    @property
    def _decoders(self) -> list[Json]:
        return steps_of(self._data.get("decoder"), "decoders")

    def _model(self) -> Json:
        model = self._data.get("model")
        if not isinstance(model, dict):
            raise self._error("model", model, "an object")
        if model.get("type", "BPE") not in ("BPE", "WordPiece"):
            expected = '"BPE" or "WordPiece"; other kinds of tokenizers are not supported'
            raise self._error("model.type", model["type"], expected)
        for key in ("dropout", "ignore_merges"):
            if model.get(key):
                raise self._error(f"model.{key}", model[key], "null or false; it is not supported")
        for key in ("unk_token", "end_of_word_suffix", "continuing_subword_prefix"):
            if not isinstance(model.get(key), str | None):
                raise self._error(f"model.{key}", model[key], "a string or null")
        for key in ("truncation", "padding", "post_processor"):
            if self._data.get(key) is not None:
                raise self._error(key, self._data[key], "null; it is not supported")
        longest = model.get("max_input_chars_per_word", 100)
        if model.get("type") == "WordPiece" and (not is_id(longest) or longest < MAX_WORD_CHARS):
            expected = f"{MAX_WORD_CHARS}; that longer words are unknown is not supported"
            raise self._error("model.max_input_chars_per_word", longest, expected)
        return model

    def _settings(self, model: Json, specials: tuple[str, ...], words: _Words, normalizer: Normalizer) -> Settings:
        prefix, suffix = model.get("continuing_subword_prefix"), model.get("end_of_word_suffix")
        if words.base is Base.BYTES:
            for key in ("end_of_word_suffix", "continuing_subword_prefix", "byte_fallback"):
                if model.get(key):
                    raise self._error(f"model.{key}", model[key], "null for a byte-level tokenizer")
        elif sum(map(bool, (prefix, suffix, words.mark))) > 1:
            raise self._error("model.continuing_subword_prefix", prefix, "null beside another marker")
        marker, text = Marker.NONE, ""
        if words.mark:
            marker, text = Marker.SYMBOL, words.mark
        elif suffix:
            marker, text = Marker.SUFFIX, suffix
        elif prefix:
            marker, text = Marker.CONTINUING, prefix
        elif words.base is Base.CHARACTERS and (normalizer.has_metaspace or self._decodes_metaspace()):
            marker = Marker.METASPACE
        is_word_piece = model.get("type") == "WordPiece"
        unknown = self._unknown(model, words, is_word_piece)
        return Settings(
            words.base,
            marker,
            text,
            specials,
            None if unknown is Unknown.KEEP and is_word_piece else model.get("unk_token"),
            Pipeline(normalizer, words.pre_tokenizer),
            unknown,
            Score.WORDPIECE if is_word_piece else Score.FREQUENCY,
        )

    def _unknown(self, model: Json, words: _Words, is_word_piece: bool) -> Unknown:
        token = model.get("unk_token")
        if words.base is Base.BYTES or words.has_strangers_cut:
            return Unknown.KEEP
        if is_word_piece:
            return Unknown.TOKEN
        if model.get("byte_fallback"):
            return Unknown.BYTES
        if token is None:
            return Unknown.DROP
        return Unknown.FUSE if model.get("fuse_unk") else Unknown.TOKEN

    def _decodes_metaspace(self) -> bool:
        return {"type": "Replace", "pattern": {"String": "▁"}, "content": " "} in self._decoders

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
        """Takes the last steps of the normalizer where they place a marker."""
        steps = steps_of(self._data.get("pre_tokenizer"), "pretokenizers")
        has_strangers_cut = bool(steps) and is_without_strangers(steps[-1])
        if has_strangers_cut:
            steps.pop()
        if marked := self._marked_words(steps, normalizer_steps):
            return replace(marked, has_strangers_cut=has_strangers_cut)
        base = Base.BYTES if steps and steps[-1].get("type") == "ByteLevel" else Base.CHARACTERS
        if steps[-1:] == [BYTE_LEVEL_ONLY]:
            steps.pop()
        punctuation, digits = self._taken_apart(steps)
        main, last_step = PRE_TOKENIZERS["none"], tuple[Step, ...]()
        if len(steps) > 1:
            expected = "one way to cut, which punctuation and digits may stand before and ByteLevel behind"
            raise self._error("pre_tokenizer", self._data["pre_tokenizer"], expected)
        if steps == [METASPACE_SPLIT] and digits is Digits.TOGETHER and not punctuation:
            main, last_step = PRE_TOKENIZERS["metaspace"], (Metaspace(),)
        elif steps:
            main = self._splitter(steps[0])
        pre_tokenizer = replace(main, digits=digits, punctuation=punctuation)
        return _Words(base, pre_tokenizer, "", last_step, has_strangers_cut)

    def _taken_apart(self, steps: list[Json]) -> tuple[bool, Digits]:
        """Whether punctuation is cut apart and what is done with digits; takes both from the front of the steps."""
        punctuation = bool(steps) and steps[0] in (punctuation_apart(), PUNCTUATION_STEP)
        del steps[: int(punctuation)]
        for digits, others in ((Digits.SINGLE, DIGITS_STEP), (Digits.THREES, None)):
            if steps and steps[0] in (digits_apart(digits), others):
                del steps[0]
                return punctuation, digits
        return punctuation, Digits.TOGETHER

    def _marked_words(self, steps: list[Json], normalizer_steps: list[Json]) -> _Words | None:
        """The marker that is a symbol of its own, told by the two Replace steps that end the normalizer."""
        if len(normalizer_steps) < 2:
            return None
        stranger, mark = (str(step.get("content")) for step in normalizer_steps[-2:])
        for pattern, marked in MARKED_WORD.items():
            if steps == [matches_only(marked.format(mark))] and normalizer_steps[-2:] == marking(
                pattern, mark, stranger
            ):
                del normalizer_steps[-2:]
                return _Words(Base.CHARACTERS, from_portable(pattern), mark)
        return None

    def _splitter(self, step: Json) -> PreTokenizer:
        joins = self._decoders[-1:] == [FUSE]
        if step == BYTE_LEVEL:
            return PRE_TOKENIZERS["gpt2"]
        if step == {"type": "WhitespaceSplit"}:
            # without spaces between decoded tokens it is not quite ours of that name
            return custom(WHITESPACE) if joins else PRE_TOKENIZERS["whitespace"]
        if step == {"type": "Whitespace"}:
            return PRE_TOKENIZERS["words"]
        regex = step["pattern"].get("Regex") if isinstance(step.get("pattern"), dict) else None
        manner = (step.get("behavior"), step.get("invert"))
        if step.get("type") != "Split" or not isinstance(regex, str):
            raise self._error("pre_tokenizer", step, "WhitespaceSplit, Whitespace or Split with a Regex")
        try:
            known = from_portable(regex)
            if manner == ("Removed", True):
                return custom(regex) if known.name == "words" and joins else known
            if manner == ("Isolated", False):
                # what the pattern leaves over is a word too
                return known if known.keeps_everything else custom(rf"{regex}|(?:(?!{regex})[\s\S])+")
        except BpeError as error:
            raise FormatError(f"{self._file}, pre_tokenizer: {error}") from None
        raise self._error("pre_tokenizer", step, '"Isolated", or "Removed" with "invert"')

    def _normalizer(self, steps: list[Json], words: _Words) -> Normalizer:
        try:
            return Normalizer((*read_normalizer(steps).steps, *words.last_step))
        except BpeError as error:
            raise FormatError(f"{self._file}, normalizer: {error}") from None

    def _check(self, recording: Recording, words: _Words) -> None:
        layout = replace(Layout.of(recording), mark=words.mark)
        decoder, expected = self._data.get("decoder"), decoder_of(layout)
        if expected == BYTE_LEVEL_DECODER:  # its options change nothing
            decoder, expected = ({"type": d.get("type")} if isinstance(d, dict) else d for d in (decoder, expected))
        if recording.alphabet.base is Base.CHARACTERS and any(s.get("type") == "ByteLevel" for s in self._decoders):
            found = self._data.get("pre_tokenizer")
            raise self._error("pre_tokenizer", found, "ByteLevel at its end, as the decoder is that of bytes")
        if decoder != expected:
            raise self._error("decoder", decoder, text_of(expected))
        if words.has_strangers_cut:
            found, wanted = (
                steps_of(p, "pretokenizers")[-1] for p in (self._data["pre_tokenizer"], pre_tokenizer_of(layout))
            )
            if found != wanted:
                raise self._error("pre_tokenizer", found, f"{text_of(wanted)}, what the vocabulary lacks")
        missing = 256 - len(recording.alphabet.fallback_ids)
        if recording.alphabet.unknown is Unknown.BYTES and missing:
            raise self._error(
                "model.byte_fallback", True, f"tokens <0x00> to <0xFF>, of which {missing} are missing, or false"
            )
