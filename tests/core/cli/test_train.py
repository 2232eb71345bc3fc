"""`bpe train`: what is learned, said and written."""

import json
import os
import signal
import subprocess
from pathlib import Path

import pytest

from core.options import Options
from core.pipeline_json import counting_json
from tests.core.cli.commands import bpe, command, environment, output

CHARACTERS = ("--base", "characters", "--pre-tokenizer", "whitespace")


def merges(*arguments: object, stdin: bytes = b"") -> list[str]:
    """Each merge as `left right count`."""
    lines = output("train", *arguments, "--json-lines", stdin=stdin).splitlines()
    return ["{left} {right} {count}".format(**json.loads(line)) for line in lines]


def files_of(folder: Path) -> list[str]:
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*"))


def test_the_textbook(four, tmp_path):
    symbol = ("--marker", "symbol", "--tie-break", "first_seen")
    result = bpe("train", four, *CHARACTERS, *symbol, "--merges", 6, "--out", tmp_path / "m")
    assert (result.status, result.out) == (0, "")
    assert result.err.splitlines()[:2] == [
        "bpe: 6 merges, a vocabulary of 17 tokens; training ended because the number of merges was reached.",
        f"bpe: written: {tmp_path / 'm' / 'tokenizer.json'}",
    ]
    assert files_of(tmp_path) == ["m", "m/tokenizer.json", "m/tokenizer_config.json"]
    assert merges(four, *CHARACTERS, *symbol, "--merges", 6) == [
        "e s 9", "es t 9", "est </w> 9", "l o 7", "lo w 7", "n e 6",
    ]  # fmt: skip


@pytest.mark.parametrize("format", [[], ["--format", "huggingface"]])
def test_a_name_that_ends_in_json_is_one_file(four, tmp_path, format):
    output("train", four, *CHARACTERS, "--merges", 6, "--out", tmp_path / "four.json", *format)
    output("train", four, *CHARACTERS, "--merges", 6, "--out", tmp_path / "tokenizer.json", *format)

    assert files_of(tmp_path) == ["four.json", "tokenizer.json", "tokenizer_config.json"]
    assert (tmp_path / "four.json").read_bytes() == (tmp_path / "tokenizer.json").read_bytes()
    assert output("encode", tmp_path / "four.json", "lowest", "--ids") == output("encode", tmp_path, "lowest", "--ids")


def test_a_preset_is_the_same_as_its_options(four):
    assert merges(four, "--preset", "textbook", "--merges", 6)[-1] == "n e 6"
    assert merges(four, "--preset", "textbook", "--tie-break", "ids", "--merges", 6)[-1] == "e w 6"


def test_json_lines_say_all_of_a_merge(four):
    first, last = output("train", four, "--merges", 2, "--json-lines").splitlines()
    said = json.loads(first)
    assert {name: said[name] for name in ("rank", "left", "right", "token", "count", "applied", "tied", "score")} == {
        "rank": 0, "left": "e", "right": "s", "token": "es", "count": 9, "applied": 9, "tied": 2, "score": None,
    }  # fmt: skip
    assert [said[f"{name}_id"] for name in ("left", "right", "token")] == [68, 82, 256]
    assert [said[f"{name}_hex"] for name in ("left", "right", "token")] == ["65", "73", "6573"]
    assert said["tokens_left"] == 86
    assert json.loads(last)["token_hex"] == "657374"
    wordpiece = output("train", four, "--preset", "wordpiece", "--merges", 1, "--json-lines")
    assert json.loads(wordpiece)["score"] == pytest.approx(1 / 3)


def test_lines_come_while_training_goes_on(tmp_path):
    run = subprocess.Popen(
        command("train", write_long(tmp_path), "--json-lines", "--quiet"),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=environment(),
        preexec_fn=listen_to_ctrl_c,
    )
    assert json.loads(run.stdout.readline())["rank"] == 0
    assert run.poll() is None
    run.send_signal(signal.SIGINT)
    run.communicate()


