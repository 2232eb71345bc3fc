"""File formats, our own and other tools', to save in and to read: one module a format, chosen by name from FORMATS."""

from core.formats import (
    clip,
    fastbpe,
    gguf,
    gpt2,
    huggingface,
    minbpe,
    recording_file,
    sentencepiece,
    subword_nmt,
    subword_nmt_vocab,
    tekken,
    tiktoken,
    timeline,
    word_counts,
)
from core.formats.base import Finding, Format, Kept, ReadOptions, Severity
from core.formats.self_test import Difference, ExportResult, Part, SelfTest, export, exporting, self_test, self_testing

FORMATS: dict[str, Format] = {
    format.name: format
    for format in (
        huggingface.FORMAT,
        gpt2.FORMAT,
        tiktoken.FORMAT,
        tekken.FORMAT,
        minbpe.FORMAT,
        clip.FORMAT,
        subword_nmt.FORMAT,
        subword_nmt_vocab.FORMAT,
        fastbpe.FORMAT,
        sentencepiece.FORMAT,
        gguf.FORMAT,
        recording_file.FORMAT,
        timeline.CSV,
        timeline.JSON,
        word_counts.FORMAT,
    )
}
"""Every format by name, in menu order."""

EXPORTS = {name: format for name, format in FORMATS.items() if format.render}
"""Those that can be written."""

__all__ = [
    "EXPORTS", "FORMATS", "Difference", "ExportResult", "Finding", "Format", "Kept", "Part", "ReadOptions", "SelfTest",
    "Severity", "export", "exporting", "self_test", "self_testing",
]  # fmt: skip
