"""CLIP's bpe_simple_vocab_16e6.txt, packed with gzip or not: merges of bytes, `</w>` at the end of words. Read only.

The vocabulary is not in the file: it is the bytes, the bytes at the end of words, what the merges make, and two special
tokens. Source: `SimpleTokenizer` in OpenAI's CLIP.
"""

import io
import re
import zlib
from collections.abc import Generator, Iterator, Mapping
from pathlib import Path

from core.added_tokens import AddedToken
from core.alphabet import MARKER_TEXT, Base, Marker, Token
from core.compressed import OpenFile, compression_of
from core.encoding_rules import Encoder, EncodingRules
from core.errors import CorpusError, FormatError
from core.formats.assembly import Model, assembled
from core.formats.base import Format, Reading, ReadOptions
from core.formats.clip_pipeline import clip_not_applied, clip_pipeline
from core.formats.javascript import ONLY_TOKENIZER_JSON
from core.formats.merge_lines import MergeList, read_merge_lines
from core.formats.spelling import BYTE_OF_STAND_IN, STAND_INS
from core.formats.strict_json import read_bytes, text_of_bytes
from core.formats.tiktoken import beginning_of
from core.imported import Imported
from core.pipeline import Pipeline
from core.progress import Progress

MERGES_TAKEN = 49_152 - 256 - 2
"""The file has more; CLIP takes so many that with all bytes and two special tokens there are 49,408 tokens."""
SPECIAL_TOKENS = ("<|startoftext|>", "<|endoftext|>")
MAX_UNPACKED_BYTES = 1 << 25
"""CLIP's own file has 3 MB."""
BYTES_LOOKED_AT = 256
BYTES_UNPACKED = 1 << 16
NAME = "bpe_simple_vocab"
TOKENS_PER_SLICE = 10_000
_HEADER = re.compile(rf'"?{NAME}.*#version')
_BYTE_OF = {ord(char): value for char, value in BYTE_OF_STAND_IN.items()}
_STAND_INS = frozenset(BYTE_OF_STAND_IN)


def recognizes(data: bytes, path: Path) -> bool:
    return bool(_HEADER.match(_beginning(data).decode(errors="replace")))


def finds(folder: Path) -> Iterator[Path]:
    for path in sorted(folder.glob(f"*{NAME}*")):
        if recognizes(beginning_of(path, BYTES_UNPACKED), path):
            yield path


def _beginning(data: bytes) -> bytes:
    """Of what is in it; gzip only, for it is asked of every file."""
    compression = compression_of(data[:16])
    if compression is None or compression.name != "gzip":
        return data[:BYTES_LOOKED_AT]
    try:
        return zlib.decompressobj(wbits=31).decompress(data[:BYTES_UNPACKED], BYTES_LOOKED_AT)
    except zlib.error:
        return b""


def unpacked(data: bytes, name: str) -> bytes:
    """What is in a file that may be packed. Raises FormatError for a damaged one, and for more than any tokenizer."""
    if compression_of(data[:16]) is None:
        return data
    try:
        content = OpenFile(name, io.BufferedReader(io.BytesIO(data)), len(data)).read(MAX_UNPACKED_BYTES + 1)
    except CorpusError as error:
        raise FormatError(str(error)) from None
    if len(content) > MAX_UNPACKED_BYTES:
        raise FormatError(f"{name} unpacks to more than {MAX_UNPACKED_BYTES >> 20} MB, which is no such tokenizer.")
    return content


def read(path: Path, options: ReadOptions) -> Reading:
    data = unpacked(read_bytes(path), path.name)
    yield Progress(0, 1)
    rows = text_of_bytes(data, path.name).split("\n")
    if not _HEADER.match(rows[0]):
        raise FormatError(f'{path.name}, line 1: expected a header such as "bpe_simple_vocab_16e6.txt#version: 0.2.')
    if not rows[-1]:
        rows.pop()
    listed = len(rows) - 1
    text = "\n".join(rows[: MERGES_TAKEN + 1])
    listing = yield from read_merge_lines(text, path.name, header=_HEADER)
    model = yield from _model(listing, options, path.name)
    facts = [_ABOUT_IDS]
    taken = len(listing.pairs)
    if listed > taken:
        facts.append(f"The file lists {listed:,} merges, of which CLIP takes the first {taken:,}.")
    return (yield from assembled(model, Imported(FORMAT.name, path.name, tuple(facts), clip_not_applied())))


