"""What the export dialog says and decides, without Qt."""

import gc
from dataclasses import replace
from pathlib import Path

import pytest

from bpe_gui.dialogs.export_plan import (
    GROUPS,
    CancelledError,
    Plan,
    Request,
    Written,
    default_name,
    differences_text,
    files_sentence,
    garbage_left_lying,
    interruptible,
    make_plan,
    problem_of_place,
    survey,
    verdict,
    with_suffix,
    write,
)
from core.alphabet import byte_alphabet
from core.corpus import Corpus
from core.errors import FormatError
from core.formats import EXPORTS, FORMATS, Difference, ExportResult, Finding, Kept, Part, SelfTest, Severity
from core.imported import Imported
from core.model_source import ModelSource
from core.pipeline import Pipeline
from core.recording import Recording
from core.trainer import Trainer, TrainerConfig

WRITABLE = ("huggingface", "gpt2", "tiktoken", "timeline-csv", "timeline-json", "word-counts")


DIFFERENCES = (Difference("a", (1,), (2,), "a", "b"),)


def returned(generator):
    while True:
        try:
            next(generator)
        except StopIteration as stop:
            return stop.value


@pytest.fixture
def recording() -> Recording:
    counts = {"low": 5, " lower": 2, " newest": 6}
    config = TrainerConfig()
    trainer = Trainer(counts, config, byte_alphabet())
    for _ in trainer.count_pairs():
        pass
    recording = Recording.of(trainer, config, Pipeline())
    recording.extend(trainer.merges())
    return recording


def request_for(recording: Recording, name: str, path: Path) -> Request:
    return Request(recording, len(recording), FORMATS[name], path)


def test_name_is_that_of_the_text(recording):
    recording.corpus = replace(Corpus.typed("x"), paths=(Path("/books/Alice in Wonderland!.txt"),))
    assert default_name(FORMATS["huggingface"], recording) == "Alice_in_Wonderland-tokenizer"
    assert default_name(FORMATS["timeline-csv"], recording) == "Alice_in_Wonderland-merges.csv"


def test_name_of_a_text_in_no_file(recording):
    assert default_name(FORMATS["timeline-csv"], recording) == "merges.csv"


def test_chinese_names_stay(recording):
    recording.corpus = replace(Corpus.typed("x"), paths=(Path("唐诗.txt"),))
    assert default_name(FORMATS["gpt2"], recording) == "唐诗-gpt2"


def test_suffix_is_added_where_it_is_missing():
    assert with_suffix("mine", FORMATS["timeline-csv"]) == "mine.csv"
    assert with_suffix("mine.CSV", FORMATS["timeline-csv"]) == "mine.CSV"
    assert with_suffix("mine", FORMATS["huggingface"]) == "mine"


@pytest.mark.parametrize("name", ["", "  ", "a/b", "a\\b", "..", ".", "a:b", "a\0"])
def test_names_that_will_not_do(tmp_path, name):
    assert problem_of_place(str(tmp_path), name)


def test_folders_that_will_not_do(tmp_path):
    assert problem_of_place("", "x") == "Choose a folder."
    missing = str(tmp_path / "missing")
    assert problem_of_place(missing, "x") == f"There is no folder {missing}."
    assert problem_of_place(str(tmp_path), "x") == ""
    assert problem_of_place(str(tmp_path), "中" * 100) == "The name is too long."
    assert problem_of_place(str(tmp_path), "half \ud83d").startswith("A name cannot hold")


@pytest.mark.parametrize("folder", ["a" * 3_000, "a/" * 5_000, "nul\0byte", "~nobody-of-this-name/x"])
def test_a_folder_that_cannot_be_is_no_folder(folder):
    assert "There is no folder" in problem_of_place(folder, "x")


@pytest.mark.parametrize("name", WRITABLE)
def test_plan_names_files_and_shows_the_first_lines(tmp_path, recording, name):
    plan = returned(make_plan(request_for(recording, name, tmp_path / "x")))
    assert not plan.problem
    assert plan.preview
    assert plan.paths
    assert files_sentence(plan).startswith("Writes ")
    assert plan.existing() == []


