"""The rows of a word as aligned text."""

import pytest

from core.cli.steps_table import display_width
from tests.core.cli.commands import output


@pytest.mark.parametrize(
    ("text", "width"), [("", 0), ("abc", 3), ("中文", 4), ("e\u0301", 1), ("ｱ", 1), ("Ａ", 2), ("한", 2), ("\u200d", 0)]
)
def test_width_on_a_terminal(text, width):
    assert display_width(text) == width


def test_chinese_is_aligned(tmp_path):
    text = tmp_path / "text.txt"
    text.write_text("中文字 中文字 中文", encoding="utf-8")
    model = tmp_path / "m"
    output("train", text, "--base", "characters", "--pre-tokenizer", "whitespace", "--merges", 2, "--out", model)
    assert output("encode", model, "中文字", "--steps").splitlines() == [
        "中文字",
        "  rank 0  [中 文] 字",
        "  rank 1  [中文 字]",
        "       =  中文字      id 4 (1 token)",
    ]


def test_many_ranks_are_cut(tmp_path):
    text = tmp_path / "text.txt"
    text.write_text("ab cd ef gh ij kl mn op qr st uv")
    output("train", text, "--pre-tokenizer", "whitespace", "--merges", 11, "--out", tmp_path / "m")
    rows = output("encode", tmp_path / "m", "abcdefghijklmnopqrstuv", "--steps").splitlines()
    assert rows[1].endswith("  later 1, 2, 3, 4, 5, 6, 7, 8 and 2 more")
    assert len(rows) == 13
