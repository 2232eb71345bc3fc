"""What comes back of a text, and that nothing is lost where nothing is said to be."""

import json
import lzma
import sys
import unicodedata
from dataclasses import replace
from functools import cache
from itertools import product
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.alphabet import Base, Marker, Unknown
from core.encoding_rules import Encoder
from core.errors import ConfigError
from core.normalizer import Normalizer
from core.pipeline import Pipeline
from core.pre_tokenizer import PRE_TOKENIZERS, custom, named
from core.round_trip import recording_losses, round_trip, round_trip_of, round_trip_work, scheme_losses
from core.tokenizer import Specials, SpecialTokenError, Tokenizer
from core.trainer import Score, TrainerConfig
from tests.core.hard_texts import any_text
from tests.core.runs import finish, record

DATA = Path(__file__).parent.parent / "data"
PROBES = [probe["text"] for probe in json.loads((DATA / "probes.json").read_text(encoding="utf-8"))["probes"]]
MIXED = "\n".join([*PROBES, "</w> ## ▁ <0xE4>", "a" * 50, "\r\n \t\u3000\u200d", "<s><s>é"])
TRAINING = "the cat's 12 hats, the 日本 théâtre\r\n\t 🙂🙂 the end\n" * 3
PIPELINES = [
    *(Pipeline(pre_tokenizer=pre_tokenizer) for pre_tokenizer in PRE_TOKENIZERS.values()),
    Pipeline(pre_tokenizer=named("gpt2", digits="single", punctuation=True)),
    Pipeline(pre_tokenizer=named("none", digits="threes")),
]


def configs():
    for base, marker, unknown in product(Base, Marker, Unknown):
        score = Score.WORDPIECE if marker is Marker.SYMBOL else Score.FREQUENCY
        specials = ("<s>", "<unk>")
        try:
            yield TrainerConfig(
                base,
                marker,
                merges=40,
                score=score,
                special_tokens=specials,
                unknown_token="<unk>",
                unknown=unknown,
            )
        except ConfigError:
            continue


SCHEMES = [
    (pipeline, config)
    for pipeline in PIPELINES
    for config in configs()
    if config.base is Base.CHARACTERS or config.unknown is Unknown.KEEP  # to bytes nothing is unknown
]
LOSSLESS = [scheme for scheme in SCHEMES if not scheme_losses(*scheme)]


@cache
def recorded(number):
    pipeline, config = LOSSLESS[number]
    return record(TRAINING, config, pipeline)


def test_which_schemes_are_lossless():
    kept = {pipeline.pre_tokenizer.name for pipeline, _ in LOSSLESS}
    kinds = {(config.base, config.marker, config.unknown) for _, config in LOSSLESS}

    assert kept == {"gpt2", "cl100k", "o200k", "llama3", "qwen2", "metaspace", "metaspaces", "none"}
    assert kinds == {
        (Base.BYTES, Marker.NONE, Unknown.KEEP),
        (Base.BYTES, Marker.SYMBOL, Unknown.KEEP),
        (Base.CHARACTERS, Marker.NONE, Unknown.BYTES),
        (Base.CHARACTERS, Marker.SYMBOL, Unknown.BYTES),
    }


@pytest.mark.parametrize("number", range(len(LOSSLESS)))
def test_a_lossless_scheme_gives_back_every_probe(number):
    recording = recorded(number)
    assert recording_losses(recording) == ()
    for step, encoder in ((len(recording), Encoder.MERGE_RANK), (7, Encoder.LONGEST_MATCH), (0, Encoder.TOKEN_RANK)):
        tokenizer = Tokenizer(recording, step, encoder)
        for text in (MIXED, *PROBES) if encoder is Encoder.MERGE_RANK else (MIXED,):
            assert tokenizer.decode(tokenizer.ids(text)) == text


@settings(max_examples=300)
@given(st.integers(0, len(LOSSLESS) - 1), st.integers(0, 40), st.sampled_from(Encoder), any_text)
def test_a_lossless_scheme_gives_back_any_text(number, step, encoder, text):
    recording = recorded(number)

    assert round_trip(recording, min(step, len(recording)), text, encoder).is_equal


