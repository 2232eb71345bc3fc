"""What to know before saving as a SentencePiece model: what the library cannot do, and what it does otherwise."""

from collections import Counter
from collections.abc import Iterator

from core.alphabet import METASPACE_TEXT, Base, Marker, Unknown
from core.encoding_rules import Encoder
from core.errors import FormatError
from core.formats.base import COUNTS_ARE_LOST, Finding, Kept, Severity, refusal, warning
from core.formats.piece_merges import PieceMerges
from core.formats.sentencepiece_model import Treatment
from core.formats.sentencepiece_reader import BEHIND_SPACES
from core.formats.spelling import ids_at
from core.merge import UNKNOWN
from core.normalizer import Normalizer
from core.normalizer_steps import Metaspace, PrependMetaspace
from core.pre_tokenizer import BEFORE_METASPACE, BEFORE_METASPACES, NONE, PRE_TOKENIZERS, Digits, PreTokenizer
from core.progress import without_progress
from core.recording import Recording
from core.sentencepiece_text import SentencePieceText
from core.unicode_forms import NmtNfkc

MAX_MERGES = 1 << 24
"""So many whole numbers a score can be."""
MAX_HOLES = 1 << 16
MAX_EQUALS = 64
"""Mistral's tokenizer.json has 14, of nothing but spaces."""
_LOCAL = (NONE, BEFORE_METASPACE, BEFORE_METASPACES)


def findings(recording: Recording, step: int) -> Iterator[Finding]:
    alphabet = recording.alphabet
    if alphabet.base is Base.BYTES:
        yield refusal(
            "SentencePiece merges characters and knows no tokens of parts of them: a tokenizer of bytes would give "
            "other ids there. Train on characters, with unknown ones written in bytes."
        )
        return
    if alphabet.marker is not Marker.METASPACE and not isinstance(_last_step(recording), SentencePieceText):
        yield refusal("SentencePiece marks where words begin by ▁ and in no other way. Train with the marker ▁.")
        return
    yield from _normalizer_findings(recording)
    yield from _cut_findings(recording, step)
    yield from _unknown_findings(recording)
    yield from _id_findings(recording, step)
    yield from _order_findings(recording, step)
    yield from _special_findings(recording)
    if recording.has_counts:
        yield Finding(Severity.LOSS, COUNTS_ARE_LOST)


def _last_step(recording: Recording) -> object:
    return next(reversed(recording.pipeline.normalizer.steps), None)


def treatment_of(recording: Recording) -> Treatment:
    """How the library is to treat texts. Raises FormatError for a normalizer that it has not."""
    fallback = recording.alphabet.unknown is Unknown.BYTES
    match recording.pipeline.normalizer.steps:
        case (SentencePieceText() as step,):
            return Treatment(
                rule="user_defined" if step.charsmap else "identity",
                charsmap=step.charsmap.data if step.charsmap else b"",
                add_dummy_prefix=step.dummy_prefix,
                remove_extra_whitespaces=step.removes_extra_spaces,
                escape_whitespaces=step.escapes_spaces,
                whitespace_as_suffix=step.as_suffix,
                byte_fallback=fallback,
            )
        case (Metaspace(),):
            return Treatment("identity", remove_extra_whitespaces=False, byte_fallback=fallback)
        case (NmtNfkc(), Metaspace()):
            from core.formats.huggingface_normalizer import nmt_nfkc_charsmap

            return Treatment("nmt_nfkc", nmt_nfkc_charsmap(), remove_extra_whitespaces=False, byte_fallback=fallback)
    raise FormatError(_NORMALIZER.format(_named(recording.pipeline.normalizer)))


_NORMALIZER = (
    "SentencePiece has no such normalizer as this ({}). It has ▁ for spaces, alone or behind nmt_nfkc: train with "
    "those."
)


def _named(normalizer: Normalizer) -> str:
    return ", ".join(normalizer.names) or "none"


