"""core can be used where there is no Qt: it imports none of it, and nothing of the app."""

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
MODULES = [
    ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")
    for path in sorted((ROOT / "core").rglob("*.py"))
]

IMPORT_ALL = """
import sys

class Blocked:
    names = {"PySide6", "PySide2", "PyQt6", "PyQt5", "shiboken6", "pyqtgraph", "qtawesome", "bpe_gui", "resources"}

    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in self.names:
            raise ImportError(f"core imports {name}")

sys.meta_path.insert(0, Blocked())
sys.path.insert(0, sys.argv[1])
import importlib
for module in sys.argv[2:]:
    importlib.import_module(module)
found = Blocked.names & {name.partition(".")[0] for name in sys.modules}
assert not found, found
"""


def test_core_needs_no_qt():
    assert {"core.trainer", "core.tokenizer", "core.corpus"} <= set(MODULES)
    command = [sys.executable, "-W", "error", "-c", IMPORT_ALL, str(ROOT), "core", *MODULES]
    result = subprocess.run(command, capture_output=True, text=True, check=False)

    assert (result.returncode, result.stderr) == (0, "")


def test_a_start_need_not_wait_for_numba():
    names = ["bpe_gui.app", "core.cli.commands", "core.tokenizer", "core.trainer", "core.kernels", "core.kernel_loader"]
    code = f"import sys, {', '.join(names)}\nprint({{'numba', 'llvmlite'}} & {{*sys.modules}})"
    command = [sys.executable, "-W", "error", "-c", code]
    result = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)

    assert (result.stdout, result.stderr) == ("set()\n", "")