ASSIGNED = "".join(
    char for char in map(chr, range(sys.maxunicode + 1)) if unicodedata.category(char) not in ("Cn", "Co", "Cs")
)


@pytest.mark.parametrize("number", range(len(LOSSLESS)))
def test_a_lossless_scheme_gives_back_every_ninth_character(number):
    tokenizer = Tokenizer(recorded(number))
    text = ASSIGNED[number % 9 :: 9]

    assert len(text) > 15_000
    assert tokenizer.decode(tokenizer.ids(text)) == text


def test_every_base_and_marker_gives_back_every_character():
    """Where one scheme leaves characters out above, another one with its base and marker has them."""
    shares = {(config.base, config.marker, number % 9) for number, (_, config) in enumerate(LOSSLESS)}

    assert len(shares) == 4 * 9


@cache
def corpus_lines(path):
    data = path.read_bytes()
    text = (lzma.decompress(data) if path.suffix == ".xz" else data).decode()
    return text.splitlines(keepends=True)


@pytest.mark.parametrize("number", range(len(LOSSLESS)))
def test_a_lossless_scheme_gives_back_the_scripts_of_the_world(number, shared_dir):
    """Every scheme gets other lines."""
    tokenizer = Tokenizer(recorded(number))
    for name in ("mul_udhr_all.txt.xz", "all_assigned_codepoints.txt"):
        text = "".join(corpus_lines(shared_dir / "data" / "corpora" / name)[number :: 10 * len(LOSSLESS)])
        assert tokenizer.decode(tokenizer.ids(text)) == text


CHARACTERS = TrainerConfig(Base.CHARACTERS, unknown=Unknown.BYTES)
METASPACE = TrainerConfig(Base.CHARACTERS, Marker.METASPACE, unknown=Unknown.BYTES)
ALL = Pipeline(pre_tokenizer=PRE_TOKENIZERS["none"])


def normalizing(*names, **options):
    return Pipeline(Normalizer.named(*names, **options), PRE_TOKENIZERS["none"])


@pytest.mark.parametrize(
    ("pipeline", "config", "losses", "text", "message"),
    [
        (
            Pipeline(pre_tokenizer=PRE_TOKENIZERS["whitespace"]),
            TrainerConfig(Base.CHARACTERS, Marker.SUFFIX),
            (
                "White space between words is dropped: of which kind it was, and how much, does not come back.",
                "A space is put between any two words, whether there was one or not.",
                "Characters that the alphabet lacks are left out.",
            ),
            "the  cat",
            "At character 5, ‘␣cat’ comes back as ‘cat’.",
        ),
        (
            Pipeline(pre_tokenizer=PRE_TOKENIZERS["words"]),
            CHARACTERS,
            (
                "White space between words is dropped: of which kind it was, and how much, does not come back.",
                "A space is put between any two tokens: without a marker nothing tells where words end.",
            ),
            "the hat,",
            "At character 8, ‘,’ comes back as ‘␣,’.",
        ),
        (
            Pipeline(pre_tokenizer=PRE_TOKENIZERS["words"]),
            TrainerConfig(),
            ("White space between words is dropped: of which kind it was, and how much, does not come back.",),
            "a cat",
            "At character 2, ‘␣cat’ comes back as ‘cat’.",
        ),
        (
            Pipeline(pre_tokenizer=PRE_TOKENIZERS["lines"]),
            TrainerConfig(),
            ("Line ends are dropped.",),
            "a\n",
            "From character 2 on, ‘⏎’, nothing comes back.",
        ),
        (
            Pipeline(pre_tokenizer=custom("[a-z]+")),
            TrainerConfig(),
            ("Text that your own pattern does not match is dropped.",),
            "aBc",
            "At character 2, ‘Bc’ comes back as ‘c’.",
        ),
        (
            normalizing("lowercase"),
            TrainerConfig(),
            ("Lower case: Capital letters and small ones are no longer told apart.",),
            "the Cat",
            "At character 5, ‘Cat’ comes back as ‘cat’.",
        ),
        (
            normalizing("metaspace"),
            METASPACE,
            (
                "Metaspace: Only a space at the very start of the text, and a ▁ written in it, cannot be told from "
                "what is put there.",
            ),
            " a",
            "At character 1, ‘␣a’ comes back as ‘a’.",
        ),
        (
            normalizing("prepend_metaspace"),
            METASPACE,
            ("Metaspace, always one more: Only a ▁ written in the text cannot be told from a space.",),
            "a▁b",
            "At character 2, ‘▁b’ comes back as ‘␣b’.",
        ),
        (
            ALL,
            replace(METASPACE, initial_characters="▁"),
            ("A ▁ of the text comes back as a space, and one at its start not at all: no normalizer put it there.",),
            "a▁b",
            "At character 2, ‘▁b’ comes back as ‘␣b’.",
        ),
        (
            ALL,
            TrainerConfig(Base.CHARACTERS, unknown=Unknown.DROP),
            ("Characters that the alphabet lacks are left out.",),
            "theX",
            "From character 4 on, ‘X’, nothing comes back.",
        ),
        (
            ALL,
            TrainerConfig(Base.CHARACTERS, special_tokens=("<unk>",), unknown_token="<unk>", unknown=Unknown.FUSE),
            ("Characters that the alphabet lacks become the unknown token.",),
            "theXY",
            "At character 4, ‘XY’ comes back as ‘<unk>’.",
        ),
        (ALL, CHARACTERS, (), "theXY", "The text comes back exactly as it was."),
    ],
)
def test_what_is_lost_is_said_and_seen(pipeline, config, losses, text, message):
    recording = record(TRAINING, config, pipeline)
    trip = round_trip(recording, len(recording), text)

    assert scheme_losses(pipeline, config) == recording_losses(recording) == losses
    assert trip.message == message
    assert trip.is_equal == (trip.decoded == text)


