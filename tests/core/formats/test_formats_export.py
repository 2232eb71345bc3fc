"""What all formats share: menu order, preview, the self-test, and files that are written whole or not at all."""

import time
from pathlib import Path
from zipfile import ZipFile, is_zipfile

import pytest

from core.alphabet import Alphabet, Base, ByteOrder, Marker, byte_alphabet
from core.corpus import Corpus
from core.errors import FormatError
from core.formats import EXPORTS, FORMATS, Finding, Severity, export, self_test
from core.formats.base import PREVIEW_LINE_CHARS, PREVIEW_LINES
from core.formats.self_test import PROBES, default_probes
from core.merge import Merge
from core.recording import Recording
from core.trainer import TrainerConfig
from tests.core.formats.kinds import KINDS, kind, refusals
from tests.core.runs import record

TOKENIZERS = ("huggingface", "gpt2", "tiktoken")


def test_the_menu():
    assert list(EXPORTS) == [
        *TOKENIZERS, "minbpe", "subword-nmt", "subword-nmt-vocab", "fastbpe", "sentencepiece", "recording",
        "timeline-csv", "timeline-json", "word-counts",
    ]  # fmt: skip
    for name, format in FORMATS.items():
        assert format.name == name
        assert format.title
        assert format.help.endswith(".")
        assert format.suggested_name


def _readable(path: Path) -> bytes:
    """What is in a file, or in the first file of a zip."""
    if not is_zipfile(path):
        return path.read_bytes()
    with ZipFile(path) as file:
        return file.read(file.namelist()[0])


@pytest.mark.parametrize("format_name", sorted(EXPORTS.keys() - {"sentencepiece"}))  # it shows pieces, not bytes
def test_the_preview_is_the_start_of_the_file(format_name, tmp_path):
    format = FORMATS[format_name]
    for name in KINDS:
        recording = kind(name)
        if refusals(recording, format_name):
            continue
        main = format.save(recording, len(recording), tmp_path / format.suggested_name)[0]
        lines = _readable(main).decode().split("\n")  # line ends as they are
        previewed = format.preview(recording, len(recording)).split("\n")
        for shown, line in zip(previewed[:-1], lines, strict=False):
            assert shown in (line, line[: PREVIEW_LINE_CHARS - 2] + "…", "…")
        assert len(previewed) <= PREVIEW_LINES + 2


@pytest.mark.parametrize("format_name", TOKENIZERS)
def test_findings_come_in_the_order_of_their_weight(format_name):
    order = list(Severity)
    for name in KINDS:
        found = [order.index(finding.severity) for finding in FORMATS[format_name].preflight(kind(name), 9)]
        assert found == sorted(found)


def large(merges=32_000):
    alphabet = byte_alphabet(order=ByteOrder.STAND_IN, special_tokens=("<|endoftext|>",))
    recording = Recording(alphabet, TrainerConfig(special_tokens=("<|endoftext|>",)), base_counts={1: 1})
    for rank in range(merges):
        left, right = 1 + rank % 256, 1 + rank // 256
        recording.append(Merge(rank, left, right, 257 + rank, 5, 5, 1))
    return recording


def test_preflight_and_preview_do_not_hold_up_a_window():
    recording = large()
    for format in EXPORTS.values():
        format.preflight(recording, 10)
        times = []
        for _ in range(5):
            start = time.perf_counter()
            if not format.refuses(recording, len(recording)):
                format.preview(recording, len(recording))
            times.append(time.perf_counter() - start)
        assert min(times) < 0.1, format.name  # 0.02 s is the aim; the rest is for slow machines


@pytest.mark.parametrize("format_name", TOKENIZERS)
def test_the_self_test_sees_a_file_that_is_wrong(format_name, tmp_path):
    format = FORMATS[format_name]
    path = tmp_path / format.suggested_name
    recording = kind("bytes gpt2")
    result = export(recording, 300, format, path)
    assert result.self_test is not None
    assert result.self_test.passed
    assert result.self_test.probes == len(PROBES) + 2 + 5  # and special tokens, and stretches of the corpus
    other = self_test(kind("bytes gpt2 chinese"), 299, format, path)
    assert not other.passed
    assert other.differences[0].expected_ids != other.differences[0].actual_ids


def test_the_self_test_sees_a_file_that_cannot_be_read(tmp_path):
    format = FORMATS["huggingface"]
    (file, _) = format.save(kind("bytes gpt2"), 3, tmp_path)
    file.write_text("{", encoding="utf-8")
    result = self_test(kind("bytes gpt2"), 3, format, tmp_path)
    assert not result.passed
    assert result.problem is not None
    assert "tokenizer.json, line 1" in result.problem


def test_probes_hold_the_special_tokens_and_the_corpus():
    probes = list(default_probes(kind("bytes gpt2")))
    assert "x<s> y <s><s>" in probes
    assert sum("Alice" in probe for probe in probes) >= 3
    bare = Recording(Alphabet(Base.BYTES, Marker.NONE, {}), TrainerConfig(), corpus=Corpus.typed(""))
    assert tuple(default_probes(bare)) == PROBES


def test_findings_are_values():
    assert Finding(Severity.LOSS, "a") == Finding(Severity.LOSS, "a")


def test_a_folder_is_made_and_a_file_in_its_place_is_refused(tmp_path):
    recording, format = record("a b", TrainerConfig()), FORMATS["huggingface"]
    format.save(recording, 0, tmp_path / "new")
    assert sorted(file.name for file in (tmp_path / "new").iterdir()) == ["tokenizer.json", "tokenizer_config.json"]
    (tmp_path / "file").write_text("mine", encoding="utf-8")
    with pytest.raises(FormatError, match="file is a file; this format needs a folder"):
        format.save(recording, 0, tmp_path / "file")
    with pytest.raises(FormatError, match="there is no folder"):
        format.save(recording, 0, tmp_path / "no" / "new")
