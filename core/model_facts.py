"""What to tell about a tokenizer that was read from a file: one line about it, and everything that is known of it."""

from collections.abc import Iterator
from typing import NamedTuple

from core.alphabet import Base, Marker, Token
from core.encoding_rules import ENCODER_TITLES
from core.formats import FORMATS
from core.recording import Recording
from core.utf8 import utf8
from core.vocab import label, token_label

BETWEEN = " · "
MAX_LISTED = 40
MAX_PATTERN_CHARS = 400
SAMPLE_TEXT = (
    "The quick brown fox doesn't jump over 1,234 lazy dogs.\n春眠不觉晓，处处闻啼鸟。夜来风雨声，花落知多少。\n"
    "Schöne Grüße! Привет, мир! مرحبا بالعالم 🌸👩‍👩‍👧\n    return [x for x in range(10)]  # code\n"
)
"""Something of everything, to see how a tokenizer cuts before a person has a text at hand."""
BASES = {Base.BYTES: "bytes", Base.CHARACTERS: "characters"}


class Fact(NamedTuple):
    """`Merges`: `151,387`."""

    name: str
    value: str


def model_name(recording: Recording) -> str:
    """What to call it; empty for a recording that was trained here."""
    imported = recording.imported
    if imported is None:
        return ""
    return imported.source.name if imported.source else imported.file


def headline(recording: Recording) -> str:
    """`qwen3 · Hugging Face tokenizer.json · 151,387 merges · 26 special tokens`"""
    parts = [model_name(recording), _format_title(recording), _counted(len(recording), "merge")]
    specials = sum(token.special for token in recording.looked_for)
    others = len(recording.looked_for) - specials
    parts += [_counted(count, noun) for count, noun in ((specials, "special token"), (others, "added token")) if count]
    return BETWEEN.join(filter(None, parts))


def not_applied_line(recording: Recording) -> str:
    """`Not applied: the post-processor TemplateProcessing`; empty if all of the file is."""
    parts = recording.imported.not_applied if recording.imported else ()
    return f"Not applied: {'; '.join(parts)}" if parts else ""


def facts_of(recording: Recording) -> list[Fact]:
    """Where it comes from, what it holds and how it encodes."""
    return list(_facts(recording))


def _facts(recording: Recording) -> Iterator[Fact]:
    imported, rules = recording.imported, recording.rules
    if imported is not None:
        yield Fact("File", str(imported.source.path if imported.source else imported.file))
        yield Fact("Format", _format_title(recording))
    yield Fact("Merges", f"{len(recording):,}")
    yield Fact("Vocabulary", _counted(recording.vocab_size(len(recording)), "token"))
    yield Fact("Special tokens", _listed(_names(recording, is_special=True)))
    if added := _names(recording, is_special=False):
        yield Fact("Added tokens", _listed(added))
    if orphans := list(recording.orphans):
        yield Fact("Without a merge", _orphans(recording, orphans))
    yield Fact("Base symbols", f"{_base_count(recording):,} {BASES[recording.alphabet.base]}")
    if recording.alphabet.marker is not Marker.NONE:
        yield Fact("Marker", recording.config.marker_text)
    yield Fact("Normalizer", ", ".join(recording.pipeline.normalizer.names) or "none")
    yield Fact("Texts are cut", _cut(recording))
    yield Fact("Encoder", ENCODER_TITLES[rules.encoder] + ", whole words first" * rules.whole_pieces)


def _names(recording: Recording, is_special: bool) -> list[str]:
    """Of what is looked for in texts, with signs for what would not be seen, or would turn the line around."""
    return [label(Token(utf8(token.content)), "") for token in recording.looked_for if token.special is is_special]


def _format_title(recording: Recording) -> str:
    imported = recording.imported
    format = FORMATS.get(imported.format) if imported else None
    return format.title if format else ""


def _listed(tokens: list[str]) -> str:
    """`2: <s> </s>`"""
    shown = " ".join(tokens[:MAX_LISTED])
    more = len(tokens) - MAX_LISTED
    return f"{len(tokens):,}: {shown}{f' … and {more:,} more' if more > 0 else ''}" if tokens else "none"


def _orphans(recording: Recording, orphans: list[int]) -> str:
    """`588: ␣abc (id 300) …`"""
    shown = [f"{token_label(recording, token_id)} (id {token_id:,})" for token_id in orphans[:MAX_LISTED]]
    return _listed([*shown, *[""] * (len(orphans) - len(shown))])


def _base_count(recording: Recording) -> int:
    return sum(not token.special for token in recording.alphabet.tokens.values())


def _cut(recording: Recording) -> str:
    cut = recording.pipeline.pre_tokenizer
    pattern = cut.pattern if len(cut.pattern) <= MAX_PATTERN_CHARS else cut.pattern[:MAX_PATTERN_CHARS] + "…"
    return f"{cut.title}: {pattern}"


def _counted(count: int, noun: str) -> str:
    return f"{count:,} {noun}{'' if count == 1 else 's'}"
