"""The merges in order with their counts, as a table and as JSON: reports for other programs, not tokenizers.

Labels are for the eye. Ids and the hex of the bytes are exact, whatever the token.
"""

import csv
import io
from collections.abc import Iterator, Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

from core.alphabet import Marker
from core.corpus import Corpus
from core.formats.base import Finding, Format, Lines, Severity
from core.formats.json_lines import opened, separated, text_of
from core.merge import Merge
from core.pipeline_json import pipeline_json
from core.recording import Recording
from core.vocab import label

COLUMNS = (
    "rank", "left", "right", "token", "count", "score", "applied", "completed", "tied", "tokens_left",
    "left_id", "right_id", "token_id", "left_hex", "right_hex", "token_hex", "ends_word", "continues",
)  # fmt: skip
KIND, KIND_VERSION = "bpe-gui timeline", 1
FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r", "＝", "＋", "－", "＠")


def findings(recording: Recording, step: int) -> Iterator[Finding]:
    if not recording.has_counts:
        yield Finding(Severity.LOSS, "This tokenizer was read from a file without counts: those columns stay empty.")


def table_findings(recording: Recording, step: int) -> Iterator[Finding]:
    yield from findings(recording, step)
    yield Finding(Severity.LOSS, "A table has no place for the settings and the corpus; the JSON timeline keeps them.")
    names = (_label(recording, token_id) for token_id in recording.alphabet.tokens)
    if any(name.startswith(FORMULA_STARTS) for name in names):
        yield Finding(
            Severity.WARNING,
            "Labels that a spreadsheet would take for a formula (they begin with = + - or @) get an apostrophe in "
            "front; the hex columns are exact.",
        )


def render_csv(recording: Recording, step: int, path: Path) -> Mapping[Path, Lines]:
    return {path: _table(recording, step)}


def render_json(recording: Recording, step: int, path: Path) -> Mapping[Path, Lines]:
    return {path: _document(recording, step)}


def row(recording: Recording, merge: Merge) -> dict[str, Any]:
    """The values of COLUMNS for one merge; None where the recording has no counts, or the count is the score."""
    ids, counted = _ids(merge), recording.has_counts
    tokens = {key: recording.token(token_id) for key, token_id in ids.items()}
    return {
        "rank": merge.rank,
        **{key: _label(recording, token_id) for key, token_id in ids.items()},
        "count": merge.count if counted else None,
        "score": merge.score if counted else None,
        "applied": merge.applied if counted else None,
        "completed": merge.completed if counted else None,
        "tied": merge.tied if counted else None,
        "tokens_left": recording.corpus_length(merge.rank + 1) if counted else None,
        **{f"{key}_id": token_id for key, token_id in ids.items()},
        **{f"{key}_hex": token.content.hex() for key, token in tokens.items()},
        "ends_word": int(tokens["token"].ends_word),
        "continues": int(tokens["token"].continues),
    }


def _label(recording: Recording, token_id: int) -> str:
    """In full, unlike `vocab.token_label`; where there is no marker nothing can be mistaken for it."""
    has_marker = recording.alphabet.marker not in (Marker.NONE, Marker.METASPACE)
    return label(recording.token(token_id), recording.config.marker_text if has_marker else "")


def _ids(merge: Merge) -> dict[str, int]:
    return {"left": merge.left, "right": merge.right, "token": merge.token_id}


def _table(recording: Recording, step: int) -> Lines:
    buffer = io.StringIO(newline="")
    writer = csv.DictWriter(buffer, COLUMNS)
    writer.writeheader()
    for rank in range(step):
        yield _taken(buffer)
        writer.writerow({key: _harmless(value) for key, value in row(recording, recording[rank]).items()})
    yield _taken(buffer)


def _taken(buffer: io.StringIO) -> str:
    text = buffer.getvalue()
    buffer.seek(0)
    buffer.truncate()
    return text


def _harmless(value: Any) -> Any:
    """Spreadsheets run a cell that begins like a formula, quoted or not (OWASP, "CSV injection")."""
    return f"'{value}" if isinstance(value, str) and value.startswith(FORMULA_STARTS) else value


def _document(recording: Recording, step: int) -> Lines:
    head = {
        "format": KIND,
        "version": KIND_VERSION,
        "settings": _settings(recording),
        "corpus": _corpus_facts(recording.corpus),
        "base_tokens": len(recording.alphabet.tokens),
        "tokens_at_start": recording.corpus_length(0) if recording.has_counts else None,
        "stop_reason": recording.stop_reason if step == len(recording) else None,
    }
    yield from opened(head)
    yield '  "merges": [\n'
    yield from separated(f"    {text_of(row(recording, recording[rank]))}" for rank in range(step))
    yield "  ]\n}\n"


def _settings(recording: Recording) -> dict[str, Any]:
    alphabet, pipeline = recording.alphabet, recording.pipeline
    return {
        **asdict(recording.config),
        "base": alphabet.base,
        "marker": alphabet.marker,
        "unknown": alphabet.unknown,
        "special_tokens": alphabet.special_ids,
        "texts": pipeline.texts,
        "specials_in_text": pipeline.specials,
        **pipeline_json(pipeline),
        "dropped_characters": alphabet.dropped,
        "given_merges": len(recording.plan.given),
        "forbidden_pairs": sorted(recording.plan.forbidden),
    }


def _corpus_facts(corpus: Corpus | None) -> dict[str, Any] | None:
    """What tells the text apart, without the text and without where it lies on this computer."""
    if corpus is None:
        return None
    return {
        "name": corpus.name,
        "encoding": corpus.encoding,
        "bytes": corpus.byte_count,
        "characters": None if corpus.is_partial else corpus.character_count,
        "sha256": corpus.sha256,
    }


CSV = Format(
    name="timeline-csv",
    title="Timeline as a table (CSV)",
    help="Every merge with its counts, one a row, for spreadsheets and data frames.",
    suggested_name="merges.csv",
    is_folder=False,
    findings=table_findings,
    render=render_csv,
)

JSON = Format(
    name="timeline-json",
    title="Timeline with settings (JSON)",
    help="Every merge with its counts, the settings and facts about the corpus, for programs.",
    suggested_name="merges.json",
    is_folder=False,
    findings=findings,
    render=render_json,
)
