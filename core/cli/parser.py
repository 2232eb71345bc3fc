"""What every command's parser has in common: messages in the user's words, kinds of values, and what a command is."""

import argparse
import math
import textwrap
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NoReturn, TypeVar

from core.cli.console import Console
from core.errors import BpeError

HELP_COLUMNS = 90
Name = TypeVar("Name", bound=str)


class UsageError(BpeError):
    """The command line itself is wrong; `command` is the one whose help tells more."""

    def __init__(self, message: str, command: str = "") -> None:
        super().__init__(message)
        self.command = command


class Parser(argparse.ArgumentParser):
    """Raises UsageError where argparse would print and exit."""

    def __init__(self, name: str, usage: str, description: str, examples: str) -> None:
        super().__init__(
            f"bpe {name}",
            usage=f"bpe {name} {usage}",
            description=textwrap.fill(description, HELP_COLUMNS, break_on_hyphens=False),
            epilog=f"examples:\n{examples}",
            formatter_class=argparse.RawDescriptionHelpFormatter,
            allow_abbrev=False,  # a script must not change its meaning when an option is added
        )
        self._name = name

    def error(self, message: str) -> NoReturn:
        text = message.removeprefix("argument ")
        if text.endswith("expected one argument"):
            flag = text.partition(":")[0].split("/")[0]
            text += f"; one that begins with - is written {flag}=-…"
        raise UsageError(f"{text}.", self._name)

    def value(self, action: argparse.Action, text: str) -> object:
        """What an argument means that argparse has not taken in."""
        try:
            return self._get_value(action, text)
        except argparse.ArgumentError as error:
            self.error(str(error))


@dataclass(frozen=True)
class Command:
    """`many` is the positional argument that may stand in several places: `train a.txt --merges 5 b.txt`."""

    name: str
    usage: str
    summary: str
    description: str
    examples: str
    add_arguments: Callable[[argparse.ArgumentParser], None]
    run: Callable[[argparse.Namespace, Console], None]
    many: str | None = None

    def parser(self) -> Parser:
        parser = Parser(self.name, self.usage, self.description, self.examples)
        self.add_arguments(parser)
        add_console_options(parser)
        return parser

    def parse(self, arguments: Sequence[str]) -> argparse.Namespace:
        """Raises UsageError."""
        parser = self.parser()
        options, rest = parser.parse_known_args(arguments)
        more = self._more(rest)
        if more:
            (action,) = (action for action in parser._actions if action.dest == self.many)
            getattr(options, action.dest).extend(parser.value(action, text) for text in more)
        return options

    def _more(self, rest: list[str]) -> list[str]:
        """What argparse did not take in: values behind options, everything behind `--`."""
        end = rest.index("--") if "--" in rest else len(rest)
        before, behind = rest[:end], rest[end + 1 :]
        for word in before:
            if word.startswith("-") and word != "-":
                raise UsageError(f"There is no option {word.partition('=')[0]}.", self.name)
        if rest and self.many is None:
            raise UsageError(f"{rest[0]} is one argument too many.", self.name)
        return before + behind


def add_console_options(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("messages")
    group.add_argument(
        "--progress",
        action=argparse.BooleanOptionalAction,
        help="a progress bar on standard error (default: where that is a terminal)",
    )
    group.add_argument("--quiet", action="store_true", help="nothing on standard error but errors (default: no)")


def whole_number(smallest: int = 0, largest: int | None = None) -> Callable[[str], int]:
    """Reads `1000`, `1,000` and `1_000`."""

    def read(text: str) -> int:
        digits = text.replace(",", "").replace("_", "")
        number = int(digits) if digits.isascii() and digits.isdigit() and len(digits) < 20 else -1
        if number < smallest:
            raise argparse.ArgumentTypeError(f"expected a whole number from {smallest} on, got {text!r}")
        if largest is not None and number > largest:
            raise argparse.ArgumentTypeError(f"expected a whole number up to {largest:,}, got {text!r}")
        return number

    return read


def decimal(smallest: float, largest: float) -> Callable[[str], float]:
    """Reads a number in a range, both ends included."""

    def read(text: str) -> float:
        try:
            number = float(text)
        except ValueError:
            number = math.nan
        if not smallest <= number <= largest:
            raise argparse.ArgumentTypeError(f"expected a number from {smallest:g} to {largest:g}, got {text!r}")
        return number

    return read


def choice(names: Iterable[Name], others: Mapping[str, Name] | None = None) -> Callable[[str], Name]:
    """Reads one of `names`, whichever of - and _ they are written with, or a key of `others`, which stands for one."""
    spellings = {_plain(name): name for name in names}
    known = {**spellings, **(others or {})}

    def read(text: str) -> Name:
        found = known.get(_plain(text))
        if found is None:
            raise argparse.ArgumentTypeError(f"there is no {text!r}; choose from {listed(known)}")
        return found

    return read


def choices(names: Iterable[Name]) -> Callable[[str], tuple[Name, ...]]:
    """Reads several of `names`, with commas between them; "none" is none of them."""
    read_one = choice(names)

    def read(text: str) -> tuple[Name, ...]:
        return () if text == "none" else tuple(read_one(part.strip()) for part in text.split(","))

    return read


def _plain(name: str) -> str:
    return name.replace("_", "-")


def listed(names: Iterable[str]) -> str:
    """With hyphens, as they are written on a command line."""
    return ", ".join(map(_plain, names))


def utf8_text(text: str) -> str:
    """Refuses what a terminal in another encoding has handed over as half characters."""
    try:
        text.encode()
    except UnicodeEncodeError:
        raise argparse.ArgumentTypeError(f"{text!a} is not text in the terminal's encoding") from None
    return text


def named(text: str) -> str:
    """The name of a file or folder; Python would take an empty one, as of a variable never set, for this folder."""
    if not text:
        raise argparse.ArgumentTypeError("the name is empty")
    return text


def path_of(text: str) -> Path:
    return Path(named(text))


def with_default(help_text: str, default: object) -> str:
    """The help of an option with what counts where it is not given."""
    shown = _plain(str(default))
    if isinstance(default, bool):
        shown = "yes" if default else "no"
    elif default in ("", 0, (), None):
        shown = "none"
    return f"{help_text} (default: {shown})".replace("%", "%%")
