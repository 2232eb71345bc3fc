"""Fills the counts of a recording that was read from a file: its own merges are made on the words of a corpus.

Merges in the order of training are replayed by the trainer, so that every number is the trainer's. Of others it is
counted what the model's encoder does with each word under all merges: exact at the last step, while at steps before it
the numbers are the sums over the merges up to there, and may differ from what is encoded there.

A word that is taken whole, though merges do not make it, stands in the counts as that token from step 0 on.
"""

from collections import Counter
from collections.abc import Generator, Iterable, Mapping
from dataclasses import dataclass, replace
from itertools import islice

from core.corpus import Corpus
from core.encoders import Join, joins, merge_ranks, pieces_of
from core.encoding_rules import Encoder
from core.errors import ConfigError
from core.imported import Imported
from core.merge import Merge
from core.parquet_words import counted_with
from core.pipeline import Pipeline, WordCounts
from core.pipeline_json import counting_json, counting_problem
from core.progress import Progress
from core.recording import Recording
from core.trainer import CorpusSize, Plan
from core.trainer_config import TrainerConfig
from core.trainers import trainer_for
from core.utf8 import utf8
from core.word_counts import corpus_words_counted

MERGES_PER_PROGRESS = 1_024
WORDS_PER_PROGRESS = 4_096
SYMBOLS_PER_PROGRESS = 2_048
"""Some 10 ms of work each."""

OUT_OF_ORDER = (
    "The merges are not as training makes them: their counts are those of encoding the text with all of them, and at "
    "steps before the last one they may differ from what is encoded there."
)

ADDED_AS_TEXT = (
    "The text holds added tokens that are always found when it is encoded; their counts here are those of the letters "
    "they are written with."
)
FACTS_OF_COUNTS = (OUT_OF_ORDER, ADDED_AS_TEXT)
"""What an imported tokenizer is said to be once its merges are counted."""

Words = Mapping[str, int]


@dataclass(frozen=True)
class Counted:
    """The merges with their counts, each base symbol's number of occurrences, and the words counted."""

    merges: list[Merge]
    base_counts: Mapping[int, int]
    size: CorpusSize


def attached(
    recording: Recording, corpus: Corpus, pipeline: Pipeline | None = None
) -> Generator[Progress, None, Recording]:
    """The same merges with the counts that they have on `corpus`.

    Words are cut as the recording cuts them; of `pipeline` only counts what is a text of its own, what special tokens
    mean in it, and which words are counted. Raises ConfigError if the pipeline, or whoever counted a list of words,
    cuts otherwise, and errors as corpus_words_counted does.
    """
    own = counting_pipeline(recording, corpus, pipeline)
    words = yield from corpus_words_counted(corpus, own)
    return (yield from filled(recording, corpus, own, words))


def filled(
    recording: Recording, corpus: Corpus, pipeline: Pipeline, words: WordCounts
) -> Generator[Progress, None, Recording]:
    """The same with words that are counted, with what `counting_pipeline` gives."""
    is_replayed = yield from _is_as_trained(recording)
    counted = yield from _counted(recording, words.counts, is_replayed)
    result = replace(
        recording,
        pipeline=pipeline,
        corpus=corpus.when_read(words.read) if words.read else corpus,
        word_counts=words.counts,
        base_counts=counted.base_counts,
        size=counted.size,
        imported=_with_facts(recording.imported, not is_replayed, _holds_added_tokens(recording, corpus)),
    )
    for first in range(0, len(counted.merges), MERGES_PER_PROGRESS):
        result.extend(counted.merges[first : first + MERGES_PER_PROGRESS])
        yield Progress(len(result), len(counted.merges))
    return result


def counting_pipeline(recording: Recording, corpus: Corpus, pipeline: Pipeline | None = None) -> Pipeline:
    """How the words of `corpus` are counted. Raises ConfigError as `attached` does."""
    own = recording.pipeline if pipeline is None else _own_pipeline(recording, pipeline)
    for path in corpus.paths if corpus.given_counts is not None else ():
        if (said := counted_with(path)) and (problem := counting_problem(said, own)):
            raise ConfigError(problem)
    return own


