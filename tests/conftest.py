"""What every test has: the folder of large shared data where there is one, and a profile for Hypothesis."""

from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

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
