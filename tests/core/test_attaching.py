"""A corpus fills the counts of a recording that was read from a file."""

from dataclasses import fields, replace

import pytest

from core.attaching import attached
from core.corpus import Corpus
from core.errors import ConfigError
from core.merge import Merge
from core.pipeline import Pipeline, Texts
from core.pre_tokenizer import PRE_TOKENIZERS
from core.recording import Recording
from core.trainer import CorpusSize
from tests.core.formats.kinds import KINDS, kind
from tests.core.runs import finish


def stripped(recording: Recording) -> Recording:
    """As if it were read from a file without counts."""
    bare = replace(recording, corpus=None, word_counts={}, base_counts={}, size=CorpusSize())
    bare.extend(Merge(*merge[:4]) for merge in recording)
    return bare


@pytest.mark.parametrize("name", KINDS)
def test_the_text_that_it_was_trained_on_gives_all_counts_back(name):
    recording = kind(name)
    filled = finish(attached(stripped(recording), recording.corpus))
    assert list(filled) == list(recording)
    for field in fields(Recording):
        assert getattr(filled, field.name) == getattr(recording, field.name), field.name
    assert filled.token_count(recording[0].token_id, len(filled)) == recording.token_count(
        recording[0].token_id, len(recording)
    )


def test_what_is_a_text_can_be_chosen_and_how_words_are_cut_cannot():
    recording, corpus = kind("bytes gpt2"), Corpus.typed("one two\nthree")
    lines = finish(attached(stripped(recording), corpus, replace(recording.pipeline, texts=Texts.LINES)))
    assert lines.pipeline.texts is Texts.LINES
    assert lines.word_counts == {"one": 1, " two": 1, "three": 1}
    with pytest.raises(ConfigError, match=r"pre-tokenizer cl100k; .* but the tokenizer will cut texts with .*gpt2"):
        finish(attached(stripped(recording), corpus, Pipeline(pre_tokenizer=PRE_TOKENIZERS["cl100k"])))
