"""Byte pair encoding without a window: read a text, cut it into words, train, record, encode, decode, measure, export.

The order of the lesson: corpus, normalizer, pre_tokenizer, alphabet, merge, trainer, recording, tokenizer, measures.

Train on a text; each merge says which pair it joined and how often the pair stood there:

>>> import core
>>> corpus = core.Corpus.typed("low low low low low lower lower newest newest newest newest newest newest "
...                            "widest widest widest")
>>> words = core.Pipeline(pre_tokenizer=core.PRE_TOKENIZERS["whitespace"])
>>> config = core.TrainerConfig(core.Base.CHARACTERS, core.Marker.SUFFIX, merges=8)
>>> recording = core.record(corpus, words, config)
>>> for merge in recording:
...     print(core.merge_text(recording, merge), merge.count)
e + s → es 9
es + t</w> → est</w> 9
l + o → lo 7
e + w → ew 6
n + ew → new 6
new + est</w> → newest</w> 6
lo + w</w> → low</w> 5
d + est</w> → dest</w> 3

The tokenizer is the recording at a step; step 2 knows two merges:

>>> core.Tokenizer(recording).ids("lowest newest")
[22, 9, 21, 25]
>>> [recording.token(i).text().decode() for i in core.Tokenizer(recording, step=2).ids("lowest")]
['l', 'o', 'w', 'est</w>']
>>> core.Tokenizer(recording).decode([22, 9, 21, 25])
'lowest newest'

As an array for large texts; compiled loops do it in a hundredth of the time once `core.kernel_loader.load()` has run:

>>> core.Tokenizer(recording).id_array("lowest newest").tolist()
[22, 9, 21, 25]

A word's whole history is one rank per boundary, the merge that removed it:

>>> history = core.WordHistory(recording, "newest")
>>> [(piece.start, piece.end) for piece in history.pieces(step=5)]
[(0, 3), (3, 6)]
>>> history.boundary_ranks
[4, 3, 5, 0, 1]

Other ways to train are other options: WordPiece's score, SentencePiece's spaces and tie rule, bytes.

>>> options = core.Options(pre_tokenizer="words", base=core.Base.CHARACTERS, marker=core.Marker.CONTINUING,
...                        score=core.Score.WORDPIECE, stop=core.Stop.MERGES, merges=3)
>>> pieces = core.record(corpus, options.pipeline(), options.config())
>>> [(core.merge_text(pieces, merge), round(merge.score, 3)) for merge in pieces]
[('w + ##i → wi', 0.333), ('wi + ##d → wid', 0.333), ('l + ##o → lo', 0.143)]

What the tokenizer is worth, on the corpus or on a text it has not seen:

>>> measures = core.measures_at(recording, len(recording))
>>> round(measures.bytes_per_token, 2), measures.fertility
(2.82, 1.75)

Export writes what other libraries read to the same ids, and says before what a format cannot keep:

>>> {"gpt2", "huggingface", "tiktoken"} <= set(core.FORMATS)
True

A generator yields merges one by one, for programs that want to stop, show or count between them:

>>> counts = {"aaaa": 3, "ab": 2}
>>> alphabet = core.build_alphabet(counts, config)
>>> next(core.train(counts, config, alphabet)).count
6
"""

from core.alphabet import Alphabet, Base, ByteOrder, Marker, Token, Unknown
from core.corpus import Corpus, load_corpora, load_corpus
from core.encoders import Dropout
from core.encoding_rules import Encoder
from core.errors import BpeError, ConfigError, CorpusError, FormatError, PatternError
from core.formats import FORMATS
from core.measures import MEASURES
from core.measuring import measures_at
from core.merge import UNKNOWN, Merge
from core.normalizer import NORMALIZERS, Normalizer
from core.options import Options, Stop
from core.pipeline import Pipeline, Texts
from core.pre_tokenizer import PRE_TOKENIZERS, PreTokenizer, custom
from core.presets import PRESETS
from core.recording import Recording, record
from core.tokenizer import Specials, Tokenizer, WordHistory
from core.trainer import Plan, Score, StopReason, TieBreak, TrainerConfig, build_alphabet
from core.trainers import train
from core.vocab import label, merge_text, token_label
from core.word_counts import load_word_counts, write_word_counts

__all__ = [
    "FORMATS", "MEASURES", "NORMALIZERS", "PRESETS", "PRE_TOKENIZERS", "UNKNOWN",
    "Alphabet", "Base", "BpeError", "ByteOrder", "ConfigError", "Corpus", "CorpusError", "Dropout", "Encoder",
    "FormatError", "Marker", "Merge", "Normalizer", "Options", "PatternError", "Pipeline", "Plan", "PreTokenizer",
    "Recording", "Score", "Specials", "Stop", "StopReason", "Texts", "TieBreak", "Token", "Tokenizer", "TrainerConfig",
    "Unknown", "WordHistory",
    "build_alphabet", "custom", "label", "load_corpora", "load_corpus", "load_word_counts", "measures_at", "merge_text",
    "record", "token_label", "train", "write_word_counts",
]  # fmt: skip
