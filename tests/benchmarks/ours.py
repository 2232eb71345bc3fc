"""Our own side, and the one place of the benchmark that calls core: the same contract as in peers.py."""

import json
import shutil
import time
from collections.abc import Callable, Generator
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from peers import GPT2, RANKS, TOKENIZER_JSON, Encode, Spelled, Train

import core
from core import kernel_loader
from core.corpus import read_corpus
from core.corpus_source import CorpusSource
from core.trainers import trainer_for
from core.word_counts import corpus_words_counted

LINES = core.Options(texts=core.Texts.LINES_WITH_ENDS)
OPTIONS: dict[str, core.Options] = {
    "gpt2": LINES,
    "gpt2, ties by bytes": replace(LINES, tie_break=core.TieBreak.BYTES),
    "gpt2, one text": core.Options(),
    "whitespace": core.Options(pre_tokenizer="whitespace", base=core.Base.CHARACTERS, marker=core.Marker.SUFFIX),
    "sentencepiece": core.Options(
        texts=core.Texts.LINES,
        base=core.Base.CHARACTERS,
        marker=core.Marker.METASPACE,
        tie_break=core.TieBreak.SHORT_THEN_STRING,
    ),
}


def load_kernels() -> str:
    """Compile or read them from the cache before the clock starts, as the others were compiled long ago.

    Returns why there are none; all then works in plain Python.
    """
    try:
        kernel_loader.load()
    except core.BpeError as error:
        return str(error)
    return ""


def recorder(kind: str, path: Path, merges: int) -> Callable[[], core.Recording]:
    load_kernels()
    options = replace(OPTIONS[kind], merges=merges)
    return lambda: core.record(core.load_corpus(path), options.pipeline(), options.config())


def trainer(kind: str, path: Path, merges: int) -> Train:
    load_kernels()
    options = replace(OPTIONS[kind], merges=merges)
    pipeline, config = options.pipeline(), options.config()

    def train() -> Callable[[], Spelled]:
        slices = Slices()
        corpus = slices.end_of(CorpusSource((path,)).read())
        words = slices.end_of(corpus_words_counted(corpus, pipeline)).counts
        trainer = trainer_for(words, config, core.build_alphabet(words, config))
        slices.end_of(trainer.count_pairs())
        made = list(trainer.merges())
        recording = core.Recording.of(trainer, config, pipeline, corpus)
        return lambda: spelled(recording, made)

    return train


TRAINERS: dict[str, Callable[[Path, int], Train]] = {kind: partial(trainer, kind) for kind in OPTIONS}


def spelled(recording: core.Recording, made: list[core.Merge]) -> Spelled:
    """The tokens of all merges; and where there was a tie, which another rule may have decided otherwise."""
    recording.extend(made)
    return {
        "tokens": [recording.token(merge.token_id).text().decode("latin-1") for merge in recording],
        "tied": [merge.tied for merge in recording],
        "words": recording.word_total,
        "unique_words": len(recording.word_counts),
    }


class Slices:
    """Drives generators of core to their ends; `longest` is the most seconds between two chances to stop one."""

    def __init__(self) -> None:
        self.longest = 0.0

    def end_of(self, generator: Generator[Any, None, Any]) -> Any:
        """What the generator returns."""
        before = time.perf_counter()
        while True:
            try:
                next(generator)
            except StopIteration as stop:
                return stop.value
            finally:
                now = time.perf_counter()
                self.longest, before = max(self.longest, now - before), now


def recorded_in_slices(path: Path, merges: int) -> Callable[[], tuple[core.Recording, float]]:
    """As core.record, and the longest time in which it could not have been stopped."""
    load_kernels()
    options = replace(OPTIONS["gpt2"], merges=merges)
    pipeline, config = options.pipeline(), options.config()

    def record() -> tuple[core.Recording, float]:
        slices = Slices()
        corpus = slices.end_of(read_corpus(path))
        words = slices.end_of(corpus_words_counted(corpus, pipeline)).counts
        trainer = trainer_for(words, config, core.build_alphabet(words, config))
        slices.end_of(trainer.count_pairs())
        recording = core.Recording.of(trainer, config, pipeline, corpus)
        slices.end_of(recording.append(merge) for merge in trainer.merges())
        return recording, slices.longest

    return record


def encoder(folder: Path) -> Encode:
    return encoder_of(core.FORMATS["tiktoken"].load(folder / RANKS))


def encoder_of(recording: core.Recording) -> Encode:
    load_kernels()
    tokenizer = core.Tokenizer(recording)
    tokenizer.id_array("")  # its tables are built before the clock starts, like those of the others
    return tokenizer.id_array


def make_model(source: Path, folder: Path, merges: int) -> int:
    """Save a model for all tools: that of a rank file, or one trained on a text. Returns its number of merges."""
    ranks = folder / RANKS
    if source.suffix == ranks.suffix:
        shutil.copyfile(source, ranks)
        side_car = {"pattern": GPT2, "special_tokens": {}, "unknown_token": None}
        ranks.with_suffix(".json").write_text(json.dumps(side_car), encoding="utf-8")
        recording = core.FORMATS["tiktoken"].load(ranks)
    else:
        recording = recorder("gpt2", source, merges)()
        core.FORMATS["tiktoken"].save(recording, len(recording), ranks)
    core.FORMATS["huggingface"].save(recording, len(recording), (folder / TOKENIZER_JSON).parent)
    return len(recording)
