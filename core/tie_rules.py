"""Which pair comes first among those with the same score: a key for each rule, and the smallest key wins."""

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

from core.alphabet import Alphabet, Token
from core.candidates import TieKey
from core.merge import Pair
from core.trainer_config import TieBreak


def tie_rule(
    rule: TieBreak,
    tokens: Mapping[int, Token],
    alphabet: Alphabet,
    marker_text: str,
    first_place: Callable[[Pair], int],
) -> TieKey:
    """`tokens` may go on growing; `first_place` finds the earliest place of a pair in the corpus as it stands."""
    if rule is TieBreak.IDS:
        return lambda pair: pair
    if rule is TieBreak.FIRST_SEEN:
        return first_place
    if rule is TieBreak.SHORT_THEN_STRING:
        return lambda pair: _short_then_string(tokens[pair[0]] + tokens[pair[1]], marker_text)
    return _by_token(_token_key(rule, tokens, alphabet, marker_text))


def _by_token(key: Callable[[int], Any]) -> TieKey:
    keys: dict[int, Any] = {}

    def known(token_id: int) -> Any:
        if token_id not in keys:
            keys[token_id] = key(token_id)
        return keys[token_id]

    return lambda pair: (known(pair[0]), known(pair[1]))


def _token_key(
    rule: TieBreak, tokens: Mapping[int, Token], alphabet: Alphabet, marker_text: str
) -> Callable[[int], Any]:
    def string(token_id: int) -> bytes:
        return tokens[token_id].text(marker_text)  # UTF-8 sorts as its code points do

    def reversed_string(token_id: int) -> tuple[int, ...]:
        return *(-byte for byte in string(token_id)), 1  # the 1 puts a string behind its continuations

    keys: dict[TieBreak, Callable[[int], Any]] = {
        TieBreak.BYTES: partial(byte_first, alphabet=alphabet),
        TieBreak.LEXICOGRAPHIC: string,
        TieBreak.REVERSE_LEXICOGRAPHIC: reversed_string,
    }
    return keys[rule]


def byte_first(token_id: int, alphabet: Alphabet) -> int:
    """A key by which bytes come first, by their values, and then everything else by id."""
    token = alphabet.tokens.get(token_id)
    return token.content[0] if token and len(token.content) == 1 else 256 + token_id


def _short_then_string(merged: Token, marker_text: str) -> tuple[int, bytes]:
    text = merged.text(marker_text)
    return len(text.decode(errors="surrogateescape")), text
