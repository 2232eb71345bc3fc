"""tiktoken's rank file: `base64(token) rank` a line, with a side-car for pattern and special tokens.

The file holds no merges. They come back by cutting each token with the merges of lower rank: the two parts that are
left are its merge, which is so for all of OpenAI's own files. Known vocabularies need no side-car.
"""

import json
import re
import sys
from collections.abc import Iterator, Mapping
from dataclasses import asdict, fields, replace
from pathlib import Path

from core.added_tokens import AddedToken
from core.alphabet import Token, has_half_characters
from core.errors import BpeError, FormatError, PatternWantedError
from core.formats import javascript
from core.formats.base import Format, Lines, Reading, ReadOptions
from core.formats.known_vocabularies import Recognition, recognized
from core.formats.patterns import cuts_as_cl100k, from_portable, portable_words, without_intersections
from core.formats.rank_file import Ranks, check_tokens, parsed_ranks, rank_lines
from core.formats.rank_model import RankModel, check_bytes, merges_of, recording_of
from core.formats.side_car import SideCar
from core.formats.spelled import Settings
from core.formats.strict_json import is_id, read_bytes
from core.formats.tiktoken_findings import findings, specials_of
from core.imported import Imported
from core.normalizer import Normalizer
from core.pipeline import Pipeline
from core.pipeline_json import pipeline_json
from core.pre_tokenizer import PRE_TOKENIZERS, PreTokenizer
from core.progress import Progress
from core.recording import Recording
from core.trainer import Score
from core.utf8 import whole_characters

SUFFIX = ".tiktoken"
KIND, KIND_VERSION = "bpe-gui tiktoken settings", 2
BEGINNING = 1 << 14
SCRIPT_HEAD = "# Loads the rank file beside it into tiktoken. Written by bpe-gui.\n"


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
    tokens = dict(recording.tokens_at(step))
    for token_id in recording.orphans.keys() & {token.token_id for token in recording.looked_for}:
        tokens.pop(token_id, None)
    return rank_lines((tokens[i].content, i) for i in sorted(tokens) if not tokens[i].special)


def _side_car_lines(recording: Recording, ranks: Path) -> Lines:
    settings = {
        "format": KIND,
        "version": KIND_VERSION,
        "name": whole_characters(ranks.stem),
        "pattern": portable_words(recording.pipeline.pre_tokenizer),
        "special_tokens": specials_of(recording),
        **pipeline_json(recording.pipeline),
        "score": recording.config.score,
        "unknown_token": recording.config.unknown_token,
    }
    if recording.rules.specials_are_text:
        settings["specials_are_text"] = True
    if recording.added_tokens:
        settings["added_tokens"] = [asdict(token) for token in recording.added_tokens]
        settings["ordinary_tokens"] = [
            token.token_id for token in recording.added_tokens if not recording.token(token.token_id).special
        ]
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


def read(path: Path, options: ReadOptions) -> Reading:
    """From the rank file, and the side-car if there is one beside it."""
    file = _rank_file(path)
    data = read_bytes(file)
    yield Progress(0, 1)
    ranks = parsed_ranks(data, file.name)
    check_bytes(ranks, file.name)
    yield Progress(0, 1)
    side_car = _side_car_of(file)
    known = None if side_car else recognized(ranks)
    settings = _settings(side_car, known, options, ranks, file)
    others, added_tokens = _others(side_car, known, options, ranks)
    merges = yield from merges_of(ranks)
    if merges.has_twice:
        check_tokens(data, file.name)
    facts = tuple(known.facts()) if known else ()
    are_text = side_car is not None and side_car.data.get("specials_are_text") is True
    model = RankModel(ranks, merges, others, settings, added_tokens, are_text)
    return recording_of(model, Imported("tiktoken", file.name, facts))


def _rank_file(path: Path) -> Path:
    """For a name without its ending, or for the side-car's, the file beside it."""
    if path.suffix == ".json":
        return path.with_suffix(SUFFIX)
    return path if path.exists() else _files(path)[0]


