"""The Spark job itself, on two local workers."""

import os
import re
import shutil
import subprocess
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from core.corpus import load_corpora
from core.parquet_words import counted_with
from core.pipeline import Pipeline, Texts
from core.pre_tokenizer import PRE_TOKENIZERS, custom
from core.spark import count_words as job
from core.trainer_config import TieBreak, TrainerConfig
from core.word_counts import corpus_words_counted, load_word_counts
from tests.core.runs import finish, record_words

OLDEST_JAVA = 17


def java_version() -> int:
    """Its first number, 0 if there is none; Java 8 calls itself 1.8."""
    home = os.environ.get("JAVA_HOME")
    java = Path(home, "bin", "java") if home else shutil.which("java")
    try:
        told = subprocess.run([str(java), "-version"], capture_output=True, text=True, timeout=60).stderr
    except (OSError, subprocess.TimeoutExpired):
        return 0
    found = re.search(r'version "(\d+)', told)
    return int(found[1]) if found else 0


pytest.importorskip("pyspark", reason="the Spark job is an extra: pip install '.[spark]'")
pytest.importorskip("pyarrow", reason="the Spark job is an extra: pip install '.[spark]'")
if java_version() < OLDEST_JAVA:
    pytest.skip(f"Spark needs Java {OLDEST_JAVA} or newer", allow_module_level=True)

DATA = Path(__file__).parents[2] / "data"
SHARED = ("ar_docs", "en_kjv_1m", "ja_neko_1m", "ko_docs_1m", "th_ui", "zh_classics_1m", "zh_docs_1m", "mul_udhr_22",
          "code_python_1m", "emoji_stream", "all_assigned_codepoints", "en_docs_1m")  # fmt: skip
CONFIG = {
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
    "spark.sql.shuffle.partitions": "3",
    "spark.driver.host": "127.0.0.1",
    "spark.driver.bindAddress": "127.0.0.1",
}


@pytest.fixture(scope="module")
def spark(tmp_path_factory) -> Iterator[Any]:
    """One session for all tests: it takes some seconds to start."""
    from pyspark.sql import SparkSession

    with pytest.MonkeyPatch.context() as patch:
        for name in ("PYTHONPATH", "PYSPARK_PYTHON"):
            patch.setenv(name, os.environ.get(name, ""))  # put back at the end
        os.environ.pop("PYSPARK_PYTHON")
        patch.setenv("SPARK_LOCAL_IP", "127.0.0.1")
        patch.setenv("SPARK_LOCAL_DIRS", str(tmp_path_factory.mktemp("spark")))
        job.let_workers_find_this()
        builder = SparkSession.builder.master("local[2]")
        for key, value in CONFIG.items():
            builder = builder.config(key, value)
        session = builder.getOrCreate()
        session.sparkContext.setLogLevel("ERROR")
        yield session
        session.stop()


@pytest.fixture
def run(spark, monkeypatch):
    """The command, in this session."""

    @contextmanager
    def session():
        yield spark

    monkeypatch.setattr(job, "_session", session)
    return lambda *arguments: job.main([str(argument) for argument in arguments])


@pytest.fixture(scope="module")
def languages(tmp_path_factory) -> list[Path]:
    """10 MB of many languages, emoji and code; without the folder `shared` less of the same kind."""
    shared = Path(__file__).parents[4] / "shared" / "data" / "corpora"
    paths = [shared / f"{name}.txt" for name in SHARED] if shared.is_dir() else []
    if paths:
        assert sum(path.stat().st_size for path in paths) > 10_000_000
        return paths
    texts = [*sorted((DATA / "text").glob("*.txt")), DATA / "nasty" / "crlf.txt", DATA / "nasty" / "bom_utf8.txt"]
    assert len(texts) >= 4
    return texts


def counted_here(paths: list[Path], pipeline: Pipeline) -> Mapping[str, int]:
    return finish(corpus_words_counted(load_corpora(paths), pipeline)).counts


def test_the_same_counts_as_here_on_many_languages(spark, languages, tmp_path):
    files = job.files_at(map(str, languages))
    job.count_words(spark, files, Pipeline(), 1 << 20).write.parquet(str(tmp_path / "words"))
    on_spark = load_word_counts(tmp_path / "words").given_counts
    assert len(list((tmp_path / "words").glob("part-*.parquet"))) > 1
    assert list(on_spark.items()) == list(counted_here(languages, Pipeline()).items())


