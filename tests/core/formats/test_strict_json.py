"""What is read as a tokenizer's file has an end."""

import os

import pytest

from core.errors import FormatError
from core.formats.strict_json import read_bytes


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="Windows has no pipes with names")
def test_a_pipe_is_not_waited_for(tmp_path):
    os.mkfifo(tmp_path / "tokenizer.json")
    with pytest.raises(FormatError, match=r"^tokenizer\.json is a device or pipe, where a file was expected\.$"):
        read_bytes(tmp_path / "tokenizer.json")
