import pytest

from bpe_gui.widgets import trainer_choices as choices
from core.alphabet import Base, ByteOrder, Marker, Unknown
from core.option_values import NORMALIZER_ORDER
from core.pipeline import Texts
from core.pre_tokenizer import PRE_TOKENIZERS, Digits
from core.trainer_config import Score, TieBreak


@pytest.mark.parametrize(
    ("offered", "values"),
    [
        (choices.NORMALIZERS, NORMALIZER_ORDER),
        (choices.CUTS, (*PRE_TOKENIZERS, "custom")),
        (choices.DIGITS, Digits),
        (choices.TEXTS, Texts),
        (choices.BASES, Base),
        (choices.BYTE_ORDERS, ByteOrder),
        (choices.MARKERS, Marker),
        (choices.UNKNOWNS, Unknown),
        (choices.SCORES, Score),
        (choices.TIES, TieBreak),
    ],
)
def test_everything_that_can_be_chosen_is_offered_once_with_a_title_and_a_sentence(offered, values):
    assert sorted(choice.value for choice in offered) == sorted(values)
    assert len({choice.title for choice in offered}) == len(offered)
    assert all(choice.title and choice.help.endswith(".") for choice in offered)
