"""Merges that the command line asks for before training chooses any, and pairs that it rules out."""

import argparse
from collections.abc import Iterable
from dataclasses import replace

from core.alphabet import Marker, Token
from core.branching import Beginning
from core.cli.parser import UsageError, path_of, utf8_text
from core.merge import Merge, Pair
from core.trainer import Plan
from core.vocab import label


def add_plan_options(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("merges that are not chosen by counting")
    group.add_argument(
        "--continue",
        dest="model",
        type=path_of,
        metavar="MODEL",
        help="train on from a saved tokenizer: its merges, ids and alphabet stay, and so does how it cuts texts; "
        "--merges and --vocab-size count what is there too (default: none)",
    )
    _add_pairs(group, "--force", "merge this pair before all that are chosen; may be given several times")
    _add_pairs(
        group,
        "--forbid",
        "never merge this pair of base symbols or of tokens made by --continue and --force; may be given several times",
    )


def _add_pairs(group: argparse._ArgumentGroup, flag: str, help_text: str) -> None:
    group.add_argument(
        flag,
        action="append",
        nargs=2,
        default=[],
        type=utf8_text,
        metavar=("LEFT", "RIGHT"),
        help=f"{help_text} (default: none)",
    )


def with_pairs(beginning: Beginning, forced: Iterable[list[str]], forbidden: Iterable[list[str]]) -> Beginning:
    """Raises UsageError for a name that no token has by then."""
    tokens = _Tokens(beginning)
    given = [*beginning.plan.given]
    for left, right in forced:
        given.append(tokens.merge(len(given), (tokens.id_of(left, "--force"), tokens.id_of(right, "--force"))))
    pairs = {(tokens.id_of(left, "--forbid"), tokens.id_of(right, "--forbid")) for left, right in forbidden}
    return replace(beginning, plan=Plan(tuple(given), beginning.plan.forbidden | pairs))


class _Tokens:
    """The tokens that are there before training, by what they are called: their text, or how they are shown."""

    def __init__(self, beginning: Beginning) -> None:
        alphabet, self._config = beginning.alphabet, beginning.config
        self._marker_text = "" if alphabet.marker in (Marker.NONE, Marker.METASPACE) else self._config.marker_text
        self._tokens = dict[int, Token]()
        self._by_text, self._by_label = dict[bytes, int](), dict[str, int]()
        self._merged = {merge.pair for merge in beginning.plan.given}
        for token_id, token in alphabet.tokens.items():
            self._add(token_id, token)
        for merge in beginning.plan.given:
            self._add(merge.token_id, self._tokens[merge.left] + self._tokens[merge.right])

    def id_of(self, name: str, flag: str) -> int:
        found = self._by_text.get(name.encode(), self._by_label.get(name))
        if found is None:
            raise UsageError(
                f"{flag}: there is no token {name!r} before training begins. There are the base symbols, the tokens "
                "of --continue, and those that a --force before it makes; bytes are written ⟨E4⟩.",
                "train",
            )
        return found

    def merge(self, rank: int, pair: Pair) -> Merge:
        left, right = (self._tokens[i] for i in pair)
        if pair in self._merged:
            names = " ".join(label(token, self._marker_text) for token in (left, right))
            raise UsageError(f"--force {names}: this pair is merged already.", "train")
        self._merged.add(pair)
        token_id = self._free_id()
        self._add(token_id, left + right)
        return Merge(rank, *pair, token_id)

    def _free_id(self) -> int:
        """As the trainer gives them: special tokens with the last ids do not count."""
        last = self._config.specials_last
        token_id = max((i for i, token in self._tokens.items() if not (last and token.special)), default=-1) + 1
        while token_id in self._tokens:
            token_id += 1
        return token_id

    def _add(self, token_id: int, token: Token) -> None:
        self._tokens[token_id] = token
        if not token.is_fallback:
            self._by_text.setdefault(token.text(self._marker_text), token_id)
            self._by_label.setdefault(label(token, self._marker_text), token_id)
