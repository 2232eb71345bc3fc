"""What a person opens is known by its content: a tokenizer, a text, or both at once."""

from pathlib import Path

import pytest

from core.errors import CorpusError, FormatError, PatternWantedError
from core.formats import FORMATS
from core.formats.base import Format, Reading, ReadOptions
from core.model_source import ModelSource
from core.opened_files import (
    Opened,
    PatternWanted,
    reading_model,
    reading_model_or_asking,
    reading_paths,
    sorted_by_content,
)
from core.pipeline import Pipeline
from core.pre_tokenizer import PRE_TOKENIZERS
from core.progress import Progress, without_progress
from core.recording import Recording
from core.trainer import TrainerConfig
from tests.core.runs import record

TEXT = "low lower lowest newest widest " * 3


@pytest.fixture(scope="module")
def trained() -> Recording:
    return record(TEXT, TrainerConfig(merges=12), Pipeline(pre_tokenizer=PRE_TOKENIZERS["gpt2"]))


@pytest.fixture
def model(trained: Recording, tmp_path: Path) -> Path:
    FORMATS["huggingface"].save(trained, 12, tmp_path / "model")
    return tmp_path / "model"


@pytest.fixture
def book(tmp_path: Path) -> Path:
    path = tmp_path / "book.txt"
    path.write_text(TEXT)
    return path


def opened(*paths: Path) -> Opened:
    return without_progress(reading_paths(paths))


@pytest.mark.parametrize("name", ["", "tokenizer.json"])
def test_a_tokenizer_and_where_it_came_from(model: Path, name: str) -> None:
    corpus, recording, *_ = opened(model / name)
    assert corpus is None
    assert recording is not None
    assert recording.imported is not None
    assert recording.imported.format == "huggingface"
    assert recording.imported.source == ModelSource(model / name)
    assert len(recording) == 12


def test_a_name_does_not_make_a_tokenizer_of_a_text(tmp_path: Path) -> None:
    path = tmp_path / "tokenizer.json"
    path.write_text("春眠不觉晓")
    corpus, recording, *_ = opened(path)
    assert recording is None
    assert corpus is not None
    assert corpus.text == "春眠不觉晓"


def test_a_name_does_not_make_a_text_of_a_tokenizer(model: Path, tmp_path: Path) -> None:
    path = (model / "tokenizer.json").rename(tmp_path / "text.txt")
    assert opened(path).model is not None


@pytest.mark.parametrize("line", ["low 5", "lowe 5", "a 0", "bG93 7", "th e"])
def test_a_list_of_words_and_counts_is_a_text(tmp_path: Path, line: str) -> None:
    path = tmp_path / "words.txt"
    path.write_text(f"{line}\nlower 2\nlow er 3\n")
    corpus, recording, *_ = opened(path)
    assert recording is None
    assert corpus is not None
    assert corpus.text == f"{line}\nlower 2\nlow er 3\n"


