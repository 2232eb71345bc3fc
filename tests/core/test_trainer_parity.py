"""The trainer against those of other libraries on random corpora of hard Unicode, each under its own tie rule."""

import io
import json
import random

import pytest

from core.alphabet import Alphabet, Base, ByteOrder, Marker, Token, byte_stand_ins
from core.normalizer import Normalizer
from core.pipeline import Pipeline, Texts
from core.pre_tokenizer import CL100K, GPT2, PRE_TOKENIZERS, custom
from core.tokenizer import Tokenizer
from core.trainer import Plan, TieBreak, TrainerConfig
from tests.core.runs import count, record, record_words

SEEDS = range(7)  # some 3,600 corpora against the libraries
STAND_INS = byte_stand_ins()
LETTERS = [
    "ab", "abc", "aab", "abcdé日🙂", "e\u0301e\u0300n\u0303", "한국어\u1100\u1161\u11a8", "हिन्दी\u200d\u200c",
    "العربية\u0640", "👩\u200d💻👍🏽🇩🇪🇫🇷", "\U0010ffff\uffffa", "ﬁﬂ²½①", "\ufeff\u2060\u00ada", "ǅıİſß", "0123٣४",
    "<>/w#@_▁",
]  # fmt: skip
SPACES = [" ", "  ", "\n", "\t", "\r\n", "\u3000", "\u00a0", "\u2028", "\u0085"]


def random_words(rng, letters=None):
    letters = letters or rng.choice(LETTERS)
    return ["".join(rng.choices(letters, k=rng.randint(1, 9))) for _ in range(rng.randint(0, 30))]


def random_text(rng, spaces=(" ",)):
    return "".join(word + rng.choice(spaces) for word in random_words(rng))


def hugging_face(texts, pre_tokenizer, **options):
    """Vocabulary and merges of its trainer, and the tokenizer."""
    tokenizers = pytest.importorskip("tokenizers")
    theirs = tokenizers.Tokenizer(tokenizers.models.BPE(unk_token=options.pop("unk_token", None)))
    theirs.pre_tokenizer = pre_tokenizer(tokenizers.pre_tokenizers)
    theirs.train_from_iterator(texts, tokenizers.trainers.BpeTrainer(show_progress=False, **options))
    model = json.loads(theirs.to_str())["model"]
    return model["vocab"], [tuple(merge) for merge in model["merges"]], theirs


def written(recording, token_id):
    """As Hugging Face writes it."""
    token = recording.token(token_id)
    if recording.alphabet.base is Base.BYTES and not token.special:
        return "".join(STAND_INS[byte] for byte in token.content)
    return token.text(recording.config.marker_text).decode()


def assert_equal(recording, vocab, merges):
    assert [tuple(written(recording, i) for i in merge.pair) for merge in recording] == merges
    assert {written(recording, i): i for i, _ in recording.tokens_at(len(recording))} == vocab


