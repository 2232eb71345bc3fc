from core.corpus import Pipeline
from core.pre_tokenizer import custom
from core.word_facts import WordFacts, word_facts
from tests.core.runs import finish


def test_numbers():
    assert finish(word_facts("low lower low low", Pipeline())) == WordFacts(total=4, unique=3)  # "low" and " low"


def test_what_a_pattern_leaves_out():
    facts = finish(word_facts("low 12 low", Pipeline(pre_tokenizer=custom("[a-z]+"))))
    assert facts == WordFacts(2, 1, 2, ((4, "12"),))