def test_a_tokenizer_that_was_cut_off_is_no_text(model: Path, tmp_path: Path) -> None:
    path = tmp_path / "half.json"
    data = (model / "tokenizer.json").read_bytes()
    for size in (len(data) // 2, len(data) - 3, data.index(b'"model"')):
        path.write_bytes(data[:size])
        with pytest.raises(FormatError, match=r"half\.json"):
            opened(path)


def test_other_json_is_a_text(tmp_path: Path) -> None:
    path = tmp_path / "lines.json"
    path.write_text('{"text": "low", "decoder": 1}\n{"text": "lower"}\n')
    assert opened(path).corpus is not None


def test_several_texts_keep_their_order(book: Path, tmp_path: Path) -> None:
    other = tmp_path / "a.txt"
    other.write_text("other")
    corpus, *_ = opened(book, other)
    assert corpus is not None
    assert corpus.paths == (book, other)


def test_a_text_and_a_tokenizer_at_once(model: Path, book: Path) -> None:
    corpus, recording, *_ = opened(book, model / "tokenizer.json", model / "tokenizer_config.json")
    assert recording is not None
    assert corpus is not None
    assert corpus.paths == (book,)


def test_the_two_files_of_one_tokenizer(trained: Recording, book: Path, tmp_path: Path) -> None:
    FORMATS["gpt2"].save(trained, 12, tmp_path / "gpt2")
    vocab, merges = tmp_path / "gpt2" / "vocab.json", tmp_path / "gpt2" / "merges.txt"
    assert sorted_by_content((vocab, merges, book)) == ((book,), vocab)
    _, recording, *_ = opened(merges, vocab)
    assert recording is not None
    assert len(recording) == 12


def test_two_tokenizers_are_refused(model: Path, tmp_path: Path) -> None:
    other = tmp_path / "other.json"
    other.write_bytes((model / "tokenizer.json").read_bytes())
    with pytest.raises(FormatError, match=r"These are 2 tokenizers: tokenizer\.json, other\.json\. .* open one"):
        opened(model / "tokenizer.json", other)


def test_a_folder_with_two_tokenizers_asks_for_one(tmp_path: Path) -> None:
    for name in ("a.tiktoken", "b.tiktoken"):
        (tmp_path / name).write_text("YQ== 0\n")
    with pytest.raises(FormatError, match=r"2 tokenizers in this folder: a\.tiktoken, b\.tiktoken"):
        opened(tmp_path)


def test_what_is_missing_is_missed_as_a_text(tmp_path: Path) -> None:
    with pytest.raises(CorpusError, match="there is no such file"):
        opened(tmp_path / "nothing.json")


def test_a_text_that_is_said_to_be_a_tokenizer(book: Path) -> None:
    with pytest.raises(FormatError, match=r"book\.txt: this is no tokenizer"):
        without_progress(reading_model(ModelSource(book)))


def test_what_a_person_must_say_is_asked_for(book: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def read(path: Path, options: ReadOptions) -> Reading:
        yield Progress(0, 1)
        if options.pre_tokenizer is None:
            raise PatternWantedError("ranks do not say it")
        return record(TEXT, TrainerConfig(merges=3), Pipeline(pre_tokenizer=options.pre_tokenizer))

    ranks = Format("ranks", "Ranks", "", "ranks", False, read=read, recognizes=lambda data, path: data == b"ranks")
    monkeypatch.setitem(FORMATS, "ranks", ranks)
    path = tmp_path / "ranks"
    path.write_text("ranks")
    corpus, recording, wanted, _ = opened(path, book)
    assert recording is None
    assert corpus is not None
    assert wanted == PatternWanted(ModelSource(path), "ranks do not say it")
    said = wanted.source.cut_by(PRE_TOKENIZERS["gpt2"])
    _, recording, wanted, _ = without_progress(reading_model_or_asking(said))
    assert wanted is None
    assert recording is not None
    assert recording.imported is not None
    assert recording.imported.source == ModelSource(path, "gpt2")
    assert recording.pipeline.pre_tokenizer is PRE_TOKENIZERS["gpt2"]


@pytest.mark.parametrize("content", ['{"version": 1, "about": "low"}', '{"id": 1, "text": "low"}\n{"id": 2}'])
def test_json_beside_a_saved_recording_is_a_text(content: str, trained: Recording, tmp_path: Path) -> None:
    """The names of GPT-2's merges end in .bpe too."""
    FORMATS["recording"].save(trained, 12, tmp_path / "run.bpe")
    book = tmp_path / "book.json"
    book.write_text(content)
    assert opened(book).model is None


def test_json_lines_beside_merges_are_a_text(tmp_path: Path) -> None:
    (tmp_path / "merges.txt").write_text("#version: 0.2\nl o\n")
    book = tmp_path / "book.jsonl"
    book.write_text('{"id": 1, "text": "low"}\n{"id": 2, "text": "lower"}\n')
    assert opened(book).model is None
