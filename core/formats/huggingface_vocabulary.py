"""The vocabulary, merges and added tokens of any tokenizer.json, as tokens and merges by id."""

import codecs
from collections.abc import Generator, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from operator import add
from typing import Any

import numpy as np

from core.added_tokens import AddedToken
from core.alphabet import Base, Marker, Token
from core.errors import FormatError
from core.formats.assembly import NumberedMerge
from core.formats.huggingface_findings import VERSION_LINE
from core.formats.huggingface_normalizer import Json
from core.formats.json_lines import shown
from core.formats.spelling import FALLBACK, STAND_INS
from core.formats.strict_json import is_id
from core.loaded_merges import Ids, LoadedMerges
from core.progress import Progress

ITEMS_PER_SLICE = 4_096

_STAND_INS = codecs.charmap_build("".join(STAND_INS[value] for value in range(256)))
FLAGS = ("single_word", "lstrip", "rstrip", "normalized", "special")


@dataclass(frozen=True)
class Spellings:
    """How a file spells tokens."""

    base: Base
    marker: Marker
    marker_text: str
    has_fallback: bool

    def token(self, text: str) -> Token:
        """What a spelling stands for; a special token if it is no spelling of bytes in a byte-level file."""
        if self.base is Base.BYTES:
            return self._bytes(text)
        if self.has_fallback and text.startswith("<0x") and FALLBACK.fullmatch(text.encode()):
            return Token(bytes([int(text[3:5], 16)]), is_fallback=True)
        if self.marker is Marker.SYMBOL and text.endswith(self.marker_text):
            return Token(text.removesuffix(self.marker_text).encode(), ends_word=True)
        if self.marker is Marker.SUFFIX and text.endswith(self.marker_text) and text != self.marker_text:
            return Token(text.removesuffix(self.marker_text).encode(), ends_word=True)
        if self.marker is Marker.CONTINUING and text.startswith(self.marker_text) and text != self.marker_text:
            return Token(text.removeprefix(self.marker_text).encode(), continues=True)
        return Token(text.encode())

    def _bytes(self, text: str) -> Token:
        is_final = self.marker is Marker.SUFFIX and text.endswith(self.marker_text) and text != self.marker_text
        try:
            spelled = text.removesuffix(self.marker_text) if is_final else text
            return Token(codecs.charmap_encode(spelled, "strict", _STAND_INS)[0], is_final)
        except UnicodeEncodeError:
            return Token(text.encode(), special=True)

    def letters(self, vocab: Mapping[str, int]) -> dict[int, Token]:
        """The tokens that may be base symbols."""
        longest = max(6 if self.has_fallback else 1, 1 + len(self.marker_text))
        found = {text: self.token(text) for text in vocab if len(text) <= longest}
        return {vocab[text]: token for text, token in found.items() if self.is_letter(token)}

    def is_letter(self, token: Token) -> bool:
        if token.is_fallback or self.base is Base.BYTES:
            return len(token.content) == 1
        return len(token.content.decode()) == 1 or (not token.content and token.ends_word)


def _two(merge: str) -> list[str]:
    """Raises ValueError for a line that readers leave out, which must be looked at alone."""
    if merge.startswith(VERSION_LINE):
        raise ValueError(merge)
    return merge.split(" ")


