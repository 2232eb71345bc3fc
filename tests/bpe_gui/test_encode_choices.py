"""How to encode, as it survives a restart."""

import pytest

from bpe_gui.encode_choices import EncodeChoices, stored_choices
from bpe_gui.settings import Settings
from core.encoders import Dropout
from core.encoding_rules import Encoder
from core.tokenizer import Specials


def test_the_first_time_it_is_the_merge_rank_alone(settings):
    assert stored_choices(settings) == EncodeChoices(Encoder.MERGE_RANK, None, None, Specials.MATCH)


def test_all_that_was_stored(settings):
    settings.set(Settings.COMPARES_ENCODERS, True)
    settings.set(Settings.OTHER_ENCODER, Encoder.LIST_ORDER)
    settings.set(Settings.DROPOUT, 10.0)
    settings.set(Settings.DROPOUT_SEED, 7.0)
    settings.set(Settings.ENCODE_SPECIALS, Specials.REFUSE)
    assert stored_choices(settings) == EncodeChoices(
        Encoder.MERGE_RANK, Encoder.LIST_ORDER, Dropout(0.1, 7), Specials.REFUSE
    )


def test_dropout_goes_with_the_merge_rank_only(settings):
    settings.set(Settings.DROPOUT, 10.0)
    settings.set(Settings.ENCODER, Encoder.TOKEN_RANK)
    assert stored_choices(settings) == EncodeChoices(Encoder.TOKEN_RANK)


@pytest.mark.parametrize(("percent", "dropout"), [(-5.0, None), (0.0, None), (250.0, None), (100.0, Dropout(1.0))])
def test_a_probability_is_a_probability(settings, percent, dropout):
    settings.set(Settings.DROPOUT, percent)
    assert stored_choices(settings).dropout == dropout


def test_names_of_another_version_are_the_usual_choice(settings):
    settings.set(Settings.ENCODER, "unigram")
    settings.set(Settings.ENCODE_SPECIALS, "")
    assert stored_choices(settings) == EncodeChoices()
