"""What every test has: plain or compiled loops, large shared data where there are any, and a profile for Hypothesis."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from core import kernel_loader

ROOT = Path(__file__).parents[1]

# deadlines measure the machine, and offscreen Qt makes examples slow at times
settings.register_profile("bpe", deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("bpe")


@pytest.fixture(scope="session")
def shared_dir() -> Path:
    """A folder `shared` beside the checkout with corpora and real tokenizers; without it the test is skipped."""
    folder = ROOT.parent / "shared"
    if not folder.is_dir():
        pytest.skip("no folder `shared` beside the checkout")
    return folder


@pytest.fixture(autouse=True, scope="module")
def _loops() -> Iterator[None]:
    """Plain ones until something in the module loads the compiled ones: no test depends on which ran before.

    With BPE_TESTS_COMPILED=1 every test has the compiled ones.
    """
    load, is_asked = kernel_loader.load, os.environ.get("BPE_TESTS_COMPILED") == "1"

    def load_for_module(*arguments: object) -> None:
        nonlocal is_asked
        load(*arguments)
        is_asked = True

    with pytest.MonkeyPatch.context() as patch:
        if is_asked:
            load()
        patch.setattr(kernel_loader, "load", load_for_module)
        patch.setattr(kernel_loader, "are_ready", lambda: is_asked and kernel_loader.LOADER.is_ready)
        yield
