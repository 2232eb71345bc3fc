"""The textbook runs of BPE, every value written out: what a lecture does on the blackboard."""

import pytest

from core.alphabet import Base, ByteOrder, Marker, Token, byte_alphabet
from core.normalizer import Normalizer
from core.pipeline import Pipeline
from core.pre_tokenizer import PRE_TOKENIZERS, custom
from core.tokenizer import Tokenizer
from core.trainer import StopReason, TieBreak, TrainerConfig
from tests.core.runs import count, counted_trainer, listed, record, record_words, spelled

ALICE = """
Alice was beginning to get very tired of sitting by her sister on the
bank, and of having nothing to do: once or twice she had peeped into the
book her sister was reading, but it had no pictures or conversations in
it, 'and what is the use of a book,' thought Alice 'without pictures or
conversation?'
So she was considering in her own mind (as well as she could, for the
hot day made her feel very sleepy and stupid), whether the pleasure
of making a daisy-chain would be worth the trouble of getting up and
picking the daisies, when suddenly a White Rabbit with pink eyes ran
close by her.
"""

ALICE_MERGES = {
    TieBreak.FIRST_SEEN: """
    e </w> 21 | i n 16 | e r 13 | t h 13 | d </w> 12 | s </w> 11 | in g 9 | ing </w> 9 | t </w> 9 | y </w> 8 |
    er </w> 8 | o n 7 | th e</w> 7 | i c 6 | o </w> 6 | a n 6 | , </w> 6 | a s</w> 5 | o f 5 | of </w> 5 | s i 5 |
    h er</w> 5 | h a 5 | o r 5 | o u 5 | v er 4 | r e 4 | k </w> 4 | an d</w> 4 | or </w> 4 | ' </w> 4 |
    ic e</w> 3 | w as</w> 3 | t o</w> 3 | t i 3 | s t 3 | s h 3 | sh e</w> 3 | e e 3 | i t</w> 3 | p ic 3 |
    c on 3 | in </w> 3 | a </w> 3 | d a 3 | w h 3 | a l 2 | al ice</w> 2 | g e 2 | ver y</w> 2 | t t 2 |
    tt ing</w> 2 | b y</w> 2 | si st 2 | sist er</w> 2 | on </w> 2 | ha d</w> 2 | ee p 2 | b o 2 | bo o 2 |
    boo k</w> 2 | a d 2 | pic t 2 | pict u 2 | pictu re 2 | picture s</w> 2 | con ver 2 | conver s 2 |
    convers a 2 | conversa ti 2 | s e</w> 2 | th ou 2 | w i 2 | n </w> 2 | l </w> 2
    """,
    TieBreak.LEXICOGRAPHIC: """
    e </w> 21 | i n 16 | e r 13 | t h 13 | d </w> 12 | s </w> 11 | g </w> 9 | in g</w> 9 | t </w> 9 | er </w> 8 |
    y </w> 8 | o n 7 | th e</w> 7 | , </w> 6 | a n 6 | i c 6 | o </w> 6 | a s</w> 5 | f </w> 5 | h a 5 |
    h er</w> 5 | o f</w> 5 | o r 5 | o u 5 | s i 5 | ' </w> 4 | an d</w> 4 | e s</w> 4 | k </w> 4 | or </w> 4 |
    v er 4 | a </w> 3 | c on 3 | d a 3 | e e 3 | h e</w> 3 | i t</w> 3 | ic e</w> 3 | in </w> 3 | p ic 3 |
    s he</w> 3 | s t 3 | t i 3 | t o</w> 3 | u r 3 | w as</w> 3 | w h 3 | a d 2 | a l 2 | a ti 2 | al ice</w> 2 |
    ati on 2 | b o 2 | b y</w> 2 | bo o 2 | boo k</w> 2 | con ver 2 | conver s 2 | convers ation 2 | da i 2 |
    e d</w> 2 | e n 2 | ee p 2 | g e 2 | ha d</w> 2 | i th 2 | k ing</w> 2 | l </w> 2 | l d</w> 2 | ou ld</w> 2 |
    pic t 2 | pict ur 2 | pictur es</w> 2 | s e</w> 2 | si st 2
    """,
    TieBreak.REVERSE_LEXICOGRAPHIC: """
    e </w> 21 | i n 16 | t h 13 | e r 13 | d </w> 12 | s </w> 11 | t </w> 9 | in g 9 | ing </w> 9 | y </w> 8 |
    er </w> 8 | th e</w> 7 | o n 7 | o </w> 6 | i c 6 | a n 6 | , </w> 6 | s i 5 | o u 5 | o r 5 | o f 5 |
    of </w> 5 | h er</w> 5 | h a 5 | a s</w> 5 | v er 4 | r e 4 | or </w> 4 | k </w> 4 | an d</w> 4 | ' </w> 4 |
    w h 3 | w as</w> 3 | t u 3 | t o</w> 3 | t i 3 | s h 3 | sh e</w> 3 | p ic 3 | in </w> 3 | ic e</w> 3 |
    i t</w> 3 | e e 3 | d a 3 | c on 3 | a </w> 3 | wh e 2 | w i 2 | wi th 2 | ver y</w> 2 | ver s 2 | vers a 2 |
    versa ti 2 | versati on 2 | tu re 2 | ture s</w> 2 | t t 2 | tt ing</w> 2 | t er</w> 2 | si s 2 |
    sis ter</w> 2 | s u 2 | s e</w> 2 | pic tures</w> 2 | ou l 2 | oul d</w> 2 | o o 2 | oo k</w> 2 | n </w> 2 |
    m a 2 | l ice</w> 2 | l </w> 2 | k ing</w> 2 | ha d</w> 2 | g e 2
    """,
}

