import pytest

from core.errors import ConfigError
from core.normalizer import NORMALIZERS
from core.option_values import NORMALIZER_ORDER, read


def test_every_normalizer_can_be_chosen_but_for_the_one_that_comes_with_its_marker():
    assert set(NORMALIZER_ORDER) == set(NORMALIZERS) - {"metaspace"}
    assert len(set(NORMALIZER_ORDER)) == len(NORMALIZER_ORDER)


def test_read():
    assert read("normalizers", ["strip", "nfc"]) == ("strip", "nfc")
    assert read("replacements", [["a", "b"]]) == (("a", "b"),)
    with pytest.raises(ConfigError, match="There is no training option named 'normalizer'"):
        read("normalizer", [])
    with pytest.raises(ConfigError, match="'normalizers' cannot be \\['metaspace'\\]"):
        read("normalizers", ["metaspace"])