@pytest.mark.parametrize("seed", SEEDS)
def test_characters_as_hugging_face(seed):
    rng = random.Random(seed)
    for _ in range(120):
        text = random_text(rng, SPACES)
        specials = rng.sample(["<s>", "<unk>", "b", "日"], k=rng.randint(0, 3))
        vocab_size, min_frequency, longest = rng.randint(0, 40), rng.randint(0, 3), rng.choice([None, 2, 3, 4, 7])
        limit = {} if longest is None else {"max_token_length": longest + 1}
        vocab, merges, theirs = hugging_face(
            [text],
            lambda cut: cut.WhitespaceSplit(),
            vocab_size=vocab_size,
            min_frequency=min_frequency,
            special_tokens=specials,
            **limit,
        )
        config = TrainerConfig(
            Base.CHARACTERS,
            vocab_size=vocab_size,
            min_frequency=max(1, min_frequency),
            special_tokens=tuple(specials),
            longest_token=longest,
        )
        ours = record(text, config, Pipeline(pre_tokenizer=PRE_TOKENIZERS["whitespace"]))
        assert_equal(ours, vocab, merges)
        known = "".join(sorted(set(text) - set("".join(SPACES)))) or "a"
        for probe in [" ".join(random_words(rng, known)) for _ in range(2 if set(text) & set(known) else 0)]:
            assert Tokenizer(ours).ids(probe) == theirs.encode(probe).ids


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("name", ["gpt2", "cl100k"])
def test_bytes_as_hugging_face(seed, name):
    rng = random.Random(f"{name} {seed}")
    pattern = PRE_TOKENIZERS[name].pattern

    def cut(cuts):
        if name == "gpt2":
            return cuts.ByteLevel(add_prefix_space=False)
        tokenizers = pytest.importorskip("tokenizers")
        split = cuts.Split(tokenizers.Regex(pattern), "isolated")
        return cuts.Sequence([split, cuts.ByteLevel(add_prefix_space=False, use_regex=False)])

    for _ in range(40):
        text = random_text(rng, [*SPACES, "'s ", "1,234.", "!?"])
        vocab_size, min_frequency = rng.randint(250, 300), rng.randint(0, 3)
        vocab, merges, theirs = hugging_face(
            [text],
            cut,
            vocab_size=vocab_size,
            min_frequency=min_frequency,
            special_tokens=["<|endoftext|>"],
            initial_alphabet=list(STAND_INS.values()),
        )
        config = TrainerConfig(
            vocab_size=vocab_size, min_frequency=max(1, min_frequency), special_tokens=("<|endoftext|>",)
        )
        ours = record(text, config, Pipeline(pre_tokenizer=PRE_TOKENIZERS[name]))
        assert_equal(ours, vocab, merges)
        for probe in (random_text(rng, SPACES) for _ in range(2)):
            assert Tokenizer(ours).ids(probe) == theirs.encode(probe).ids


MARKERS = {
    Marker.SUFFIX: {"end_of_word_suffix": "</w>"},
    Marker.CONTINUING: {"continuing_subword_prefix": "##"},
}


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("marker", MARKERS)
def test_marked_characters_as_hugging_face(seed, marker):
    """It numbers marked letters in the order of a hash table, anew in each run: that order is taken from its result."""
    rng = random.Random(f"{marker} {seed}")
    for _ in range(40):
        words = random_words(rng, rng.choice(LETTERS[:-1]))
        vocab_size, min_frequency = rng.randint(0, 50), rng.randint(0, 3)
        vocab, merges, theirs = hugging_face(
            [" ".join(words)],
            lambda cut: cut.WhitespaceSplit(),
            vocab_size=vocab_size,
            min_frequency=min_frequency,
            special_tokens=["<unk>"],
            unk_token="<unk>",
            **MARKERS[marker],
        )
        config = TrainerConfig(
            Base.CHARACTERS,
            marker,
            vocab_size=vocab_size,
            min_frequency=max(1, min_frequency),
            special_tokens=("<unk>",),
        )
        first = sorted(vocab, key=lambda text: vocab[text])[: len(vocab) - len(merges)]
        pipeline = Pipeline(pre_tokenizer=PRE_TOKENIZERS["whitespace"])
        ours = record(" ".join(words), config, pipeline, alphabet_of(first, marker))
        assert_equal(ours, vocab, merges)
        for word in words[:3]:
            assert Tokenizer(ours).ids(word) == theirs.encode(word).ids


def alphabet_of(spellings, marker):
    tokens = [Token(b"<unk>", special=True)]
    for text in spellings[1:]:
        letter = text.removesuffix("</w>").removeprefix("##")
        tokens.append(Token(letter.encode(), ends_word=text.endswith("</w>"), continues=text.startswith("##")))
    return Alphabet(Base.CHARACTERS, marker, dict(enumerate(tokens)))


