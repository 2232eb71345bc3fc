"""tiktoken's rank file: `base64(token) rank` a line, with a side-car for pattern and special tokens.

The file holds no merges. They come back by encoding each token with the tokens of lower rank: the two parts that are
left are its merge, which is so for all of OpenAI's own files.
"""

import base64
import binascii
import json
import re
import sys
from collections.abc import Iterator, Mapping
from itertools import pairwise
from pathlib import Path

from core.alphabet import Base, Marker, Token
from core.errors import BpeError, FormatError
from core.formats import javascript
from core.formats.base import COUNTS_ARE_LOST, Finding, Format, Lines, Severity, at_once
from core.formats.huggingface_findings import order_findings
from core.formats.patterns import from_portable, portable_words
from core.formats.rebuild import Settings, empty_recording, missing_bytes
from core.formats.side_car import SideCar
from core.formats.spelling import ids_at
from core.formats.strict_json import is_id, read_bytes
from core.merge import Merge
from core.normalizer import Normalizer
from core.pipeline import Pipeline
from core.pipeline_json import pipeline_json
from core.pre_tokenizer import PreTokenizer
from core.recording import Recording
from core.trainer import Score
from core.utf8 import whole_characters

SUFFIX = ".tiktoken"
KIND, KIND_VERSION = "bpe-gui tiktoken settings", 2
SCRIPT_HEAD = "# Loads the rank file beside it into tiktoken. Written by bpe-gui.\n"


def findings(recording: Recording, step: int) -> Iterator[Finding]:
    if recording.alphabet.base is not Base.BYTES:
        yield _refusal("tiktoken knows only tokenizers whose base symbols are the 256 bytes. Train with bytes.")
        return
    if recording.alphabet.marker is not Marker.NONE:
        yield _refusal("tiktoken has no marker for the end of a word. Train without one.")
    if step and not recording.is_monotone:
        yield from order_findings(recording, step)
        return
    if recording.config.score is Score.WORDPIECE:
        yield Finding(
            Severity.WARNING,
            "tiktoken merges by rank. WordPiece's own way, the longest token from the left, is in Hugging Face "
            "tokenizer.json.",
        )
    yield from _byte_findings(recording)
    yield from _rank_findings(recording, step)
    yield from _special_findings(recording)
    yield from _pattern_findings(recording.pipeline)
    if recording.has_counts:
        yield Finding(Severity.LOSS, COUNTS_ARE_LOST)


def _refusal(message: str) -> Finding:
    return Finding(Severity.REFUSAL, message)


def _byte_findings(recording: Recording) -> Iterator[Finding]:
    ordinary = [token for token in recording.alphabet.tokens.values() if not token.special]
    missing = missing_bytes(recording.alphabet.tokens.values())
    if missing:
        yield _refusal(f"tiktoken needs all 256 bytes, and {len(missing)} are missing, such as {missing[0]:02X}.")
    for value in set(missing_bytes(ordinary)) - set(missing):
        yield _refusal(
            f"The special token {chr(value)!r} is also a byte, and tiktoken does not allow one id for both. "
            "Train with another special token."
        )


def _rank_findings(recording: Recording, step: int) -> Iterator[Finding]:
    highest = max((i for i, token in recording.alphabet.tokens.items() if not token.special), default=-1)
    for rank in range(step):
        token_id = recording[rank].token_id
        if token_id <= highest:
            yield _refusal(
                f"tiktoken merges in the order of ids, and here the merge of rank {rank:,} makes token {token_id:,}, "
                f"no higher than {highest:,} before it. Save as Hugging Face tokenizer.json."
            )
            return
        highest = token_id


def _special_findings(recording: Recording) -> Iterator[Finding]:
    specials = sorted(recording.alphabet.special_ids)
    for shorter, longer in pairwise(specials):
        if longer.startswith(shorter):
            yield Finding(
                Severity.WARNING,
                f"The special token {longer!r} begins with {shorter!r}: which of the two tiktoken finds in a text is "
                "a matter of chance.",
            )
    if specials:
        yield Finding(
            Severity.WARNING,
            "tiktoken refuses text that holds a special token unless encode() is called with allowed_special "
            "or disallowed_special, as the script beside the file does.",
        )


def _pattern_findings(pipeline: Pipeline) -> Iterator[Finding]:
    if pipeline.normalizer:
        yield Finding(
            Severity.WARNING,
            f"tiktoken has no normalizer: texts must be put through {', '.join(pipeline.normalizer.names)} before "
            "they are encoded, or their ids differ.",
        )
    if pipeline.normalizer.has_metaspace:
        yield Finding(
            Severity.WARNING,
            "With tiktoken ▁ has to be put before each text by hand, behind special tokens too, and made a space again "
            "in what it decodes.",
        )
    try:
        portable_words(pipeline.pre_tokenizer)
    except FormatError as error:
        yield _refusal(str(error))


