"""What stands beside a tokenizer.json: transformers' tokenizer_config.json and special_tokens_map.json."""

from pathlib import Path

from core.errors import FormatError
from core.formats.huggingface_normalizer import Json
from core.formats.strict_json import read_object

CONFIG, SPECIALS = "tokenizer_config.json", "special_tokens_map.json"
_NAMES = {
    "bos_token": "The beginning of a text is",
    "eos_token": "The end of a text is",
    "unk_token": "The unknown token is",
    "pad_token": "The padding token is",
}


class Beside:
    """`documents` are the files by name, `facts` what they say of special tokens, and `added_tokens` those that only
    they name."""

    def __init__(self, folder: Path) -> None:
        self.documents: dict[str, Json] = {}
        self.facts: list[str] = []
        for name in (CONFIG, SPECIALS):
            self._read(folder / name)
        said = self.documents.get(SPECIALS, {}) | self.documents.get(CONFIG, {})
        for key, words in _NAMES.items():
            if text := _content(said.get(key)):
                self.facts.append(f"{words} {text}.")
        self.added_tokens = _added_tokens(self.documents.get(CONFIG, {}).get("added_tokens_decoder"))

    def _read(self, file: Path) -> None:
        if not file.is_file():
            return
        try:
            self.documents[file.name] = read_object(file)
        except FormatError as error:
            self.facts.append(f"{str(error).removesuffix('.')}: it was left out.")


def _content(value: object) -> str | None:
    """A token is a string there or an object with its content."""
    text = value.get("content") if isinstance(value, dict) else value
    return text if isinstance(text, str) and text else None


def _added_tokens(value: object) -> list[Json]:
    """By id; those that are no tokens are left out."""
    if not isinstance(value, dict):
        return []
    numbered = [(int(key), token) for key, token in value.items() if key.isascii() and key.isdigit() and len(key) < 10]
    return [
        token for _, token in sorted(numbered, key=lambda item: item[0]) if isinstance(token, dict) and _content(token)
    ]
