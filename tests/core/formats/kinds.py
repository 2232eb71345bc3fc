"""The kinds of tokenizer that are exported, each trained once, and the hard strings they are compared on."""

import contextlib
import io
import json
from collections.abc import Callable, Iterable
from functools import cache
from pathlib import Path
from typing import Any

from core.alphabet import Base, ByteOrder, Marker, Unknown
from core.encoding_rules import Encoder
from core.formats import FORMATS, export
from core.formats.base import ReadOptions
from core.formats.opening import open_model
from core.formats.self_test import PROBES
from core.normalizer import Normalizer
from core.pipeline import Pipeline
from core.pre_tokenizer import PRE_TOKENIZERS, custom, named
from core.recording import Recording
from core.tokenizer import Tokenizer
from core.trainer import Score, TrainerConfig
from tests.core.runs import record

DATA = Path(__file__).parents[2] / "data"
DIGITS = "12 1234 12345 7.5 ½ ² 2026-11-30, 3,000,000! (42) a1b22c333 " * 9
ACCENTS = "Tous les êtres humains naissent libres et égaux en dignité; nəˈtʃuːr, tiếng Việt, Ǻḗ, 각하, ﬁn. " * 9
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


def _cut(name: str, digits: str = "together", punctuation: bool = False, *normalizers: str) -> Pipeline:
    return Pipeline(Normalizer.named(*normalizers), named(name, None, digits, punctuation))


def _characters(marker: Marker = Marker.NONE, unknown: Unknown = Unknown.TOKEN, **options: Any) -> TrainerConfig:
    return TrainerConfig(**CHARACTERS | {"marker": marker, "unknown": unknown} | options)


REPLACEMENTS = (("(?i)ALICE", "<name>"), (r"['’‘]", "'"), ("^“|—$", "-\n"))
TIDY = Normalizer.named("numbers", "collapse_whitespace", "strip", "replace", "nfc", replacements=REPLACEMENTS)
SENTENCEPIECE = ("nfkc", "collapse_whitespace", "strip", "metaspace")


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
    "bytes o200k specials last": lambda: record(
        alice(),
        TrainerConfig(
            vocab_size=256 + MERGES + 2,
            byte_order=ByteOrder.VALUE,
            special_tokens=("<|endoftext|>", "<s>"),
            specials_last=True,
        ),
        _pipeline("o200k"),
    ),
    "bytes llama3 digits": lambda: record(DIGITS + alice(), TrainerConfig(merges=MERGES), _cut("llama3", "single")),
    "bytes qwen2 punctuation": lambda: record(
        DIGITS + alice(), TrainerConfig(merges=MERGES), _cut("qwen2", "threes", True, "nfc")
    ),
    "bytes gpt2 threes": lambda: record(DIGITS + alice(), TrainerConfig(merges=MERGES), _cut("gpt2", "threes", True)),
    "bytes whitespace digits": lambda: record(
        DIGITS + alice(), TrainerConfig(merges=MERGES), _cut("whitespace", "single")
    ),
    "bytes none": lambda: record(alice(), TrainerConfig(merges=MERGES, special_tokens=("<s>",)), _pipeline("none")),
    "bytes metaspace none": lambda: record(
        alice(), TrainerConfig(merges=MERGES, special_tokens=("<s>",)), _pipeline("none", "metaspace")
    ),
    "bytes tidy": lambda: record(
        "Alice  12 \n " * 99 + alice(), TrainerConfig(merges=MERGES), Pipeline(TIDY, PRE_TOKENIZERS["cl100k"])
    ),
    "bytes nfd": lambda: record(ACCENTS, TrainerConfig(merges=MERGES), _pipeline("gpt2", "nfd")),
    "bytes wordpiece": lambda: record(
        alice(), TrainerConfig(merges=MERGES, score=Score.WORDPIECE, min_frequency=5), _pipeline("gpt2")
    ),
    "continuing words": lambda: record(alice(), _characters(Marker.CONTINUING), _pipeline("words")),
    "continuing incomplete": lambda: record(
        alice(), _characters(Marker.CONTINUING, Unknown.FUSE, complete_alphabet=False), _pipeline("whitespace")
    ),
    "continuing gpt2 dropped": lambda: record(alice(), _characters(Marker.CONTINUING, Unknown.DROP), _pipeline("gpt2")),
    "continuing other prefix": lambda: record(
        "## ##a a##b " * 9 + alice()[:9000],
        _characters(Marker.CONTINUING, Unknown.DROP, marker_text="@@"),
        _pipeline("whitespace"),
    ),
    "wordpiece words": lambda: record(
        alice(),
        _characters(Marker.CONTINUING, score=Score.WORDPIECE, complete_alphabet=False, min_frequency=3),
        _cut("words", "together", True, "nfd", "strip_accents", "lowercase"),
    ),
    "wordpiece kept": lambda: record(
        alice(),
        _characters(Marker.CONTINUING, Unknown.KEEP, score=Score.WORDPIECE, complete_alphabet=False, min_frequency=3),
        _pipeline("words"),
    ),
    "wordpiece symbol": lambda: record(
        alice(), _characters(Marker.SYMBOL, score=Score.WORDPIECE, min_frequency=9), _pipeline("whitespace")
    ),
    "wordpiece without marker": lambda: record(
        alice(), _characters(Marker.NONE, Unknown.FUSE, score=Score.WORDPIECE, min_frequency=9), _pipeline("gpt2")
    ),
    "metaspace": lambda: record(alice(), _characters(Marker.METASPACE), _pipeline("metaspace", "metaspace")),
    "metaspace none kept": lambda: record(
        alice(), _characters(Marker.METASPACE, Unknown.KEEP), _pipeline("none", "prepend_metaspace")
    ),
    "metaspace llama2": lambda: record(
        alice(),
        _characters(Marker.METASPACE, Unknown.BYTES, coverage=0.999),
        _cut("none", "single", False, "prepend_metaspace"),
    ),
    "metaspace bytes": lambda: record(
        alice().replace("\n", " "),
        _characters(Marker.METASPACE, Unknown.BYTES, special_tokens=("<unk>",), coverage=0.99),
        _pipeline("none", "prepend_metaspace"),
    ),
    "metaspace sentencepiece": lambda: record(
        alice().replace("\n", " "),
        _characters(Marker.METASPACE, Unknown.FUSE, coverage=0.9995),
        _pipeline("metaspace", *SENTENCEPIECE),
    ),
    "metaspace sandwich": lambda: record(
        alice(), _characters(Marker.METASPACE, specials_last=True), _pipeline("metaspace", "metaspace", "lowercase")
    ),
    "suffix dropped": lambda: record(
        alice(), _characters(Marker.SUFFIX, Unknown.DROP, alphabet_limit=40), _pipeline("whitespace")
    ),
    "suffix fused": lambda: record(
        alice(), _characters(Marker.SUFFIX, Unknown.FUSE, alphabet_limit=40), _pipeline("words")
    ),
    "symbol kept": lambda: record(
        alice(), _characters(Marker.SYMBOL, Unknown.KEEP, alphabet_limit=40), _pipeline("whitespace")
    ),
    "symbol none fused": lambda: record(
        alice()[:9000], _characters(Marker.SYMBOL, Unknown.FUSE, alphabet_limit=40), _pipeline("none")
    ),
    "characters kept": lambda: record(
        alice(), _characters(Marker.NONE, Unknown.KEEP, alphabet_limit=40), _pipeline("cl100k")
    ),
    "characters dropped": lambda: record(
        alice(), _characters(Marker.NONE, Unknown.DROP, alphabet_limit=40), _cut("words", "single")
    ),
    "characters bytes words": lambda: record(
        alice(), _characters(Marker.NONE, Unknown.BYTES, alphabet_limit=40), _pipeline("words", "nfkd")
    ),
    "characters none fused": lambda: record(
        alice(), _characters(Marker.NONE, Unknown.FUSE, alphabet_limit=40), _cut("none", "threes", True)
    ),
    "characters punctuation own": lambda: record(
        alice(),
        _characters(),
        Pipeline(pre_tokenizer=named("custom", r"(?<=\S)\p{L}+|\b\w|[^\w\s]|\s+$", "single", True)),
    ),
}
KINDS = tuple(_KINDS)
AGE_MATTERS = (
    "bytes own pattern",
    "bytes lowercase nfc",
    "bytes nfd",
    "wordpiece words",
    "metaspace sandwich",
    "characters bytes words",
)


