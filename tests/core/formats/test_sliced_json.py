"""Large JSON read in slices is what json.loads gives, and errors are those of strict_json."""

import json
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.errors import FormatError
from core.formats import sliced_json, strict_json
from core.progress import without_progress

VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-9, 10**12)
    | st.floats(-9, 9)
    | st.text('ab"\\[]{},:\n\x00é中😀/u', max_size=9),
    lambda inner: st.lists(inner, max_size=6) | st.dictionaries(st.text('a"\\,{[é', max_size=4), inner, max_size=6),
    max_leaves=40,
)


@pytest.fixture(autouse=True)
def _small_slices(monkeypatch):
    monkeypatch.setattr(sliced_json, "SLICE_BYTES", 16)
    monkeypatch.setattr(sliced_json, "SCAN_BYTES", 7)


def _read(data: bytes) -> Any:
    return without_progress(sliced_json.read_object(data, "x.json"))


def _listed(value: Any) -> Any:
    """With lists for tuples."""
    if isinstance(value, dict):
        return {key: _listed(item) for key, item in value.items()}
    return [_listed(item) for item in value] if isinstance(value, list | tuple) else value


@settings(max_examples=300, derandomize=True, database=None)
@given(st.dictionaries(st.text(max_size=5), VALUES, max_size=6), st.booleans(), st.sampled_from([None, 0, 2]))
def test_slices_give_what_all_at_once_gives(value, is_ascii, indent):
    data = json.dumps(value, ensure_ascii=is_ascii, indent=indent).encode()
    assert _listed(_read(data)) == value
    assert list(_read(data)) == list(value)


def _outcome(read: Callable[[bytes], Any], data: bytes) -> Any:
    """What is read, or what is said."""
    try:
        return _listed(read(data))
    except FormatError as error:
        return str(error)


def _at_once(data: bytes) -> Any:
    return strict_json.object_of_text(strict_json.text_of_bytes(data, "x.json"), "x.json")


def _broken() -> Iterator[bytes]:
    good = json.dumps({"model": {"vocab": {f"token {n}": n for n in range(9)}, "merges": [["a", "b"]] * 9}, "z": "é\\"})
    data = good.encode()
    yield from (data[:length] for length in range(len(data)))
    for place in range(len(data)):
        yield from (data[:place] + other + data[place + 1 :] for other in (b'"', b"}", b"]", b",", b"\\", b"\xff"))


def test_what_is_wrong_is_said_as_for_a_small_file():
    for data in _broken():
        assert _outcome(_read, data) == _outcome(_at_once, data), data


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('{"a": 1, "bbbbbbbbbbbbbbbbbbbbbbbbbb": [1], "a": 2}', "the key 'a' stands there twice"),
        ('{"a": [{"cccccccccccccccc": 1, "ddddddddd": 1, "cccccccccccccccc": 2}]}', "stands there twice"),
        ('{"a": ["' + "x" * 40 + '", NaN]}', "NaN is not JSON"),
        ('{"a": ["' + "x" * 40 + r'", "\ud800"]}', "holds half a character"),
        ('{"a": ["' + "x" * 40 + r'", "\ud83d\ude00"]}', ""),
        ('{"a": [' + "[" * 300 + "]" * 300 + "]}", ""),
        ('{"a": ' + "[" * 100_000 + "]" * 100_000 + "}", "is nested too deeply"),
        ('["' + "x" * 40 + '", {}]', "a JSON object was expected"),
        ('{"a": [1, 2, 3]}\n\n{"b": [1, 2, 3]}', "line 3, column 1: Extra data"),
        ('{"a": {"b": [1, 2, 3, 4, 5, 6, 7, 8]} 7, "c": 8}', "Expecting ',' delimiter"),
        ('{"a": [7 {"b": [1, 2, 3, 4, 5, 6, 7, 8]}], "c": 8}', "Expecting ',' delimiter"),
    ],
)
def test_strictness(text, message):
    if not message:
        assert _listed(_read(text.encode())) == json.loads(text)
        return
    with pytest.raises(FormatError) as caught:
        _read(text.encode())
    assert message in str(caught.value)


def test_a_large_file_is_read_in_many_slices(monkeypatch):
    monkeypatch.undo()
    value = {"vocab": {f"token {n}": n for n in range(40_000)}, "merges": [["a", f"b{n}"] for n in range(40_000)]}
    data = json.dumps(value, indent=1).encode()
    slices = list(sliced_json.read_object(data, "x.json"))
    assert all(0 <= progress.done <= progress.total for progress in slices)
    assert len(slices) > len(data) // sliced_json.SLICE_BYTES
    found = _read(data)
    assert _listed(found) == value
    assert {type(merge) for merge in found["merges"]} == {tuple}
