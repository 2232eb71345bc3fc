"""The measures of a text in the plainest way: its words are encoded merge by merge, and then everything is counted."""

import math
from collections import Counter

import pytest
from hypothesis import strategies as st

from core.alphabet import Base, Marker
from core.measures import MEASURES
from core.merge import UNKNOWN

KINDS = [(Base.BYTES, Marker.NONE), (Base.BYTES, Marker.SYMBOL), *((Base.CHARACTERS, marker) for marker in Marker)]
LETTERS = ["a", "b", "ab", "aa", "</w>", "##", "▁a", "é", "e\u0301", "ß", "中", "文中", "🙂", "👩\u200d🔬", "\ud800"]
HARD_WORDS = st.lists(st.sampled_from(LETTERS), max_size=9).map("".join)
CORPORA = st.dictionaries(HARD_WORDS, st.sampled_from([1, 2, 5, 3_000_000_000]), max_size=9)
PLAIN_CORPORA = st.dictionaries(HARD_WORDS.filter(lambda word: "\ud800" not in word), st.integers(1, 5), max_size=9)


def encoded(recording, word, step):
    """The merges one after the other, each from left to right."""
    symbols = recording.alphabet.symbols_of(word)
    for merge in list(recording)[:step]:
        merged, place = [], 0
        while place < len(symbols):
            joins = tuple(symbols[place : place + 2]) == (merge.left, merge.right)
            merged.append(merge.token_id if joins else symbols[place])
            place += 1 + joins
        symbols = merged
    return symbols


def recounted(recording, word_counts, step, alpha):
    """Every scalar of the table, from the encoded words."""
    words = [(word, count, encoded(recording, word, step)) for word, count in word_counts.items()]
    counts = Counter()
    for _, weight, ids in words:
        for token_id in ids:
            counts[token_id] += weight
    tokens, total = counts.total(), sum(word_counts.values())
    size = sum(weight * len(word.encode(errors="surrogatepass")) for word, weight, _ in words)
    vocab = {i for i, token in recording.tokens_at(step)}
    types = {i for i in vocab if not recording.token(i).special}
    used, once = sum(counts[i] > 0 for i in types), sum(counts[i] == 1 for i in types)
    shares = [count / tokens for count in counts.values()] if tokens else []
    if alpha == 1:
        entropy = -sum(share * math.log2(share) for share in shares)
    else:
        entropy = math.log2(sum(share**alpha for share in shares)) / (1 - alpha) if shares else 0
    things = max(len(vocab), used + (counts[UNKNOWN] > 0))
    bits = max(math.ceil(math.log2(len(vocab))), 1) if vocab else 1
    return {
        "token_count": tokens,
        "vocab_size": len(vocab),
        "compression_ratio": 8 * size / (tokens * bits) if tokens else None,
        "bytes_per_token": size / tokens if tokens else None,
        "characters_per_token": sum(weight * len(word) for word, weight, _ in words) / tokens if tokens else None,
        "fertility": tokens / total if total else None,
        "whole_word_share": sum(weight for _, weight, ids in words if len(ids) == 1) / total if total else None,
        "used_share": used / len(types) if tokens and types else None,
        "once_share": once / len(types) if tokens and types else None,
        "never_share": (len(types) - used) / len(types) if tokens and types else None,
        "unknown_rate": counts[UNKNOWN] / tokens if tokens else None,
        "renyi_efficiency": entropy / math.log2(things) if tokens and things > 1 else None,
    }


def assert_measures_are(measures, expected):
    for measure in MEASURES:
        value, wanted = measure.value(measures), expected[measure.name]
        assert value == (None if wanted is None else pytest.approx(wanted, rel=1e-9, abs=1e-9)), measure.name
