"""How llama.cpp cuts texts before it merges: the names in `tokenizer.ggml.pre` of GGUF files, and their patterns.

Where llama.cpp has patterns of its own that only come near those of the models' own tokenizers, these are here. Each of
several patterns cuts what the one before has left, and what it does not match is a piece too.
"""

from collections.abc import Mapping
from functools import cache

from core.pre_tokenizer import GPT2, PRE_TOKENIZERS, Digits, PreTokenizer, by_splits, named
from core.splits import Split

_ENGLISH = "(?i:'s|'t|'re|'ve|'m|'ll|'d)"
_WORDS = (
    r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+%s"
    r"|[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*%s"
)
_REST = r"| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"
_DEEPSEEK = (
    r"""[!"#$%&'()*+,\-./:;<=>?@\[\\\]^_`{|}~][A-Za-z]+|[^\r\n\p{L}\p{P}\p{S}]?[\p{L}\p{M}]+"""
    r"| ?[\p{P}\p{S}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"
)
_CHINESE_AND_JAPANESE = "[一-龥\u3040-\u309f\u30a0-\u30ff]+"
_NO_PUNCTUATION = r" ?[^(\s|.,!?…。，、।۔،)]+"

_KNOWN: Mapping[str, tuple[str, ...]] = {
    "gpt2": (
        "gpt-2", "phi-2", "jina-es", "jina-de", "jina-v2-es", "jina-v2-de", "jina-v1-en", "jina-v2-code", "roberta-bpe",
        "gigachat", "a.x-4.0", "mellum", "modern-bert", "exaone4", "mpt", "olmo", "jais", "trillion", "granite-docling",
    ),
    "llama3": (
        "llama3", "llama-v3", "llama-bpe", "falcon3", "falcon-h1", "pixtral", "midm-2.0", "lfm2", "jina-v5-nano",
        "dbrx", "smaug-bpe", "chatglm-bpe", "glm4",
    ),
    "qwen2": (
        "qwen2", "deepseek-r1-qwen", "kormo", "f2llmv2", "stablelm2", "hunyuan", "solar-open", "megrez", "grok-2",
    ),
    "o200k": ("gpt-4o", "llama4", "kanana2", "talkie", "minimax-m2"),
}  # fmt: skip
_DIGITS_APART = ("starcoder", "refact", "command-r", "smollm", "codeshell", "exaone", "minerva-7b", "mellum2")
_PATTERNS: Mapping[str, tuple[str, ...]] = {
    "deepseek-coder": ("[\r\n]", r"\s?\p{L}+", r"\s?\p{P}+", "[一-龥ࠀ-一가-\ud7ff]+", r"\p{N}"),
    "deepseek-v3": (r"\p{N}{1,3}", _CHINESE_AND_JAPANESE, _DEEPSEEK),
    "falcon": (r"[\p{P}\$\+<=>\^~\|`]+", GPT2, "[0-9][0-9][0-9]"),
    "bloom": (_NO_PUNCTUATION,),
    "viking": (_NO_PUNCTUATION, r"\p{N}"),
    "tekken": (_WORDS % ("", "") + r"|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+",),
    "qwen35": (
        _ENGLISH + r"|[^\r\n\p{L}\p{N}]?[\p{L}\p{M}]+|\p{N}"
        r"| ?[^\s\p{L}\p{M}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+",
    ),
    "bailingmoe": (
        r"'(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?+\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]++[\r\n]*|\s*[\r\n]|\s+(?!\S)|\s+",
    ),
    "seed-coder": (
        _ENGLISH + r"|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}\r\n]+|\s*[\r\n]+|\s+(?!\S)|\s+",
    ),
    "minicpm5": (r"\p{N}{1,3}", _ENGLISH + r"|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}+" + _REST),
}  # fmt: skip
_SAME = {
    "poro-chat": "bloom", "gpt3-finnish": "bloom", "hunyuan-dense": "deepseek-v3", "joyai-llm": "deepseek-v3",
    "hy_v4": "deepseek-v3", "bailingmoe2": "bailingmoe", "llada-moe": "bailingmoe",
}  # fmt: skip
TAKES_WORDS_WHOLE = frozenset(
    {
        "llama3", "llama-v3", "llama-bpe", "falcon3", "falcon-h1", "pixtral", "midm-2.0", "lfm2", "jina-v5-nano",
        "tekken", "minicpm5", "youtu",
    }
)  # fmt: skip
"""Names under which a word that is a token as it stands is taken whole."""


@cache
def pre_tokenizer_of(name: str) -> PreTokenizer | None:
    """The pre-tokenizer of a name; None for one that is not known here."""
    for known, names in _KNOWN.items():
        if name in names:
            return PRE_TOKENIZERS[known]
    if name in _DIGITS_APART:
        return named("gpt2", digits=Digits.SINGLE)
    patterns = _PATTERNS.get(_SAME.get(name, name))
    return by_splits([Split(pattern) for pattern in patterns]) if patterns else None