@pytest.mark.parametrize("seed", SEEDS)
def test_characters_as_subword_nmt(seed, capsys):
    learn_bpe = pytest.importorskip("subword_nmt.learn_bpe")
    apply_bpe = pytest.importorskip("subword_nmt.apply_bpe")
    rng = random.Random(seed)
    for _ in range(100):
        words = random_words(rng, rng.choice(LETTERS[:-1]))
        if not any(len(word) > 1 for word in words):
            continue  # it cannot be trained without a pair
        text = " ".join(words) + "\n"
        merges, min_frequency, codes = rng.randint(1, 40), rng.randint(1, 3), io.StringIO()
        learn_bpe.learn_bpe(io.StringIO(text), codes, merges, min_frequency)
        config = TrainerConfig(
            Base.CHARACTERS,
            Marker.SUFFIX,
            tie_break=TieBreak.REVERSE_LEXICOGRAPHIC,
            merges=merges,
            min_frequency=min_frequency,
            complete_alphabet=False,
        )
        ours = record(text, config, Pipeline(pre_tokenizer=custom("[^ ]+"), texts=Texts.LINES))
        learned = [tuple(line.split(" ")) for line in codes.getvalue().split("\n")[1:-1]]
        assert [tuple(written(ours, i) for i in merge.pair) for merge in ours] == learned

        if not learned:
            continue  # it cannot read a file without rules
        theirs = apply_bpe.BPE(io.StringIO(codes.getvalue()))
        for word in words[:3]:
            contents = [written(ours, piece.token_id) for piece in Tokenizer(ours).pieces(word)]
            assert " ".join(theirs.segment_tokens([word])).replace("@@ ", " ") == " ".join(contents).removesuffix(
                "</w>"
            )
    capsys.readouterr()  # it draws a progress bar


@pytest.mark.parametrize("seed", SEEDS)
def test_characters_as_sentencepiece(seed):
    """It goes on with pairs that no longer occur where ours ends, and never takes a piece of more than 16 letters."""
    sentencepiece = pytest.importorskip("sentencepiece")
    rng = random.Random(seed)
    config = TrainerConfig(Base.CHARACTERS, Marker.METASPACE, tie_break=TieBreak.SHORT_THEN_STRING, longest_token=16)
    pipeline = Pipeline(Normalizer.named("metaspace"), PRE_TOKENIZERS["metaspace"], Texts.LINES)
    for _ in range(30):
        lines = [" ".join(words) for words in (random_words(rng) for _ in range(3)) if words]
        if not lines:
            continue
        model = io.BytesIO()
        sentencepiece.SentencePieceTrainer.train(
            sentence_iterator=iter(lines),
            model_writer=model,
            model_type="bpe",
            vocab_size=rng.randint(120, 160),
            normalization_rule_name="identity",
            remove_extra_whitespaces=False,
            character_coverage=1.0,
            split_by_unicode_script=False,
            split_by_number=False,
            hard_vocab_limit=False,
            minloglevel=4,
        )
        theirs = sentencepiece.SentencePieceProcessor(model_proto=model.getvalue())
        pieces = [theirs.id_to_piece(i) for i in range(3, theirs.get_piece_size())]
        merged = [piece for piece in pieces if len(piece) > 1]
        ours = record("\n".join(lines), config, pipeline)
        learned = [ours.token(merge.token_id).content.decode() for merge in ours]
        assert learned[: len(merged)] == merged[: len(learned)]


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize(
    ("byte_order", "tie_break"), [(ByteOrder.VALUE, TieBreak.IDS), (ByteOrder.STAND_IN, TieBreak.BYTES)]
)
def test_bytes_as_rustbpe(seed, byte_order, tie_break):
    rustbpe = pytest.importorskip("rustbpe")
    rng = random.Random(f"{byte_order} {seed}")
    for _ in range(60):
        text, merges = random_text(rng, [*SPACES, "'s ", "1,234.", "!?"]), rng.randint(0, 50)
        pattern = rng.choice([GPT2, CL100K])
        theirs = rustbpe.Tokenizer()
        theirs.train_from_iterator([text], vocab_size=256 + merges, pattern=pattern)
        config = TrainerConfig(byte_order=byte_order, tie_break=tie_break, merges=merges)
        ours = record(text, config, Pipeline(pre_tokenizer=custom(pattern)))

        learned = [bytes(content) for content, _ in theirs.get_mergeable_ranks()[256:]]
        assert [ours.token(merge.token_id).content for merge in ours] == learned


@pytest.mark.parametrize("seed", SEEDS)
def test_a_run_that_goes_on_from_its_own_merges_is_the_same_run(seed):
    rng = random.Random(seed)
    for _ in range(20):
        words = count(random_text(rng, SPACES), Pipeline())
        config = TrainerConfig(tie_break=rng.choice(list(TieBreak)))
        whole = record_words(words, config)
        step = rng.randint(0, len(whole))
        continued = record_words(words, config, whole.alphabet, plan=Plan(given=tuple(whole)[:step]))
        assert list(continued) == list(whole)
