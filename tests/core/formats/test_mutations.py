"""Thousands of broken files: each is a tokenizer that works or ends in an error of ours, within time and memory."""

import gzip
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from core import FORMATS, Corpus, TrainerConfig, record
from core.alphabet import ByteOrder
from core.formats.opening import open_model
from tests.core.formats.test_formats_gguf import gpt2, of_pieces
from tests.core.formats.test_formats_tekken import cut_cl100k, document

ROOT = Path(__file__).parents[3]
DATA = ROOT / "tests" / "data" / "formats"
COPIES = int(os.environ.get("BPE_MUTATIONS", "60"))
"""Of each file. BPE_MUTATIONS=1000 takes some minutes."""
SEED = os.environ.get("BPE_MUTATIONS_SEED", "1")

KEPT = {
    "clip": "clip_bpe_256.txt",
    "fastbpe": "fastbpe_150.codes",
    "gpt2": "gpt2_1000/vocab.json",
    "gpt2 merges": "gpt2_1000/merges.txt",
    "huggingface": "qwen3_500.tokenizer.json",
    "huggingface clip": "clip_256.tokenizer.json",
    "huggingface gpt_oss": "gpt_oss_300.tokenizer.json",
    "sentencepiece": "spm_bpe_900.model",
    "subword-nmt": "subword_nmt_200.codes",
    "tiktoken": "cl100k_1200.tiktoken",
}
MADE = (
    "clip packed", "gguf", "gguf pieces", "gpt2 side-car", "minbpe", "recording", "recording imported", "tekken",
    "tiktoken side-car",
)  # fmt: skip


@pytest.fixture(scope="module")
def samples(tmp_path_factory):
    """A whole file of every kind."""
    folder = tmp_path_factory.mktemp("samples")
    trained = record(
        Corpus.typed("low lower lowest newer wider 中文 🙂\n" * 9),
        None,
        TrainerConfig(merges=40, byte_order=ByteOrder.VALUE),
    )

    def saved(name, recording, path, file=None):
        path.parent.mkdir(exist_ok=True)
        FORMATS[name].save(recording, len(recording), path)
        return file or path

    def written(name, data):
        (folder / name).mkdir()
        path = folder / name / name
        path.write_bytes(data)
        return path

    return {
        **{name: DATA / file for name, file in KEPT.items()},
        "clip packed": written("bpe.txt.gz", gzip.compress((DATA / KEPT["clip"]).read_bytes())),
        "gguf": written("model.gguf", gpt2()),
        "gguf pieces": written("pieces.gguf", of_pieces((DATA / KEPT["sentencepiece"]).read_bytes())),
        "gpt2 side-car": saved("gpt2", trained, folder / "gpt2", folder / "gpt2" / "bpe-gui.json"),
        "minbpe": saved("minbpe", trained, folder / "minbpe" / "bpe.model"),
        "recording": saved("recording", trained, folder / "own" / "recording.bpe"),
        "recording imported": saved(
            "recording", open_model(DATA / KEPT["huggingface gpt_oss"]).recording, folder / "imported" / "recording.bpe"
        ),
        "tekken": written("tekken.json", json.dumps(document(cut_cl100k())).encode()),
        "tiktoken side-car": saved(
            "tiktoken", trained, folder / "ranks" / "bpe.tiktoken", folder / "ranks" / "bpe.json"
        ),
    }


def test_there_is_a_file_of_every_format_that_is_read():
    readable = {name for name, format in FORMATS.items() if format.read}
    assert {name.split()[0] for name in (*KEPT, *MADE)} == readable


@pytest.mark.parametrize("name", [*KEPT, *MADE])
def test_broken_copies(name, samples, tmp_path):
    assert samples[name].is_file()
    command = [sys.executable, "-m", "tests.core.formats.mutating", samples[name], COPIES, SEED, tmp_path]
    done = subprocess.run(list(map(str, command)), cwd=ROOT, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
