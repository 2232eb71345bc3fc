"""The kernels are compiled, or loaded, before the first test calls one."""

import pytest

from core import kernel_loader


@pytest.fixture(autouse=True, scope="module")
def _kernels() -> None:
    kernel_loader.load()
