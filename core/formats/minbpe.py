"""minbpe's .model: a pattern, special tokens, and merges by ids, of which 0 to 255 are the bytes by their value.

Source: minbpe/base.py of karpathy/minbpe. Every token behind the bytes has the id 256 and its rank.
"""

import re
from collections.abc import Generator, Iterator, Mapping
from itertools import islice, pairwise
from pathlib import Path

import numpy as np

from core.alphabet import Base, Marker, Token
from core.errors import BpeError, FormatError
from core.formats.base import COUNTS_ARE_LOST, Finding, Format, Lines, Reading, ReadOptions, Severity, refusal, warning
from core.formats.javascript import ONLY_TOKENIZER_JSON
from core.formats.patterns import from_portable, portable_words
from core.formats.rank_file import MAX_TOKEN_BYTES, MAX_TOKENS, Ranks
from core.formats.rank_model import RankMerges, RankModel, recording_of
from core.formats.spelled import Settings
from core.formats.strict_json import is_id, read_text
from core.formats.tiktoken import beginning_of, special_tokens
from core.imported import Imported
from core.loaded_merges import LoadedMerges
from core.merge_recovery import BYTES
from core.pipeline import Pipeline
from core.pre_tokenizer import PRE_TOKENIZERS, PreTokenizer
from core.progress import Progress
from core.recording import Recording
from core.vocab import label

SUFFIX = ".model"
VERSION = "minbpe v1"
MAX_BYTES_OF_TOKENS = 1 << 26
LINES_PER_SLICE = 1 << 13

Pairs = list[tuple[int, int]]


def findings(recording: Recording, step: int) -> Iterator[Finding]:
    if recording.alphabet.base is not Base.BYTES or recording.alphabet.marker is not Marker.NONE:
        yield refusal(
            "minbpe knows only tokenizers whose base symbols are the 256 bytes, without a marker. Train with bytes and "
            "without one."
        )
        return
    yield from _id_findings(recording, step)
    yield from _orphan_findings(recording)
    yield from _special_findings(recording)
    yield from _pipeline_findings(recording.pipeline)
    if recording.has_counts:
        yield Finding(Severity.LOSS, COUNTS_ARE_LOST)


def _id_findings(recording: Recording, step: int) -> Iterator[Finding]:
    tokens = recording.alphabet.tokens
    wrong = next((i for i in range(BYTES) if tokens.get(i) != Token(bytes([i]))), None)
    if wrong is not None:
        yield refusal(
            f"minbpe has the 256 bytes by their value as its first ids, and here {wrong} is not the byte {wrong:02X}. "
            "Train with bytes in the order of their value and with special tokens last."
        )
        return
    if not recording.is_monotone:
        yield refusal("minbpe makes tokens only of tokens that are there before, and here some come later.")
        return
    for rank, merge in enumerate(islice(recording, step)):
        if merge.token_id != BYTES + rank:
            yield refusal(
                f"minbpe numbers tokens as they are merged, from 256 on, and here the merge of rank {rank:,} makes "
                f"token {merge.token_id:,}. Train with bytes in the order of their value and with special tokens last."
            )
            return
        if len(recording.token(merge.token_id).content) > MAX_TOKEN_BYTES:
            yield refusal(f"The merge of rank {rank:,} makes a token of more than {MAX_TOKEN_BYTES:,} bytes.")
            return


def _orphan_findings(recording: Recording) -> Iterator[Finding]:
    if recording.orphans:
        token = recording.token(next(iter(recording.orphans)))
        yield refusal(f"minbpe has only tokens that a merge makes, and none makes {label(token)!r}.")


def _special_findings(recording: Recording) -> Iterator[Finding]:
    specials = recording.alphabet.special_ids
    for text in specials:
        if not text or any(char.isspace() for char in text):
            yield refusal(f"The special token {text!r} holds white space or nothing, and minbpe could not read it.")
            return
    if any(not (token.special and token.is_plain) for token in recording.looked_for):
        yield refusal("minbpe finds special tokens only as they are written, wherever they stand.")
    if specials and not recording.looked_for:
        yield refusal("In minbpe special tokens are found in texts, and here their text is plain text.")
    pairs = ((first, second) for first, second in pairwise(sorted(specials)) if second.startswith(first))
    for first, second in islice(pairs, 1):
        yield warning(
            f"The special token {second!r} begins with {first!r}: which of the two minbpe finds depends on their order."
        )
    if specials:
        yield warning(
            "minbpe refuses text that holds a special token unless encode() is called with allowed_special, as the "
            "code for it does."
        )


