"""Mistral's tekken.json: tiktoken ranks as JSON, behind special tokens that have the first ids. Only read.

Source: mistral_common/tokens/tokenizers/tekken.py of mistral-common 1.13.
"""

import base64
import binascii
from collections.abc import Generator, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any, NoReturn

import numpy as np

from core.alphabet import Token
from core.errors import FormatError
from core.formats.base import Format, Reading, ReadOptions
from core.formats.rank_file import MAX_TOKEN_BYTES, MAX_TOKENS, Ranks, parsed_ranks
from core.formats.rank_model import RankModel, merges_of, recording_of
from core.formats.sliced_json import read_object
from core.formats.spelled import Settings
from core.formats.strict_json import is_id, read_bytes
from core.formats.tiktoken import pre_tokenizer_of
from core.imported import Imported
from core.merge_recovery import BYTES
from core.pipeline import Pipeline
from core.progress import Progress
from core.vocab import label

NAME = "tekken.json"
TOKENS_PER_SLICE = 1 << 13
MAX_SPECIALS = 1 << 16
LAST_WITHOUT_SPECIALS = ("v1", "v2", "v3", "v7")
"""Versions whose special tokens need not be in the file."""

OLD_SPECIALS = (
    "<unk>", "<s>", "</s>", "[INST]", "[/INST]", "[AVAILABLE_TOOLS]", "[/AVAILABLE_TOOLS]", "[TOOL_RESULTS]",
    "[/TOOL_RESULTS]", "[TOOL_CALLS]", "[IMG]", "<pad>", "[IMG_BREAK]", "[IMG_END]", "[PREFIX]", "[MIDDLE]", "[SUFFIX]",
    "[SYSTEM_PROMPT]", "[/SYSTEM_PROMPT]", "[TOOL_CONTENT]",
)  # fmt: skip
NOT_APPLIED = {
    "image": "the tokens for images",
    "multimodal": "the tokens for images",
    "audio": "the tokens for sound",
    "model_settings_builder": "the settings for conversations",
}

Json = dict[str, Any]


