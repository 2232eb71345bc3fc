"""How a way of cutting texts cuts a sample, for a person who has to choose one."""

from collections.abc import Generator
from itertools import islice
from typing import NamedTuple

from core.alphabet import Token
from core.pre_tokenizer import PreTokenizer, custom
from core.progress import Progress
from core.utf8 import utf8
from core.vocab import label

MAX_SAMPLE_CHARS = 300
MAX_WORDS = 120
BETWEEN_WORDS = " │ "


class CutPreview(NamedTuple):
    """`words` are written so that white space is seen, with strokes between."""

    pre_tokenizer: PreTokenizer
    words: str


def cut_preview(choice: PreTokenizer | str, sample: str) -> Generator[Progress, None, CutPreview]:
    """A `choice` that is a text is a pattern of the user's own. Raises PatternError as `custom` and `words` do."""
    yield Progress(0, 1)
    cut = custom(choice) if isinstance(choice, str) else choice
    words = [label(Token(utf8(word.text)), "") for word in islice(cut.words(sample[:MAX_SAMPLE_CHARS]), MAX_WORDS)]
    return CutPreview(cut, BETWEEN_WORDS.join(words))
