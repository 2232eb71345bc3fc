"""The kinds of tokenizer that are exported, each trained once, and the hard strings they are compared on."""

import contextlib
import io
import json
from collections.abc import Callable, Iterable
from functools import cache
from pathlib import Path
from typing import Any

from core.alphabet import Base, ByteOrder, Marker, Unknown
from core.corpus import Pipeline
from core.formats import FORMATS, export
from core.formats.self_test import PROBES
from core.normalizer import Normalizer
from core.pre_tokenizer import PRE_TOKENIZERS, custom
from core.recording import Recording
from core.tokenizer import Tokenizer
from core.trainer import TrainerConfig
from tests.core.runs import record

DATA = Path(__file__).parents[2] / "data"
EMOJI = "".join(f"{c} {c}\U0001f3fd\n" for c in "👍👋🙏💪") + "👩‍👩‍👧‍👦 🏳️‍🌈 🇩🇪🇫🇷 ❤️ 1️⃣\n" * 4
MERGES = 300
SPECIALS = ("<unk>", "<s>", "<|endoftext|>")
CHARACTERS: dict[str, Any] = {
    "base": Base.CHARACTERS,
    "special_tokens": SPECIALS,
    "unknown_token": "<unk>",
    "unknown": Unknown.TOKEN,
    "merges": MERGES,
}

Encode = Callable[[str], tuple[list[int], str]]
"""Ids of a text, and the text of these ids."""


@cache
def text(name: str) -> str:
    return (DATA / "text" / name).read_bytes().decode()


def alice() -> str:
    return text("alice_50k.txt")


def probes(name: str = "") -> list[str]:
    """64 hard strings, ours, a stretch of prose, and special tokens inside a text.

    Without the one of letters younger than Unicode 14 for kinds that look at more than the class of a character: their
    results differ with the version of Unicode that a library was built with.
    """
    data = json.loads((DATA / "probes.json").read_text(encoding="utf-8"))
    specials = ["x<s> y<unk>z <|endoftext|><|endoftext|>", "<s><s", "<|endoftext|> "]
    young = {"unassigned_new"} if name in AGE_MATTERS else set()
    texts = [probe["text"] for probe in data["probes"] if probe["id"] not in young]
    return [*texts, *PROBES, alice()[:3000], *specials]


def _pipeline(name: str, *normalizers: str) -> Pipeline:
    return Pipeline(Normalizer.named(*normalizers), PRE_TOKENIZERS[name])


def _own(pattern: str) -> Pipeline:
    return Pipeline(pre_tokenizer=custom(pattern))