@cache
def kind(name: str) -> Recording:
    return _KINDS[name]()


IMPORTED = (
    *("clip_256.tokenizer.json", "gpt_oss_300.tokenizer.json", "qwen3_500.tokenizer.json", "gpt2_1000"),
    *("clip_bpe_256.txt", "spm_bpe_900.model", "subword_nmt_200.codes", "cl100k_1200.tiktoken"),
)


@cache
def imported(name: str) -> Recording:
    """A tokenizer of another tool, from the small ones in tests/data."""
    options = ReadOptions(PRE_TOKENIZERS["cl100k"]) if name.endswith(".tiktoken") else None
    return open_model(DATA / "formats" / name, options).recording


def run(code: str) -> dict[str, Any]:
    """The names that code of ours leaves behind; what it prints is swallowed."""
    names: dict[str, Any] = {"__name__": "snippet"}
    with contextlib.redirect_stdout(io.StringIO()):
        exec(compile(code, "snippet", "exec"), names)
    return names


def steps(recording: Recording) -> tuple[int, int, int]:
    return 0, len(recording) // 2, len(recording)


def written(recording: Recording, step: int, format_name: str, folder: Path) -> Path:
    """Where it was saved to; the self-test passed at the middle step, for it takes longer than all else."""
    if step == len(recording) // 2:
        return saved(recording, step, format_name, folder)
    path = folder / FORMATS[format_name].suggested_name
    FORMATS[format_name].save(recording, step, path)
    return path


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


def assert_same(
    recording: Recording, step: int, library: Encode, texts: Iterable[str], encoder: Encoder | None = None
) -> None:
    """The library gives our ids and our decoded text for every text."""
    ours = Tokenizer(recording, step, encoder or Encoder.MERGE_RANK)
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