def test_refusal_has_no_preview(tmp_path):
    recording = Recording(byte_alphabet(special_tokens=("a",)), TrainerConfig(special_tokens=("a",)))
    plan = returned(make_plan(request_for(recording, "tiktoken", tmp_path / "x")))
    assert plan.problem == "This tokenizer cannot be saved as tiktoken ranks."
    assert plan.preview == ""
    assert files_sentence(plan) == ""


def test_files_that_are_there_are_named(tmp_path):
    there, new = tmp_path / "a.json", tmp_path / "b.json"
    there.touch()
    assert files_sentence(Plan(paths=(new,))) == "Writes b.json."
    assert files_sentence(Plan(paths=(there, new))) == "Writes a.json and b.json. a.json is there already."
    assert files_sentence(Plan(paths=(there,))) == (
        "Writes a.json, there already: you will be asked before anything is replaced."
    )


def test_cancelled_before_writing_leaves_nothing(tmp_path, recording):
    assert returned(write(request_for(recording, "huggingface", tmp_path / "x"), lambda: True)) is None
    assert list(tmp_path.iterdir()) == []


def test_cancelled_in_the_middle_leaves_the_old_file(tmp_path, recording):
    target = tmp_path / "merges.csv"
    target.write_text("old")
    answers = iter([False, False, True])
    assert returned(write(request_for(recording, "timeline-csv", target), lambda: next(answers))) is None
    assert target.read_text() == "old"
    assert list(tmp_path.iterdir()) == [target]


def test_interruptible_changes_nothing_else(recording):
    format = interruptible(FORMATS["timeline-csv"], lambda: False)
    assert format.preview(recording, 3) == FORMATS["timeline-csv"].preview(recording, 3)
    stopped = interruptible(FORMATS["timeline-csv"], lambda: True)
    with pytest.raises(CancelledError):
        stopped.preview(recording, 3)


def test_no_folder_to_write_into(tmp_path, recording):
    with pytest.raises(FormatError, match="there is no folder"):
        returned(write(request_for(recording, "timeline-csv", tmp_path / "no" / "x.csv"), lambda: False))


def said(test: SelfTest | None, *severities: Severity, was_stopped: bool = False) -> str:
    findings = tuple(Finding(severity, "x") for severity in severities)
    return verdict(Written(ExportResult((), findings, test), was_stopped=was_stopped))


def test_verdicts():
    assert said(None) == ""
    assert said(SelfTest(True, 44)) == "44 test strings give the same ids and text when the files are read back."
    assert said(SelfTest(False, 0, problem="x")) == "The files cannot be read back: x"
    assert said(SelfTest(False, 44, DIFFERENCES), Severity.LOSS) == (
        "Not the same when the files are read back: ids or text of some of the 44 test strings."
    )
    assert said(None, was_stopped=True).startswith("The files are written.")


def test_the_verdict_counts_what_is_the_same():
    merges, tokens = Part(Kept.MERGES, 1_000), Part(Kept.VOCABULARY, 1_257)
    specials, others = Part(Kept.SPECIAL_TOKENS, 1), Part(Kept.NOT_APPLIED, 0)
    assert said(SelfTest(True, 44, parts=(merges, tokens, specials, others))) == (
        "1,000 merges, 1,257 tokens and 1 special token are the same, and 44 test strings give the same ids and text "
        "when the files are read back."
    )
    wrong = Part(Kept.MERGES, 3, "3 here and 2 in the file")
    failed = SelfTest(False, 44, parts=(wrong, tokens))
    assert said(failed, Severity.WARNING) == "Not the same when the files are read back: merges."
    assert differences_text(failed) == "merges: 3 here and 2 in the file"


def test_differences_that_a_warning_has_foretold():
    test = SelfTest(False, 44, DIFFERENCES, parts=(Part(Kept.MERGES, 1_000),))
    assert said(test, Severity.LOSS, Severity.WARNING) == (
        "1,000 merges are the same when the files are read back. Some of the 44 test strings give other tokens, as the "
        "warnings say."
    )


