"""The command `bpe`: everything core does, without a window. Each of its commands is a module, see commands.py."""

import sys
from collections.abc import Sequence
from importlib.metadata import PackageNotFoundError, version

from core.cli.commands import COMMANDS
from core.cli.console import Console, complain, prepare_streams, settle_streams
from core.cli.parser import UsageError
from core.errors import BpeError

FAILED, WRONG_USAGE, INTERRUPTED = 1, 2, 130

HELP = f"""\
usage: bpe COMMAND [ARGUMENT ...]

Train byte pair encoding exactly, and use, measure and convert what was trained.

commands:
{"".join(f"  {command.name:8}  {command.summary}" + chr(10) for command in COMMANDS.values())}
  bpe COMMAND --help   what a command does, with examples
  bpe --version        the version of this program

Results go to standard output in UTF-8, messages to standard error. The exit status is 0 if all went well, 1 for files
or data that cannot be used, 2 for a wrong command line, 130 after Ctrl+C.
"""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; returns its exit status."""
    prepare_streams()
    try:
        return _status_of(arguments)
    finally:
        settle_streams()


def _status_of(arguments: Sequence[str] | None) -> int:
    try:
        _run(list(sys.argv[1:] if arguments is None else arguments))
        sys.stdout.flush()
    except BrokenPipeError:  # as of `bpe show MODEL --vocab | head`
        Console().abandon_output()
    except KeyboardInterrupt:
        complain("stopped")
        return INTERRUPTED
    except UsageError as error:
        help_of = f"bpe {error.command}" if error.command else "bpe"
        return _fail(f"{error}\nTry: {help_of} --help", WRONG_USAGE)
    except BpeError as error:
        return _fail(str(error))
    except MemoryError:
        return _fail("There is not enough memory for this.")
    except OSError as error:
        return _fail(f"{error.filename or 'standard output'}: {error.strerror or error}.")
    return 0


def _run(arguments: Sequence[str]) -> None:
    if not arguments:
        raise UsageError(f"Which command? There are {', '.join(COMMANDS)}.")
    name, *rest = arguments
    if name in ("-h", "--help"):
        sys.stdout.write(HELP)
    elif name == "--version":
        sys.stdout.write(f"bpe {_version()}\n")
    elif name in COMMANDS:
        _run_command(name, rest)
    else:
        raise UsageError(f"There is no {'option' if name.startswith('-') else 'command'} {name!r}.")


def _run_command(name: str, rest: Sequence[str]) -> None:
    command = COMMANDS[name]
    try:
        options = command.parse(rest)
    except SystemExit:  # argparse has printed the help
        return
    command.run(options, Console(options.progress, options.quiet))


def _version() -> str:
    try:
        return version("bpe-gui")
    except PackageNotFoundError:  # run from a folder that was never installed
        return "(development version)"


def _fail(message: str, status: int = FAILED) -> int:
    complain(f"error: {message}")
    return status