def _own_pipeline(recording: Recording, pipeline: Pipeline) -> Pipeline:
    if problem := counting_problem(counting_json(pipeline), recording.pipeline):
        raise ConfigError(problem)
    return replace(
        recording.pipeline,
        texts=pipeline.texts,
        special_tokens=pipeline.special_tokens,
        specials=pipeline.specials,
        limits=pipeline.limits,
    )


def _with_facts(imported: Imported | None, *hold: bool) -> Imported | None:
    if imported is None:
        return None
    others = (fact for fact in imported.facts if fact not in FACTS_OF_COUNTS)
    found = (fact for fact, holds in zip(FACTS_OF_COUNTS, hold, strict=True) if holds)
    return replace(imported, facts=(*others, *found))


def _holds_added_tokens(recording: Recording, corpus: Corpus) -> bool:
    """Whether there are some that are not special in the text, as far as it is known."""
    contents = (token.content for token in recording.looked_for if not token.special)
    return corpus.given_counts is None and any(content in corpus.text for content in contents)


def _is_as_trained(recording: Recording) -> Generator[Progress, None, bool]:
    """Whether merging the words as training does it gives what the model's encoder makes of them.

    To join whatever spells a token is the same where every token, encoded on its own by merge rank, is that token: the
    merges inside a token are then always the same, whatever stands around.
    """
    if not (recording.is_monotone and recording.rules.is_by_rank):
        return False
    if recording.rules.encoder is not Encoder.TOKEN_RANK or recording.is_regular:
        return True
    spelled = {token_id: [token_id] for token_id in recording.alphabet.tokens}
    for merge in recording:
        symbols = spelled[merge.token_id] = spelled[merge.left] + spelled[merge.right]
        made = list(merge_ranks(recording, symbols, len(recording)))
        if len(made) < len(symbols) - 1 or made[-1][0] != merge.rank:
            return False
        if merge.rank % MERGES_PER_PROGRESS == 0:
            yield Progress(merge.rank, len(recording))
    return True


def _counted(recording: Recording, words: Words, is_replayed: bool) -> Generator[Progress, None, Counted]:
    whole = yield from _whole_words(recording, words)
    others = words
    if whole:
        others = {word: count for word, count in words.items() if word not in whole}
    counted = yield from (_replayed if is_replayed else _encoded)(recording, others)
    return _with_whole_words(counted, whole, words) if whole else counted


def _whole_words(recording: Recording, words: Words) -> Generator[Progress, None, dict[str, int]]:
    """The words that are a token as they stand, but would not become it by merges; and that token."""
    whole = dict[str, int]()
    if not recording.rules.whole_pieces or recording.is_regular:
        return whole
    for done, word in enumerate(words):
        token_id = recording.whole_piece(word, len(recording))
        if token_id is not None and not _makes(recording, word, token_id):
            whole[word] = token_id
        if done % WORDS_PER_PROGRESS == 0:
            yield Progress(done, len(words))
    return whole


def _makes(recording: Recording, word: str, token_id: int) -> bool:
    """Whether the merges make this token of the word."""
    symbols = recording.alphabet.symbols_of(word)
    pieces = pieces_of(recording, symbols, joins(recording, symbols, len(recording), _encoder(recording)))
    return [piece.token_id for piece in pieces] == [token_id]


def _encoder(recording: Recording) -> Encoder:
    """The longest match makes no merges."""
    encoder = recording.rules.encoder
    return Encoder.MERGE_RANK if encoder is Encoder.LONGEST_MATCH else encoder


def _with_whole_words(counted: Counted, whole: Mapping[str, int], words: Words) -> Counted:
    base_counts, size = Counter(counted.base_counts), counted.size
    total = byte_count = characters = 0
    for word, token_id in whole.items():
        count = words[word]
        base_counts[token_id] += count
        total += count
        byte_count += count * len(utf8(word))
        characters += count * len(word)
    size = CorpusSize(
        size.words + total, size.whole_words + total, size.byte_count + byte_count, size.characters + characters
    )
    return Counted(counted.merges, dict(base_counts), size)


