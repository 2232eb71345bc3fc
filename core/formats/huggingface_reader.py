"""Reads any tokenizer.json whose model is BPE, and WordPiece files whose merges can be found again.

What this program does not do to texts or tokens is left out and named, and kept to be written again.
"""

from collections.abc import Generator, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from core.added_tokens import AddedToken
from core.alphabet import Base, Marker, Token, Unknown
from core.decoders import Decoder
from core.encoding_rules import Encoder, EncodingRules
from core.errors import BpeError, FormatError
from core.formats.assembly import Model, assembled
from core.formats.huggingface_beside import Beside
from core.formats.huggingface_document import DOCUMENT, NAME, OUTSIDE
from core.formats.huggingface_normalizer import Json, read_library_steps, steps_of
from core.formats.huggingface_ours import OurWay, has_our_decoder, is_ours, our_way
from core.formats.huggingface_pipeline import MAX_WORD_CHARS
from core.formats.huggingface_vocabulary import Spellings, Vocabulary
from core.formats.huggingface_words import read_words
from core.formats.json_lines import shown
from core.formats.oniguruma import from_oniguruma
from core.formats.sliced_json import read_object
from core.formats.spelled import Settings, recovered_merges
from core.formats.strict_json import is_id, read_bytes
from core.garbage import collector_paused
from core.imported import Imported
from core.loaded_merges import LoadedMerges
from core.normalizer import Normalizer
from core.pipeline import Pipeline
from core.progress import Progress
from core.recording import Recording
from core.trainer import Score


def reading(file: Path) -> Generator[Progress, None, Recording]:
    with collector_paused():
        document = yield from read_object(read_bytes(file), file.name)
        return (yield from _Reader(file, document).recording())


@dataclass(frozen=True)
class _Way:
    """What the file says of the way from text to symbols, and what of it is left out."""

    spellings: Spellings
    pipeline: Pipeline
    unknown: Unknown
    score: Score = Score.FREQUENCY
    mark: str = ""
    not_applied: tuple[str, ...] = ()


