"""The errors a person can cause; each message is one they can act on: which file, which line, what was expected."""


class BpeError(Exception):
    """Base of every error that is about the person's input and not about a fault of this program."""


class CorpusError(BpeError):
    """A text could not be read: missing file, binary file, wrong encoding."""


class PatternError(BpeError):
    """A regular expression does not compile or matches the empty string; `position` is an offset in characters."""

    def __init__(self, message: str, position: int | None = None) -> None:
        super().__init__(message)
        self.position = position


class ConfigError(BpeError):
    """Training options that contradict each other or cannot be met by the text at hand."""


class FormatError(BpeError):
    """A tokenizer file cannot be written in, or read from, the format asked for."""


class PatternWantedError(FormatError):
    """A file of tokens that does not say how texts are cut into words: somebody has to say it (ReadOptions)."""


class GivenUpError(BpeError):
    """Somebody asked for the end of long work while it went on."""


class KernelError(BpeError):
    """The compiled loops cannot be had; plain Python does the same, slower. `reason` says why in two or three words."""

    def __init__(self, message: str, reason: str = "") -> None:
        super().__init__(message)
        self.reason = reason