def render(recording: Recording, step: int, path: Path) -> Mapping[Path, Lines]:
    ranks, side_car, script = _files(path)
    _check_neighbours(side_car, script)
    return {
        ranks: _rank_lines(recording, step),
        side_car: _side_car_lines(recording, ranks),
        script: iter([SCRIPT_HEAD, _script(f"Path(__file__).with_name({ranks.name!r})")]),
    }


def _files(path: Path) -> tuple[Path, Path, Path]:
    ranks = path if path.suffix == SUFFIX else path.with_name(path.name + SUFFIX)
    return ranks, ranks.with_suffix(".json"), ranks.with_suffix(".py")


def _check_neighbours(side_car: Path, script: Path) -> None:
    """The person chose one name; files of theirs that happen to have the two others must stay."""
    if script.stem in sys.stdlib_module_names or script.stem in ("tiktoken", "regex", "requests"):
        raise FormatError(f"A script named {script.name} would hide the library of that name. Choose another name.")
    for file, is_ours in ((side_car, b'"format": ' + json.dumps(KIND).encode()), (script, SCRIPT_HEAD.encode())):
        if file.exists() and is_ours not in read_bytes(file):
            raise FormatError(f"{file.name} is there already and is not part of an export. Choose another name.")


def _rank_lines(recording: Recording, step: int) -> Lines:
    for token_id in ids_at(recording, step):
        token = recording.token(token_id)
        if not token.special:
            yield f"{base64.b64encode(token.content).decode()} {token_id}\n"


def _side_car_lines(recording: Recording, ranks: Path) -> Lines:
    settings = {
        "format": KIND,
        "version": KIND_VERSION,
        "name": whole_characters(ranks.stem),
        "pattern": portable_words(recording.pipeline.pre_tokenizer),
        "special_tokens": recording.alphabet.special_ids,
        **pipeline_json(recording.pipeline),
        "score": recording.config.score,
        "unknown_token": recording.config.unknown_token,
    }
    yield json.dumps(settings, ensure_ascii=False, indent=2) + "\n"


def _script(ranks: str) -> str:
    return f"""\
# pip install tiktoken
import base64
import json
from pathlib import Path

import tiktoken

RANKS = {ranks}
settings = json.loads(RANKS.with_suffix(".json").read_text(encoding="utf-8"))
lines = (line.split() for line in RANKS.read_bytes().splitlines() if line)

encoding = tiktoken.Encoding(
    settings["name"],
    pat_str=settings["pattern"],
    mergeable_ranks={{base64.b64decode(token): int(rank) for token, rank in lines}},
    special_tokens=settings["special_tokens"],
)

if __name__ == "__main__":
    ids = encoding.encode("Hello, world!", allowed_special="all")
    print(ids, [encoding.decode_single_token_bytes(i) for i in ids])
    print(encoding.decode(ids))
"""


def python(path: Path) -> str:
    return _script(f"Path({str(_files(path)[0])!r})")


def read(path: Path) -> Recording:
    """From the rank file and the side-car beside it."""
    ranks, side_car_path, _ = _files(path.with_suffix(SUFFIX) if path.suffix == ".json" else path)
    tokens = read_ranks(ranks)
    if not side_car_path.exists():
        raise FormatError(
            f"{side_car_path.name} is missing beside {ranks.name}: ranks alone do not say how texts are cut, nor which "
            "special tokens there are. This program writes both files."
        )
    settings = _settings(side_car := SideCar(side_car_path))
    specials = _specials(side_car.data.get("special_tokens"), tokens, side_car.file)
    base = {i: Token(content) for content, i in tokens.items() if len(content) == 1}
    if missing := missing_bytes(base.values()):
        raise FormatError(f"{ranks.name}: {len(missing)} of the 256 bytes have no rank, such as {missing[0]:02X}.")
    recording = empty_recording(base | specials, settings, ranks.name)
    for left, right, token_id in merges_of(tokens, ranks.name):
        recording.append(Merge(len(recording), left, right, token_id))
    return recording


def recognizes(data: bytes, path: Path) -> bool:
    is_side_car = data.lstrip()[:1] == b"{" and json.dumps(KIND).encode() in data
    return _RANK_LINE.match(data) is not None or is_side_car


def finds(folder: Path) -> Iterator[Path]:
    yield from sorted(folder.glob(f"*{SUFFIX}"))


