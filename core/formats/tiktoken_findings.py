"""What to know before saving as tiktoken ranks: what the library cannot do, and what it does otherwise."""

from collections.abc import Iterator
from itertools import islice, pairwise

from core.alphabet import Base, Marker
from core.encoding_rules import Encoder
from core.errors import FormatError
from core.formats.base import COUNTS_ARE_LOST, Finding, Severity, refusal, warning
from core.formats.huggingface_findings import order_findings
from core.formats.patterns import portable_words
from core.formats.rank_file import MAX_TOKEN_BYTES
from core.formats.spelled import missing_bytes
from core.pipeline import Pipeline
from core.recording import Recording
from core.trainer import Score
from core.vocab import label

MAX_OVERLAPS = 3


def findings(recording: Recording, step: int) -> Iterator[Finding]:
    if recording.alphabet.base is not Base.BYTES:
        yield refusal("tiktoken knows only tokenizers whose base symbols are the 256 bytes. Train with bytes.")
        return
    if recording.alphabet.marker is not Marker.NONE:
        yield refusal("tiktoken has no marker for the end of a word. Train without one.")
    if step and not (recording.is_monotone or is_by_rank(recording)):
        yield from order_findings(recording, step)
        return
    if recording.config.score is Score.WORDPIECE:
        yield warning(
            "tiktoken merges by rank. WordPiece's own way, the longest token from the left, is in Hugging Face "
            "tokenizer.json."
        )
    yield from _byte_findings(recording)
    yield from _rank_findings(recording, step)
    yield from _token_findings(recording, step)
    yield from _special_findings(recording)
    yield from _pattern_findings(recording.pipeline)
    if recording.has_counts:
        yield Finding(Severity.LOSS, COUNTS_ARE_LOST)


def is_by_rank(recording: Recording) -> bool:
    """tiktoken's own way, in which the order of merges is that of ids."""
    return recording.rules.encoder is Encoder.TOKEN_RANK and recording.rules.whole_pieces


def is_by_merge(recording: Recording) -> bool:
    """Where a word is taken whole, or else joined by what is listed: Hugging Face with `ignore_merges`."""
    return recording.rules.encoder is Encoder.MERGE_RANK and recording.rules.whole_pieces


def _byte_findings(recording: Recording) -> Iterator[Finding]:
    ordinary = [token for token in recording.alphabet.tokens.values() if not token.special]
    missing = missing_bytes(recording.alphabet.tokens.values())
    if missing:
        yield refusal(f"tiktoken needs all 256 bytes, and {len(missing)} are missing, such as {missing[0]:02X}.")
    for value in set(missing_bytes(ordinary)) - set(missing):
        yield refusal(
            f"The special token {chr(value)!r} is also a byte, and tiktoken does not allow one id for both. "
            "Train with another special token."
        )


def _rank_findings(recording: Recording, step: int) -> Iterator[Finding]:
    highest = max((i for i, token in recording.alphabet.tokens.items() if not token.special), default=-1)
    ids = (
        recording.loaded.token_ids[:step].tolist()
        if recording.loaded
        else [m.token_id for m in islice(recording, step)]
    )
    for rank, (before, token_id) in enumerate(pairwise([highest, *ids])):
        if token_id <= before:
            yield refusal(
                f"tiktoken merges in the order of ids, and here the merge of rank {rank:,} makes token {token_id:,}, "
                f"no higher than {before:,} before it. Save as Hugging Face tokenizer.json."
            )
            return


def _token_findings(recording: Recording, step: int) -> Iterator[Finding]:
    """tiktoken has one id for the same bytes, and takes a word that is a token as it is."""
    looked_for = {token.token_id for token in recording.looked_for}
    seen = dict[bytes, int]()
    for token_id, token in recording.tokens_at(step):
        if token.special or token_id in looked_for:
            continue
        if len(token.content) > MAX_TOKEN_BYTES:
            yield refusal(f"The token {token_id:,} has more than {MAX_TOKEN_BYTES:,} bytes, which is not read back.")
            return
        first = seen.setdefault(token.content, token_id)
        if first != token_id:
            yield refusal(
                f"The tokens {first:,} and {token_id:,} are both {label(token)!r}, and tiktoken has one id for the "
                "same bytes."
            )
            return
    orphans = [token_id for token_id in recording.orphans if token_id not in looked_for]
    orphans = [token_id for token_id in orphans if recording.token(token_id).content]
    if orphans and is_by_merge(recording):
        yield warning(
            f"No merge makes the token {orphans[0]:,}, {label(recording.token(orphans[0]))!r}: here only a whole word "
            "is such a token, while tiktoken joins any two neighbours that spell one."
        )
    elif orphans and not recording.rules.whole_pieces:
        yield refusal(
            f"No merge makes the token {orphans[0]:,}, {label(recording.token(orphans[0]))!r}, so that no text holds "
            "it; tiktoken would find it where it is a whole word. Save as Hugging Face tokenizer.json."
        )


def specials_of(recording: Recording) -> dict[str, int]:
    """Everything that is a special token to tiktoken: text and id."""
    return recording.alphabet.special_ids | {token.content: token.token_id for token in recording.looked_for}


def _special_findings(recording: Recording) -> Iterator[Finding]:
    specials = sorted(specials_of(recording))
    if "" in specials:
        yield refusal("A special token is empty, and with such a one tiktoken never ends.")
    pairs = ((shorter, longer) for shorter, longer in pairwise(specials) if shorter and longer.startswith(shorter))
    for shorter, longer in islice(pairs, MAX_OVERLAPS):
        yield warning(
            f"The special token {longer!r} begins with {shorter!r}: which of the two tiktoken finds in a text is "
            "a matter of chance."
        )
    conditions = [token.content for token in recording.looked_for if not token.is_plain]
    if conditions:
        yield warning(
            f"tiktoken finds special tokens wherever they stand as they are written. Of {len(conditions):,}, such as "
            f"{conditions[0]!r}, the white space beside them counts, or that they stand alone, or the normalized text."
        )
    if specials and recording.rules.specials_are_text:
        yield warning(
            "Here special tokens in a text are plain text. With tiktoken that is encode(text, disallowed_special=()), "
            "which is not what the script beside the file does."
        )
    elif specials:
        yield warning(
            "tiktoken refuses text that holds a special token unless encode() is called with allowed_special "
            "or disallowed_special, as the script beside the file does."
        )


def _pattern_findings(pipeline: Pipeline) -> Iterator[Finding]:
    if pipeline.normalizer:
        yield warning(
            f"tiktoken has no normalizer: texts must be put through {', '.join(pipeline.normalizer.names)} before "
            "they are encoded, or their ids differ."
        )
    if pipeline.normalizer.has_metaspace:
        yield warning(
            "With tiktoken ▁ has to be put before each text by hand, behind special tokens too, and made a space again "
            "in what it decodes."
        )
    try:
        portable_words(pipeline.pre_tokenizer)
    except FormatError as error:
        yield refusal(str(error))
