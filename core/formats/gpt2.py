"""GPT-2's vocab.json and merges.txt, and a side-car for what the two files cannot say.

merges.txt has a header and a final line end because older readers drop the first line and what follows the last.
"""

import json
import re
from collections.abc import Iterator, Mapping
from itertools import chain
from pathlib import Path

from core.added_tokens import AddedToken
from core.alphabet import Base, Marker, Unknown
from core.encoding_rules import ENCODER_TITLES, Encoder
from core.errors import FormatError
from core.formats.base import COUNTS_ARE_LOST, Finding, Format, Lines, Severity
from core.formats.gpt2_files import MERGES, SIDE_CAR, VOCAB, finds, recognizes
from core.formats.gpt2_reader import KIND, KIND_VERSION, base_recording, extra_json, read
from core.formats.huggingface_code import charsmap_code, code_of
from core.formats.huggingface_findings import missing_step_findings, unknown_findings
from core.formats.huggingface_normalizer import Json, one_or_sequence, replaced, replaced_text
from core.formats.huggingface_pipeline import (
    BYTE_LEVEL_DECODER,
    Layout,
    bpe_options,
    decoder_of,
    normalizer_of,
    pre_tokenizer_of,
)
from core.formats.javascript import ONLY_TOKENIZER_JSON
from core.formats.json_lines import separated, text_of
from core.formats.merge_lines import VERSION_LINE
from core.formats.patterns import TEXT_END
from core.formats.side_car import settings_json
from core.formats.spelling import Contents, Spelling, same_spelling
from core.pre_tokenizer import PRE_TOKENIZERS
from core.recording import Recording
from core.trainer import Score

HEADER = "#version: 0.2"
_SPACE = re.compile(r"\s")


def findings(recording: Recording, step: int) -> Iterator[Finding]:
    alphabet, config = recording.alphabet, recording.config
    contents = Contents.of(recording, step)
    yield from _order_findings(recording, step)
    yield from same_spelling(recording, contents, config.marker_text)
    yield from _unwritable(recording, contents, step)
    if alphabet.marker is Marker.SYMBOL:
        yield Finding(
            Severity.REFUSAL,
            "No reader of these files puts a marker of its own behind each word. "
            "Train with the marker attached to the last letter, or without one.",
        )
    if config.score is Score.WORDPIECE:
        yield Finding(
            Severity.WARNING,
            "Readers of these files merge by rank. WordPiece's own way, the longest token from the left, is in Hugging "
            "Face tokenizer.json.",
        )
    layout = Layout.by_rank(recording)
    yield from unknown_findings(layout)
    if alphabet.marker is not Marker.SYMBOL:
        yield from _snippet_findings(layout)
    yield from _losses(layout)
    if recording.has_counts:
        yield Finding(Severity.LOSS, COUNTS_ARE_LOST)


def _order_findings(recording: Recording, step: int) -> Iterator[Finding]:
    rules = recording.rules
    if not recording.is_monotone:
        yield from _missing_parts(recording, step)
        if rules.encoder is not Encoder.MERGE_RANK:
            yield Finding(
                Severity.WARNING,
                "Readers of these files merge one pair at a time, by rank; of a pair that is listed twice the last "
                f"counts. This tokenizer is for another way ({ENCODER_TITLES[rules.encoder]}): some words may "
                "get other tokens there.",
            )
    if rules.whole_pieces:
        yield _loss("that a word which is a token is taken whole; a reader must be told")


def _missing_parts(recording: Recording, step: int) -> Iterator[Finding]:
    """Merges out of order may need tokens that only merges behind the step make."""
    if step == len(recording):
        return
    there = {token_id for token_id, _ in recording.tokens_at(step)}
    for rank in range(step):
        if not there.issuperset(recording[rank].pair):
            yield Finding(
                Severity.REFUSAL,
                f"The merge of rank {rank:,} needs a token that only a merge behind step {step:,} makes. Choose the "
                "last step.",
            )
            return


