import mmap

import pytest

from core.huge_pages import zeros


def test_much_memory_is_zero_and_begins_at_a_cache_line() -> None:
    for count in (1, 1_000, 1 << 18, (1 << 19) + 1):
        numbers = zeros(count)
        assert len(numbers) == count
        assert not numbers.any()
        assert numbers.ctypes.data % 64 == 0
        numbers[:] = -1  # it is ours to write to


def test_too_much_memory_is_refused_as_numpy_does() -> None:
    with pytest.raises(MemoryError):
        zeros(1 << 50)


def test_without_huge_pages_there_is_memory_too(monkeypatch) -> None:
    monkeypatch.setattr(mmap, "mmap", refuse)
    assert not zeros(1 << 20).any()
    monkeypatch.delattr(mmap, "MADV_HUGEPAGE", raising=False)
    assert not zeros(1 << 20).any()


def refuse(*_, **__):
    raise OSError(12, "Cannot allocate memory")