class Vocabulary:
    """The file's `model.vocab` with its added tokens; all errors name file and key."""

    def __init__(self, file: str, document: Json) -> None:
        self.file = file
        self._document = document
        self._model: Json = document["model"]
        vocab = self._model.get("vocab")
        if not isinstance(vocab, dict):
            raise self.error("model.vocab", vocab, "an object from token to id")
        self.vocab: dict[str, int] = vocab

    def error(self, key: str, found: object, expected: str) -> FormatError:
        return FormatError(f"{self.file}, {key}: expected {expected}, found {shown(found)}.")

    def check(self) -> Generator[Progress, None, None]:
        """Raises FormatError for what is no id, and for an id that two tokens have."""
        items = iter(self.vocab.items())
        while part := list(islice(items, ITEMS_PER_SLICE)):
            for text, value in part:
                if not is_id(value):
                    raise self.error(f"model.vocab[{text!r}]", value, "an id, a whole number from 0")
            yield Progress(0, len(self.vocab))
        if len(set(self.vocab.values())) < len(self.vocab):
            self._refuse_twins(self.vocab.items(), "model.vocab")
        yield Progress(0, len(self.vocab))

    def _refuse_twins(self, tokens: Iterable[tuple[str, int]], key: str) -> None:
        seen = dict[int, str]()
        for text, token_id in tokens:
            if token_id in seen:
                raise FormatError(
                    f"{self.file}, {key}: the tokens {seen[token_id]!r} and {text!r} both have the id {token_id}."
                )
            seen[token_id] = text

    def added_tokens(self, others: Sequence[Json] = ()) -> list[AddedToken]:
        """Those of the file, then `others` of the same shape, with the ids that the library gives them.

        The ids that the file says for them do not count: a token of the vocabulary has its id there, the others count
        on from the number of tokens.
        """
        listed = self._document.get("added_tokens") or []
        if not isinstance(listed, list):
            raise self.error("added_tokens", listed, "a list")
        found, next_id = dict[str, AddedToken](), len(self.vocab)
        for number, value in enumerate([*listed, *others]):
            token = self._added_token(f"added_tokens[{number}]", value)
            if token["content"] in found:
                continue
            token_id = self.vocab.get(token["content"])
            if token_id is None:
                token_id, next_id = next_id, next_id + 1
            flags = {flag: bool(token.get(flag)) for flag in FLAGS}
            found[token["content"]] = AddedToken(token["content"], token_id, **flags)
        outside = [token for token in found.values() if token.content not in self.vocab]
        if outside:
            taken = {token_id: text for text, token_id in self.vocab.items()}
            for added in outside:
                if added.token_id in taken:
                    raise FormatError(
                        f"{self.file}, added_tokens: {added.content!r} is not in model.vocab and so gets the id "
                        f"{added.token_id}, the number of tokens there, which {taken[added.token_id]!r} has already."
                    )
        return list(found.values())

    def _added_token(self, key: str, value: Any) -> Json:
        if not isinstance(value, dict) or not isinstance(value.get("content"), str) or not value["content"]:
            raise self.error(key, value, 'an object with a non-empty "content"')
        for flag in FLAGS:
            if not isinstance(value.get(flag), bool | None):
                raise self.error(f"{key}.{flag}", value[flag], "true or false")
        return value

    def tokens(self, spellings: Spellings) -> Generator[Progress, None, dict[int, Token]]:
        """The tokens of the vocabulary by id, without the added ones that it lacks."""
        found, items, token = dict[int, Token](), iter(self.vocab.items()), spellings.token
        while part := list(islice(items, ITEMS_PER_SLICE)):
            found.update((token_id, token(text)) for text, token_id in part)
            yield Progress(len(found), len(self.vocab))
        return found

    def merges(self, prefix: str) -> Generator[Progress, None, LoadedMerges]:
        """The merges by the ids of their parts and of what they make.

        `prefix` stands before tokens that go on with a word, and goes where such a one is joined. What is read of the
        file's list is given back at once: later it would take 0.1 s in one go.
        """
        merges = self._model.get("merges")
        if not isinstance(merges, list):
            raise self.error("model.merges", merges, "a list")
        parts, are_texts = list[Ids](), bool(merges) and isinstance(merges[0], str)
        for first in range(0, len(merges), ITEMS_PER_SLICE):
            part = merges[first : first + ITEMS_PER_SLICE]
            merges[first : first + ITEMS_PER_SLICE] = [None] * len(part)
            found = self._all_merges(part, are_texts, len(prefix))
            parts.append(self._each_merge(part, first, are_texts, prefix) if found is None else found)
            yield Progress(first, len(merges))
        return LoadedMerges(*(np.concatenate(parts, axis=1) if parts else np.empty((3, 0), np.int32)))

    def _all_merges(self, merges: list[Any], are_texts: bool, cut: int) -> Ids | None:
        """The three ids of each of some merges, in rows; None if one of them is not as it should be."""
        if not set(map(type, merges)) <= ({str} if are_texts else {list, tuple}):
            return None
        try:
            lefts, rights = zip(*(map(_two, merges) if are_texts else merges), strict=True)
            made = map(add, lefts, (right[cut:] for right in rights) if cut else rights)
            ids = self.vocab.__getitem__
            return np.array([[*map(ids, lefts)], [*map(ids, rights)], [*map(ids, made)]], np.int32)
        except (ValueError, TypeError, KeyError):
            return None

    def _each_merge(self, merges: list[Any], first: int, are_texts: bool, prefix: str) -> Ids:
        """The same, one by one; what is wrong is said."""
        found, vocab = list[NumberedMerge](), self.vocab
        for number, merge in enumerate(merges, first):
            if isinstance(merge, str) is not are_texts:
                raise self.error(f"model.merges[{number}]", merge, "the same kind as of the first merge")
            if are_texts and merge.startswith(VERSION_LINE):
                continue
            try:
                left, right = merge.split(" ") if are_texts else merge
                found.append((vocab[left], vocab[right], vocab[left + right[len(prefix) :]]))
            except (ValueError, TypeError, KeyError):
                raise self._merge_error(number, merge, prefix) from None
        return np.array(found, np.int32).reshape(-1, 3).T

    def _merge_error(self, number: int, merge: object, prefix: str) -> FormatError:
        parts = merge.split(" ") if isinstance(merge, str) else merge
        is_pair = isinstance(parts, list | tuple) and len(parts) == 2 and all(isinstance(part, str) for part in parts)
        if not is_pair or not isinstance(parts, list | tuple):
            return self.error(f"model.merges[{number}]", merge, "two tokens")
        left, right = parts
        missing = next(text for text in (left, right, left + right[len(prefix) :]) if text not in self.vocab)
        return FormatError(
            f"{self.file}, model.merges[{number}]: {missing!r} is not in the vocabulary, the merge {shown(merge)} "
            "needs it."
        )
