"""The timeline as table and JSON: every merge is there, exact in its ids and hex, and harmless in a spreadsheet."""

import csv
import json
from dataclasses import fields

from core.alphabet import Base, Marker, Unknown
from core.errors import FormatError
from core.formats import FORMATS, Severity, export
from core.formats.timeline import COLUMNS, FORMULA_STARTS
from core.merge import Merge
from core.normalizer import Normalizer
from core.pipeline import Pipeline, Texts
from core.pre_tokenizer import PRE_TOKENIZERS, named
from core.recording import Recording
from core.trainer import Plan, Score, TrainerConfig
from tests.core.formats.kinds import KINDS, kind, messages
from tests.core.runs import record, record_words

import pytest  # isort: skip

CSV, JSON = FORMATS["timeline-csv"], FORMATS["timeline-json"]


def rows(path):
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file, strict=True))


def test_the_table_written_out(tmp_path):
    config = TrainerConfig(base=Base.CHARACTERS, marker=Marker.SUFFIX, complete_alphabet=False, merges=2)
    recording = record("low low lot", config, Pipeline(pre_tokenizer=PRE_TOKENIZERS["whitespace"]))
    CSV.save(recording, 2, tmp_path / "m.csv")
    assert (tmp_path / "m.csv").read_bytes().decode() == (
        "rank,left,right,token,count,score,applied,completed,tied,tokens_left,"
        "left_id,right_id,token_id,left_hex,right_hex,token_hex,ends_word,continues\r\n"
        "0,l,o,lo,3,,3,0,1,6,0,1,6,6c,6f,6c6f,0,0\r\n"
        "1,lo,w</w>,low</w>,2,,2,2,1,4,6,5,7,6c6f,77,6c6f77,1,0\r\n"
    )


def test_a_row_of_word_piece_has_its_score(tmp_path):
    config = TrainerConfig(base=Base.CHARACTERS, marker=Marker.CONTINUING, score=Score.WORDPIECE, merges=2)
    recording = record("hug hug pug", config, Pipeline(pre_tokenizer=PRE_TOKENIZERS["whitespace"]))
    CSV.save(recording, 2, tmp_path / "m.csv")
    assert (tmp_path / "m.csv").read_bytes().decode().split("\r\n")[1:] == [
        "0,h,##u,hu,2,0.3333333333333333,2,0,3,7,1,7,8,68,75,6875,0,0",
        "1,p,##u,pu,1,1.0,1,0,1,6,2,7,9,70,75,7075,0,0",
        "",
    ]


def test_with_metaspace_a_letter_that_looks_like_it_is_no_marker(tmp_path):
    CSV.save(kind("metaspace"), 1, tmp_path / "m.csv")
    assert {row["left"] for row in rows(tmp_path / "m.csv")} == {"▁"}


@pytest.mark.parametrize("name", KINDS)
def test_ids_and_bytes_come_back_exactly(name, tmp_path):
    recording = kind(name)
    CSV.save(recording, len(recording), tmp_path / "m.csv")
    JSON.save(recording, len(recording), tmp_path / "m.json")
    table, document = rows(tmp_path / "m.csv"), json.loads((tmp_path / "m.json").read_bytes())
    assert len(table) == len(document["merges"]) == len(recording)
    for merge, row, item in zip(recording, table, document["merges"], strict=True):
        assert (merge.left, merge.right, merge.token_id) == (item["left_id"], item["right_id"], item["token_id"])
        assert bytes.fromhex(item["token_hex"]) == recording.token(merge.token_id).content
        assert item["tokens_left"] == recording.corpus_length(merge.rank + 1)
        assert [row[column] for column in COLUMNS[4:]] == [
            "" if item[column] is None else str(item[column]) for column in COLUMNS[4:]
        ]


def test_no_cell_is_a_formula(tmp_path):
    lines = Pipeline(pre_tokenizer=PRE_TOKENIZERS["lines"])
    recording = record("=1+1 =1+1 @x @x -2 -2 ＝x ＝x", TrainerConfig(), lines)
    CSV.save(recording, len(recording), tmp_path / "m.csv")
    cells = [cell for row in rows(tmp_path / "m.csv") for cell in row.values()]
    assert not any(cell.startswith(FORMULA_STARTS) for cell in cells)
    assert any(cell.startswith("'=") for cell in cells)
    assert any("apostrophe" in message for message in messages(recording, "timeline-csv", Severity.WARNING))