def _replayed(recording: Recording, words: Words) -> Generator[Progress, None, Counted]:
    """As the trainer counts, told which merges to make."""
    given = list[Merge]()
    source = iter(recording)
    while part := list(islice(source, MERGES_PER_PROGRESS)):
        given += part
        yield Progress(0, len(recording))
    plan = Plan(tuple(given), recording.plan.forbidden)
    trainer = trainer_for(words, _replay_config(recording), recording.alphabet, plan)
    try:
        yield from trainer.count_pairs()
        merges = list[Merge]()
        for merge in islice(trainer.merges(), len(given)):
            merges.append(merge)
            if len(merges) % MERGES_PER_PROGRESS == 0:
                yield Progress(len(merges), len(given))
        return Counted(merges, dict(trainer.symbol_counts), trainer.size)
    finally:
        trainer.clear()


def _replay_config(recording: Recording) -> TrainerConfig:
    """What decides which pairs share the top count stays."""
    return replace(recording.config.with_merges(len(recording)), stop_token="")


def _encoded(recording: Recording, words: Words) -> Generator[Progress, None, Counted]:
    """What the model's encoder does with every word."""
    tally, last, encoder = _Tally(recording), len(recording), _encoder(recording)
    symbols_done = reported = byte_count = characters = total = 0
    for done, (word, count) in enumerate(words.items(), 1):
        symbols = recording.alphabet.symbols_of(word)
        for _ in tally.taking(symbols, count, joins(recording, symbols, last, encoder)):
            yield Progress(done - 1, len(words))
        total += count
        byte_count += count * len(utf8(word))
        characters += count * len(word)
        symbols_done += len(symbols)
        if symbols_done > reported + SYMBOLS_PER_PROGRESS:
            reported = symbols_done
            yield Progress(done, len(words))
    size = CorpusSize(total, tally.whole_words, byte_count, characters)
    return Counted((yield from tally.merges()), dict(tally.base_counts), size)


class _Tally:
    """How often each merge is made, and how often its pair stands there when it is its turn."""

    def __init__(self, recording: Recording) -> None:
        self.base_counts = Counter[int]()
        self.whole_words = 0
        self._recording = recording
        self._counts, self._applied, self._completed = ([0] * len(recording) for _ in range(3))

    def taking(self, symbols: list[int], count: int, made: Iterable[Join]) -> Generator[None, None, None]:
        """Take in a word and what is done to it; yields in the midst of a long one."""
        for symbol in symbols:
            self.base_counts[symbol] += count
        self.whole_words += count * (len(symbols) == 1)
        ids, first, last = list(symbols), list(range(len(symbols))), list(range(len(symbols)))
        joined = rank = 0
        for joined, (rank, boundary) in enumerate(made, 1):
            start, end = first[boundary], last[boundary + 1]
            self._applied[rank] += count
            self._counts[rank] += count * (1 + self._overlaps(ids, first, start, end))
            ids[start] = self._recording[rank].token_id
            first[end], last[start] = start, end
            if joined % SYMBOLS_PER_PROGRESS == 0:
                yield
        if self._recording.rules.unused:
            self._part_unused(ids, last, count)
        if joined == len(symbols) - 1 > 0 and ids[0] not in self._recording.rules.unused:
            self._completed[rank] += count

    def _part_unused(self, ids: list[int], last: list[int], count: int) -> None:
        """SentencePiece's tokens that are not to be used fall into their parts again: their merges are undone."""
        start, unused = 0, self._recording.rules.unused
        while start < len(ids):
            waiting = [ids[start]]
            while waiting:
                token_id = waiting.pop()
                rank = self._recording.rank_of_token(token_id) if token_id in unused else None
                if rank is not None:
                    self._applied[rank] -= count
                    waiting += self._recording[rank].pair
            start = last[start] + 1

    def _overlaps(self, ids: list[int], first: list[int], start: int, end: int) -> int:
        """`a a a` holds the pair `a a` twice, and joining two of them takes the other away."""
        token_id, second = ids[start], ids[first[end]]
        if token_id != second:
            return 0
        before = start > 0 and ids[first[start - 1]] == token_id
        behind = end + 1 < len(ids) and ids[end + 1] == token_id
        return before + behind

    def merges(self) -> Generator[Progress, None, list[Merge]]:
        merges = list[Merge]()
        for merge, *facts in zip(self._recording, self._counts, self._applied, self._completed, strict=True):
            count, applied, completed = facts
            merges.append(Merge(*merge[:4], count, applied, 0, completed))
            if merge.rank % WORDS_PER_PROGRESS == 0:
                yield Progress(merge.rank, len(self._recording))
        return merges
