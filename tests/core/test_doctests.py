"""The examples in the docstrings of core say what it does."""

import doctest
import importlib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
MODULES = [
    ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")
    for path in sorted((ROOT / "core").rglob("*.py"))
    if ">>> " in path.read_text(encoding="utf-8")
]


def test_there_are_examples():
    assert {"core", "core.trainers", "core.editing"} <= set(MODULES)


@pytest.mark.parametrize("name", MODULES)
def test_examples(name):
    failed, tried = doctest.testmod(importlib.import_module(name))

    assert tried
    assert not failed


def test_what_core_offers_is_there():
    core = importlib.import_module("core")

    assert [name for name in core.__all__ if not hasattr(core, name)] == []
