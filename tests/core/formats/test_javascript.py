"""JavaScript for saved files, run in Node where it is installed with the packages that the code names.

BPE_GUI_NODE_MODULES is a folder in which `npm install @huggingface/tokenizers tiktoken` was run.
"""

import base64
import json
import os
import shutil
import subprocess
from pathlib import Path

import pytest

from core.formats import EXPORTS
from core.formats.javascript import ONLY_TOKENIZER_JSON
from core.tokenizer import Tokenizer
from tests.core.formats.kinds import kind, messages, probes

NODE = shutil.which("node")
MODULES = os.environ.get("BPE_GUI_NODE_MODULES", "")
NAMES = [name for name, format in EXPORTS.items() if format.javascript]

HUGGING_FACE = [
    "bytes gpt2", "bytes cl100k emoji", "bytes by value words", "bytes nfd", "bytes o200k specials last",
    "bytes qwen2 punctuation", "bytes metaspace none", "suffix gpt2", "symbol words", "characters words lowercase",
    "characters own words", "wordpiece words", "metaspace", "metaspace llama2", "metaspace sentencepiece",
]  # fmt: skip
TIKTOKEN = ["bytes gpt2", "bytes cl100k emoji", "bytes own pattern", "bytes o200k specials last", "bytes none"]
WARNED = ["bytes whitespace digits", "bytes own pattern", "continuing words", "suffix fused", "suffix whitespace"]


def saved(name: str, format_name: str, folder: Path) -> Path:
    path = folder / EXPORTS[format_name].suggested_name
    EXPORTS[format_name].save(kind(name), len(kind(name)), path)
    return path


def node(code: str, folder: Path, *options: str) -> str:
    assert NODE
    (folder / "code.mjs").write_text(code, encoding="utf-8")
    done = subprocess.run([NODE, *options, "code.mjs"], cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_formats_without_a_library_say_so():
    assert {"huggingface", "tiktoken"} <= set(NAMES)
    assert EXPORTS["gpt2"].no_javascript == ONLY_TOKENIZER_JSON
    for format in EXPORTS.values():
        assert bool(format.no_javascript) != bool(format.javascript) or not format.read or format.python is None


@pytest.mark.parametrize("name", NAMES)
def test_any_path_is_one_string(name, tmp_path):
    path = tmp_path / 'a "b" \\ ${c} `d` 中文'
    code = EXPORTS[name].javascript(path)
    quoted = json.dumps(str(path), ensure_ascii=False)[1:-1]
    assert quoted in code


@pytest.mark.skipif(not NODE, reason="needs Node")
@pytest.mark.parametrize("name", NAMES)
def test_the_code_is_javascript(name, tmp_path):
    node(EXPORTS[name].javascript(tmp_path / 'a "b" \\ ${c} `d` 中文'), tmp_path, "--check")


@pytest.fixture
def modules(tmp_path):
    if not NODE or not Path(MODULES, "node_modules").is_dir():
        pytest.skip("needs Node and BPE_GUI_NODE_MODULES, a folder with the packages that the code names")
    (tmp_path / "node_modules").symlink_to(Path(MODULES, "node_modules"))
    return tmp_path


def results(code: str, call: str, folder: Path, texts: list[str]) -> list[list[int]]:
    """The ids that the code's own tokenizer gives for other texts."""
    (folder / "texts.json").write_text(json.dumps(texts))
    more = f"""
const texts = JSON.parse(readFileSync("texts.json", "utf8"));
console.log(JSON.stringify(texts.map((text) => Array.from({call}))));
"""
    found: list[list[int]] = json.loads(node(code.replace("encoding.free();", "") + more, folder).splitlines()[-1])
    return found


CALLS = {
    "huggingface": "tokenizer.encode(text, { add_special_tokens: false }).ids",
    "tiktoken": 'encoding.encode(text, "all")',
}


@pytest.mark.parametrize(
    ("format_name", "name"),
    [*(("huggingface", name) for name in HUGGING_FACE), *(("tiktoken", name) for name in TIKTOKEN)],
)
def test_ids_are_ours(format_name, name, modules):
    format, recording = EXPORTS[format_name], kind(name)
    texts = [text for text in probes(name) if "Σ" not in text or "lowercase" not in name]
    code = format.javascript(saved(name, format_name, modules))
    ours = Tokenizer(recording, encoder=format.encoder(recording))
    assert results(code, CALLS[format_name], modules, texts) == [ours.ids(text) for text in texts]


@pytest.mark.parametrize("name", WARNED)
def test_where_ids_differ_a_warning_says_so(name):
    found = [message for message in messages(kind(name), "huggingface", "warning") if "JavaScript" in message]
    assert found


def test_a_space_that_only_javascript_sees(modules):
    recording = kind("suffix whitespace")
    code = EXPORTS["huggingface"].javascript(saved("suffix whitespace", "huggingface", modules))
    texts = ["start\ufeffmid", "e\u0085f"]
    ours = [Tokenizer(recording).ids(text) for text in texts]
    theirs = results(code, CALLS["huggingface"], modules, texts)
    assert [a == b for a, b in zip(ours, theirs, strict=True)] == [False, False]


def test_an_empty_token_is_left_out(modules):
    """As in Whisper's ranks; the library gives up on it."""
    single = [base64.b64encode(bytes([value])).decode() for value in range(256)]
    (modules / "bpe.tiktoken").write_text("".join(f"{token} {i}\n" for i, token in enumerate([*single, "=", "YWI="])))
    (modules / "bpe.json").write_text(json.dumps({"pattern": "[a-z]+", "special_tokens": {}}))
    code = EXPORTS["tiktoken"].javascript(modules / "bpe.tiktoken")
    assert results(code, CALLS["tiktoken"], modules, ["abc"]) == [[257, 99]]