def test_differences_are_shown_by_what_differs():
    test = SelfTest(False, 2, (Difference("a\n", (1, 2), (3,), "a", "a"), Difference("b", (1,), (1,), "b", "c")))
    assert differences_text(test) == "'a\\n'\n  here: 1, 2\n  file: 3\n\n'b'\n  here: 'b'\n  file: 'c'"


def test_of_many_ids_those_around_the_first_difference_are_shown():
    here = tuple(range(40))
    test = SelfTest(False, 1, (Difference("a", here, (*here[:30], 99), "a", "a"),))
    assert differences_text(test).splitlines() == [
        "'a'",
        "  here: …, 27, 28, 29, 30, 31, 32, 33, 34, 35, 36, 37, 38, …",
        "  file: …, 27, 28, 29, 99",
    ]


def test_the_name_of_an_imported_file_is_taken(recording):
    recording.imported = Imported("tiktoken", "cl100k_base.tiktoken")
    assert default_name(FORMATS["huggingface"], recording) == "cl100k_base-tokenizer"
    recording.imported = Imported("huggingface", "qwen3_500.tokenizer.json")
    assert default_name(FORMATS["tiktoken"], recording) == "qwen3_500-bpe.tiktoken"
    recording.imported = Imported("huggingface", "tokenizer.json")
    assert default_name(FORMATS["tiktoken"], recording) == "bpe.tiktoken"


def test_every_format_is_looked_at(recording):
    looks = {look.name: look for look in survey(recording, len(recording))}
    assert list(looks) == list(EXPORTS)
    assert looks["huggingface"].worst is not Severity.REFUSAL
    assert looks["timeline-csv"].refusal == ""
    odd = Recording(byte_alphabet(special_tokens=("a",)), TrainerConfig(special_tokens=("a",)))
    refused = {look.name: look for look in survey(odd, 0)}["tiktoken"]
    assert refused.worst is Severity.REFUSAL
    assert refused.refusal.startswith("The special token 'a' is also a byte")


def test_every_format_stands_under_a_heading():
    shown = [format.name for formats in GROUPS.values() for format in formats]
    assert sorted(shown) == sorted(EXPORTS)
    assert [format.name for format in GROUPS["This program"]] == ["recording"]
    assert shown[-1] == "word-counts"


def test_code_comes_by_language(tmp_path, recording):
    written = returned(write(request_for(recording, "tiktoken", tmp_path / "x.tiktoken"), lambda: False))
    assert list(written.code) == ["Python", "JavaScript"]
    assert "tiktoken.Encoding(" in written.code["Python"]
    assert "new Tiktoken(" in written.code["JavaScript"]
    assert not written.was_stopped
    report = returned(write(request_for(recording, "timeline-csv", tmp_path / "x.csv"), lambda: False))
    assert report.code == {}


def test_stopped_while_reading_back_leaves_the_files(tmp_path, recording):
    work = write(request_for(recording, "huggingface", tmp_path / "x"), lambda: is_stopped)
    is_stopped = False
    assert next(work) is None
    assert next(work) is not None  # all is in place
    is_stopped = True
    written = returned(work)
    assert written.was_stopped
    assert written.result.self_test is None
    assert [path.name for path in written.result.paths] == ["tokenizer.json", "tokenizer_config.json"]
    assert all(path.exists() for path in written.result.paths)


def test_the_search_for_garbage_goes_on_after_a_failure():
    while_writing = []

    def fail() -> None:
        with garbage_left_lying():
            while_writing.append(gc.isenabled())
            raise FormatError("x")

    with pytest.raises(FormatError):
        fail()
    assert (while_writing, gc.isenabled()) == ([False], True)


def test_an_opened_tokenizer_keeps_its_name(recording):
    """Its merges may have been counted in a text that has a name too."""
    recording.corpus = replace(Corpus.typed("x"), paths=(Path("alice.txt"),))
    recording.imported = Imported("huggingface", "tokenizer.json", source=ModelSource(Path("/a/qwen3/tokenizer.json")))
    assert default_name(FORMATS["huggingface"], recording) == "qwen3-tokenizer"
