"""Vocabularies known by their ranks, whatever the file is called: how they cut texts, which special tokens they have.

Sources: tiktoken_ext/openai_public.py of tiktoken 0.14, whisper/tokenizer.py of openai-whisper, Meta's llama3. A file
that is cut off behind some of the ranks is known too, by a digest of the last checkpoint that it reaches.
"""

import hashlib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from typing import NamedTuple

from core.formats.rank_file import Ranks
from core.pre_tokenizer import PRE_TOKENIZERS, PreTokenizer

CHECKPOINTS = (320, *(1 << power for power in range(9, 18)))
"""So many first tokens have a digest. 64 merges are the fewest that tell one vocabulary from another."""

SpecialTokens = Mapping[str, int]


@dataclass(frozen=True)
class KnownVocabulary:
    """`digests` are those of the checkpoints below `size`, and the one of all ranks.

    `others` names special tokens in SPECIAL_TOKENS that other tools use with the same ranks.
    """

    name: str
    pre_tokenizer: PreTokenizer
    size: int
    digests: tuple[str, ...]
    others: tuple[str, ...] = ()

    def is_at(self, checkpoint: int, found: str) -> bool:
        """Whether this is the digest of so many first tokens."""
        if checkpoint == self.size:
            return found == self.digests[-1]
        return checkpoint < self.size and found == self.digests[CHECKPOINTS.index(checkpoint)]


class Recognition(NamedTuple):
    vocabulary: KnownVocabulary
    is_whole: bool

    @property
    def special_tokens(self) -> SpecialTokens:
        """Those of the whole vocabulary. In a part of it their ids would leave a gap, so that has none."""
        return special_tokens(self.vocabulary.name) if self.is_whole else {}

    def facts(self) -> Iterator[str]:
        name, others = self.vocabulary.name, " and ".join(self.vocabulary.others)
        if not self.is_whole:
            yield (
                f"The ranks are the first of {name}, whose pattern is used. It is not all of {name}, so the special "
                "tokens are left out."
            )
            return
        yield f"The ranks are those of {name}, whose pattern and special tokens are used."
        if others:
            yield f"Other special tokens go with the same ranks: those of {others}."


def recognized(ranks: Ranks) -> Recognition | None:
    """The known vocabulary that these are all ranks of, or the first ones."""
    if is_llama3(ranks):
        return Recognition(LLAMA3, True)
    digests = dict[int, str]()
    for known in VOCABULARIES:
        if CHECKPOINTS[0] <= len(ranks) <= known.size:
            checkpoint = max(count for count in (*CHECKPOINTS, known.size) if count <= len(ranks))
            if checkpoint not in digests:
                digests[checkpoint] = digest(ranks, checkpoint)
            if known.is_at(checkpoint, digests[checkpoint]):
                return Recognition(known, checkpoint == known.size)
    return None


def is_llama3(ranks: Ranks) -> bool:
    """Llama 3's file begins with cl100k's ranks and goes on."""
    return len(ranks) == LLAMA3.size and digest(ranks, 1 << 16) == LLAMA3.digests[0]


def digest(ranks: Ranks, count: int) -> str:
    """Of the first `count` tokens and their ranks."""
    end = ranks.offsets[count]
    hashed = hashlib.blake2b(ranks.data[:end].tobytes(), digest_size=8)
    hashed.update(ranks.lengths[:count].astype("<u2").tobytes())
    hashed.update(ranks.ranks[:count].astype("<u4").tobytes())
    return hashed.hexdigest()


def special_tokens(name: str) -> SpecialTokens:
    """Text and id of the special tokens of that name. Raises KeyError for an unknown one."""
    return SPECIAL_TOKENS[name]()


@cache
def _harmony() -> SpecialTokens:
    named = {
        "startoftext": 199_998, "endoftext": 199_999, "return": 200_002, "constrain": 200_003, "channel": 200_005,
        "start": 200_006, "end": 200_007, "message": 200_008, "call": 200_012, "endofprompt": 200_018,
    }  # fmt: skip
    # 200,018 is <|reserved_200018|> there too; here an id has one text
    reserved = {f"reserved_{i}": i for i in range(200_000, 201_088) if i not in named.values()}
    by_id = sorted((named | reserved).items(), key=lambda item: item[1])
    return {f"<|{text}|>": token_id for text, token_id in by_id}


@cache
def _whisper(first: int, languages: int) -> SpecialTokens:
    texts = [
        "endoftext", "startoftranscript", *_LANGUAGES.split()[:languages], "translate", "transcribe", "startoflm",
        "startofprev", "nospeech", "notimestamps", *(f"{number * 0.02:.2f}" for number in range(1501)),
    ]  # fmt: skip
    return {f"<|{text}|>": first + number for number, text in enumerate(texts)}