class _Tekken:
    """What the file says, with errors that name the key that is not as expected."""

    def __init__(self, data: Json, file: str) -> None:
        self.file, self.data = file, data
        self.config = self._of_kind(self.data.get("config"), dict, "config", "an object")
        self.vocab = self._of_kind(self.data.get("vocab"), list, "vocab", "a list of tokens")
        self.pattern: str = self._of_kind(self.config.get("pattern"), str, "config.pattern", "a string")
        self.specials_count = self._count("default_num_special_tokens", MAX_SPECIALS)
        self.ranks_count = self._count("default_vocab_size", MAX_TOKENS) - self.specials_count
        if not BYTES <= self.ranks_count <= len(self.vocab):
            self._fail(
                "config.default_vocab_size",
                f"at least {self.specials_count + BYTES:,} and at most {self.specials_count + len(self.vocab):,}, as "
                f"there are {len(self.vocab):,} tokens in vocab and {self.specials_count:,} special ones",
                self.config["default_vocab_size"],
            )

    def _of_kind(self, value: Any, kind: type, key: str, expected: str) -> Any:
        if not isinstance(value, kind):
            self._fail(key, expected, value)
        return value

    def _count(self, key: str, most: int) -> int:
        value = self.config.get(key)
        if not isinstance(value, int) or not is_id(value) or value > most:
            self._fail(f"config.{key}", f"a whole number from 0 to {most:,}", value)
        return value

    def _fail(self, key: str, expected: str, found: object) -> NoReturn:
        raise FormatError(f"{self.file}, {key}: expected {expected}, found {found!r:.100}.")

    def special_tokens(self) -> dict[int, Token]:
        """By id; those that the file does not name are called as mistral-common calls them."""
        listed = self._special_texts()
        fillers = {f"<SPECIAL_{number}>": number for number in range(len(listed), self.specials_count)}
        texts, seen = dict[int, str](), set[str]()
        for text, token_id in [*listed, *fillers.items()]:
            if token_id >= self.specials_count or token_id in texts or text in seen:
                self._fail(
                    "special_tokens", f"different tokens with ranks below {self.specials_count:,}", (text, token_id)
                )
            texts[token_id] = text
            seen.add(text)
        return {token_id: Token(text.encode(), special=True) for token_id, text in sorted(texts.items())}

    def _special_texts(self) -> list[tuple[str, int]]:
        listed = self.data.get("special_tokens")
        if listed is None:
            if self.config.get("version") not in LAST_WITHOUT_SPECIALS:
                self._fail("special_tokens", "a list, as versions after v7 have", listed)
            return [(text, token_id) for token_id, text in enumerate(OLD_SPECIALS)]
        for place, item in enumerate(self._of_kind(listed, list, "special_tokens", "a list")):
            if not isinstance(item, dict) or not is_id(item.get("rank")):
                self._fail(f"special_tokens[{place}], rank", "a whole number from 0 on", item)
            if not isinstance(item.get("token_str"), str) or not item["token_str"]:
                self._fail(f"special_tokens[{place}], token_str", "a string that is not empty", item)
        return [(item["token_str"], item["rank"]) for item in listed]

    def ranks(self) -> Generator[Progress, None, Ranks]:
        """Those that count: the first ones, as many as there are ids for."""
        items, lines = self.vocab[: self.ranks_count], list[str]()
        for place, item in enumerate(items):
            if not isinstance(item, dict) or item.get("rank") != place or not isinstance(item.get("token_bytes"), str):
                self._fail(f"vocab[{place}]", f"an object with the rank {place} and a string as its token_bytes", item)
            lines.append(f"{item['token_bytes']} {place}\n")
            if place % TOKENS_PER_SLICE == 0:
                yield Progress(place, len(items))
        try:
            ranks = parsed_ranks("".join(lines).encode(), self.file)
        except FormatError:
            for place, item in enumerate(items):
                self._check_base64(place, item["token_bytes"])
            raise
        values = np.arange(BYTES)
        if (ranks.lengths[:BYTES] != 1).any() or (ranks.data[:BYTES] != values).any():
            self._fail("vocab", "the 256 bytes in order as its first tokens", ranks.tokens()[:BYTES])
        return ranks

    def _check_base64(self, place: int, spelled: str) -> None:
        try:
            token = base64.b64decode(spelled.encode(), validate=True)
        except binascii.Error:
            token = b""
        if not 0 < len(token) <= MAX_TOKEN_BYTES:
            self._fail(f"vocab[{place}], token_bytes", f"1 to {MAX_TOKEN_BYTES:,} bytes in base64", spelled)

    def check_twice(self, ranks: Ranks) -> None:
        seen = dict[bytes, int]()
        for place, token in enumerate(ranks.tokens()):
            if seen.setdefault(token, place) != place:
                name, first = label(Token(token)), seen[token]
                raise FormatError(f"{self.file}, vocab[{place}]: the token {name!r} is that of vocab[{first}] too.")

    def facts(self) -> Iterator[str]:
        yield "The text of a special token in a text is plain text, as in Mistral's own library."
        if unused := len(self.vocab) - self.ranks_count:
            yield f"Of {len(self.vocab):,} tokens the last {unused:,} are not used, as there are no ids for them."


def read(path: Path, options: ReadOptions) -> Reading:
    tekken = _Tekken((yield from read_object(read_bytes(path), path.name)), path.name)
    specials = tekken.special_tokens()
    ranks = yield from tekken.ranks()
    pre_tokenizer = options.pre_tokenizer or pre_tokenizer_of(tekken.pattern, ranks, f"{tekken.file}, config.pattern")
    ranks = replace(ranks, ranks=ranks.ranks + tekken.specials_count)
    merges = yield from merges_of(ranks)
    if merges.has_twice:
        tekken.check_twice(ranks)
    not_applied = dict.fromkeys(phrase for key, phrase in NOT_APPLIED.items() if tekken.data.get(key))
    return recording_of(
        RankModel(
            ranks, merges, specials, Settings(pipeline=Pipeline(pre_tokenizer=pre_tokenizer)), specials_are_text=True
        ),
        Imported("tekken", tekken.file, tuple(tekken.facts()), tuple(not_applied)),
    )


def recognizes(data: bytes, path: Path) -> bool:
    return data.lstrip()[:1] == b"{" and b'"token_bytes"' in data and b'"default_num_special_tokens"' in data


def finds(folder: Path) -> Iterator[Path]:
    """Where there is a tokenizer.json too, it says the same and more."""
    file = folder / NAME
    if file.is_file() and not (folder / "tokenizer.json").exists():
        yield file


FORMAT = Format(
    name="tekken",
    title="Mistral tekken.json",
    help="The tokenizer of Mistral's models since Nemo: ranks as in tiktoken, behind special tokens.",
    suggested_name=NAME,
    is_folder=False,
    read=read,
    recognizes=recognizes,
    finds=finds,
    follows=frozenset({"pre_tokenizer"}),
)
