"""What the choices of the trainer's options are called, each with a sentence on what it does and who uses it."""

from bpe_gui.widgets.fields import Choice
from core.alphabet import Base, ByteOrder, Marker, Unknown
from core.normalizer import NORMALIZERS as STEPS
from core.options import NORMALIZER_ORDER
from core.pipeline import Texts
from core.pre_tokenizer import (
    DIGITS_HELPS,
    DIGITS_TITLES,
    PRE_TOKENIZERS,
    Digits,
    PreTokenizer,
)
from core.special_tokens import Specials
from core.trainer_config import Score, TieBreak
from core.word_limits import Beyond

NORMALIZERS = tuple(Choice(name, STEPS[name].title, STEPS[name].help) for name in NORMALIZER_ORDER)
CUTS = tuple(Choice(cut.name, cut.title, cut.help) for cut in (*PRE_TOKENIZERS.values(), PreTokenizer("custom", "")))
DIGITS = tuple(Choice(digits, DIGITS_TITLES[digits], DIGITS_HELPS[digits]) for digits in Digits)
TEXTS = (
    Choice(
        Texts.WHOLE, "The whole corpus", "The corpus is one text; words may hold line ends where the cut lets them."
    ),
    Choice(Texts.FILES, "Every file", "Each of several files is a text of its own: no word goes over their borders."),
    Choice(Texts.LINES, "Every line", "Each line is a text of its own, without its end: SentencePiece, subword-nmt."),
    Choice(
        Texts.LINES_WITH_ENDS,
        "Every line, with its end",
        "Each line with its line end is a text of its own: files given to Hugging Face's trainers.",
    ),
)
SPECIALS_IN_TEXT = (
    Choice(Specials.AS_TEXT, "Text like any other", "Merges are learned from its letters too: Hugging Face."),
    Choice(Specials.MATCH, "Special tokens", "They are left out, and no word goes over them."),
    Choice(Specials.REFUSE, "A mistake", "The text is refused where it holds one."),
)
BEYOND = (
    Choice(Beyond.SPILL, "Kept on the disk", "They wait in files that vanish afterwards; the counts are exact."),
    Choice(
        Beyond.DROP,
        "Rare ones are dropped",
        "Those below the minimum word count, at least 2: faster, but the counts of rare words are too low.",
    ),
)
BASES = (
    Choice(Base.BYTES, "Bytes", "256 symbols write every text; a Chinese character takes three of them."),
    Choice(Base.CHARACTERS, "Characters", "Every character of the text is a symbol; others are unknown later."),
)
BYTE_ORDERS = (
    Choice(ByteOrder.STAND_IN, "As in GPT-2", "“!” has id 0: GPT-2, Hugging Face, OpenAI."),
    Choice(ByteOrder.VALUE, "By value", "Byte 0 has id 0: minbpe, rustbpe."),
)
MARKERS = (
    Choice(Marker.NONE, "None", "Nothing tells where words begin or end, but for spaces that are part of them."),
    Choice(Marker.SYMBOL, "A symbol of its own", "“low” is l o w </w>: the textbooks, Sennrich et al. 2016."),
    Choice(Marker.SUFFIX, "On the last character", "“low” is l o w</w>: subword-nmt, Hugging Face's suffix."),
    Choice(Marker.CONTINUING, "On all but the first", "“low” is l ##o ##w: WordPiece, as in BERT."),
    Choice(Marker.METASPACE, "Spaces become ▁", "“low” is ▁ l o w: SentencePiece, Llama 2, Gemma."),
)
UNKNOWNS = (
    Choice(Unknown.KEEP, "Stay as they are", "They are kept in the text without an id: subword-nmt."),
    Choice(Unknown.DROP, "Left out", "They vanish, and their neighbours meet: Hugging Face without an unknown token."),
    Choice(Unknown.TOKEN, "The unknown token", "Each of them becomes the unknown token: Hugging Face with one."),
    Choice(Unknown.FUSE, "One token for a run", "A run of them becomes one unknown token: Hugging Face's fuse_unk."),
    Choice(Unknown.BYTES, "Their bytes", "Tokens such as <0xE4> spell them: Llama 2, SentencePiece's byte_fallback."),
)
SCORES = (
    Choice(Score.FREQUENCY, "How often", "The most frequent pair is merged: byte pair encoding."),
    Choice(Score.WORDPIECE, "How often, by its parts", "Count of the pair ÷ counts of its two parts: WordPiece."),
)
TIES = (
    Choice(TieBreak.IDS, "Smallest ids", "Smallest left id, then smallest right id: Hugging Face."),
    Choice(TieBreak.BYTES, "Smallest bytes", "As by ids, with bytes ordered by value: rustbpe."),
    Choice(TieBreak.FIRST_SEEN, "First in the text", "The pair that comes first in the text: minbpe, many textbooks."),
    Choice(TieBreak.LEXICOGRAPHIC, "Alphabetical", "Smallest left token as a string, then right: some textbooks."),
    Choice(TieBreak.REVERSE_LEXICOGRAPHIC, "Reverse alphabetical", "Largest left token, then right: subword-nmt."),
    Choice(
        TieBreak.SHORT_THEN_STRING,
        "Shortest first",
        "Fewest characters of the new token, then alphabetical: SentencePiece.",
    ),
)
