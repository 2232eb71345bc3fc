"""What to know before saving as tokenizer.json: what the library cannot do, and what it does otherwise."""

from collections.abc import Iterator

from core.added_tokens import AddedToken
from core.alphabet import METASPACE_TEXT, Base, Marker, Unknown
from core.decoding import has_metaspace
from core.encoding_rules import Encoder
from core.errors import FormatError, PatternError
from core.formats.base import COUNTS_ARE_LOST, Finding, Kept, Severity, refusal, warning
from core.formats.huggingface_document import KEYS, document_of
from core.formats.huggingface_normalizer import Json, json_of, steps_of
from core.formats.huggingface_pipeline import WORD_ENDS, Layout
from core.formats.patterns import javascript_reads, portable, portable_in_lines
from core.formats.spelling import Contents, bytes_of, same_spelling
from core.normalizer import Normalizer
from core.normalizer_steps import CollapseWhitespace, Replace, Strip
from core.pre_tokenizer import PRE_TOKENIZERS, PreTokenizer
from core.recording import Recording
from core.trainer import Score
from core.unicode_forms import NmtNfkc
from core.whole_pieces import merges_make_their_tokens

VERSION_LINE = "#version"  # a merge written as a string that begins so is skipped by every reader


def findings(recording: Recording, step: int) -> Iterator[Finding]:
    contents, layout = Contents.of(recording, step), Layout.of(recording)
    if document := document_of(recording):
        yield from _document_findings(document)
        yield from _class_findings(recording)
        yield from _step_findings(recording, step)
    else:
        yield from _new_file_findings(recording, step, contents, layout)
    yield from late_findings(recording, step)
    if recording.config.score is not Score.WORDPIECE and needs_lists(recording, contents):
        yield warning(
            "Some tokens hold a space, so the merges are written as lists: tokenizers 0.20 (2024) and later read them."
        )
    if recording.has_counts:
        yield Finding(Severity.LOSS, COUNTS_ARE_LOST)


def late_added_tokens(recording: Recording, step: int) -> list[AddedToken]:
    """Those that only a merge makes which is not there yet: they are found in texts all the same."""
    ranks = ((token, recording.rank_of_token(token.token_id)) for token in recording.looked_for)
    base = recording.alphabet.tokens
    return [token for token, rank in ranks if rank is not None and rank >= step and token.token_id not in base]


def late_findings(recording: Recording, step: int) -> Iterator[Finding]:
    if late := late_added_tokens(recording, step):
        which, they = f"The added token {late[0].content!r} is made by a later merge", "it is"
        if len(late) > 1:
            which = f"{len(late):,} added tokens, such as {late[0].content!r}, are made by later merges"
            they = "they are"
        yield Finding(
            Severity.NOTE,
            f"{which}, but found in every text: {they} in the vocabulary all the same.",
            frozenset({Kept.VOCABULARY}),
        )


def _document_findings(document: Json) -> Iterator[Finding]:
    """What to know of a file that is written as it was read."""
    if unknown := [key for key in document if key not in KEYS]:
        yield warning(f"The library refuses a file with keys it does not know: this one has {', '.join(unknown)}.")
    steps = steps_of(document.get("pre_tokenizer"), "pretokenizers")
    if any(step.get("type") == "Whitespace" for step in steps):
        yield warning(
            "In JavaScript ids differ: to transformers.js only letters of ASCII are word characters for Whitespace, "
            "which cuts café into caf and é there."
        )


def _new_file_findings(recording: Recording, step: int, contents: Contents, layout: Layout) -> Iterator[Finding]:
    yield from _rules_findings(recording)
    yield from _step_findings(recording, step)
    yield from same_spelling(recording, contents, layout.marker_text)
    yield from _marker_findings(layout)
    yield from _pattern_findings(recording.pipeline.pre_tokenizer)
    yield from _normalizer_findings(recording.pipeline.normalizer)
    yield from _special_findings(recording)
    yield from _javascript_findings(layout)
    if recording.config.score is Score.WORDPIECE:
        yield from _word_piece_findings(recording, step)
    else:
        yield from unknown_findings(layout)


