"""Writes a normalizer, pre-tokenizer or decoder of a tokenizer.json as Python that makes the same one."""

from collections.abc import Iterator

from core.formats.huggingface_normalizer import Json, nmt_nfkc_charsmap, nmt_nfkc_model

_STEPS = {"normalizers": "normalizers", "pre_tokenizers": "pretokenizers", "decoders": "decoders"}
_OPTIONS = {
    "Metaspace": ("replacement", "prepend_scheme", "split"),
    "Prepend": ("prepend",),
    "BPEDecoder": ("suffix",),
    "WordPiece": ("prefix", "cleanup"),
}


def code_of(step: Json, module: str) -> str:
    """`decoders.WordPiece(prefix='##', cleanup=False)`; `module` is that of the class."""
    kind = step["type"]
    if kind == "Sequence":
        return f"{module}.Sequence([{', '.join(code_of(each, module) for each in step[_STEPS[module]])}])"
    return f"{module}.{kind}({', '.join(_arguments(kind, step, module))})"


def _arguments(kind: str, step: Json, module: str) -> Iterator[str]:
    match kind:
        case "ByteLevel" if module == "pre_tokenizers":
            yield "add_prefix_space=False"
            if not step["use_regex"]:
                yield "use_regex=False"
        case "Split":
            yield f"{_pattern(step)}, {_snake(step['behavior'])!r}, invert={step['invert']}"
        case "Replace":
            yield f"{_pattern(step)}, {step['content']!r}"
        case "Strip":
            yield f"content={step['content']!r}, left={step['start']}, right={step['stop']}"
        case "Precompiled":
            yield "charsmap"
        case _:
            yield from (f"{name}={step[name]!r}" for name in _OPTIONS.get(kind, ()))


def _snake(name: str) -> str:
    """`merged_with_next` for `MergedWithNext`: the library's Python has its own spelling."""
    return "".join(f"_{char.lower()}" if char.isupper() else char for char in name).removeprefix("_")


def _pattern(step: Json) -> str:
    pattern = step["pattern"]
    return f"Regex({pattern['Regex']!r})" if "Regex" in pattern else repr(pattern["String"])


def charsmap_code() -> Iterator[str]:
    """Lines that leave SentencePiece's table of characters in `charsmap`."""
    start = nmt_nfkc_model().index(nmt_nfkc_charsmap())
    yield "from sentencepiece import SentencePieceNormalizer"
    yield ""
    yield "model = SentencePieceNormalizer(rule_name='nmt_nfkc').serialized_model_proto()"
    yield f"charsmap = model[{start}:{start + len(nmt_nfkc_charsmap())}]  # the table, one field of a protocol buffer"