_LANGUAGES = (
    "en zh de es ru ko fr ja pt tr pl ca nl ar sv it id hi fi vi he uk el ms cs ro da hu ta no th ur hr bg lt la mi ml "
    "cy sk te fa lv bn sr az sl kn et mk br eu is hy ne mn bs kk sq sw gl mr pa si km sn yo so af oc ka be tg sd gu am "
    "yi lo uz fo ht ps tk nn mt sa lb my bo tl mg as tt haw ln ha ba jw su yue"
)
_FIM = ("<|fim_prefix|>", "<|fim_middle|>", "<|fim_suffix|>")


SPECIAL_TOKENS: Mapping[str, Callable[[], SpecialTokens]] = {
    "r50k_base": lambda: {"<|endoftext|>": 50_256},
    "whisper_english": lambda: _whisper(50_256, 99),
    "p50k_base": lambda: {"<|endoftext|>": 50_256},
    "p50k_edit": lambda: {"<|endoftext|>": 50_256, **dict(zip(_FIM, range(50_281, 50_284), strict=True))},
    "cl100k_base": lambda: {
        "<|endoftext|>": 100_257,
        **dict(zip(_FIM, range(100_258, 100_261), strict=True)),
        "<|endofprompt|>": 100_276,
    },
    "o200k_base": lambda: {"<|endoftext|>": 199_999, "<|endofprompt|>": 200_018},
    "o200k_harmony": _harmony,
    "whisper": lambda: _whisper(50_257, 99),
    "whisper_large_v3": lambda: _whisper(50_257, 100),
    # those that all versions have; the others are called otherwise in each
    "llama3": lambda: {
        "<|begin_of_text|>": 128_000,
        "<|end_of_text|>": 128_001,
        "<|start_header_id|>": 128_006,
        "<|end_header_id|>": 128_007,
        "<|eot_id|>": 128_009,
    },
}
"""Special tokens by the name of the encoding or model that has them."""

_GPT2, _CL100K, _O200K = (PRE_TOKENIZERS[name] for name in ("gpt2", "cl100k", "o200k"))

# r50k before p50k, which goes on where that ends
# fmt: off
VOCABULARIES = (
    KnownVocabulary("r50k_base", _GPT2, 50_256, (
        "f058da4b311f5606", "d7920841901b0aa4", "e5e5ed3d14027963", "966316e06f674061", "1c84073876f014f1",
        "5f95b4c82a532cc4", "c448b79bf3e9f955", "c07c6213d64106d3", "f4c4f28928d38fb5",
    ), ("whisper_english",)),
    KnownVocabulary("p50k_base", _GPT2, 50_280, (
        "f058da4b311f5606", "d7920841901b0aa4", "e5e5ed3d14027963", "966316e06f674061", "1c84073876f014f1",
        "5f95b4c82a532cc4", "c448b79bf3e9f955", "c07c6213d64106d3", "ac2792610fe0a463",
    ), ("p50k_edit",)),
    KnownVocabulary("cl100k_base", _CL100K, 100_256, (
        "4b782dacd46b5f7a", "818871c0cb9eb357", "d32fbd9910bf10ef", "eb6ff96ca8361173", "ba8701b44f7c60ef",
        "feb5ee3059025b1c", "3554270bf5182493", "7a2f9df93a02d297", "357ba652d0604951", "91788cbbe56c1edf",
    )),
    KnownVocabulary("o200k_base", _O200K, 199_998, (
        "1a28404c8a222ef8", "41d64037ce97e75c", "fa759a10cb65c899", "9c6f5cba45d9d693", "3e05ad0d18cad69c",
        "1e5289b51b872c0f", "8126a768c529753f", "4005afc7ddfe5835", "48d181d30fb8b7d0", "4bfd88844004a1a3",
        "e92d410ee83cbaaf",
    ), ("o200k_harmony",)),
    KnownVocabulary("whisper", _GPT2, 50_257, (
        "e3dcb5337c2a851c", "b3568fadb0ad510a", "3cec29d6db1883b9", "9d3750b0a5e85cdf", "83cb45498bd1dd38",
        "6dd19847243c6d10", "2111de6327d4c011", "e9bf4fab54d2e583", "0d03286ee935ad8c",
    ), ("whisper_large_v3",)),
)
# fmt: on
LLAMA3 = KnownVocabulary("llama3", PRE_TOKENIZERS["llama3"], 128_000, ("357ba652d0604951",))