def _normalizer_findings(recording: Recording) -> Iterator[Finding]:
    try:
        treatment_of(recording)
    except FormatError as error:
        yield refusal(str(error))
        return
    steps = recording.pipeline.normalizer.steps
    if not isinstance(steps[-1], PrependMetaspace | SentencePieceText):
        yield warning(
            "SentencePiece puts a ▁ before every text, also before one that begins with a space, which gets none here. "
            "Train with the normalizer prepend_metaspace for the same ids."
        )
    if isinstance(steps[0], NmtNfkc):
        yield warning("A text of nothing but control characters becomes a ▁ there, and nothing here.")


def _cut_findings(recording: Recording, step: int) -> Iterator[Finding]:
    """Where two characters are cut apart whatever stands around them, and no token has them beside each other, to cut
    makes no difference."""
    pre_tokenizer = recording.pipeline.pre_tokenizer
    is_local = pre_tokenizer.pattern in _LOCAL and pre_tokenizer.digits is not Digits.THREES
    if not is_local and pre_tokenizer.splits != (BEHIND_SPACES,):
        yield refusal(
            f"SentencePiece does not cut words at all before it merges, and “{pre_tokenizer.title}” does: ids would "
            "differ. Train with the pre-tokenizer “Before each ▁”, or with none."
        )
        return
    if pre_tokenizer == PRE_TOKENIZERS["none"]:
        return
    texts = (recording.token(i).content.decode() for i in ids_at(recording, step) if _is_in_words(recording, i))
    for text in texts:
        if len(text) > 1 and next(pre_tokenizer.words(text)).end < len(text):
            yield refusal(
                f"Words are cut in the middle of the token {text!r} here. SentencePiece does not cut words, and would "
                "find it where it is not found here."
            )
            return


def unknown_piece(recording: Recording) -> str | None:
    """The library wants one also where unknown characters become bytes, and none is chosen here."""
    token = recording.config.unknown_token
    if token is None and recording.alphabet.unknown is Unknown.BYTES:
        return next((text for text in recording.alphabet.special_ids if "unk" in text.lower()), None)
    return token


def _unknown_findings(recording: Recording) -> Iterator[Finding]:
    alphabet = recording.alphabet
    if unknown_piece(recording) not in alphabet.special_ids:
        yield refusal("SentencePiece needs an unknown token. Train with a special token such as <unk> as that.")
    elif alphabet.unknown in (Unknown.KEEP, Unknown.DROP):
        yield refusal(
            "SentencePiece makes the unknown token of unknown characters, or writes them in bytes; it can neither keep "
            "nor leave them out. Train with another way for unknown characters."
        )
    elif alphabet.unknown is Unknown.TOKEN:
        yield warning("Several unknown characters in a row become one unknown token there, and one each here.")
    pre_tokenizer = recording.pipeline.pre_tokenizer
    is_space_known = alphabet.id_of(METASPACE_TEXT.encode()) != UNKNOWN
    is_safe = pre_tokenizer == PRE_TOKENIZERS["none"] or (is_space_known and not _cuts_more(pre_tokenizer))
    if alphabet.unknown is Unknown.FUSE and not is_safe:
        yield warning("Unknown characters become one unknown token there also where words are cut between them here.")
    if alphabet.unknown is Unknown.BYTES and len(alphabet.fallback_ids) < 256:
        yield refusal(f"SentencePiece needs all 256 bytes, and {256 - len(alphabet.fallback_ids)} are missing.")
    if alphabet.unknown is not Unknown.BYTES and alphabet.fallback_ids:
        yield refusal("There are tokens for bytes, and unknown characters do not become bytes: SentencePiece fails.")


def _cuts_more(pre_tokenizer: PreTokenizer) -> bool:
    """Whether words are cut elsewhere than at ▁."""
    return pre_tokenizer.punctuation or pre_tokenizer.digits is not Digits.TOGETHER


def _id_findings(recording: Recording, step: int) -> Iterator[Finding]:
    ids = ids_at(recording, step)
    holes = ids[-1] + 1 - len(ids) if ids else 0
    if holes > max(MAX_HOLES, len(ids)):
        yield refusal(
            f"The ids of SentencePiece are places in a list, and {holes:,} ids below {ids[-1]:,} stand for no token."
        )
    elif holes:
        yield Finding(
            Severity.NOTE, f"Pieces that are never used fill the {holes:,} places of ids that stand for no token."
        )
    spelled = Counter(recording.token(token_id).text() for token_id in ids)
    for text, count in spelled.most_common(1):
        if count > 1:
            yield refusal(f"Two tokens are spelled {text.decode()!r}, and SentencePiece has one piece for both.")
    if recording.alphabet.id_of(b"") != UNKNOWN:
        yield refusal("A token is empty, and no piece of SentencePiece may be.")