class _Reader:
    def __init__(self, file: Path, document: Json) -> None:
        self._file = file.name
        self._data = document
        self._facts, self._not_applied = list[str](), list[str]()
        self._check_model()
        self._model: Json = document["model"]
        self._beside = Beside(file.parent)
        self._vocabulary = Vocabulary(self._file, document)

    def recording(self) -> Generator[Progress, None, Recording]:
        yield from self._vocabulary.check()
        added = self._vocabulary.added_tokens(self._beside.added_tokens)
        way = self._way(added)
        tokens = yield from self._vocabulary.tokens(way.spellings)
        if self._is_word_piece:
            merges = self._recovered(way, added)
        else:
            merges = yield from self._vocabulary.merges(self._model.get("continuing_subword_prefix") or "")
        self._mark_specials(tokens, added, merges, way)
        yield Progress(0, 1)
        model = Model(
            tokens,
            merges,
            way.spellings.base,
            way.spellings.marker,
            "" if way.mark else way.spellings.marker_text,
            way.pipeline,
            way.unknown,
            self._unknown_token(way),
            way.score,
            EncodingRules(
                Encoder.LONGEST_MATCH if self._is_word_piece else Encoder.MERGE_RANK,
                whole_pieces=bool(self._model.get("ignore_merges")),
                specials_are_text=not added,
            ),
            self._added_tokens(added, tokens),
        )
        self._name_the_rest()
        facts = (*self._beside.facts, *self._facts)
        not_applied = (*way.not_applied, *self._not_applied)
        recording = yield from assembled(model, Imported(NAME, self._file, facts, not_applied, self._document(added)))
        self._set_decoder(recording, way)
        return recording

    def _error(self, key: str, found: object, expected: str) -> FormatError:
        return FormatError(f"{self._file}, {key}: expected {expected}, found {shown(found)}.")

    def _check_model(self) -> None:
        model = self._data.get("model")
        if not isinstance(model, dict):
            raise self._error("model", model, "an object")
        kind = model.get("type", "BPE" if "merges" in model else None)
        if kind in ("Unigram", "WordLevel"):
            raise FormatError(f"{self._file}, model.type: this is a {kind} tokenizer. {_OTHER_MODELS[kind]}")
        if kind not in ("BPE", "WordPiece"):
            raise self._error("model.type", kind, '"BPE", or "WordPiece" with merges that can be found again')
        for key in ("unk_token", "end_of_word_suffix", "continuing_subword_prefix"):
            if not isinstance(model.get(key), str | None):
                raise self._error(f"model.{key}", model[key], "a string or null")
        for key in ("fuse_unk", "byte_fallback", "ignore_merges"):
            if not isinstance(model.get(key), bool | None):
                raise self._error(f"model.{key}", model[key], "true or false")

    @property
    def _is_word_piece(self) -> bool:
        return self._model.get("type") == "WordPiece"

    def _way(self, added: list[AddedToken]) -> _Way:
        ours = our_way(self._data)
        if ours:
            spellings = Spellings(ours.base, ours.marker, ours.marker_text, ours.unknown is Unknown.BYTES)
            letters = spellings.letters(self._vocabulary.vocab)
            letters |= {token.token_id: Token(token.content.encode(), special=True) for token in added if token.special}
            if self._is_possible(ours, letters) and is_ours(self._data, ours, letters, self._model.get("unk_token")):
                return _Way(spellings, ours.pipeline, ours.unknown, ours.score, ours.mark)
        return self._library_way()

    def _is_possible(self, ours: OurWay, letters: dict[int, Token]) -> bool:
        """Whether the vocabulary has what this way of reading the file needs."""
        if ours.unknown is Unknown.BYTES:
            return sum(token.is_fallback for token in letters.values()) == 256
        if ours.base is Base.BYTES:
            return (
                len({token.content for token in letters.values() if not token.special or len(token.content) == 1})
                >= 256
            )
        unknown = self._model.get("unk_token")
        return ours.unknown not in (Unknown.TOKEN, Unknown.FUSE) or unknown in self._vocabulary.vocab

    def _library_way(self) -> _Way:
        if self._is_word_piece:
            raise self._word_piece_only()
        steps, not_applied = read_library_steps(steps_of(self._data.get("normalizer"), "normalizers"))
        words = read_words(steps_of(self._data.get("pre_tokenizer"), "pretokenizers"))
        base = words.base
        if steps and steps[-1] is None:  # the normalizer ByteLevel
            base = Base.BYTES
        pipeline = Pipeline(Normalizer((*(step for step in steps if step), *words.steps)), words.pre_tokenizer)
        prefix, suffix = self._model.get("continuing_subword_prefix"), self._model.get("end_of_word_suffix")
        if prefix and (suffix or base is Base.BYTES):
            beside = "beside end_of_word_suffix" if suffix else "for a byte-level tokenizer"
            raise self._error("model.continuing_subword_prefix", prefix, f"null {beside}; it is not supported")
        marker = Marker.SUFFIX if suffix else Marker.CONTINUING if prefix else Marker.NONE
        if marker is Marker.NONE and base is Base.CHARACTERS and pipeline.normalizer.has_metaspace:
            marker = Marker.METASPACE
        has_fallback = bool(self._model.get("byte_fallback"))
        if has_fallback and (marker.changes_symbols or base is Base.BYTES):
            not_applied.append("byte_fallback beside forms of letters for the end or inside of words")
            has_fallback = False
        spellings = Spellings(base, marker, suffix or prefix or "", has_fallback)
        return _Way(spellings, pipeline, self._unknown(spellings), not_applied=(*not_applied, *words.not_applied))

    def _unknown(self, spellings: Spellings) -> Unknown:
        if spellings.base is Base.BYTES:
            letters = spellings.letters(self._vocabulary.vocab).values()
            finals = {token.content for token in letters if token.ends_word}
            if len({token.content for token in letters if not token.ends_word}) == 256 and (
                spellings.marker is not Marker.SUFFIX or len(finals) == 256
            ):
                return Unknown.KEEP
        if spellings.has_fallback:
            return Unknown.BYTES
        token = self._model.get("unk_token")
        if token is None:
            return Unknown.DROP
        if token not in self._vocabulary.vocab:
            self._facts.append(
                f"The unknown token {token!r} is not in the vocabulary. The library fails at an unknown character; "
                "here it is left out."
            )
            return Unknown.DROP
        return Unknown.FUSE if self._model.get("fuse_unk") else Unknown.TOKEN

    def _unknown_token(self, way: _Way) -> str | None:
        token = self._model.get("unk_token")
        if way.unknown is Unknown.KEEP and (self._is_word_piece or token not in self._vocabulary.vocab):
            return None
        return token if token in self._vocabulary.vocab else None

    def _word_piece_only(self) -> FormatError:
        return FormatError(
            f"{self._file}, model.type: this is a WordPiece-only tokenizer, such as BERT's. Its file lists no merges, "
            "and only those of files that this program wrote can be found again."
        )

    def _recovered(self, way: _Way, added: list[AddedToken]) -> LoadedMerges:
        longest = self._model.get("max_input_chars_per_word", 100)
        if not is_id(longest) or longest < MAX_WORD_CHARS:
            raise self._word_piece_only()
        vocab, spellings = self._vocabulary.vocab, way.spellings
        specials = tuple(token.content for token in added)
        settings = Settings(
            spellings.base,
            spellings.marker,
            spellings.marker_text,
            specials,
            None,
            way.pipeline,
            way.unknown,
            way.score,
        )
        pairs = recovered_merges(vocab, settings, self._file)
        made = ((vocab[left], vocab[right], vocab[settings.joined(left, right)]) for left, right in pairs)
        return LoadedMerges(*np.array([*made], np.int32).reshape(-1, 3).T)

    def _mark_specials(
        self, tokens: dict[int, Token], added: list[AddedToken], merges: LoadedMerges, way: _Way
    ) -> None:
        """Make special tokens of the added ones and of the one for what is unknown, unless they are letters or made by
        merges and spelled otherwise than they are looked for."""
        unknown = self._unknown_token(way)
        for text, token_id, is_special in (
            *((token.content, token.token_id, token.special) for token in added),
            *([(unknown, self._vocabulary.vocab[unknown], True)] if unknown else []),
        ):
            known = tokens.get(token_id)
            is_used = known is not None and (
                way.spellings.is_letter(known) or bool((merges.token_ids == token_id).any())
            )
            if not is_used or (is_special and known is not None and known == Token(text.encode())):
                tokens[token_id] = Token(text.encode(), special=True)

    def _added_tokens(self, added: list[AddedToken], tokens: dict[int, Token]) -> tuple[AddedToken, ...]:
        """None where they are the special tokens of the alphabet, and nothing more is to be said of them."""
        specials = {token_id for token_id, token in tokens.items() if token.special}
        is_plain = all(token.special and token.is_plain for token in added)
        return () if is_plain and specials == {token.token_id for token in added} else tuple(added)

    def _name_the_rest(self) -> None:
        if dropout := self._model.get("dropout"):
            self._not_applied.append(f"dropout of {dropout}, which would leave out merges by chance")
        if self._data.get("truncation") is not None:
            self._not_applied.append("truncation of long texts")
        if self._data.get("padding") is not None:
            self._not_applied.append("padding of short texts")
        self._not_applied += _post_processors(self._data.get("post_processor"))

    def _set_decoder(self, recording: Recording, way: _Way) -> None:
        changed = {
            i for i, text in recording.normalized_spellings.items() if text.encode() != recording.token(i).content
        }
        if not changed and has_our_decoder(self._data, recording, way.mark):
            return
        steps = list[Json]()
        for step in steps_of(self._data.get("decoder"), "decoders"):
            try:
                translated = _translated(step)
                Decoder((translated,))
                steps.append(translated)
            except BpeError as error:
                self._leave_out(recording, f"the decoder {step.get('type')} ({error})")
        recording.decoder = Decoder(tuple(steps))

    def _leave_out(self, recording: Recording, what: str) -> None:
        old = recording.imported
        assert old, "it was read from a file"
        recording.imported = Imported(old.format, old.file, old.facts, (*old.not_applied, what), old.document)

    def _document(self, added: list[AddedToken]) -> Json:
        model = {key: value for key, value in self._model.items() if key not in ("vocab", "merges")}
        outside = [token.token_id for token in added if token.content not in self._vocabulary.vocab]
        return {DOCUMENT: self._data | {"model": model}, OUTSIDE: outside, **self._beside.documents}


_OTHER_MODELS = {
    "Unigram": "It has no merges: a Unigram model chooses the likeliest pieces. This program is about BPE.",
    "WordLevel": "It has no merges: each of its tokens is a whole word. This program is about BPE.",
}


def _translated(step: Json) -> Json:
    pattern = step.get("pattern")
    if step.get("type") == "Replace" and isinstance(pattern, dict) and isinstance(pattern.get("Regex"), str):
        return step | {"pattern": {"Regex": from_oniguruma(pattern["Regex"])}}
    return step


def _post_processors(value: Any) -> Iterator[str]:
    for step in steps_of(value, "processors"):
        kind = step.get("type")
        if kind == "ByteLevel":  # it changes only places in the text
            continue
        adds = " and ".join(_template_tokens(step))
        yield f"the post-processor {kind}, which adds {adds}" if adds else f"the post-processor {kind}"


def _template_tokens(step: Json) -> list[str]:
    tokens = step.get("special_tokens")
    if isinstance(tokens, dict):
        return list(tokens)[:5]
    pairs = (step.get(key) for key in ("cls", "sep"))
    return [pair[0] for pair in pairs if isinstance(pair, list) and pair and isinstance(pair[0], str)]