def test_the_json_has_settings_and_corpus_but_no_place_on_this_computer(tmp_path):
    recording = kind("bytes gpt2")
    JSON.save(recording, 2, tmp_path / "m.json")
    document = json.loads((tmp_path / "m.json").read_bytes())
    assert recording.corpus is not None
    assert document["corpus"] == {
        "name": "pasted text",
        "encoding": "utf-8",
        "bytes": 50_000,
        "characters": 50_000,
        "sha256": recording.corpus.sha256,
    } | {key: document["corpus"][key] for key in ("bytes", "characters")}
    assert document["settings"]["special_tokens"] == {"<|endoftext|>": 0, "<s>": 1}
    assert document["settings"]["tie_break"] == "ids"
    assert document["settings"]["pre_tokenizer"]["name"] == "gpt2"
    assert document["tokens_at_start"] == recording.corpus_length(0)
    assert document["stop_reason"] is None  # step 2 is not where training stopped
    assert len(document["merges"]) == 2


def test_every_choice_is_in_the_json(tmp_path):
    config = TrainerConfig(
        base=Base.CHARACTERS, marker=Marker.METASPACE, merges=5, coverage=0.9, unknown=Unknown.BYTES, longest_token=4
    )
    pipeline = Pipeline(Normalizer.named("numbers", "metaspace"), named("none", digits="single"), Texts.LINES)
    given = record("abab ab 1\nabab z", config.with_merges(1), pipeline)
    plan = Plan(tuple(given), frozenset([(given[0].token_id, given[0].token_id)]))
    recording = record_words(given.word_counts, config, given.alphabet, pipeline, plan=plan)
    JSON.save(recording, 2, tmp_path / "m.json")
    settings = json.loads((tmp_path / "m.json").read_bytes())["settings"]
    assert settings.keys() >= {field.name for field in fields(TrainerConfig)}
    assert {
        key: settings[key] for key in sorted(settings.keys() - {field.name for field in fields(TrainerConfig)})
    } == {
        "dropped_characters": {"u": 1, "z": 1},
        "forbidden_pairs": [[given[0].token_id] * 2],
        "given_merges": 1,
        "normalizer": [{"name": "numbers", "token": "<num>"}, "metaspace"],
        "pre_tokenizer": {"name": "none", "pattern": r"[\s\S]+", "digits": "single", "punctuation": False},
        "specials_in_text": "as-text",
        "texts": "lines",
    }
    assert (settings["unknown"], settings["coverage"], settings["longest_token"]) == ("bytes", 0.9, 4)


def test_no_merges_are_a_valid_table_and_document(tmp_path):
    recording = record("", TrainerConfig())
    CSV.save(recording, 0, tmp_path / "m.csv")
    JSON.save(recording, 0, tmp_path / "m.json")
    assert rows(tmp_path / "m.csv") == []
    assert json.loads((tmp_path / "m.json").read_bytes())["merges"] == []


def test_counts_that_are_not_known_stay_empty(tmp_path):
    counted = record("low low", TrainerConfig(merges=1))
    recording = Recording(counted.alphabet, counted.config)
    recording.append(Merge(0, *counted[0].pair, counted[0].token_id))
    CSV.save(recording, 1, tmp_path / "m.csv")
    (row,) = rows(tmp_path / "m.csv")
    assert [row[key] for key in ("count", "score", "applied", "completed", "tied", "tokens_left")] == [""] * 6
    assert any("without counts" in message for message in messages(recording, "timeline-json", Severity.LOSS))


@pytest.mark.parametrize("format", [CSV, JSON])
def test_a_report_is_not_read_back(format, tmp_path):
    result = export(kind("bytes gpt2"), 3, format, tmp_path / "m")
    assert result.self_test is None
    for wanted in (format.load, format.snippet):
        with pytest.raises(FormatError, match="is a report"):
            wanted(tmp_path / "m")