ALICE_WORDS = {
    TieBreak.FIRST_SEEN: {
        "beginning": "b e g in n ing</w>",
        "conversations": "conversati on s</w>",
        "sister": "sister</w>",
        "pictures": "pictures</w>",
        "reading": "re ad ing</w>",
        "alice": "alice</w>",
    },
    TieBreak.LEXICOGRAPHIC: {
        "beginning": "b e g in n ing</w>",
        "conversations": "conversation s</w>",
        "sister": "sist er</w>",
        "pictures": "pictures</w>",
        "reading": "r e ad ing</w>",
        "alice": "alice</w>",
    },
    TieBreak.REVERSE_LEXICOGRAPHIC: {
        "beginning": "b e g in n ing</w>",
        "conversations": "con versation s</w>",
        "sister": "sister</w>",
        "pictures": "pictures</w>",
        "reading": "re a d ing</w>",
        "alice": "a lice</w>",
    },
}

ALICE_ENCODED = {
    TieBreak.FIRST_SEEN: (
        "alice</w> thou g h t</w> re ad ing</w> was</w> ti re s o m e</w> wi thou t</w> pictures</w> . </w>"
    ),
    TieBreak.LEXICOGRAPHIC: (
        "alice</w> th ou g h t</w> r e ad ing</w> was</w> ti r e s o m e</w> w ith ou t</w> pictures</w> . </w>"
    ),
    TieBreak.REVERSE_LEXICOGRAPHIC: (
        "a lice</w> th ou g h t</w> re a d ing</w> was</w> ti re s o m e</w> with ou t</w> pictures</w> . </w>"
    ),
}

ALICE_PIPELINE = Pipeline(Normalizer.named("lowercase"), custom(r"\w+|[^\s\w]+"))


def characters(tie_break, marker=Marker.SYMBOL, **options):
    return TrainerConfig(base=Base.CHARACTERS, marker=marker, tie_break=tie_break, **options)


def flat(merges):
    return " ".join(merges.split())


@pytest.fixture(scope="module", params=list(ALICE_MERGES))
def alice(request):
    return record(ALICE, characters(request.param, merges=75), ALICE_PIPELINE)