def _rules_findings(recording: Recording) -> Iterator[Finding]:
    """What the rules of other tools ask for and the library has not."""
    rules = recording.rules
    if rules.encoder is Encoder.ALL_AT_ONCE and not recording.is_monotone:
        yield warning(
            "This model's own tool makes a merge at all its places at once; Hugging Face makes one at a time, which "
            "gives other tokens where a merge comes before those of its parts, or is listed twice."
        )
    if rules.unused:
        yield refusal(
            f"{len(rules.unused):,} tokens of this SentencePiece model are unused: they fall into their parts again, "
            "which Hugging Face cannot do."
        )
    if rules.tied:
        yield warning(
            f"{len(rules.tied):,} pieces have the same score as the one before. SentencePiece takes the leftmost of "
            "them first, Hugging Face the one that is listed first."
        )
    if needs_all_splits(recording, len(recording)):
        yield Finding(
            Severity.LOSS,
            "Every way to put a token together is listed, as the library joins only what is listed: merges come back "
            "as more of them.",
            frozenset({Kept.MERGES}),
        )
    if rules.specials_are_text and recording.alphabet.special_ids:
        yield Finding(
            Severity.WARNING,
            "This model's own tool takes special tokens in a text for text; Hugging Face finds them. Set "
            "tokenizer.encode_special_tokens = True for the same ids.",
            frozenset({Kept.SPECIAL_TOKENS}),
        )
    if any(token.as_spelled for token in recording.added_tokens):
        yield Finding(
            Severity.WARNING,
            "User-defined pieces are written as added tokens: Hugging Face normalizes them before it looks for them, "
            "and may not find them in the middle of a text.",
            frozenset({Kept.SPECIAL_TOKENS, Kept.VOCABULARY}),
        )


REBUILT = ("GPT2Tokenizer", "LlamaTokenizer", "CodeLlamaTokenizer")
"""Classes of transformers that make a pipeline of their own, whatever tokenizer.json says."""


def _class_findings(recording: Recording) -> Iterator[Finding]:
    """The file beside it is written again as it was."""
    document = recording.imported.document if recording.imported and document_of(recording) else {}
    config = document.get("tokenizer_config.json")
    name = config.get("tokenizer_class") if isinstance(config, dict) else None
    if isinstance(name, str) and name.removesuffix("Fast") in REBUILT:
        yield warning(
            f"tokenizer_config.json names the class {name}, whose pipeline transformers 5 makes anew: ids may differ "
            "there. With PreTrainedTokenizerFast in its place transformers follows tokenizer.json."
        )


def needs_all_splits(recording: Recording, step: int) -> bool:
    """Whether neighbours join that no merge names: by token rank, with tokens that no merge makes or in no order."""
    if recording.rules.encoder is not Encoder.TOKEN_RANK or recording.is_regular:
        return False
    return not (recording.is_monotone and merges_make_their_tokens(recording))


def _step_findings(recording: Recording, step: int) -> Iterator[Finding]:
    """What becomes of merges that cannot apply yet."""
    if step == len(recording) or recording.is_monotone:
        return
    there = {token_id for token_id, _ in recording.tokens_at(step)}
    if late := sum(not there.issuperset(recording[rank].pair) for rank in range(step)):
        yield Finding(
            Severity.LOSS,
            f"{late:,} of these merges have a part that only a later merge makes; they never apply and are left out.",
        )


def order_findings(recording: Recording, step: int) -> Iterator[Finding]:
    """A refusal for merges that training does not make: a token before its parts, or a second time."""
    if step and not recording.is_monotone:
        yield refusal(
            "The merges are not in the order of training: one comes before those that make its parts, or makes a token "
            "that is there already. Such lists cannot be saved."
        )


def unknown_findings(layout: Layout) -> Iterator[Finding]:
    """A warning where characters without an id are kept here and vanish there."""
    is_kept = layout.alphabet.base is Base.CHARACTERS and layout.alphabet.unknown is Unknown.KEEP
    if is_kept and layout.known is None:
        yield warning(
            "There is no unknown token: Hugging Face leaves out characters that were not in the corpus and may merge "
            "their neighbours with each other. Train with a special token such as <unk> as the unknown token."
        )