_KINDS: dict[str, Callable[[], Recording]] = {
    "bytes gpt2": lambda: record(alice(), TrainerConfig(merges=MERGES, special_tokens=("<|endoftext|>", "<s>"))),
    "bytes cl100k": lambda: record(alice(), TrainerConfig(merges=MERGES), _pipeline("cl100k")),
    "bytes gpt2 chinese": lambda: record(text("udhr_cmn_hans.txt"), TrainerConfig(merges=MERGES)),
    "bytes cl100k emoji": lambda: record(EMOJI, TrainerConfig(merges=MERGES), _pipeline("cl100k")),
    "bytes by value words": lambda: record(
        alice(),
        TrainerConfig(merges=MERGES, byte_order=ByteOrder.VALUE, special_tokens=("<s>",)),
        _pipeline("words"),
    ),
    "bytes lines": lambda: record(alice(), TrainerConfig(merges=MERGES), _pipeline("lines")),
    "bytes own pattern": lambda: record(
        alice(), TrainerConfig(merges=MERGES), _own(r"(?i)[a-y'&&]{2,5}+|\d{1,3}?|(?<=\s)[\[\]~.]|ſ?\p{Han}")
    ),
    "bytes lowercase nfc": lambda: record(
        alice(), TrainerConfig(merges=MERGES, special_tokens=("<s>",)), _pipeline("gpt2", "lowercase", "nfc")
    ),
    "suffix whitespace": lambda: record(
        alice(), TrainerConfig(marker=Marker.SUFFIX, **CHARACTERS), _pipeline("whitespace")
    ),
    "suffix incomplete": lambda: record(
        alice(), TrainerConfig(marker=Marker.SUFFIX, complete_alphabet=False, **CHARACTERS), _pipeline("whitespace")
    ),
    "suffix other marker": lambda: record(
        "a</w> b</w> " * 9 + alice()[:9000],
        TrainerConfig(marker=Marker.SUFFIX, marker_text="▁", **CHARACTERS),
        _pipeline("whitespace"),
    ),
    "suffix gpt2": lambda: record(alice(), TrainerConfig(marker=Marker.SUFFIX, **CHARACTERS), _pipeline("gpt2")),
    "symbol whitespace nfkc": lambda: record(
        alice(), TrainerConfig(marker=Marker.SYMBOL, **CHARACTERS), _pipeline("whitespace", "nfkc")
    ),
    "symbol words": lambda: record(alice(), TrainerConfig(marker=Marker.SYMBOL, **CHARACTERS), _pipeline("words")),
    "symbol lines": lambda: record(alice(), TrainerConfig(marker=Marker.SYMBOL, **CHARACTERS), _pipeline("lines")),
    "symbol private use": lambda: record(
        "\ue000a \ue000a \ue001 low lower", TrainerConfig(marker=Marker.SYMBOL, **CHARACTERS), _pipeline("words")
    ),
    "characters words lowercase": lambda: record(
        alice(), TrainerConfig(**CHARACTERS), _pipeline("words", "lowercase", "nfc")
    ),
    "characters gpt2": lambda: record(alice(), TrainerConfig(**CHARACTERS), _pipeline("gpt2")),
    "characters lines": lambda: record(alice(), TrainerConfig(**CHARACTERS), _pipeline("lines")),
    "characters own whitespace": lambda: record(alice(), TrainerConfig(**CHARACTERS), _own(r"\S+")),
    "characters own words": lambda: record(alice(), TrainerConfig(**CHARACTERS), _own(r"\w+|[^\s\w]+")),
}
KINDS = tuple(_KINDS)
AGE_MATTERS = ("bytes own pattern", "bytes lowercase nfc")


@cache
def kind(name: str) -> Recording:
    return _KINDS[name]()


def run(code: str) -> dict[str, Any]:
    """The names that code of ours leaves behind; what it prints is swallowed."""
    names: dict[str, Any] = {"__name__": "snippet"}
    with contextlib.redirect_stdout(io.StringIO()):
        exec(compile(code, "snippet", "exec"), names)
    return names


def saved(recording: Recording, step: int, format_name: str, folder: Path) -> Path:
    """Where it was exported to, its self-test passed."""
    chosen = FORMATS[format_name]
    path = folder / chosen.suggested_name
    result = export(recording, step, chosen, path)
    assert result.self_test is not None
    assert result.self_test.problem is None
    assert result.self_test.differences == ()
    assert result.self_test.passed
    return path


def assert_same(recording: Recording, step: int, library: Encode, texts: Iterable[str]) -> None:
    """The library gives our ids and our decoded text for every text."""
    ours = Tokenizer(recording, step)
    for each in texts:
        ids = ours.ids(each)
        assert (ids, ours.decode(ids)) == library(each), each


def hugging_face(tokenizer: Any) -> Encode:
    def encode(text: str) -> tuple[list[int], str]:
        ids = tokenizer.encode(text, add_special_tokens=False).ids
        return ids, tokenizer.decode(ids, skip_special_tokens=False)

    return encode


def refusals(recording: Recording, format_name: str, step: int | None = None) -> list[str]:
    return messages(recording, format_name, "refusal", step)


def messages(recording: Recording, format_name: str, severity: str, step: int | None = None) -> list[str]:
    findings = FORMATS[format_name].preflight(recording, len(recording) if step is None else step)
    return [finding.message for finding in findings if finding.severity == severity]