def test_alice_before_the_first_merge():
    words = count(ALICE, ALICE_PIPELINE)
    trainer = counted_trainer(words, characters(TieBreak.FIRST_SEEN))

    assert sum(words.values()) == 127
    assert len(words) == 86
    assert len(trainer.alphabet.tokens) == 31


def test_alice_merges(alice):
    assert listed(alice) == flat(ALICE_MERGES[alice.config.tie_break])
    assert alice.stop_reason is StopReason.MERGES
    assert alice.vocab_size(75) == 106


def test_alice_words(alice):
    tokenizer = Tokenizer(alice)
    words = ALICE_WORDS[alice.config.tie_break]

    assert {word: spelled(alice, (piece.token_id for piece in tokenizer.pieces(word))) for word in words} == words


def test_alice_encodes_a_new_sentence(alice):
    ids = Tokenizer(alice).ids("Alice thought reading was tiresome without pictures.")

    assert spelled(alice, ids) == ALICE_ENCODED[alice.config.tie_break]


@pytest.mark.parametrize("alice", [TieBreak.FIRST_SEEN], indirect=True)
def test_alice_encodes_without_in_five_steps(alice):
    steps = list(Tokenizer(alice).steps("without"))

    assert [(step.rank, step.position, spelled(alice, step.after)) for step in steps] == [
        (3, 2, "w i th o u t </w>"),
        (8, 5, "w i th o u t</w>"),
        (24, 3, "w i th ou t</w>"),
        (71, 2, "w i thou t</w>"),
        (72, 0, "wi thou t</w>"),
    ]
    assert spelled(alice, steps[0].before) == "w i t h o u t </w>"
    assert steps[0].ranks == (72, None, 3, None, 24, None, 8)


@pytest.mark.parametrize("alice", [TieBreak.FIRST_SEEN], indirect=True)
@pytest.mark.parametrize(
    ("word", "tokens"),
    [
        ("alice", "alice</w>"),
        ("thought", "thou g h t</w>"),
        ("reading", "re ad ing</w>"),
        ("tiresome", "ti re s o m e</w>"),
        ("without", "wi thou t</w>"),
        ("pictures", "pictures</w>"),
        ("this", "th i s</w>"),
        ("shed", "sh e d</w>"),
        # the longest match from the left would give ee </w>, ge </w>, re </w>, a re </w>, ..., ha s</w>, i st </w>
        ("ee", "e e</w>"),
        ("ge", "g e</w>"),
        ("re", "r e</w>"),
        ("are", "a r e</w>"),
        ("bad", "b a d</w>"),
        ("cad", "c a d</w>"),
        ("has", "h as</w>"),
        ("ist", "i s t</w>"),
    ],
)
def test_alice_encodes_by_merge_rank_and_not_by_longest_match(alice, word, tokens):
    assert spelled(alice, (piece.token_id for piece in Tokenizer(alice).pieces(word))) == tokens


def four_words(**options):
    words = dict.fromkeys(["low", "lower", "newest", "widest"], 1)
    return record_words(words, characters(TieBreak.FIRST_SEEN, Marker.NONE, **options))


def test_four_words_without_marker():
    recording = four_words(merges=20)

    assert listed(recording) == flat(
        """
    l o 2 | lo w 2 | e s 2 | es t 2 | low e 1 | lowe r 1 | n e 1 | ne w 1 | new est 1 | w i 1 | wi d 1 |
    wid est 1
        """
    )
    assert recording.stop_reason is StopReason.NO_PAIR  # after 12 merges, although more were asked for