def _snippet_findings(layout: Layout) -> Iterator[Finding]:
    for name, step_of in _PARTS.items():
        try:
            step_of(layout)
        except FormatError as error:
            yield Finding(Severity.WARNING, f"The code for Python cannot make the {name.replace('_', '-')}: {error}")
    yield from missing_step_findings(layout.recording.pipeline.normalizer)


def _losses(layout: Layout) -> Iterator[Finding]:
    alphabet, config, pipeline = layout.alphabet, layout.recording.config, layout.recording.pipeline
    if pipeline.pre_tokenizer != PRE_TOKENIZERS["gpt2"]:
        yield _loss(f"how the text is cut ({pipeline.pre_tokenizer.title}); a reader that is not told uses GPT-2's way")
    if pipeline.normalizer:
        yield _loss(f"the normalizer ({', '.join(pipeline.normalizer.names)}); normalize texts before encoding them")
    if alphabet.special_ids:
        yield _loss("which tokens are special; they are ordinary entries of the vocabulary")
    if alphabet.marker is Marker.SUFFIX:
        yield _loss(f"that {config.marker_text!r} marks the end of a word; a reader must be told")
    if alphabet.marker is Marker.CONTINUING:
        yield _loss(f"that {config.marker_text!r} marks a token inside a word; a reader must be told")
    if alphabet.unknown is Unknown.BYTES:
        yield _loss("that unknown characters are written in bytes; a reader must be told")
    if layout.known is not None:
        yield _loss("that what stands on both sides of an unknown character stays apart; a reader must be told")
    if config.unknown_token is not None:
        yield _loss(f"that {config.unknown_token!r} is the unknown token; a reader must be told")


def _loss(what: str) -> Finding:
    return Finding(Severity.LOSS, f"The two files cannot keep {what}. {SIDE_CAR} keeps it for this program.")


def _unwritable(recording: Recording, contents: Contents, step: int) -> Iterator[Finding]:
    if space := _merge_with_space(recording, contents, step):
        yield Finding(
            Severity.REFUSAL,
            f"Tokens hold white space, such as {space!r}, and {MERGES} separates tokens by it. "
            "Save as Hugging Face tokenizer.json, or train on bytes or without white space in words.",
        )
    if recording.alphabet.marker.changes_symbols and _SPACE.search(recording.config.marker_text):
        yield Finding(
            Severity.REFUSAL,
            f"The marker {recording.config.marker_text!r} holds white space, and {MERGES} separates tokens by it. "
            "Choose another marker text.",
        )
    if contents.starting(VERSION_LINE.encode()):
        yield Finding(
            Severity.REFUSAL,
            f"A token begins with {VERSION_LINE!r}, and readers of {MERGES} skip such a line. "
            "Save as Hugging Face tokenizer.json.",
        )


def _merge_with_space(recording: Recording, contents: Contents, step: int) -> str | None:
    """Only what merges join stands in the file that white space would break."""
    if recording.alphabet.base is Base.BYTES or not _SPACE.search(contents.joined.decode(errors="replace")):
        return None
    made = (recording.token(recording[rank].token_id).content.decode(errors="replace") for rank in range(step))
    return next((space[0] for text in made if (space := _SPACE.search(text))), None)


def render(recording: Recording, step: int, path: Path) -> Mapping[Path, Lines]:
    return {
        path / MERGES: _merge_lines(recording, step),
        path / VOCAB: _vocab_lines(recording, step),
        path / SIDE_CAR: _side_car_lines(recording),
    }


def _vocab_lines(recording: Recording, step: int) -> Lines:
    names = Spelling(recording, recording.config.marker_text).vocabulary(step)
    yield "{\n"
    yield from separated(f"{text_of(name)}: {token_id}" for name, token_id in names)
    yield "}\n"


def _merge_lines(recording: Recording, step: int) -> Lines:
    yield HEADER + "\n"
    for left, right in Spelling(recording, recording.config.marker_text).merges(step):
        yield f"{left} {right}\n"


