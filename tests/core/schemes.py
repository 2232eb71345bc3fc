"""Recordings of every kind for property tests: trained on small hard corpora, or lists of merges in any order."""

from itertools import product

from hypothesis import strategies as st

from core.alphabet import Alphabet, Base, Marker, Token, Unknown
from core.errors import ConfigError
from core.merge import Merge
from core.recording import Recording
from core.trainer import Score, TieBreak, TrainerConfig
from tests.core.runs import record_words


def _config(base, marker, unknown, **options):
    try:
        return TrainerConfig(base, marker, unknown=unknown, special_tokens=("<unk>",), unknown_token="<unk>", **options)
    except ConfigError:
        return None


SCHEMES = [scheme for scheme in product(Base, Marker, Unknown) if _config(*scheme)]
KINDS = sorted({(base, marker) for base, marker, _ in SCHEMES})

letters = st.sampled_from(["a", "b", "c", "ab", "</w>", "##", "▁", "é", "e\u0301", "日", "🙂", "\u200d", "\0"])
words = st.lists(letters, max_size=10).map("".join)
corpora = st.dictionaries(words, st.integers(1, 3), max_size=8)
steps = st.integers(0, 30)


@st.composite
def trained(draw, schemes=SCHEMES, scores=tuple(Score)):
    """What a training run makes; some letters of `words` are unknown to it."""
    scheme, tie_break = draw(st.sampled_from(schemes)), draw(st.sampled_from(TieBreak))
    config = _config(
        *scheme, tie_break=tie_break, score=draw(st.sampled_from(scores)), complete_alphabet=draw(st.booleans())
    )
    return record_words(draw(corpora), config)


BASE = "abcx"


def listed(merges, marker=Marker.NONE, unknown=Unknown.KEEP):
    """A recording of pairs of strings over a, b, c and x in any order; a string has one id."""
    texts = list(dict.fromkeys([*BASE, *(text for left, right in merges for text in (left, right, left + right))]))
    vocabulary = {i: Token(text.encode()) for i, text in enumerate(texts)}
    alphabet = Alphabet(Base.CHARACTERS, marker, {i: vocabulary[i] for i in range(len(BASE))}, unknown)
    recording = Recording(alphabet, TrainerConfig(Base.CHARACTERS, marker), vocabulary=vocabulary)
    for rank, (left, right) in enumerate(merges):
        recording.append(Merge(rank, texts.index(left), texts.index(right), texts.index(left + right)))
    return recording


_rule = st.text(BASE[:3], min_size=2, max_size=4).flatmap(
    lambda text: st.integers(1, len(text) - 1).map(lambda place: (text[:place], text[place:]))
)
rule_lists = st.lists(_rule, max_size=10)
"""Merges in any order, listed twice now and then, with several for one token and parts that nothing makes."""

rule_words = st.text(BASE[:3] + "x", max_size=14)
