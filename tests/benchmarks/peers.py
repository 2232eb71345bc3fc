"""The other tools, each told to compute what ours does.

A trainer is prepared for a file and a number of merges; what it returns does the work, and returns a function that
spells the tokens of its merges, in order. By these two tools can be compared whatever their ids: exact training never
makes a token twice. Likewise an encoder is prepared for the files of a model.
"""

import base64
import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from machine import cores, version

Spelled = dict[str, Any]
Train = Callable[[], Callable[[], Spelled]]
Encode = Callable[[str], Any]

GPT2 = r"'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+"
RANKS, TOKENIZER_JSON = "model.tiktoken", "huggingface/tokenizer.json"
SUFFIX = "</w>"
CHUNK_BYTES = 1 << 20


@dataclass(frozen=True)
class Peer:
    """How a package trains, by kind, and encodes; `like` names for a kind the one of ours with the same merges."""

    package: str
    trainers: Mapping[str, Callable[[Path, int], Train]] = field(default_factory=dict)
    like: Mapping[str, str] = field(default_factory=dict)
    encoder: Callable[[Path], Encode] | None = None

    @property
    def is_installed(self) -> bool:
        return version(self.package) is not None


def tokenizers_gpt2(path: Path, merges: int) -> Train:
    from tokenizers import Tokenizer, models, pre_tokenizers, trainers

    def train() -> Callable[[], Spelled]:
        tokenizer = Tokenizer(models.BPE())
        tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
        alphabet = pre_tokenizers.ByteLevel.alphabet()
        trainer = trainers.BpeTrainer(vocab_size=256 + merges, initial_alphabet=alphabet, show_progress=False)
        tokenizer.train([str(path)], trainer)
        return lambda: spelled(map(as_bytes, joined(huggingface_merges(tokenizer))))

    return train


def tokenizers_whitespace(path: Path, merges: int) -> Train:
    from tokenizers import Tokenizer, models, pre_tokenizers, trainers

    vocab_size = len(marked_symbols(path)) + merges

    def train() -> Callable[[], Spelled]:
        tokenizer = Tokenizer(models.BPE(end_of_word_suffix=SUFFIX))
        tokenizer.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
        trainer = trainers.BpeTrainer(vocab_size=vocab_size, end_of_word_suffix=SUFFIX, show_progress=False)
        tokenizer.train([str(path)], trainer)
        return lambda: spelled(token.encode() for token in joined(huggingface_merges(tokenizer)))

    return train


def rustbpe_gpt2(path: Path, merges: int) -> Train:
    import rustbpe

    def train() -> Callable[[], Spelled]:
        tokenizer = rustbpe.Tokenizer()
        with path.open(encoding="utf-8", newline="\n") as lines:
            tokenizer.train_from_iterator(lines, 256 + merges, pattern=GPT2)
        return lambda: spelled(bytes(token) for token, rank in tokenizer.get_mergeable_ranks() if rank >= 256)

    return train


def gigabpe_gpt2(path: Path, merges: int) -> Train:
    import gigabpe

    vocab_size = len(set().union(*chunks(path))) + merges

    def train() -> Callable[[], Spelled]:
        _, pairs = gigabpe.train_bpe([str(path)], vocab_size, special_tokens=[], pretokenizer="bytelevel")
        return lambda: spelled(map(as_bytes, joined(pairs)))

    return train


def gigatoken_gpt2(path: Path, merges: int) -> Train:
    import gigatoken

    def train() -> Callable[[], Spelled]:
        _, pairs = gigatoken.train_bpe(str(path), 256 + merges, [])
        return lambda: spelled(left + right for left, right in pairs)

    return train


def sentencepiece_whitespace(path: Path, merges: int) -> Train:
    import io

    import sentencepiece

    vocab_size = 3 + len(set().union(*characters(path)) - {"\n"}) + merges  # 3: unknown, start, end

    def train() -> Callable[[], Spelled]:
        model = io.BytesIO()
        sentencepiece.SentencePieceTrainer.train(
            input=str(path),
            model_writer=model,
            model_type="bpe",
            vocab_size=vocab_size,
            character_coverage=1.0,
            normalization_rule_name="identity",
            remove_extra_whitespaces=False,
            split_by_unicode_script=False,
            split_by_number=False,
            max_sentencepiece_length=512,
            max_sentence_length=1 << 30,
            num_threads=cores(),
            minloglevel=2,
        )
        return lambda: spelled(sentencepiece_merges(model.getvalue()))

    return train


