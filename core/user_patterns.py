"""Regular expressions of the user's own: compiled with clear errors, and stopped where they would never end."""

import re
import warnings
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import islice
from time import process_time

import regex

from core.alphabet import has_half_characters
from core.errors import PatternError

BATCH_MATCHES = 4_096  # about 2 ms of work
TIMEOUT_SECONDS = 3.0  # of processor time, for each batch
TRIAL_SECONDS = 0.25
MAX_PARTS = 100_000  # regex takes 0.1 s and 30 MB for so many, and ten times that for ten times as many
SLOWEST_CHARS_PER_SECOND = 5_000_000  # a harmless search that finds nothing runs at 20 million and more

_PROBES = ("", " ", "a", "1", ".", "\n", "\r\n", "é", "日", "It's 12,345 words!\r\n\n  (naïve) a_b")


@lru_cache(maxsize=64)
def compiled(pattern: str) -> "regex.Pattern[str]":
    """Raises PatternError, with the place in the pattern where there is one, if it cannot be read."""
    if _parts(pattern) > MAX_PARTS:
        raise PatternError(
            f"The pattern repeats too much: written out it has more than {MAX_PARTS:,} parts. Choose smaller numbers "
            "between { and }."
        )
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", FutureWarning)  # "possible nested set": today's meaning is the one we use
            return regex.compile(pattern)
    except regex.error as error:
        position: int | None = getattr(error, "pos", None)  # types-regex leaves out pos and msg
        place = "" if position is None else f" at character {position + 1}"
        raise PatternError(f"The pattern cannot be read{place}: {getattr(error, 'msg', error)}.", position) from None
    except RecursionError:
        raise PatternError("The pattern has too many brackets inside each other.") from None
    except ValueError:
        raise PatternError("The pattern has a number with too many digits.") from None


def _parts(pattern: str) -> int:
    """How many parts there are once repeats are written out, as compiling does: 6 of `(ab){3}`, 1 of `a{1,3}`."""
    sums, last = [0], 0  # a sum for each group that is open
    for match in _PART.finditer(pattern):
        if match[1]:
            times = int(match[1][:9])  # as good as any greater number
            sums[-1] += last * (times - 1)
            last *= times
        elif match[0] == "(":
            sums.append(0)
        else:
            last = sums.pop() if match[0] == ")" and len(sums) > 1 else 1
            sums[-1] += last
    return sum(sums)


_PART = re.compile(r"\\.|\[\^?\]?(?:\\.|[^]\\])*\]|\{([0-9]+)(?:,[0-9]*)?\}|.", re.DOTALL)


def check(pattern: str, may_be_empty: bool = False) -> None:
    """Raises PatternError for a pattern that cannot be read or saved, reads backwards, or has an empty match or takes
    too long in one of a few trial texts; `may_be_empty` allows empty matches."""
    if has_half_characters(pattern):
        raise PatternError("The pattern holds half a character (a lone surrogate); leave it out.")
    if compiled(pattern).flags & regex.REVERSE:
        raise PatternError("The pattern reads backwards, (?r); texts are searched from left to right.")
    for probe in _PROBES:
        try:
            matches = list(compiled(pattern).finditer(probe, timeout=TRIAL_SECONDS))
            if not may_be_empty and any(match.start() >= match.end() for match in matches):
                raise empty_match(f"in {probe!r}" if probe else "in an empty text")
        except TimeoutError:
            raise too_slow(f"{probe!r}") from None


@dataclass
class Allowance:
    """Seconds that are left for searching, over those that the length of a text asks for."""

    seconds: float = field(default_factory=lambda: TIMEOUT_SECONDS)


def match_batches(
    pattern: str,
    text: str,
    what: str = "text",
    offset: int = 0,
    allowance: Allowance | None = None,
    may_be_empty: bool = False,
) -> Iterator[list["regex.Match[str]"]]:
    """All matches as lists of up to BATCH_MATCHES; each list has an allowance of its own if none is given.

    Raises PatternError if a match is empty or takes too long; it names the text `what`, which may begin at `offset`.
    Where matches `may_be_empty`, those right behind another match are passed over.
    """
    if may_be_empty:
        yield from _with_empty_matches(pattern, text, what, offset, allowance)
        return
    done = 0
    while batch := _match_batch(pattern, text, done, what, offset, allowance or Allowance()):
        yield batch
        done = batch[-1].end()


def _with_empty_matches(
    pattern: str, text: str, what: str, offset: int, allowance: Allowance | None
) -> Iterator[list["regex.Match[str]"]]:
    """As Oniguruma's iterator goes: behind an empty match it looks for another from the next character on."""
    place = 0
    try:
        while batch := _batch_from(pattern, text, place, allowance):
            first = next((number for number, match in enumerate(batch) if match.end() == match.start()), None)
            if first is not None:
                place = batch[first - 1].end() if first else place
                yield batch[:first]
                yield from _one_by_one(compiled(pattern), text, place, _seconds(text, allowance))
                return
            yield batch
            place = batch[-1].end()
    except TimeoutError:
        raise too_slow(f"the {what} from character {offset + place + 1:,}", offset + place) from None


def _batch_from(pattern: str, text: str, place: int, allowance: Allowance | None) -> list["regex.Match[str]"]:
    # a search of its own for each batch: time that goes by while a batch is used does not count
    return list(islice(compiled(pattern).finditer(text, place, timeout=_seconds(text, allowance)), BATCH_MATCHES))


def _seconds(text: str, allowance: Allowance | None) -> float:
    return max((allowance or Allowance()).seconds, 0) + len(text) / SLOWEST_CHARS_PER_SECOND


def _one_by_one(
    pattern: "regex.Pattern[str]", text: str, place: int, seconds: float
) -> Iterator[list["regex.Match[str]"]]:
    behind = place or -1  # where the last match ended
    end = process_time() + seconds
    while place <= len(text) and (match := pattern.search(text, place, timeout=max(end - process_time(), 0))):
        if match.end() == match.start() == behind:
            place += 1
            continue
        place = behind = match.end()
        yield [match]


def _match_batch(
    pattern: str, text: str, start: int, what: str, offset: int, allowance: Allowance
) -> list["regex.Match[str]"]:
    seconds = max(allowance.seconds, 0) + (len(text) - start) / SLOWEST_CHARS_PER_SECOND
    batch: list[regex.Match[str]] = []
    before = process_time()
    try:
        for match in islice(compiled(pattern).finditer(text, start, timeout=seconds), BATCH_MATCHES):
            if match.start() >= match.end():
                position = offset + match.start()
                raise empty_match(f"at character {position + 1:,} of the {what}", position)
            batch.append(match)
    except TimeoutError:
        position = offset + (batch[-1].end() if batch else start)
        raise too_slow(f"the {what} from character {position + 1:,}", position) from None
    allowance.seconds -= process_time() - before
    return batch


def empty_match(where: str, position: int | None = None) -> PatternError:
    return PatternError(
        f"The pattern matches nothing {where}, and a match needs at least one character. "
        "Use + instead of *, and no | without something on both sides.",
        position,
    )


def too_slow(where: str, position: int | None = None) -> PatternError:
    return PatternError(
        f"The pattern takes too long on {where}. Repeats inside repeats, such as (a+)+, are the usual reason.", position
    )
