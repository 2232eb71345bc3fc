import threading

import pytest

from core.threads import part_count, together


def steps(made: list[int], numbers: range):
    for number in numbers:
        made.append(number)
        yield


def others() -> list[threading.Thread]:
    return [thread for thread in threading.enumerate() if thread.name.startswith("counting")]


def test_all_parts_run_to_their_ends():
    made: list[int] = []
    for _ in together([steps(made, range(3)), steps(made, range(10, 13)), steps(made, range(20, 23))]):
        pass
    assert sorted(made) == [0, 1, 2, 10, 11, 12, 20, 21, 22]
    assert not others()


def test_one_part_needs_no_thread():
    made: list[int] = []
    work = together([steps(made, range(2))])
    next(work)
    assert (made, others()) == ([0], [])


def test_when_it_is_closed_the_threads_end():
    made: list[int] = []
    work = together([steps(made, range(10)), steps([], range(10**12))])
    next(work)
    assert len(others()) == 1
    work.close()
    assert made == [0]
    assert not others()


@pytest.mark.parametrize("failing", [0, 1])
def test_when_one_fails_all_end(failing):
    def fail():
        yield
        raise MemoryError

    parts = [steps([], range(10**12))]
    parts.insert(failing, fail())
    with pytest.raises(MemoryError):
        for _ in together(parts):
            pass
    assert not others()


def test_little_work_is_one_part(monkeypatch):
    monkeypatch.setattr("os.cpu_count", lambda: 3)
    assert [part_count(size, 10) for size in (0, 19, 20, 30, 1_000)] == [1, 1, 2, 3, 3]
    monkeypatch.setattr("os.cpu_count", lambda: None)
    assert part_count(1_000, 10) == 1
