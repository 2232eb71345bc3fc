"""How CLIP treats texts before it looks for tokens in them."""

from core.normalizer import Normalizer
from core.pipeline import Pipeline
from core.pre_tokenizer import custom

CLIP_PATTERN = r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|\p{L}+|\p{N}|[^\s\p{L}\p{N}]+"
CLIP_NOT_APPLIED = (
    "ftfy, which repairs broken text (of it only NFC is applied)",
    "characters for HTML's names, such as & for &amp;",
)


def clip_pipeline() -> Pipeline:
    """That white space is collapsed there changes nothing: it only parts words."""
    return Pipeline(Normalizer.named("nfc", "lowercase"), custom(CLIP_PATTERN))
