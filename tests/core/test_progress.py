from core.progress import Progress, without_progress


def work(steps):
    for step in range(steps):
        yield Progress(step, steps)
    return "done"


def test_what_a_generator_returns():
    assert without_progress(work(3)) == "done"
    assert without_progress(work(0)) == "done"
