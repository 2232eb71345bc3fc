from core.corpus import Corpus
from core.pipeline import Pipeline
from core.pre_tokenizer import custom
from core.word_counts import load_word_counts
from core.word_facts import WordFacts, word_facts
from tests.core.runs import finish


def test_numbers():
    facts = finish(word_facts(Corpus.typed("low lower low low"), Pipeline()))
    assert facts == WordFacts(total=4, unique=3)  # "low" and " low"


def test_what_a_pattern_leaves_out():
    facts = finish(word_facts(Corpus.typed("low 12 low"), Pipeline(pre_tokenizer=custom("[a-z]+"))))
    assert facts == WordFacts(2, 1, 2, ((4, "12"),))


def test_given_counts(tmp_path):
    (tmp_path / "words.txt").write_bytes(b"low 3000000000\nlow 12 1\n")
    corpus = load_word_counts(tmp_path / "words.txt")
    facts = finish(word_facts(corpus, Pipeline(pre_tokenizer=custom("[a-z]+"))))
    assert facts == WordFacts(total=3_000_000_001, unique=2)
    assert corpus.given_counts == {"low": 3_000_000_000, "low 12": 1}
