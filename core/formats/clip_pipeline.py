"""How CLIP treats texts before it looks for tokens in them."""

from core.normalizer import Normalizer, Step
from core.pipeline import Pipeline
from core.pre_tokenizer import custom
from core.text_cleaning import FtfyText, HtmlUnescape, PythonLowercase, has_ftfy
from core.unicode_forms import Nfc

CLIP_PATTERN = r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|\p{L}+|\p{N}|[^\s\p{L}\p{N}]+"
HUGGING_FACE_NOT_APPLIED = (
    "ftfy, which repairs broken text (of it only NFC is applied)",
    "characters for HTML's names, such as & for &amp;",
)


def clip_pipeline() -> Pipeline:
    """As CLIP's own tool does. That white space is collapsed there changes nothing: it only parts words."""
    repair: Step = FtfyText() if has_ftfy() else Nfc()
    return Pipeline(Normalizer((repair, HtmlUnescape(), HtmlUnescape(), PythonLowercase())), custom(CLIP_PATTERN))


def clip_not_applied() -> tuple[str, ...]:
    return () if has_ftfy() else ("ftfy, which is not installed: pip install ftfy",)


def hugging_face_clip_pipeline() -> Pipeline:
    """As Hugging Face's tokenizers do for CLIP."""
    return Pipeline(Normalizer.named("nfc", "lowercase"), custom(CLIP_PATTERN))