def _pipeline_findings(pipeline: Pipeline) -> Iterator[Finding]:
    if pipeline.normalizer:
        yield refusal(
            f"minbpe has no normalizer: texts not put through {', '.join(pipeline.normalizer.names)} before would get "
            "other ids. Save as Hugging Face tokenizer.json."
        )
    try:
        pattern = portable_words(pipeline.pre_tokenizer)
    except FormatError as error:
        yield refusal(str(error))
        return
    if not pattern.strip():
        yield refusal("The pattern is nothing but white space, and in minbpe's file that is no pattern.")
    elif pattern != pattern.strip():
        yield warning(
            "minbpe's own loader drops the white space that the pattern begins or ends with; the code for it does not."
        )


def render(recording: Recording, step: int, path: Path) -> Mapping[Path, Lines]:
    return {_file(path): _lines(recording, step)}


def _file(path: Path) -> Path:
    return path if path.suffix == SUFFIX else path.with_name(path.name + SUFFIX)


def _lines(recording: Recording, step: int) -> Lines:
    specials = recording.alphabet.special_ids
    is_basic = recording.pipeline.pre_tokenizer == PRE_TOKENIZERS["none"] and not specials
    yield f"{VERSION}\n"
    yield "\n" if is_basic else f"{portable_words(recording.pipeline.pre_tokenizer)}\n"
    yield f"{len(specials)}\n"
    yield from (f"{text} {token_id}\n" for text, token_id in specials.items())
    yield from (f"{merge.left} {merge.right}\n" for merge in islice(recording, step))


def read(path: Path, options: ReadOptions) -> Reading:
    file = path if path.exists() else _file(path)
    lines = [line.removesuffix("\r") for line in read_text(file).split("\n")]
    yield Progress(0, 1)
    while lines and not lines[-1].strip():
        lines.pop()
    head = _Head(lines, file.name)
    pairs = yield from _pairs(lines, head.length, file.name)
    ranks = yield from _tokens(pairs, head.length, file.name)
    specials = head.specials if options.special_tokens is None else dict(options.special_tokens)
    others = special_tokens(specials, set(range(len(ranks))), f"{file.name}, special tokens")
    ids = np.arange(BYTES, len(ranks), dtype=np.int32)
    lefts, rights = np.array(pairs, np.int32).reshape(-1, 2).T
    merges = RankMerges(LoadedMerges(lefts, rights, ids), np.empty(0, np.int64), has_twice=False)
    settings = Settings(pipeline=Pipeline(pre_tokenizer=options.pre_tokenizer or head.pre_tokenizer))
    return recording_of(RankModel(ranks, merges, others, settings), Imported(FORMAT.name, file.name))


class _Head:
    """The lines before the merges. The pattern is the whole second line, also with white space around it."""

    def __init__(self, lines: list[str], file: str) -> None:
        self._lines, self._file = [*lines, "", "", ""], file
        if self._lines[0].strip() != VERSION:
            raise FormatError(f"{file}, line 1: expected {VERSION!r}, found {self._lines[0]!r:.80}.")
        count = self._number(3, self._lines[2], "the number of special tokens")
        if count > max(0, len(lines) - 3):
            raise FormatError(f"{file}, line 3: {count:,} special tokens are announced, and the file ends before that.")
        self.length = 3 + count
        self.specials = dict[str, int]()
        for number in range(4, self.length + 1):
            text, _, token_id = self._lines[number - 1].rstrip().rpartition(" ")
            if not text or text in self.specials:
                raise FormatError(f"{file}, line {number}: expected a new special token, a space and its id.")
            self.specials[text] = self._number(number, token_id, "the id of a special token")

    @property
    def pre_tokenizer(self) -> PreTokenizer:
        pattern = self._lines[1]
        try:
            return from_portable(pattern) if pattern.strip() else PRE_TOKENIZERS["none"]
        except BpeError as error:
            raise FormatError(f"{self._file}, line 2: {error}") from None

    def _number(self, line: int, text: str, what: str) -> int:
        if not re.fullmatch(r"\s*[0-9]{1,10}\s*", text) or not is_id(int(text)):
            raise FormatError(f"{self._file}, line {line}: expected {what}, found {text!r:.80}.")
        return int(text)