def listen_to_ctrl_c():
    """What a shell starts in the background ignores Ctrl+C, and so does all that it starts."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


def write_long(folder: Path) -> Path:
    """A text that takes some seconds: 20,000 different words of 12 letters."""
    words = (f"{n:b}".translate({48: "ab", 49: "c"}) + str(n)[::-1] for n in range(1, 20_000))
    path = folder / "long.txt"
    path.write_text(" ".join(words))
    return path


def test_ctrl_c_leaves_nothing_behind(tmp_path):
    text, out = write_long(tmp_path), tmp_path / "out"
    run = subprocess.Popen(
        command("train", text, "--json-lines", "--out", out),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=environment(),
        preexec_fn=listen_to_ctrl_c,
    )
    run.stdout.readline()
    run.send_signal(signal.SIGINT)
    _, err = run.communicate()
    assert run.returncode == 130
    assert err.decode().splitlines()[-1] == "bpe: stopped"
    assert "Traceback" not in err.decode()
    assert files_of(tmp_path) == ["long.txt"]


def test_a_reader_that_leaves_does_not_end_the_training(four, tmp_path):
    run = subprocess.Popen(
        command("train", four, "--merges", 9, "--json-lines", "--out", tmp_path / "m"),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=environment(),
    )
    run.stdout.close()
    err = run.stderr.read().decode()
    run.stderr.close()
    assert run.wait() == 0
    assert err.startswith("bpe: 9 merges")
    assert (tmp_path / "m" / "tokenizer.json").is_file()


def test_without_a_limit_training_goes_on_to_the_end(four, tmp_path):
    result = bpe("train", four, "--preset", "textbook", "--out", tmp_path / "m")
    assert result.err.splitlines()[:2] == [
        "bpe: note: neither --merges nor --vocab-size is given: training goes on until no pair is left.",
        "bpe: 15 merges, a vocabulary of 26 tokens; training ended because no pair is left.",
    ]


@pytest.mark.parametrize(
    ("options", "count", "last"),
    [
        (("--vocab-size", 16), 5, "lo w 7"),
        (("--min-frequency", 7), 5, "lo w 7"),
        (("--longest-token", 2), 8, "r </w> 2"),
        (("--stop-at-token", "^low$"), 5, "lo w 7"),
        (("--merges", "1_0"), 10, "w i 3"),
    ],
)
def test_where_to_stop(four, options, count, last):
    learned = merges(four, "--preset", "textbook", *options)
    assert (len(learned), learned[-1]) == (count, last)


def test_several_files_are_one_text(four, tmp_path):
    more = tmp_path / "more.txt"
    more.write_text("newer newer newer newer")
    assert merges(four, "--merges", 1, *CHARACTERS, more) == ["w e 12"]  # lower, newest and newer


def test_standard_input(four):
    assert merges("-", "--merges", 1, stdin=b"aaaa\r\nb") == ["a a 3"]
    assert bpe("train", "-", "--json-lines", stdin=b"a\xff").err.endswith(
        "bpe: error: standard input: byte 2 (line 1) is not UTF-8. Convert the text to UTF-8 first.\n"
    )


def test_lists_of_word_counts_are_added_up(tmp_path):
    one, two = tmp_path / "one.txt", tmp_path / "two.txt"
    one.write_text("low 5\nlower 2\n")
    two.write_text("newest 6\nwidest 3\nlow 1\n")
    written = tmp_path / "all.txt"
    learned = merges(one, two, "--word-counts", "--preset", "textbook", "--merges", 4, "--write-word-counts", written)
    assert learned == ["e s 9", "es t 9", "est </w> 9", "l o 8"]
    assert written.read_text() == "low 6\nlower 2\nnewest 6\nwidest 3\n"


def test_word_counts_of_a_text(four, tmp_path):
    result = bpe("train", four, "--pre-tokenizer", "whitespace", "--write-word-counts", tmp_path / "w", "--merges", 1)
    assert (tmp_path / "w").read_text() == "low 5\nlower 2\nnewest 6\nwidest 3\n"
    assert result.err.startswith(f"bpe: written: {tmp_path / 'w'}\n")


def test_every_file_may_be_a_text_of_its_own(tmp_path):
    (tmp_path / "a").write_text("xy", encoding="utf-8")
    (tmp_path / "b").write_text("xyz", encoding="utf-8")
    none = (tmp_path / "a", tmp_path / "b", "--pre-tokenizer", "none")
    assert merges(*none) == ["x y 2", "⏎ xy 1", "xy ⏎xy 1", "xy⏎xy z 1"]
    assert merges(*none, "--texts", "files") == ["x y 2", "xy z 1"]


@pytest.mark.parametrize(
    ("how", "learned"),
    [("as-text", ["a b 3", "< s 2", "ab <s 2", "ab<s > 2", "c ab 1"]), ("match", ["a b 3", "c ab 1"])],
)
def test_special_tokens_in_the_text(tmp_path, how, learned):
    (tmp_path / "text").write_text("ab<s>ab<s>cab", encoding="utf-8")
    options = (tmp_path / "text", "--pre-tokenizer", "none", "--special", "<s>", "--specials-in-text", how)
    assert merges(*options)[:5] == learned


def test_special_tokens_in_the_text_of_a_training_that_goes_on(tmp_path):
    (tmp_path / "text").write_text("ab<s>ab", encoding="utf-8")
    start = (tmp_path / "text", "--merges", 0, "--special", "<s>", "--pre-tokenizer", "none")
    output("train", *start, "--out", tmp_path / "m")
    more = (tmp_path / "text", "--continue", tmp_path / "m")
    assert merges(*more, "--specials-in-text", "match") == ["a b 2"]
    assert merges(*more)[:2] == ["a b 2", "< s 1"]


def test_several_outputs(four, tmp_path):
    outputs = (tmp_path / "tok", tmp_path / "ranks.tiktoken", tmp_path / "merges.csv")
    named = [part for path in outputs for part in ("--out", path)]
    result = bpe("train", four, "--merges", 3, *named)
    assert result.status == 0
    assert files_of(tmp_path) == [
        "merges.csv", "ranks.json", "ranks.py", "ranks.tiktoken", "tok", "tok/tokenizer.json",
        "tok/tokenizer_config.json",
    ]  # fmt: skip
    assert "Timeline as a table (CSV): a report, from which no tokenizer can be read back." in result.err


def test_forced_and_forbidden_pairs(four):
    textbook = (four, "--preset", "textbook", "--merges", 4)
    assert merges(*textbook, "--force", "l", "o", "--force", "lo", "w") == ["l o 7", "lo w 7", "e s 9", "es t 9"]
    assert merges(*textbook, "--forbid", "e", "s")[:2] == ["s t 9", "e st 9"]
    assert merges(*textbook, "--forbid", "t", "</w>", "--force", "s", "t", "--forbid", "st", "</w>") == [
        "s t 9", "e st 9", "est </w> 9", "l o 7",
    ]  # fmt: skip


def test_forced_pairs_of_bytes(tmp_path):
    text = tmp_path / "text.txt"
    text.write_text("中中 ab")
    assert merges(text, "--merges", 2, "--force", "⟨B8⟩", "⟨AD⟩", "--force", "⟨E4⟩", "⟨B8⟩⟨AD⟩") == [
        "⟨B8⟩ ⟨AD⟩ 2", "⟨E4⟩ ⟨B8⟩⟨AD⟩ 2",
    ]  # fmt: skip


def test_training_on_keeps_ids_and_merges(models, tmp_path):
    text = tmp_path / "more.txt"
    text.write_text("xenon xenon lowest")
    result = bpe(
        "train", text, "--continue", models / "suffix", "--merges", 11, "--out", tmp_path / "m", "--json-lines"
    )
    assert result.status == 0
    lines = [json.loads(line) for line in result.out.splitlines()]
    assert [(line["left"], line["right"], line["token_id"], line["count"]) for line in lines[-3:]] == [
        ("i", "dest</w>", 28, 0),
        ("e", "n", 31, 2),  # x and x</w> come with the text, as 29 and 30
        ("o", "n</w>", 32, 2),
    ]
    before, after = (output("encode", model, "lowest", "--ids") for model in (models / "suffix", tmp_path / "m"))
    assert before == after == "22 9 21\n"


def test_training_on_by_another_rule(models, four):
    on = (four, "--continue", models / "suffix", "--merges", 11)
    assert merges(*on)[9:] == ["w idest</w> 3", "e r</w> 2"]
    assert merges(*on, "--tie-break", "reverse-lexicographic")[9:] == ["w idest</w> 3", "w e 2"]


def test_training_on_from_wordpiece(four, tmp_path):
    wordpiece = ("--preset", "wordpiece", "--merges", 2, "--out", tmp_path / "m")
    output("train", four, *wordpiece)
    lines = output("train", four, "--continue", tmp_path / "m", "--no-complete-alphabet", "--merges", 3, "--json-lines")
    last = json.loads(lines.splitlines()[-1])
    once = json.loads(output("train", four, *wordpiece[:2], "--merges", 3, "--json-lines").splitlines()[-1])
    assert last == once
    assert last["score"] == pytest.approx(1 / 7)
    assert output("encode", tmp_path / "m", "widest") == "wid ##e ##s ##t\n"
    assert bpe("encode", tmp_path / "m", "widlow") == (  # without ##l the whole word is unknown, as in BERT
        0, "widlow\n", "bpe: warning: 6 characters are in no token: shown, but without an id.\n",
    )  # fmt: skip


def test_what_is_odd_about_the_text_is_said(tmp_path):
    text = tmp_path / "text.txt"
    text.write_bytes("caf\xe9 na\xefve \xfcber".encode("cp1252"))
    result = bpe("train", text, "--merges", 1, "--json-lines", "--pattern", r"[a-z]+")
    assert result.err.splitlines()[:2] == [
        "bpe: note: text.txt seems to be in CP1252; --encoding says otherwise.",
        "bpe: warning: the pattern leaves out 3 characters, such as 'é', 'ï', 'ü'.",
    ]
    text.write_text("")
    assert "bpe: warning: there is no word in the text" in bpe("train", text, "--json-lines").err
    text.write_text("aaab?")
    rare = bpe("train", text, "--base", "characters", "--alphabet-limit", 1, "--merges", 1, "--json-lines")
    assert "2 rare characters are left out of the alphabet: ? (1), b (1)." in rare.err


def test_quiet(four, tmp_path):
    assert bpe("train", four, "--merges", 1, "--out", tmp_path / "m", "--quiet") == (0, "", "")


def test_nothing_is_read_where_the_format_cannot_hold_the_result(tmp_path):
    missing = tmp_path / "missing.txt"  # reading it would be the first error
    for options, message in (
        (("--normalizer", "nfc", "--marker", "symbol", "--out", tmp_path / "x.tiktoken"), "has no marker for the end"),
        (("--out", tmp_path / "no" / "x.tiktoken"), f"there is no folder {tmp_path / 'no'}"),
        (("--vocab-size", 256, "--out", tmp_path / "x.tiktoken"), "leaves no room for merges; choose at least 257"),
        (("--out", tmp_path, "--format", "tiktoken"), "is a folder, and a file is to be written"),
    ):
        assert message in bpe("train", missing, *options).err


def test_a_file_that_is_write_protected_is_found_before(four, tmp_path):
    if os.geteuid() == 0:
        pytest.skip("root may write everywhere")
    out = tmp_path / "merges.csv"
    out.write_text("mine")
    out.chmod(0o400)
    assert bpe("train", four, "--out", out).err.endswith("merges.csv cannot be saved: the file is write-protected.\n")


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="Windows has no pipes with names")
@pytest.mark.parametrize("option", [("--format", "timeline-csv", "--out"), ("--write-word-counts",)])
def test_a_device_or_pipe_is_found_before(four, tmp_path, option):
    os.mkfifo(tmp_path / "pipe")
    result = bpe("train", four, "--merges", 1, *option, tmp_path / "pipe")
    assert result[::2] == (
        1,
        "bpe: error: pipe is a device or pipe, and a file is to be written. Choose another name.\n",
    )
    assert (tmp_path / "pipe").is_fifo()


def shown_on_terminal(*arguments: object, also_output: bool) -> str:
    pty, termios = pytest.importorskip("pty"), pytest.importorskip("termios")  # which Windows lacks
    outer, inner = pty.openpty()
    termios.tcsetwinsize(inner, (24, 80))
    output = inner if also_output else subprocess.PIPE
    subprocess.run(command(*arguments), stdout=output, stderr=inner, env=environment(), check=True)
    os.close(inner)
    shown = os.read(outer, 100_000).decode()
    os.close(outer)
    return shown


def test_the_progress_bar_is_for_terminals(four, tmp_path):
    arguments = ("train", four, "--merges", 2, "--out", tmp_path / "m")
    assert "merging" not in bpe(*arguments).err
    assert "bpe: merging" in bpe(*arguments, "--progress").err
    assert "bpe: merging" in shown_on_terminal(*arguments, also_output=False)


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="only Linux has a device that is always full")
def test_messages_and_a_bar_that_cannot_be_written_do_not_end_the_training(four, tmp_path):
    with Path("/dev/full").open("wb") as full:
        done = subprocess.run(
            command("train", four, "--merges", 2, "--progress", "--out", tmp_path / "m"),
            stderr=full,
            env=environment(),
        )
    assert (done.returncode, files_of(tmp_path / "m")) == (0, ["tokenizer.json", "tokenizer_config.json"])


def test_lines_and_a_bar_do_not_share_a_terminal(four):
    shown = shown_on_terminal("train", four, "--merges", 2, "--json-lines", also_output=True)
    assert shown.count('{"rank": ') == 2
    assert "merging" not in shown


def test_tables_of_word_counts(four, tmp_path):
    """What one run has counted another one trains on, whatever kind of file is between them."""
    pytest.importorskip("pyarrow", reason="Parquet is an extra, which needs pyarrow")
    options = ("--pre-tokenizer", "whitespace", "--merges", 4)
    learned = merges(four, *options)
    for name in ("words.parquet", "words.csv", "words.txt"):
        bpe("train", four, *options, "--write-word-counts", tmp_path / name)
        assert merges(tmp_path / name, "--word-counts", *options) == learned
    assert learned == ["e s 9", "es t 9", "l o 7", "lo w 7"]
    both = merges(tmp_path / "words.parquet", tmp_path / "words.csv", "--word-counts", *options)
    assert [line.rsplit(" ", 1)[0] for line in both] == [line.rsplit(" ", 1)[0] for line in learned]
    assert [int(line.rsplit(" ", 1)[1]) for line in both] == [18, 18, 14, 14]


def test_words_that_were_counted_with_other_choices(tmp_path):
    parquet = pytest.importorskip("pyarrow.parquet", reason="Parquet is an extra, which needs pyarrow")
    pyarrow = pytest.importorskip("pyarrow", reason="Parquet is an extra, which needs pyarrow")
    said = json.dumps(counting_json(Options(pre_tokenizer="cl100k", normalizers=("nfc",)).pipeline()))
    field = {"name": "word", "metadata": {"bpe_gui_pipeline": said}}
    metadata = {"org.apache.spark.sql.parquet.row.metadata": json.dumps({"fields": [field]})}
    table = pyarrow.table({"word": ["low"], "count": [5]}).replace_schema_metadata(metadata)
    parquet.write_table(table, tmp_path / "words.parquet")
    train = ("train", tmp_path / "words.parquet", "--word-counts", "--merges", 1, "--out", tmp_path / "model")
    assert (
        "The words were counted with normalizer nfc; pre-tokenizer cl100k; texts whole, but the tokenizer will cut "
        "texts with normalizer none; pre-tokenizer gpt2; texts whole. Choose the same as when they were counted."
    ) in bpe(*train).err
    agreeing = bpe(*train, "--preset", "gpt4", "--normalizer", "nfc").err
    assert "Counted on Spark: normalizer nfc; pre-tokenizer cl100k; texts whole." in agreeing
    assert "The words were counted with" not in agreeing