def _model(listing: MergeList, options: ReadOptions, file: str) -> Generator[Progress, None, Model]:
    spelled = [*STAND_INS.values(), *(char + MARKER_TEXT for char in STAND_INS.values())]
    spelled += (left + right for left, right in listing.pairs)
    tokens = dict[int, Token]()
    for start in range(0, len(spelled), TOKENS_PER_SLICE):
        for token_id, text in enumerate(spelled[start : start + TOKENS_PER_SLICE], start):
            tokens[token_id] = _token(text, token_id, listing, file)
        yield Progress(len(tokens), len(spelled))
    ids = {text: token_id for token_id, text in enumerate(spelled)}  # of a token that is made twice the last id counts
    last = {pair: rank for rank, pair in enumerate(listing.pairs)}  # and of a merge that is listed twice the last rank
    merges = [_numbered(rank, listing, ids, file) for rank in sorted(last.values())]
    specials = _specials(options.special_tokens, tokens, file)
    words = options.pre_tokenizer
    pipeline = Pipeline(clip_pipeline().normalizer, words) if words else clip_pipeline()
    return Model(
        {**tokens, **{token_id: Token(text.encode(), special=True) for text, token_id in specials.items()}},
        merges,
        Base.BYTES,
        Marker.SUFFIX,
        pipeline=pipeline,
        rules=EncodingRules(Encoder.ALL_AT_ONCE),
        added_tokens=tuple(AddedToken(text, token_id, normalized=True) for text, token_id in specials.items()),
    )


def _token(text: str, token_id: int, listing: MergeList, file: str) -> Token:
    letters = text.removesuffix(MARKER_TEXT) if len(text) > len(MARKER_TEXT) else text
    if not _STAND_INS.issuperset(letters):
        line = listing.line(token_id - 2 * len(STAND_INS))
        raise FormatError(f"{file}, line {line}: {text!r} is not spelled in GPT-2's letters for bytes.")
    return Token(letters.translate(_BYTE_OF).encode("latin-1"), ends_word=letters != text)


def _numbered(rank: int, listing: MergeList, ids: Mapping[str, int], file: str) -> tuple[int, int, int]:
    left, right = listing.pairs[rank]
    for part in (left, right):
        if part not in ids:
            raise FormatError(f"{file}, line {listing.line(rank)}: {part!r} is neither a byte nor made by a merge.")
    return ids[left], ids[right], ids[left + right]


def _specials(given: Mapping[str, int] | None, tokens: Mapping[int, Token], file: str) -> Mapping[str, int]:
    if given is None:
        return {text: len(tokens) + place for place, text in enumerate(SPECIAL_TOKENS)}
    for text, token_id in given.items():
        if token_id in tokens:
            raise FormatError(f"{file}: the special token {text!r} cannot have the id {token_id}, which a token has.")
    return given


_ABOUT_IDS = (
    "Ids are CLIP's: 256 bytes, the same at the end of words, tokens in the order of the merges, <|startoftext|> and "
    "<|endoftext|>, which open_clip calls <start_of_text> and <end_of_text>."
)

FORMAT = Format(
    name="clip",
    title="CLIP bpe_simple_vocab",
    help="The merges that OpenAI's CLIP came with, for texts beside pictures.",
    suggested_name="bpe_simple_vocab_16e6.txt",
    is_folder=False,
    read=read,
    recognizes=recognizes,
    finds=finds,
    no_javascript=ONLY_TOKENIZER_JSON,
)