def _marker_findings(layout: Layout) -> Iterator[Finding]:
    if layout.alphabet.marker is not Marker.SYMBOL:
        return
    pre_tokenizer, mark = layout.pre_tokenizer, f"U+{ord(layout.mark):04X}"
    if layout.alphabet.base is Base.BYTES:
        yield refusal(
            "Hugging Face has no byte-level tokenizer whose words end in a symbol of its own. "
            "Train without a marker: with bytes, the space before a word does the marker's work."
        )
    elif pre_tokenizer.pattern not in WORD_ENDS or not pre_tokenizer.is_plain:
        yield refusal(
            "Hugging Face can place a marker that is a symbol of its own only behind words cut at white space, into "
            "words and punctuation, or into lines, and not behind digits or punctuation cut apart. Train with one of "
            "those, or with the marker attached to the last letter."
        )
    else:
        yield warning(
            f"Hugging Face has no marker that is its own symbol: {mark} stands for it in the file. Ids and decoded "
            "text are the same."
        )
        if layout.alphabet.fallback_ids:
            yield warning(f"A text that itself holds {mark}, which few do, gets the bytes of another character there.")


def _pattern_findings(pre_tokenizer: PreTokenizer) -> Iterator[Finding]:
    try:
        found = [portable(split.pattern) for split in pre_tokenizer.splits] or [portable(pre_tokenizer.pattern)]
    except FormatError as error:
        yield refusal(str(error))
        return
    if not all(map(javascript_reads, found)):
        yield warning(
            "The pattern has possessive repeats, or ignores the case of an i, which JavaScript cannot do: "
            "transformers.js cannot load the file."
        )


def _javascript_findings(layout: Layout) -> Iterator[Finding]:
    """What transformers.js does otherwise than the library, found by running its 0.2."""
    is_cut_at_spaces = layout.pre_tokenizer.pattern == PRE_TOKENIZERS["whitespace"].pattern
    if is_cut_at_spaces and layout.alphabet.marker is not Marker.SYMBOL:
        yield warning(
            "In JavaScript ids differ on texts with U+FEFF or U+0085: transformers.js takes the first for white space "
            "and the second for a letter."
        )
    unknown, others = layout.alphabet.unknown, list[str]()
    if layout.is_word_piece or layout.alphabet.base is Base.BYTES:
        return
    if layout.alphabet.marker is Marker.CONTINUING:
        others.append("has no marker inside words")
    if unknown is Unknown.DROP:
        others.append("leaves out unknown characters only after merging")
    if unknown is Unknown.FUSE and layout.pre_tokenizer != PRE_TOKENIZERS["none"]:
        others.append("joins unknown characters of neighbouring words")
    if others:
        yield warning(f"In JavaScript ids differ: transformers.js {' and '.join(others)}.")


_ABOUT_STEPS = {
    "lowercase": "transformers.js makes ς of a Σ that ends a word, where Hugging Face's own library makes σ.",
    "nmt_nfkc": (
        "Hugging Face cannot follow SentencePiece's table of characters everywhere: several marks on one letter may "
        "come in another order there, and a mark behind a character such as ﬁ or Ⅷ joins its last letter."
    ),
}
_NOT_THERE = {
    "html_unescape": (
        "Hugging Face has no normalizer for HTML's characters, such as &amp;: put texts through Python's html.unescape "
        "before they are encoded."
    ),
    **dict.fromkeys(
        ("ftfy", "ftfy_text"),
        "Hugging Face has no ftfy, and does only NFC: put texts through ftfy.fix_text before they are encoded.",
    ),
    "python_lowercase": (
        "Hugging Face makes σ of every Σ, where Python makes ς of one that ends a word, and it knows the capitals of "
        "another Unicode."
    ),
}


def missing_step_findings(normalizer: Normalizer) -> Iterator[Finding]:
    """Warnings of steps that the library has not, or has otherwise."""
    yield from (warning(_NOT_THERE[name]) for name in dict.fromkeys(normalizer.names) if name in _NOT_THERE)


def _normalizer_findings(normalizer: Normalizer) -> Iterator[Finding]:
    yield from missing_step_findings(normalizer)
    for name, message in _ABOUT_STEPS.items():
        if name in normalizer.names:
            yield warning(message)
    has_lost_lines = False
    for step in normalizer.steps:
        try:
            list(json_of(step)) if not isinstance(step, Replace) else None
        except FormatError as error:
            yield refusal(str(error))
        if has_lost_lines and isinstance(step, Strip | CollapseWhitespace | Replace):
            yield refusal(
                f"Behind nmt_nfkc, which makes spaces of line ends, {step.name} still goes line by line here; Hugging "
                f"Face would take the whole text for one line. Put {step.name} before nmt_nfkc."
            )
        has_lost_lines = has_lost_lines or isinstance(step, NmtNfkc)
        if isinstance(step, Replace):
            yield from _replacement_findings(step)


