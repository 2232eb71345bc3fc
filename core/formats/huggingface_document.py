"""What is kept of a tokenizer.json that was read, to be written again around vocabulary and merges."""

from core.formats.huggingface_normalizer import Json
from core.recording import Recording

NAME = "huggingface"
DOCUMENT, OUTSIDE = "tokenizer.json", "outside_vocabulary"
"""Keys of Imported.document: the file without what grows with the vocabulary, and the ids of the added tokens that its
vocabulary lacks. Files beside it have their name as the key."""

KEYS = (
    "version", "truncation", "padding", "added_tokens", "normalizer", "pre_tokenizer", "post_processor", "decoder",
    "model",
)  # fmt: skip


def document_of(recording: Recording) -> Json | None:
    """What the file said that the tokenizer was read from, without vocabulary and merges; None if it was not one."""
    imported = recording.imported
    document = imported.document.get(DOCUMENT) if imported and imported.format == NAME else None
    return document if isinstance(document, dict) and isinstance(document.get("model"), dict) else None