@pytest.mark.parametrize(
    ("pipeline", "options"),
    [
        (Pipeline(pre_tokenizer=PRE_TOKENIZERS["o200k"]), ["--preset", "gpt4o"]),
        (Pipeline(pre_tokenizer=PRE_TOKENIZERS["whitespace"], texts=Texts.LINES), ["--preset", "subword-nmt"]),
        (Pipeline(pre_tokenizer=PRE_TOKENIZERS["cl100k"], texts=Texts.FILES), ["--preset", "gpt4", "--texts", "files"]),
        (Pipeline(pre_tokenizer=custom(r"\w+"), texts=Texts.LINES_WITH_ENDS),
         ["--pattern", r"\w+", "--texts", "lines-with-ends"]),
    ],
)  # fmt: skip
def test_options(run, tmp_path, pipeline, options):
    paths = [DATA / "text" / "alice_50k.txt", DATA / "nasty" / "crlf.txt", DATA / "nasty" / "empty.txt"]
    paths += [DATA / "nasty" / "bom_utf8.txt", DATA / "nasty" / "no_final_newline.txt"]
    assert run(*paths, "--out", tmp_path / "words", *options) == 0
    on_spark = load_word_counts(tmp_path / "words").given_counts
    assert list(on_spark.items()) == list(counted_here(paths, pipeline).items())
    said = counted_with(tmp_path / "words")
    assert (said["pre_tokenizer"]["pattern"], said["texts"]) == (pipeline.pre_tokenizer.pattern, pipeline.texts)


def test_normalizers(run, tmp_path):
    options = ["--preset", "sentencepiece", "--normalizer", "lowercase,nfd,strip_accents"]
    (tmp_path / "text.txt").write_text("Ämter  und\nÉtés\n\n Ämter", encoding="utf-8")
    assert run(tmp_path / "text.txt", "--out", tmp_path / "words", *options) == 0
    on_spark = load_word_counts(tmp_path / "words").given_counts
    assert list(on_spark.items()) == [("▁amter", 2), ("▁", 1), ("▁und", 1), ("▁etes", 1)]


def test_rare_words_are_left_out(run, tmp_path):
    (tmp_path / "text.txt").write_text("a b a\nc b a\n")
    options = ["--pre-tokenizer", "whitespace", "--min-word-count", "2"]
    assert run(tmp_path / "text.txt", "--out", tmp_path / "words", *options) == 0
    assert list(load_word_counts(tmp_path / "words").given_counts.items()) == [("a", 3), ("b", 2)]


@pytest.fixture(scope="module")
def alice(spark, tmp_path_factory) -> tuple[Mapping[str, int], Mapping[str, int]]:
    """Its words as Spark counts them, in parts of 4 kB, and as they are counted here."""
    folder, path = tmp_path_factory.mktemp("alice") / "words", DATA / "text" / "alice_50k.txt"
    job.count_words(spark, job.files_at([str(path)]), Pipeline(), 4_096).write.parquet(str(folder))
    on_spark = load_word_counts(folder).given_counts
    assert on_spark is not None
    return on_spark, counted_here([path], Pipeline())


@pytest.mark.parametrize("tie_break", list(TieBreak))
def test_training_goes_on_to_the_same_merges(alice, tie_break):
    config = TrainerConfig(merges=300, tie_break=tie_break)
    on_spark, here = (record_words(words, config) for words in alice)
    assert len(on_spark) == 300
    assert list(on_spark) == list(here)


def test_an_output_folder_that_is_there(run, tmp_path, capsys):
    path, folder = DATA / "nasty" / "crlf.txt", tmp_path / "words"
    assert run(path, "--out", folder) == 0
    assert run(path, "--out", folder) == 1
    assert "already exists" in capsys.readouterr().err
    assert run(path, "--out", folder, "--overwrite", "--preset", "textbook") == 0
    assert counted_with(folder)["pre_tokenizer"]["name"] == "whitespace"


def test_what_goes_wrong_in_a_worker_is_said_in_a_line(run, tmp_path, capfd):
    (tmp_path / "bad.txt").write_bytes(b"good\nbad \xff\n")
    assert run(tmp_path / "bad.txt", "--out", tmp_path / "words") == 1
    assert (
        "count_words: bad.txt: byte 10 is not UTF-8. On Spark a corpus must be UTF-8: convert it first, as with iconv "
        "-t UTF-8.\n" in capfd.readouterr().err
    )


@pytest.mark.parametrize(
    ("arguments", "status", "message"),
    [
        (["no.txt", "--out", "words"], 1, "no.txt: there is no such file."),
        (["no.txt"], 2, "the following arguments are required: --out"),
        (["no.txt", "--out", "words", "--pattern", "("], 2, "--pattern: The pattern cannot be read"),
        (["no.txt", "--out", "words", "--part-megabytes", "0"], 2, "expected a whole number from 1 on, got '0'"),
    ],
)
def test_wrong_command_lines(arguments, status, message, capsys):
    assert status_of(arguments) == status
    assert message in capsys.readouterr().err


def test_without_pyspark(monkeypatch, capsys):
    monkeypatch.setattr(job, "find_spec", lambda name: None)
    assert job.main(["a.txt", "--out", "words"]) == 1
    assert capsys.readouterr().err == (
        "count_words: The package pyspark is not installed: pip install 'pyspark>=3.5' 'pyarrow>=16'\n"
    )


def status_of(arguments: list[str]) -> object:
    try:
        return job.main(arguments)
    except SystemExit as end:  # of argparse
        return end.code