def _side_car_lines(recording: Recording) -> Lines:
    settings = {"format": KIND, "version": KIND_VERSION, **settings_json(recording), **extra_json(recording)}
    yield json.dumps(settings, ensure_ascii=False, indent=2) + "\n"


def python(path: Path) -> str:
    """Reads the two files with tokenizers and adds in code what they cannot say."""
    layout = Layout.by_rank(base_recording(path))
    return "\n".join(chain(_imports(layout), [""], _model_code(path, layout), _pipeline_code(layout), _EXAMPLE))


def _imports(layout: Layout) -> Iterator[str]:
    used = "\n".join(_pipeline_code(layout))
    names = [name for name in ("AddedToken", "Regex", "decoders", "normalizers", "pre_tokenizers") if name in used]
    yield "# pip install tokenizers"
    yield f"from tokenizers import {', '.join(sorted(['Tokenizer', *names]))}"
    yield "from tokenizers.models import BPE"
    if "charsmap" in used:
        yield from charsmap_code()


def _model_code(path: Path, layout: Layout) -> Iterator[str]:
    options = bpe_options(layout) | {"ignore_merges": layout.recording.rules.whole_pieces}
    given = "".join(f", {name}={value!r}" for name, value in options.items() if value)
    yield f"model = BPE.from_file({str(path / VOCAB)!r}, {str(path / MERGES)!r}{given})"
    yield "tokenizer = Tokenizer(model)"


def _pipeline_code(layout: Layout) -> Iterator[str]:
    for name, step_of in _PARTS.items():
        try:
            step = step_of(layout)
        except FormatError as error:
            yield f"# {name}: {error}"
            continue
        if step:
            yield f"tokenizer.{name} = {code_of(step, name + 's')}"
    yield from _added_tokens_code(layout.recording)


def _decoder_of(layout: Layout) -> Json | None:
    alphabet, decoder = layout.alphabet, layout.recording.decoder
    if decoder is not None:
        return one_or_sequence(list(decoder.settings), "decoders")
    if alphabet.base is Base.BYTES and alphabet.marker is Marker.SUFFIX:  # CLIP's
        last_space = replaced(f" {TEXT_END}", "")
        return one_or_sequence([BYTE_LEVEL_DECODER, replaced_text(layout.marker_text, " "), last_space], "decoders")
    return decoder_of(layout)


_PARTS = {"normalizer": normalizer_of, "pre_tokenizer": pre_tokenizer_of, "decoder": _decoder_of}


def _added_tokens_code(recording: Recording) -> Iterator[str]:
    """Special ones first, as the library adds them."""
    if not recording.added_tokens and recording.alphabet.special_ids:
        yield f"specials = {list(recording.alphabet.special_ids)!r}"
        yield "tokenizer.add_special_tokens([AddedToken(text, normalized=False) for text in specials])"
    for is_special, add in ((True, "add_special_tokens"), (False, "add_tokens")):
        tokens = [token for token in recording.added_tokens if token.special is is_special]
        if tokens:
            yield f"tokenizer.{add}(["
            yield from (f"    AddedToken({token.content!r}, {_flags(token)})," for token in tokens)
            yield "])"


def _flags(token: AddedToken) -> str:
    names = [name for name in ("single_word", "lstrip", "rstrip") if getattr(token, name)]
    return ", ".join([*(f"{name}=True" for name in names), f"normalized={token.normalized}"])


_EXAMPLE = (
    "",
    'encoding = tokenizer.encode("Hello, world!")',
    "print(encoding.ids, encoding.tokens)",
    "print(tokenizer.decode(encoding.ids, skip_special_tokens=False))",
    "",
)

FORMAT = Format(
    name="gpt2",
    title="GPT-2 vocab.json and merges.txt",
    help="A folder with the two files that GPT-2 came with, read by tokenizers and by many older tools.",
    suggested_name="gpt2",
    is_folder=True,
    findings=findings,
    render=render,
    read=read,
    recognizes=recognizes,
    finds=finds,
    python=python,
    no_javascript=ONLY_TOKENIZER_JSON,
)
