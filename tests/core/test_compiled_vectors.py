"""All vectors and training jobs of other tools once more, with compiled loops."""

import pytest

from core import kernel_loader
from tests.core.test_reference_vectors import *  # noqa: F403
from tests.core.test_trainer import *  # noqa: F403


@pytest.fixture(autouse=True, scope="module")
def _kernels():
    kernel_loader.load()
    assert kernel_loader.are_ready()
