"""Writes a tokenizer.json: our own way of saying things, or around vocabulary and merges all that the file said that
the tokenizer was read from."""

from collections.abc import Iterator, Mapping
from itertools import islice
from typing import Any

from core.added_tokens import AddedToken
from core.alphabet import Marker
from core.formats.base import Lines
from core.formats.huggingface_document import DOCUMENT, OUTSIDE, document_of
from core.formats.huggingface_findings import late_added_tokens, needs_all_splits, needs_lists
from core.formats.huggingface_normalizer import Json
from core.formats.huggingface_pipeline import (
    MAX_WORD_CHARS,
    Layout,
    bpe_options,
    decoder_of,
    normalizer_of,
    pre_tokenizer_of,
    unknown_token,
)
from core.formats.json_lines import opened, separated, text_of
from core.formats.spelling import Contents, Spelling
from core.formats.strict_json import is_id
from core.merge import Pair
from core.recording import Recording

MERGES_AT_END = ("vocab", "merges")


def tokenizer_lines(recording: Recording, step: int) -> Lines:
    layout = Layout.of(recording)
    document = document_of(recording) or _new_document(recording, layout)
    yield from _opened({key: value for key, value in document.items() if key != "model"})
    yield '  "model": {\n'
    model = {key: value for key, value in document["model"].items() if key not in MERGES_AT_END}
    for key, value in model.items():
        yield f"    {text_of(key)}: {text_of(value)},\n"
    spelling = Spelling(recording, layout.marker_text)
    yield '    "vocab": {\n'
    yield from separated(f"      {text_of(spelling[i])}: {i}" for i in vocabulary_ids(recording, step))
    if layout.is_word_piece:
        yield "    }\n"
    else:
        yield '    },\n    "merges": [\n'
        as_lists = needs_lists(recording, Contents.of(recording, step))
        pairs = ((spelling[left], spelling[right]) for left, right in written_merges(recording, step))
        yield from separated(f"      {text_of(list(pair) if as_lists else ' '.join(pair))}" for pair in pairs)
        yield "    ]\n"
    yield "  }\n}\n"


def _opened(head: Json) -> Lines:
    return opened(head) if head else iter(("{\n",))


def vocabulary_ids(recording: Recording, step: int) -> list[int]:
    """The ids of the file's vocabulary, rising.

    Added tokens that were not in the vocabulary stay out of it at the last step only: their ids are counted on from
    its size.
    """
    outside = set[int]()
    if step == len(recording) and recording.imported and document_of(recording):
        listed = recording.imported.document.get(OUTSIDE)
        if isinstance(listed, list):  # a saved recording may be edited by hand
            outside.update(token_id for token_id in listed if is_id(token_id))
    there = {token_id for token_id, _ in recording.tokens_at(step)}
    there.update(token.token_id for token in late_added_tokens(recording, step))
    return sorted(there - outside)


def written_merges(recording: Recording, step: int) -> Iterator[Pair]:
    """The pairs of the first `step` merges, or all ways to split a token where its rank alone counts.

    Left out are merges that a token takes part in which is not there yet: they never apply.
    """
    if needs_all_splits(recording, step):
        yield from all_splits(recording, step)
        return
    if recording.is_monotone:
        yield from (merge.pair for merge in islice(recording, step))
        return
    there = {token_id for token_id, _ in recording.tokens_at(step)}
    yield from (merge.pair for merge in islice(recording, step) if there.issuperset(merge.pair))


def all_splits(recording: Recording, step: int) -> Iterator[Pair]:
    """Every pair of tokens that spells a token, by the rank of that token.

    Of tokens whose ranks are equal the pairs with the longest left part come first, as in transformers' own files for
    SentencePiece's models: rows of spaces are cut from the left, as SentencePiece cuts them.
    """
    tokens = {
        token.content: token_id
        for token_id, token in recording.tokens_at(step)
        if not (token.special or token.is_fallback)
    }
    done, equal = set[int](), list[tuple[int, int, Pair]]()
    first = -1
    for rank, merge in enumerate(islice(recording, step)):
        if recording.rules.first_of_equals(rank) != first:
            yield from (pair for _, _, pair in sorted(equal))
            equal, first = [], rank
        if merge.token_id not in done:
            done.add(merge.token_id)
            equal += _splits(recording.token(merge.token_id).content, tokens)
    yield from (pair for _, _, pair in sorted(equal))


def _splits(content: bytes, tokens: Mapping[bytes, int]) -> Iterator[tuple[int, int, Pair]]:
    """With how they are ordered among equals."""
    for place in range(1, len(content)):
        left, right = tokens.get(content[:place]), tokens.get(content[place:])
        if left is not None and right is not None:
            yield -place, place - len(content), (left, right)


def _new_document(recording: Recording, layout: Layout) -> Json:
    return {
        "version": "1.0",
        "truncation": None,
        "padding": None,
        "added_tokens": [_added_token(token) for token in added_tokens(recording)],
        "normalizer": normalizer_of(layout),
        "pre_tokenizer": pre_tokenizer_of(layout),
        "post_processor": None,
        "decoder": decoder_of(layout),
        "model": _model_options(layout),
    }


def added_tokens(recording: Recording) -> list[AddedToken]:
    """What is looked for in texts, and special tokens that are not: the library has no others."""
    found = {token.token_id: token for token in recording.looked_for}
    others = (AddedToken(text, i) for text, i in recording.alphabet.special_ids.items() if i not in found)
    return [*others, *recording.looked_for]


def _added_token(token: AddedToken) -> Json:
    return {
        "id": token.token_id,
        "content": token.content,
        "single_word": token.single_word,
        "lstrip": token.lstrip,
        "rstrip": token.rstrip,
        "normalized": token.normalized,
        "special": token.special,
    }


def _model_options(layout: Layout) -> Json:
    if not layout.is_word_piece:
        takes_whole = layout.recording.rules.whole_pieces
        return {"type": "BPE", "dropout": None, **bpe_options(layout), "ignore_merges": takes_whole}
    return {
        "type": "WordPiece",
        # a name is required; where nothing is unknown it is never looked for
        "unk_token": unknown_token(layout) or "[UNK]",
        "continuing_subword_prefix": layout.marker_text if layout.alphabet.marker is Marker.CONTINUING else "",
        "max_input_chars_per_word": MAX_WORD_CHARS,
    }


def beside_of(recording: Recording) -> Mapping[str, Any]:
    """The files that stood beside it, by name."""
    imported = recording.imported
    if not imported or not document_of(recording):
        return {}
    return {name: value for name, value in imported.document.items() if name.endswith(".json") and name != DOCUMENT}