def _order_findings(recording: Recording, step: int) -> Iterator[Finding]:
    if step > MAX_MERGES:
        yield refusal(f"SentencePiece's scores can tell {MAX_MERGES:,} merges from each other, and there are more.")
        return
    if recording.rules.encoder is Encoder.TOKEN_RANK and not recording.rules.whole_pieces:
        return
    if recording.imported is None and recording.is_monotone:  # what training makes
        return
    if step == len(recording) and recording.is_monotone and recording.is_regular:
        return
    ranks = token_ranks(recording, step)
    equals = _equals(ranks)
    if len(equals) > MAX_EQUALS or not _merge_by_spelling(recording, step, ranks, equals):
        yield refusal(
            "SentencePiece joins any two neighbours that spell a token, the token that was made first before others. "
            "The merges of this tokenizer are made otherwise, and ids would differ."
        )
        return
    if equals:
        example = recording.token(min(equals)).content.decode()
        yield warning(
            f"{len(equals):,} tokens, such as {example!r}, are made by merges in turns: to SentencePiece they are "
            "equal, and where several are possible the leftmost is made. Long rows of them may be cut otherwise."
        )
    if not recording.is_monotone:
        yield Finding(
            Severity.LOSS, "Of several merges that make the same token only one is kept.", frozenset({Kept.MERGES})
        )


def token_ranks(recording: Recording, step: int) -> dict[int, int]:
    """By token, the rank of its first merge; tokens whose merges take turns are equal."""
    spans = dict[int, tuple[int, int]]()
    for rank in range(step):
        token_id = recording[rank].token_id
        spans[token_id] = spans.get(token_id, (rank, rank))[0], rank
    ranks, first, last = dict[int, int](), 0, -1
    for token_id, (start, end) in spans.items():  # by rising start
        if start > last:
            first = start
        last = max(last, end)
        ranks[token_id] = first
    return ranks


def _equals(ranks: dict[int, int]) -> set[int]:
    counts = Counter(ranks.values())
    return {token_id for token_id, rank in ranks.items() if counts[rank] > 1}


def _merge_by_spelling(recording: Recording, step: int, ranks: dict[int, int], equals: set[int]) -> bool:
    """Whether every token, but for some that are equal, falls by those that were made before into two parts that are a
    merge of its own."""
    merges = {recording[rank].pair for rank in range(step)}
    texts = {i: recording.token(i).content.decode() for i in ids_at(recording, step) if _is_in_words(recording, i)}
    found = PieceMerges([(-float(ranks.get(i, step + i)), i, text) for i, text in texts.items()])
    without_progress(found.find())
    return len(found.merges) == len(ranks) and all(
        token_id in equals or (is_natural and (left, right) in merges)
        for is_natural, (left, right, token_id) in zip(found.is_natural, found.merges, strict=True)
    )


def _is_in_words(recording: Recording, token_id: int) -> bool:
    token = recording.token(token_id)
    return not (token.special or token.is_fallback)


def _special_findings(recording: Recording) -> Iterator[Finding]:
    for text in recording.alphabet.special_ids:
        if len(text) == 1 and not recording.rules.specials_are_text:
            yield refusal(
                f"The special token {text!r} is a character too, which SentencePiece never finds in a text. Train with "
                "another special token."
            )
    looked_for = [token for token in recording.looked_for if token.special]
    if looked_for:
        yield warning(
            f"SentencePiece never looks for special tokens in a text: {looked_for[0].content!r} written in one is "
            "letters like others there.",
        )
    if any(not token.special and not token.as_spelled for token in recording.added_tokens):
        yield warning(
            "Added tokens become user-defined pieces: SentencePiece puts no ▁ before what stands behind one, and knows "
            "no conditions for what stands around them."
        )