_RANK_LINE = re.compile(rb"[A-Za-z0-9+/]*={0,2} [0-9]+\r?(\n|$)")


def read_ranks(path: Path) -> dict[bytes, int]:
    """The tokens of a rank file and their ids, by rising id."""
    tokens: dict[bytes, int] = {}
    for number, line in enumerate(read_bytes(path).splitlines(), 1):
        if not line:
            continue
        content, token_id = _rank_line(line, f"{path.name}, line {number}")
        if content in tokens:
            raise FormatError(f"{path.name}, line {number}: the token {content!r} stands there twice.")
        tokens[content] = token_id
    if len(set(tokens.values())) < len(tokens):
        raise FormatError(f"{path.name}: two tokens have the same rank.")
    return dict(sorted(tokens.items(), key=lambda item: item[1]))


def _rank_line(line: bytes, where: str) -> tuple[bytes, int]:
    parts = line.split(b" ")
    try:
        content, digits = base64.b64decode(parts[0], validate=True), parts[1]
    except (binascii.Error, IndexError):
        content = digits = b""
    if len(parts) != 2 or not content or not digits.isdigit() or len(digits) > 9:
        raise FormatError(f"{where}: expected a token in base64, a space and a rank, found {line[:60]!r}.")
    return content, int(digits)


def merges_of(tokens: Mapping[bytes, int], file: str) -> Iterator[tuple[int, int, int]]:
    """(left id, right id, token id) of every token longer than a byte, by rising id."""
    for content, token_id in tokens.items():
        if len(content) > 1:
            parts = _parts_below(content, token_id, tokens)
            if len(parts) != 2:
                raise FormatError(
                    f"{file}: the token {content!r} (rank {token_id}) is made of {len(parts)} tokens of lower rank, "
                    "not of two. It was not trained as byte pair encoding."
                )
            left, right = parts
            yield tokens[left], tokens[right], token_id


def _parts_below(content: bytes, limit: int, tokens: Mapping[bytes, int]) -> list[bytes]:
    """`content` encoded with the tokens whose id is lower than `limit`."""
    parts = [content[i : i + 1] for i in range(len(content))]
    while True:
        ids = [tokens.get(left + right, limit) for left, right in pairwise(parts)]
        lowest = min(ids, default=limit)
        if lowest >= limit:
            return parts
        place = ids.index(lowest)
        parts[place : place + 2] = [parts[place] + parts[place + 1]]


def _settings(side_car: SideCar) -> Settings:
    """Of a side-car of another hand pattern and special tokens are enough."""
    pattern = side_car.string("pattern")
    if "pre_tokenizer" in side_car.data:
        pipeline = side_car.pipeline()
        if pattern != portable_words(pipeline.pre_tokenizer):
            side_car.fail("pattern", "the one of the pre-tokenizer")
    else:
        pipeline = Pipeline(_normalizer(side_car), _pre_tokenizer(pattern, side_car))
    score = side_car.choice("score", Score) if "score" in side_car.data else Score.FREQUENCY
    return Settings(unknown_token=side_car.string_or_null("unknown_token"), pipeline=pipeline, score=score)


def _normalizer(side_car: SideCar) -> Normalizer:
    return side_car.normalizer() if "normalizer" in side_car.data else Normalizer()


def _pre_tokenizer(pattern: str, side_car: SideCar) -> PreTokenizer:
    try:
        return from_portable(pattern)
    except BpeError as error:
        raise FormatError(f"{side_car.file}, pattern: {error}") from None


def _specials(value: object, tokens: Mapping[bytes, int], file: str) -> dict[int, Token]:
    if not isinstance(value, dict) or not all(text and is_id(token_id) for text, token_id in value.items()):
        raise FormatError(f"{file}, special_tokens: expected an object from text to id, found {value!r}.")
    taken = set(tokens.values())
    for text, token_id in value.items():
        if token_id in taken:
            raise FormatError(f"{file}, special_tokens: the id {token_id} of {text!r} is that of another token.")
        taken.add(token_id)
    return {token_id: Token(text.encode(), special=True) for text, token_id in value.items()}


FORMAT = Format(
    name="tiktoken",
    title="tiktoken ranks",
    help="OpenAI's rank file, with the pattern beside it and a script that loads both into tiktoken.",
    suggested_name="bpe.tiktoken",
    is_folder=False,
    findings=findings,
    render=render,
    read=at_once(lambda path, _: read(path)),
    recognizes=recognizes,
    finds=finds,
    python=python,
    javascript=lambda path: javascript.tiktoken(*_files(path)[:2]),
)
