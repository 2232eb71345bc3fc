"""The compiled trainer against other trainers on real texts, each under its own tie rule."""

import json
import lzma
import random
from pathlib import Path

import pytest

from core import kernel_loader
from core.alphabet import ByteOrder
from core.corpus import Corpus
from core.pipeline import Pipeline, Texts
from core.pre_tokenizer import PRE_TOKENIZERS
from core.recording import record
from core.trainer_config import TieBreak, TrainerConfig

MERGES = 8_000


@pytest.fixture(autouse=True, scope="module")
def _kernels():
    kernel_loader.load()


@pytest.fixture(scope="module")
def text() -> str:
    """10 MB of English; without the folder `shared` of made-up words."""
    shared = Path(__file__).parents[3] / "shared/data/corpora/en_docs_10m.txt.xz"
    return lzma.decompress(shared.read_bytes()).decode() if shared.exists() else made_up(1_300_000)


def made_up(words: int) -> str:
    """The word of rank n comes up with a frequency of 1 / n, as in real texts; ten words a line."""
    chance = random.Random(0)
    known = ["".join(chance.choices("eeettaaooiinsshrdlucmfyé,", k=chance.randint(1, 13))) for _ in range(60_000)]
    drawn = chance.choices(known, [1 / rank for rank in range(1, len(known) + 1)], k=words)
    return "".join(" ".join(drawn[i : i + 10]) + "\n" for i in range(0, words, 10))


def trained(text, pre_tokenizer, texts=Texts.WHOLE, **options):
    pipeline = Pipeline(pre_tokenizer=PRE_TOKENIZERS[pre_tokenizer], texts=texts)
    return record(Corpus.typed(text), pipeline, TrainerConfig(**options))


def contents(recording):
    return [(recording.token(merge.left).content, recording.token(merge.right).content) for merge in recording]


def test_hugging_face_makes_the_same_merges_of_ten_megabytes(text):
    tokenizers = pytest.importorskip("tokenizers")
    tokenizer = tokenizers.Tokenizer(tokenizers.models.BPE())
    tokenizer.pre_tokenizer = tokenizers.pre_tokenizers.ByteLevel(add_prefix_space=False)
    trainer = tokenizers.trainers.BpeTrainer(
        vocab_size=256 + MERGES,
        initial_alphabet=tokenizers.pre_tokenizers.ByteLevel.alphabet(),
        show_progress=False,
    )
    tokenizer.train_from_iterator(text.splitlines(keepends=True), trainer)
    model = json.loads(tokenizer.to_str())["model"]
    theirs = [tuple(model["vocab"][part] for part in merge) for merge in model["merges"]]

    ours = trained(text, "gpt2", Texts.LINES_WITH_ENDS, merges=MERGES)

    assert [merge.pair for merge in ours] == theirs
    assert len(ours) == MERGES


def test_rustbpe_makes_the_same_merges_of_ten_megabytes(text):
    rustbpe = pytest.importorskip("rustbpe")
    tokenizer = rustbpe.Tokenizer()
    cut = PRE_TOKENIZERS["gpt2"]
    tokenizer.train_from_iterator([text], 256 + MERGES, pattern=cut.pattern)
    theirs = {bytes(token): rank for token, rank in tokenizer.get_mergeable_ranks() if rank >= 256}

    ours = trained(text, "gpt2", byte_order=ByteOrder.VALUE, tie_break=TieBreak.BYTES, merges=MERGES)

    assert [ours.token(merge.token_id).content for merge in ours] == sorted(theirs, key=theirs.get)