def recognizes(data: bytes, path: Path) -> bool:
    """A list of words and counts looks alike, but has no padded base64: among the first tokens are single bytes."""
    is_side_car = data.lstrip()[:1] == b"{" and json.dumps(KIND).encode() in data
    has_padding = path.suffix == SUFFIX or b"== " in data[:BEGINNING]
    return is_side_car or (has_padding and _RANK_LINE.match(data) is not None)


def finds(folder: Path) -> Iterator[Path]:
    """Llama 3's ranks are in a file tokenizer.model."""
    yield from sorted(folder.glob(f"*{SUFFIX}"))
    for path in sorted(folder.glob("*.model")):
        if recognizes(beginning_of(path, BEGINNING), path):
            yield path


def beginning_of(path: Path, size: int) -> bytes:
    """Nothing of what cannot be read: it is no file of ours."""
    try:
        if not path.is_file():  # a pipe would never end
            return b""
        with path.open("rb") as file:
            return file.read(size)
    except OSError:
        return b""


_RANK_LINE = re.compile(
    rb"(?:[ \t]*\r?\n)*(?:=|(?:[A-Za-z0-9+/]{4})+|(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=))"
    rb"[ \t]+[0-9]+[ \t]*\r?(?:\n|$)"
)


def _side_car_of(file: Path) -> SideCar | None:
    """Ours, or one of another hand that has a pattern at least. A tokenizer.json beside tokenizer.model is none."""
    path = file.with_suffix(".json")
    if not path.is_file() or path == file:
        return None
    data = read_bytes(path)
    if json.dumps(KIND).encode() not in data and b'"pattern"' not in data:
        return None
    side_car = SideCar(path)
    return side_car if side_car.data.keys() & {"pattern", "format"} else None


def _settings(
    side_car: SideCar | None, known: Recognition | None, options: ReadOptions, ranks: Ranks, file: Path
) -> Settings:
    """What the person says counts, then the side-car, then what is known of the ranks."""
    if side_car:
        settings = _settings_beside(side_car, ranks)
    elif known:
        settings = Settings(pipeline=Pipeline(pre_tokenizer=known.vocabulary.pre_tokenizer))
    elif options.pre_tokenizer:
        settings = Settings()
    else:
        raise PatternWantedError(
            f"{file.name}: ranks do not say how texts are cut into words, and these are of no known vocabulary. Say "
            "which pattern goes with them, such as GPT-2's or GPT-4's; or put a file "
            f'{file.with_suffix(".json").name} with "pattern" and "special_tokens" beside it.'
        )
    if options.pre_tokenizer:
        pipeline = replace(settings.pipeline, pre_tokenizer=options.pre_tokenizer)
        return replace(settings, pipeline=pipeline)
    return settings


def _settings_beside(side_car: SideCar, ranks: Ranks) -> Settings:
    """Of a side-car of another hand a pattern is enough."""
    pattern = side_car.string("pattern")
    if "pre_tokenizer" in side_car.data:
        pipeline = side_car.pipeline()
        if pattern != portable_words(pipeline.pre_tokenizer):
            side_car.fail("pattern", "the one of the pre-tokenizer")
    else:
        normalizer = side_car.normalizer() if "normalizer" in side_car.data else Normalizer()
        pipeline = Pipeline(normalizer, pre_tokenizer_of(pattern, ranks, f"{side_car.file}, pattern"))
    score = side_car.choice("score", Score) if "score" in side_car.data else Score.FREQUENCY
    return Settings(unknown_token=side_car.string_or_null("unknown_token"), pipeline=pipeline, score=score)


def pre_tokenizer_of(pattern: str, ranks: Ranks, where: str) -> PreTokenizer:
    """A known one if it cuts all texts like this pattern, as far as these tokens show."""
    pattern = without_intersections(pattern)
    if "&&" in pattern:  # in Rust what both sides of it have, in Python two characters
        raise FormatError(f"{where}: && in a set of characters is not read here.")
    try:
        if cuts_as_cl100k(pattern, ranks.tokens()):
            return PRE_TOKENIZERS["cl100k"]
        return from_portable(pattern)
    except BpeError as error:
        raise FormatError(f"{where}: {error}") from None