def _pairs(lines: list[str], head: int, file: str) -> Generator[Progress, None, Pairs]:
    pairs, seen = Pairs(), dict[tuple[int, int], int]()
    if len(lines) - head > MAX_TOKENS:
        raise FormatError(f"{file} has more than {MAX_TOKENS:,} merges, more than any tokenizer.")
    for number, line in enumerate(lines[head:], head + 1):
        match = _MERGE.fullmatch(line)
        if not match:
            raise FormatError(f"{file}, line {number}: expected the two ids of a merge, found {line!r:.80}.")
        pair, token_id = (int(match[1]), int(match[2])), BYTES + len(pairs)
        for part in pair:
            if part >= token_id:
                raise FormatError(
                    f"{file}, line {number}: the merge that makes token {token_id} needs token {part}, which is not "
                    "there before it."
                )
        if seen.setdefault(pair, number) != number:
            raise FormatError(f"{file}, line {number}: the merge of {line} is that of line {seen[pair]} too.")
        pairs.append(pair)
        if number % LINES_PER_SLICE == 0:
            yield Progress(number, len(lines))
    return pairs


_MERGE = re.compile(r"[ \t]*([0-9]{1,9})[ \t]+([0-9]{1,9})[ \t]*", re.ASCII)


def _tokens(pairs: Pairs, head: int, file: str) -> Generator[Progress, None, Ranks]:
    tokens, total = [bytes([value]) for value in range(BYTES)], BYTES
    for number, (left, right) in enumerate(pairs, head + 1):
        size = len(tokens[left]) + len(tokens[right])
        total += size
        if size > MAX_TOKEN_BYTES or total > MAX_BYTES_OF_TOKENS:
            raise FormatError(f"{file}, line {number}: a token of {size:,} bytes is too long, or there are too many.")
        tokens.append(tokens[left] + tokens[right])
        if number % LINES_PER_SLICE == 0:
            yield Progress(number, len(pairs))
    offsets = np.concatenate([[0], np.cumsum([len(token) for token in tokens])])
    return Ranks(np.frombuffer(b"".join(tokens), np.uint8), offsets, np.arange(len(tokens)))


def recognizes(data: bytes, path: Path) -> bool:
    return re.match(rb"\s*" + VERSION.encode() + rb"\s", data) is not None


def finds(folder: Path) -> Iterator[Path]:
    for path in sorted(folder.glob(f"*{SUFFIX}")):
        if recognizes(beginning_of(path, 2 * len(VERSION)), path):
            yield path


def python(path: Path) -> str:
    return f"""\
# git clone https://github.com/karpathy/minbpe, and run this in that folder
import regex
from minbpe import BasicTokenizer, RegexTokenizer

MODEL = {str(_file(path))!r}
with open(MODEL, encoding="utf-8") as file:
    pattern = file.read().split("\\n")[1]

tokenizer = RegexTokenizer() if pattern else BasicTokenizer()
tokenizer.load(MODEL)
if pattern:  # load() strips it and goes on cutting with that of GPT-4
    tokenizer.pattern = pattern
    tokenizer.compiled_pattern = regex.compile(pattern)

if __name__ == "__main__":
    ids = tokenizer.encode("Hello, world!", allowed_special="all") if pattern else tokenizer.encode("Hello, world!")
    print(ids, [tokenizer.vocab[i] for i in ids])
    print(tokenizer.decode(ids))
"""


FORMAT = Format(
    name="minbpe",
    title="minbpe .model",
    help="The file of Karpathy's minbpe, for lessons: the pattern, special tokens, and two ids for each merge.",
    suggested_name="bpe.model",
    is_folder=False,
    findings=findings,
    render=render,
    read=read,
    recognizes=recognizes,
    finds=finds,
    python=python,
    no_javascript=ONLY_TOKENIZER_JSON,
)
