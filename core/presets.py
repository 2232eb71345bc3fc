"""Well-known tokenizers as sets of choices."""

from dataclasses import dataclass, fields, replace
from typing import Any

from core.alphabet import CONTINUING_TEXT, MARKER_TEXT, METASPACE_TEXT, Base, ByteOrder, Marker, Unknown
from core.options import Options
from core.pipeline import Texts
from core.pre_tokenizer import Digits
from core.trainer_config import Score, TieBreak


@dataclass(frozen=True)
class Preset:
    """A well-known tokenizer's choices; where to stop and the special tokens are left to the user."""

    title: str
    options: Options

    def applied_to(self, options: Options) -> Options:
        return replace(options, **{name: getattr(self.options, name) for name in _PRESET_FIELDS})

    def is_in(self, options: Options) -> bool:
        """Whether these choices train as the preset does."""
        wanted = self.applied_to(options)
        ignored = options.unusable()
        return all(_counts(wanted, name) == _counts(options, name) for name in _PRESET_FIELDS if name not in ignored)


def _counts(options: Options, name: str) -> Any:
    """What counts of a choice; the usual text of a marker may be written out."""
    return options.marker_text or options.marker_used.text if name == "marker_text" else options.used(name)


_PRESET_FIELDS = tuple(
    field.name
    for field in fields(Options)
    if field.name
    not in (
        *("special_tokens", "specials_last", "specials_in_text", "unknown_token"),
        *("stop", "merges", "vocab_size", "stop_token", "word_memory_mb", "beyond_memory", "min_word_count"),
    )
)
_WHITESPACE_CHARACTERS = Options(pre_tokenizer="whitespace", base=Base.CHARACTERS)
_SENTENCEPIECE = Options(
    normalizers=("nfkc", "collapse_whitespace", "strip"),
    texts=Texts.LINES,
    pre_tokenizer="metaspace",
    base=Base.CHARACTERS,
    marker=Marker.METASPACE,
    coverage=0.9995,
    longest_token=16,
    tie_break=TieBreak.SHORT_THEN_STRING,
)

PRESETS: tuple[Preset, ...] = (
    Preset("GPT-2 (bytes)", Options()),
    Preset("GPT-4 (bytes)", Options(pre_tokenizer="cl100k")),
    Preset("GPT-4o (bytes)", Options(pre_tokenizer="o200k")),
    Preset("Qwen (bytes)", Options(pre_tokenizer="qwen2", normalizers=("nfc",))),
    Preset(
        "minbpe (bytes)",
        Options(pre_tokenizer="cl100k", byte_order=ByteOrder.VALUE, tie_break=TieBreak.FIRST_SEEN),
    ),
    Preset(
        "rustbpe, nanochat (bytes)",
        Options(pre_tokenizer="cl100k", byte_order=ByteOrder.VALUE, tie_break=TieBreak.BYTES),
    ),
    Preset(
        f"Textbook (characters, {MARKER_TEXT})",
        replace(_WHITESPACE_CHARACTERS, marker=Marker.SYMBOL, tie_break=TieBreak.FIRST_SEEN),
    ),
    Preset(
        "Textbook (bytes, end of word is 256)",
        Options(
            pre_tokenizer="whitespace",
            byte_order=ByteOrder.VALUE,
            marker=Marker.SYMBOL,
            tie_break=TieBreak.FIRST_SEEN,
        ),
    ),
    Preset(
        f"subword-nmt (characters, t{MARKER_TEXT})",
        replace(
            _WHITESPACE_CHARACTERS,
            texts=Texts.LINES,
            marker=Marker.SUFFIX,
            complete_alphabet=False,
            tie_break=TieBreak.REVERSE_LEXICOGRAPHIC,
            min_frequency=2,
        ),
    ),
    Preset(
        f"WordPiece (characters, {CONTINUING_TEXT}m)",
        Options(
            pre_tokenizer="words",
            base=Base.CHARACTERS,
            marker=Marker.CONTINUING,
            complete_alphabet=False,
            score=Score.WORDPIECE,
        ),
    ),
    Preset(f"SentencePiece (characters, {METASPACE_TEXT})", _SENTENCEPIECE),
    Preset(
        f"Llama 2 (characters, {METASPACE_TEXT}, bytes)",
        replace(
            _SENTENCEPIECE,
            normalizers=("prepend_metaspace",),
            unknown=Unknown.BYTES,
            digits=Digits.SINGLE,
            coverage=0.99995,
        ),
    ),
)


def preset_of(options: Options) -> Preset | None:
    return next((preset for preset in PRESETS if preset.is_in(options)), None)
