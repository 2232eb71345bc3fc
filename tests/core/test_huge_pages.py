from core.huge_pages import zeros


def test_much_memory_is_zero_and_begins_at_a_cache_line() -> None:
    for count in (1, 1_000, 1 << 18, (1 << 19) + 1):
        numbers = zeros(count)
        assert len(numbers) == count
        assert not numbers.any()
        assert numbers.ctypes.data % 64 == 0
        numbers[:] = -1  # it is ours to write to