Others = tuple[dict[int, Token], tuple[AddedToken, ...]]


def _others(side_car: SideCar | None, known: Recognition | None, options: ReadOptions, ranks: Ranks) -> Others:
    taken = set(ranks.ranks.tolist())
    if options.special_tokens is not None:
        return special_tokens(dict(options.special_tokens), taken, "The special tokens given"), ()
    if side_car and "added_tokens" in side_car.data:
        return _added(side_car, ranks)
    if side_car:
        return special_tokens(side_car.data.get("special_tokens", {}), taken, f"{side_car.file}, special_tokens"), ()
    return special_tokens(dict(known.special_tokens) if known else {}, taken, ""), ()


def special_tokens(value: object, taken: set[int], where: str) -> dict[int, Token]:
    """By id. Raises FormatError for what is no object from text to ids that are free."""
    if not isinstance(value, dict) or not all(text and is_id(token_id) for text, token_id in value.items()):
        raise FormatError(f"{where}: expected an object from text to id, found {value!r:.200}.")
    tokens = dict[int, Token]()
    for text, token_id in value.items():
        if token_id in taken or token_id in tokens:
            raise FormatError(f"{where}: the id {token_id} of {text!r} is that of another token.")
        if has_half_characters(text):
            raise FormatError(f"{where}: {text!r} holds half a character (a lone surrogate).")
        tokens[token_id] = Token(text.encode(), special=True)
    return tokens


def _added(side_car: SideCar, ranks: Ranks) -> Others:
    """Special tokens and others that are looked for, with their conditions, as Hugging Face has them."""
    listed = side_car.data["added_tokens"]
    if not isinstance(listed, list) or not all(_is_added(item) for item in listed):
        side_car.fail("added_tokens", "a list of objects with content, token_id and true or false for the conditions")
    added = tuple(AddedToken(**item) for item in listed)
    taken = set(ranks.ranks.tolist())
    news = {token.content: token for token in added if token.special or token.token_id not in taken}
    others = _besides(side_car.data.get("special_tokens", {}), {token.content for token in added})
    where = f"{side_car.file}, added_tokens"
    tokens = special_tokens(others | {text: token.token_id for text, token in news.items()}, taken, where)
    is_ordinary = set(_ids(side_car, "ordinary_tokens"))
    return {i: replace(token, special=i not in is_ordinary) for i, token in tokens.items()}, added


def _ids(side_car: SideCar, key: str) -> list[int]:
    value = side_car.data.get(key, [])
    if not isinstance(value, list) or not all(map(is_id, value)):
        side_car.fail(key, "a list of ids")
    return value


def _besides(value: object, known: set[str]) -> dict[str, int]:
    """The special tokens besides those that are known with their conditions."""
    return {text: token_id for text, token_id in value.items() if text not in known} if isinstance(value, dict) else {}


def _is_added(item: object) -> bool:
    if not isinstance(item, dict) or not {"content", "token_id"} <= item.keys() <= _ADDED_KEYS:
        return False
    flags = [value for key, value in item.items() if key not in ("content", "token_id")]
    is_spelled = isinstance(item["content"], str) and item["content"] != "" and is_id(item["token_id"])
    return is_spelled and all(isinstance(flag, bool) for flag in flags)


_ADDED_KEYS = {field.name for field in fields(AddedToken)}


FORMAT = Format(
    name="tiktoken",
    title="tiktoken ranks",
    help="OpenAI's rank file, with the pattern beside it and a script that loads both into tiktoken.",
    suggested_name="bpe.tiktoken",
    is_folder=False,
    findings=findings,
    render=render,
    read=read,
    recognizes=recognizes,
    finds=finds,
    python=python,
    javascript=lambda path: javascript.tiktoken(*_files(path)[:2]),
)