def _replacement_findings(step: Replace) -> Iterator[Finding]:
    for number, (pattern, new) in enumerate(step.replacements, 1):
        try:
            rewritten = portable_in_lines(pattern)
        except FormatError as error:
            yield refusal(f"Replacement {number}: {error}")
            continue
        if "\n" in new and number < len(step.replacements):
            yield refusal(
                f"Replacement {number} puts line ends into the text, which the replacements behind it treat otherwise "
                "here than elsewhere. Make it the last one."
            )
        if not javascript_reads(rewritten):
            yield warning(f"Replacement {number} has a pattern that JavaScript cannot read: transformers.js fails.")


def _special_findings(recording: Recording) -> Iterator[Finding]:
    for text, token_id in recording.alphabet.special_ids.items():
        content = bytes_of(text) if recording.alphabet.base is Base.BYTES else None
        if content is not None and content != text.encode():
            yield warning(
                f"Hugging Face decodes the special token {text!r} as if its letters stood for bytes: "
                f"it comes out as {content.decode(errors='replace')!r}."
            )
        if has_metaspace(recording) and token_id != recording.unknown_id and ("▁" in text or text.startswith(" ")):
            yield warning(
                f"Hugging Face decodes the special token {text!r} as text: each ▁ in it becomes a space, and a space "
                "at its start may be lost."
            )
        others = (other for other in recording.alphabet.special_ids if other != text)
        if has_metaspace(recording) and any(f"{other} " in text for other in others):
            yield warning(
                f"Hugging Face's decoder may lose a space of the special token {text!r}, which holds another one with "
                "a space behind it."
            )


def _word_piece_findings(recording: Recording, step: int) -> Iterator[Finding]:
    alphabet = recording.alphabet
    if alphabet.marker is Marker.SUFFIX:
        yield refusal(
            "WordPiece has no marker attached to the last letter. Train with the marker ##, or without a marker."
        )
    if alphabet.base is Base.CHARACTERS and alphabet.unknown in (Unknown.DROP, Unknown.BYTES):
        yield refusal(
            "WordPiece makes one unknown token of a word that holds an unknown character; it can neither leave the "
            "character out nor write it in bytes. Train with a special token such as [UNK] as the unknown token."
        )
    if any(recording[rank].token_id < recording[rank - 1].token_id for rank in range(1, step)):
        yield refusal(
            "WordPiece's file lists no merges, and the ids of these do not rise, so that nothing could tell their "
            "order. Train anew."
        )
    yield warning(
        "Hugging Face's WordPiece takes the longest token from the left, as BERT does: ids are those of the encoder "
        "“Longest match” here, not of the merges by rank."
    )
    if alphabet.marker is Marker.CONTINUING and _words_can_begin_with_the_marker(recording):
        yield warning(
            f"A word of the text that begins with {recording.config.marker_text!r} is taken for the inside of a word "
            "there, as in BERT."
        )
    for text in alphabet.special_ids:
        if _normalizer_can_make(text, recording):
            yield warning(
                f"Text that the normalizer turns into the special token {text!r} becomes that token there, and stays "
                "text here."
            )


def _words_can_begin_with_the_marker(recording: Recording) -> bool:
    prefix, tokens = recording.config.marker_text, recording.alphabet.tokens.values()
    text = " ".join(prefix + token.content.decode() for token in tokens if token.continues)
    try:
        words = [word.text for word in recording.pipeline.pre_tokenizer.words(text)]
    except PatternError:  # a pattern of the user's that is too slow
        return True
    return any(word.startswith(prefix) and word != prefix for word in words)


def _normalizer_can_make(special: str, recording: Recording) -> bool:
    """Whether other text can become it, inside one word."""
    steps = recording.pipeline.normalizer.steps
    if not steps or (all(step.is_lossless for step in steps) and METASPACE_TEXT not in special):
        return False
    try:
        return any(special in word.text for word in recording.pipeline.words(special))
    except PatternError:
        return True


def needs_lists(recording: Recording, contents: Contents) -> bool:
    """Whether merges written as strings could not be read: a space inside a token, or a version line."""
    if contents.starting(VERSION_LINE.encode()):
        return True
    if recording.alphabet.marker.changes_symbols and " " in recording.config.marker_text:
        return True
    has_spaces = recording.alphabet.base is Base.CHARACTERS and b" " in contents.joined
    return has_spaces and any(b" " in content for content in contents.merged)
