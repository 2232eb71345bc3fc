import gc

from core.garbage import collector_paused


def test_the_collector_is_paused_and_goes_on_afterwards():
    with collector_paused():
        assert not gc.isenabled()
    assert gc.isenabled()
    assert gc.get_freeze_count() == 0


def test_what_somebody_else_has_paused_stays_so():
    gc.disable()
    try:
        with collector_paused():
            assert not gc.isenabled()
        assert not gc.isenabled()
    finally:
        gc.enable()