def test_where_text_is_added_at_the_end():
    recording = record("ab ab", TrainerConfig(Base.CHARACTERS, Marker.SUFFIX), Pipeline(pre_tokenizer=custom(r"\w+|,")))
    trip = round_trip(recording, 1, "ab,")

    assert (trip.decoded, trip.place) == ("ab", 2)


def test_bytes_without_tokens_are_a_loss():
    config = TrainerConfig(Base.CHARACTERS, unknown=Unknown.BYTES)
    whole = record("ab", config, ALL)
    tokens = {i: token for i, token in whole.alphabet.tokens.items() if token.content != b"\xff"}
    part = type(whole.alphabet)(Base.CHARACTERS, Marker.NONE, tokens, Unknown.BYTES)

    assert scheme_losses(ALL, config, whole.alphabet) == ()
    assert scheme_losses(ALL, config, part) == (
        "Some characters that the alphabet lacks are lost: not every byte has a token.",
    )


def test_special_tokens_that_are_refused():
    recording = record("ab", TrainerConfig(special_tokens=("<s>",)))

    assert round_trip(recording, 1, "a<s>b").is_equal
    assert round_trip(recording, 1, "a<s>b", specials=Specials.AS_TEXT).is_equal
    with pytest.raises(SpecialTokenError):
        round_trip(recording, 1, "a<s>b", specials=Specials.REFUSE)


def test_ids_that_are_there_already_are_decoded_as_they_are():
    recording = record("ab ab", TrainerConfig(Base.CHARACTERS), ALL)

    assert round_trip_of(recording, "ab", Tokenizer(recording).ids("ab")).is_equal
    assert round_trip_of(recording, "ab", Tokenizer(recording).ids("ba")).place == 0


def test_a_round_trip_for_the_background_can_be_given_up_before_it_begins():
    recording = record("ab ab", TrainerConfig(special_tokens=("<s>",)))

    assert finish(round_trip_work(recording, 1, "ab<s>")) == round_trip(recording, 1, "ab<s>")
    with pytest.raises(SpecialTokenError):
        finish(round_trip_work(recording, 1, "ab<s>", Specials.REFUSE))
    assert next(round_trip_work(recording, 1, "ab<s>", Specials.REFUSE)) is None