@pytest.mark.parametrize(
    ("step", "words"),
    [
        (5, {"low": "low", "lower": "lowe r", "newest": "n e w est", "widest": "w i d est"}),
        (12, {"low": "low", "lower": "lower", "newest": "newest", "widest": "widest"}),
    ],
)
def test_four_words_at_a_step(step, words):
    recording = four_words(merges=step)
    trainer = counted_trainer(dict.fromkeys(words, 1), recording.config)
    list(trainer.merges())

    at_step = Tokenizer(four_words(), step)
    assert {w: spelled(recording, (p.token_id for p in at_step.pieces(w))) for w in words} == words
    assert [spelled(recording, word) for word in trainer.words()] == list(words.values())


def test_low_lower_lowest():
    words = count("low lower lowest low low", Pipeline(pre_tokenizer=PRE_TOKENIZERS["whitespace"]))
    assert words == {"low": 3, "lower": 1, "lowest": 1}

    config = characters(TieBreak.LEXICOGRAPHIC)
    recording = record_words(words, config)
    trainer = counted_trainer(words, config)
    assert {spelled(recording, [i]): n for i, n in trainer.symbol_counts.items()} == {
        "l": 5, "o": 5, "w": 5, "</w>": 5, "e": 2, "r": 1, "s": 1, "t": 1,
    }  # fmt: skip
    assert {spelled(recording, pair): n for pair, n in trainer.pair_counts().items()} == {
        "l o": 5, "o w": 5, "w </w>": 3, "w e": 2, "e r": 1, "r </w>": 1, "e s": 1, "s t": 1, "t </w>": 1,
    }  # fmt: skip
    assert listed(recording) == flat(
        """
    l o 5 | lo w 5 | low </w> 3 | low e 2 | lowe r 1 | lowe s 1 | lower </w> 1 | lowes t 1 | lowest </w> 1
        """
    )


BYTES_WITH_END = TrainerConfig(marker=Marker.SYMBOL, byte_order=ByteOrder.VALUE, vocab_size=300)


def test_bytes_with_end_id_256():
    recording = record("low low low lower lowest", BYTES_WITH_END, Pipeline(pre_tokenizer=PRE_TOKENIZERS["whitespace"]))

    assert recording.alphabet == byte_alphabet(Marker.SYMBOL, ByteOrder.VALUE)
    assert recording.token(256) == Token(b"", ends_word=True)
    assert [(*merge.pair, merge.token_id, merge.count) for merge in recording] == [
        (108, 111, 257, 5),
        (257, 119, 258, 5),
        (258, 256, 259, 3),
        (258, 101, 260, 2),
        (114, 256, 261, 1),
        (115, 116, 262, 1),
        (260, 261, 263, 1),
        (260, 262, 264, 1),
        (264, 256, 265, 1),
    ]
    assert recording.stop_reason is StopReason.NO_PAIR
    assert Tokenizer(recording).ids("lowest") == [265]


def test_bytes_with_end_id_256_before_the_first_merge():
    words = count("Hello world! Hello", Pipeline(pre_tokenizer=PRE_TOKENIZERS["whitespace"]))
    trainer = counted_trainer(words, BYTES_WITH_END)

    assert words == {"Hello": 2, "world!": 1}
    assert list(trainer.words()) == [(72, 101, 108, 108, 111, 256), (119, 111, 114, 108, 100, 33, 256)]
    assert trainer.symbol_counts == {72: 2, 101: 2, 108: 5, 111: 3, 256: 3, 119: 1, 114: 1, 100: 1, 33: 1}


def test_overlapping_pairs_are_counted_but_not_replaced():
    words = count("aaaa aaa aa a", Pipeline(pre_tokenizer=PRE_TOKENIZERS["whitespace"]))
    config = characters(TieBreak.LEXICOGRAPHIC, Marker.NONE, merges=1)
    trainer = counted_trainer(words, config)
    assert trainer.pair_counts() == {(0, 0): 6}

    recording = record_words(words, config)
    assert (recording[0].count, recording[0].applied, recording[0].tied) == (6, 4, 1)
    list(trainer.merges())
    assert [spelled(recording, word) for word in trainer.words()] == ["aa aa", "aa a", "aa", "a"]