def tiktoken_encoder(folder: Path) -> Encode:
    import tiktoken

    encoding = tiktoken.Encoding("ours", pat_str=GPT2, mergeable_ranks=ranks(folder), special_tokens={})
    return encoding.encode_ordinary


def tokenizers_encoder(folder: Path) -> Encode:
    from tokenizers import Tokenizer

    tokenizer = Tokenizer.from_file(str(folder / TOKENIZER_JSON))
    return lambda text: tokenizer.encode(text).ids


def gigatoken_encoder(folder: Path) -> Encode:
    import gigatoken

    return gigatoken.Tokenizer(str(folder / TOKENIZER_JSON)).encode


PEERS: dict[str, Peer] = {
    peer.package: peer
    for peer in (
        Peer(
            "tokenizers",
            {"gpt2": tokenizers_gpt2, "whitespace": tokenizers_whitespace},
            {"gpt2": "gpt2", "whitespace": "whitespace"},
            tokenizers_encoder,
        ),
        Peer("rustbpe", {"gpt2": rustbpe_gpt2}, {"gpt2": "gpt2, ties by bytes"}),
        Peer("gigabpe", {"gpt2": gigabpe_gpt2}, {"gpt2": "gpt2"}),
        Peer("gigatoken", {"gpt2": gigatoken_gpt2}, {"gpt2": "gpt2, one text"}, gigatoken_encoder),
        Peer("sentencepiece", {"whitespace": sentencepiece_whitespace}, {"whitespace": "sentencepiece"}),
        Peer("tiktoken", encoder=tiktoken_encoder),
    )
}


def spelled(tokens: Iterable[bytes]) -> Spelled:
    return {"tokens": [token.decode("latin-1") for token in tokens]}


def joined(pairs: Iterable[tuple[str, str]]) -> Iterator[str]:
    """What each pair makes; a suffix of the left part would not be one."""
    return (left + right for left, right in pairs)


def huggingface_merges(tokenizer: Any) -> list[tuple[str, str]]:
    return [(left, right) for left, right in json.loads(tokenizer.to_str())["model"]["merges"]]


def as_bytes(token: str) -> bytes:
    return bytes(BYTE_OF_STAND_IN[character] for character in token)


def _bytes_of_stand_ins() -> dict[str, int]:
    """The printable characters that stand for bytes in GPT-2's files."""
    printable = [*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)]
    others = (value for value in range(256) if value not in printable)
    return {chr(value): value for value in printable} | {chr(0x100 + n): value for n, value in enumerate(others)}


BYTE_OF_STAND_IN = _bytes_of_stand_ins()


def sentencepiece_merges(model: bytes) -> Iterator[bytes]:
    """The pieces with a score of 0, -1, ... of several characters are the merges, in order."""
    import sentencepiece

    processor = sentencepiece.SentencePieceProcessor(model_proto=model)
    for i in range(processor.get_piece_size()):
        piece = processor.id_to_piece(i)
        if len(piece) > 1 and not processor.is_control(i) and not processor.is_unknown(i):
            yield piece.encode()


def ranks(folder: Path) -> dict[bytes, int]:
    lines = (line.split() for line in (folder / RANKS).read_bytes().splitlines())
    return {base64.b64decode(token): int(rank) for token, rank in lines}


def chunks(path: Path) -> Iterator[bytes]:
    """A file without the memory for all of it, which would count as the tool's."""
    with path.open("rb") as file:
        while chunk := file.read(CHUNK_BYTES):
            yield chunk


def characters(path: Path) -> Iterator[str]:
    with path.open(encoding="utf-8", newline="\n") as file:
        while chunk := file.read(CHUNK_BYTES):
            yield chunk


def marked_symbols(path: Path) -> set[str]:
    """What `tokenizers` starts from: every character, and every one that ends a word once more with the suffix."""
    symbols = set[str]()
    with path.open(encoding="utf-8", newline="\n") as lines:
        for line in lines:
            words = line.split()
            symbols.update("".join(words))
            symbols.update(word[-1] + SUFFIX for word in words)
    return symbols
