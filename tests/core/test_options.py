import importlib.util
import json
from dataclasses import fields, replace

import pytest

from core.alphabet import Base, ByteOrder, Marker, Unknown
from core.errors import ConfigError, PatternError
from core.normalizer import Normalizer
from core.options import MAX_NUMBER, NORMALIZER_ORDER, Fault, Options, Stop
from core.pipeline import Pipeline, Texts
from core.pre_tokenizer import PRE_TOKENIZERS, Digits
from core.presets import PRESETS
from core.special_tokens import Specials
from core.trainer_config import Score, TieBreak, TrainerConfig
from core.word_limits import Beyond, WordLimits

CHARACTERS = Options(pre_tokenizer="whitespace", base=Base.CHARACTERS)
METASPACE = Options(pre_tokenizer="metaspace", base=Base.CHARACTERS, marker=Marker.METASPACE)


def test_the_defaults_are_gpt2s():
    pipeline, config = Options().pipeline(), Options().config()
    assert pipeline.pre_tokenizer is PRE_TOKENIZERS["gpt2"]
    assert config == TrainerConfig(merges=1_000, min_frequency=1)


EVERYTHING = Options(
    normalizers=("replace", "lowercase", "numbers", "nfkc"),
    number_token="<n>",
    replacements=(("日+", " 日 "), ("\\s+$", "")),
    texts=Texts.LINES_WITH_ENDS,
    pre_tokenizer="custom",
    pattern="日本|\\w",
    digits=Digits.THREES,
    punctuation=True,
    base=Base.CHARACTERS,
    byte_order=ByteOrder.VALUE,
    marker=Marker.SUFFIX,
    marker_text="▁",
    complete_alphabet=False,
    initial_characters="xyz本",
    coverage=0.9995,
    alphabet_limit=900,
    special_tokens=("<s>", "[UNK]"),
    specials_last=True,
    specials_in_text=Specials.MATCH,
    unknown=Unknown.FUSE,
    unknown_token="<s>",
    score=Score.WORDPIECE,
    tie_break=TieBreak.FIRST_SEEN,
    stop=Stop.VOCAB_SIZE,
    merges=5,
    vocab_size=6_000,
    min_frequency=7,
    longest_token=8,
    stop_token="^th",
    word_memory_mb=500,
    beyond_memory=Beyond.DROP,
    min_word_count=3,
)
"""No field has its default."""


def test_every_choice_reaches_the_pipeline_and_the_config():
    pipeline, config = EVERYTHING.pipeline(), EVERYTHING.config()
    assert pipeline.normalizer.normalize("AB 日日 12") == "ab  日  <n>"
    assert pipeline.normalizer.names == ("replace", "lowercase", "numbers", "nfkc")
    assert pipeline.texts is Texts.LINES_WITH_ENDS
    assert (pipeline.special_tokens, pipeline.specials) == (("<s>", "[UNK]"), Specials.MATCH)
    assert (pipeline.pre_tokenizer.name, pipeline.pre_tokenizer.pattern) == ("custom", "日本|\\w")
    assert (pipeline.pre_tokenizer.digits, pipeline.pre_tokenizer.punctuation) == (Digits.THREES, True)
    assert pipeline.limits == WordLimits(500, Beyond.DROP, 3)
    assert config == TrainerConfig(
        base=Base.CHARACTERS,
        marker=Marker.SUFFIX,
        byte_order=ByteOrder.VALUE,
        tie_break=TieBreak.FIRST_SEEN,
        vocab_size=6_000,
        min_frequency=7,
        special_tokens=("<s>", "[UNK]"),
        unknown_token="<s>",
        initial_characters="xyz本",
        complete_alphabet=False,
        marker_text="▁",
        score=Score.WORDPIECE,
        longest_token=8,
        stop_token="^th",
        coverage=0.9995,
        alphabet_limit=900,
        specials_last=True,
        unknown=Unknown.FUSE,
    )


@pytest.mark.parametrize(
    ("stop", "merges", "vocab_size"),
    [(Stop.MERGES, 7, None), (Stop.VOCAB_SIZE, None, 300), (Stop.NO_PAIR, None, None)],
)
def test_one_stop_rule_counts(stop, merges, vocab_size):
    config = Options(stop=stop, merges=7, vocab_size=300).config()
    assert (config.merges, config.vocab_size) == (merges, vocab_size)


def test_special_tokens_that_are_text_do_not_change_how_a_corpus_is_cut():
    assert Options(special_tokens=("<s>",)).pipeline() == Options(specials_in_text=Specials.REFUSE).pipeline()
    assert Options(special_tokens=("<s>",), specials_in_text=Specials.REFUSE).pipeline() != Options().pipeline()


def test_nothing_and_zero_mean_no_limit():
    config = Options(longest_token=0, alphabet_limit=0, stop_token="").config()
    assert (config.longest_token, config.alphabet_limit, config.stop_token) == (None, None, "")


@pytest.mark.parametrize(
    ("marker", "text", "used"),
    [
        (Marker.SYMBOL, "", "</w>"),
        (Marker.SUFFIX, "_", "_"),
        (Marker.CONTINUING, "", "##"),
        (Marker.METASPACE, "_", "▁"),
    ],
)
def test_the_text_of_the_marker(marker, text, used):
    assert replace(CHARACTERS, marker=marker, marker_text=text).config().marker_text == used


@pytest.mark.parametrize(
    ("marker", "reason"),
    [
        (Marker.SUFFIX, "no final or continuing letters"),
        (Marker.CONTINUING, "no final or continuing letters"),
        (Marker.METASPACE, "the space before a word does its work"),
    ],
)
def test_bytes_rule_out_markers_on_characters_and_remember_them(marker, reason):
    options = replace(CHARACTERS, marker=marker)
    assert options.config().marker is marker
    assert options.unusable_markers() == {}
    options = replace(options, base=Base.BYTES)
    assert options.config().marker is options.used("marker") is Marker.NONE
    assert reason in options.unusable_markers()[marker]
    assert replace(options, base=Base.CHARACTERS).config().marker is marker


def test_bytes_can_have_a_marker_of_its_own():
    assert set(Options().unusable_markers()) == {Marker.SUFFIX, Marker.CONTINUING, Marker.METASPACE}
    assert Options(marker=Marker.SYMBOL).config().marker is Marker.SYMBOL


# The marker ▁: its normalizer and its pre-tokenizer come with it.


def test_the_metaspace_marker_puts_its_step_last():
    options = replace(METASPACE, normalizers=("strip", "nfkc"))
    assert options.pipeline().normalizer.names == ("strip", "nfkc", "metaspace")
    assert options.pipeline().normalizer.normalize(" ﬁ x ") == "▁fi▁x"


def test_one_more_metaspace_takes_the_place_of_the_usual_step():
    options = replace(METASPACE, normalizers=("prepend_metaspace", "nfkc"))
    assert options.pipeline().normalizer.names == ("nfkc", "prepend_metaspace")
    assert options.pipeline().normalizer.normalize(" a") == "▁▁a"


def test_the_steps_of_the_metaspace_marker_have_no_effect_without_it():
    options = Options(normalizers=("nfc", "prepend_metaspace"))
    assert options.used("normalizers") == ("nfc",)
    assert options.pipeline() == Pipeline(Normalizer.named("nfc"))
    assert options.unusable_normalizers()["prepend_metaspace"] == "Only with the marker ▁, which puts ▁ for spaces."
    assert "prepend_metaspace" not in METASPACE.unusable_normalizers()


@pytest.mark.parametrize(
    ("chosen", "used"), [("gpt2", "metaspace"), ("custom", "metaspace"), ("metaspace", "metaspace"), ("none", "none")]
)
def test_the_metaspace_marker_is_cut_before_or_not_at_all(chosen, used):
    options = replace(METASPACE, pre_tokenizer=chosen, pattern="(")
    assert options.pipeline().pre_tokenizer.name == options.used("pre_tokenizer") == used
    assert options.problem() is None


def test_pre_tokenizers_and_the_metaspace_marker_rule_each_other_out():
    assert set(METASPACE.unusable_pre_tokenizers()) == {*PRE_TOKENIZERS, "custom"} - {"metaspace", "none"}
    assert "before each ▁, or not at all" in METASPACE.unusable_pre_tokenizers()["gpt2"]
    assert Options().unusable_pre_tokenizers() == {"metaspace": "Only with the marker ▁, which puts ▁ for spaces."}


# Unknown characters.


@pytest.mark.parametrize(
    ("special_tokens", "chosen", "used"),
    [
        (("[UNK]",), "[UNK]", "[UNK]"),
        (("<s>", "<UNK>"), "<s>", "<s>"),
        (("<s>", "<unk>"), None, "<unk>"),
        (("<s>", "<unk>"), "gone", "<unk>"),
        (("<s>",), None, None),
    ],
)
def test_the_unknown_token_is_a_special_token_that_was_chosen_or_looks_like_one(special_tokens, chosen, used):
    options = replace(CHARACTERS, unknown=Unknown.TOKEN, special_tokens=special_tokens, unknown_token=chosen)
    assert options.used("unknown_token") == used


def test_nothing_is_unknown_in_bytes():
    options = replace(CHARACTERS, unknown=Unknown.TOKEN, special_tokens=("[UNK]",), unknown_token="[UNK]")
    assert (options.config().unknown, options.config().unknown_token) == (Unknown.TOKEN, "[UNK]")
    config = replace(options, base=Base.BYTES).config()
    assert (config.unknown, config.unknown_token) == (Unknown.KEEP, None)


def test_only_the_policies_with_a_token_use_it():
    options = replace(CHARACTERS, special_tokens=("[UNK]",), unknown_token="[UNK]")
    with_token = [u for u in Unknown if replace(options, unknown=u).config().unknown_token is not None]
    assert with_token == [Unknown.TOKEN, Unknown.FUSE]


@pytest.mark.parametrize("marker", list(Marker))
def test_bytes_of_unknown_characters_need_one_form_of_each(marker):
    options = replace(CHARACTERS, marker=marker, unknown=Unknown.BYTES)
    if marker in (Marker.SUFFIX, Marker.CONTINUING):
        assert "no final or continuing forms" in options.unusable_unknowns()[Unknown.BYTES]
        assert options.config().unknown is Unknown.KEEP
    else:
        assert options.unusable_unknowns() == {}
        assert options.config().unknown is Unknown.BYTES


# Fields without effect.

IN_BYTES = {
    *("pattern", "number_token", "replacements", "marker_text", "complete_alphabet", "initial_characters"),
    *("coverage", "alphabet_limit", "specials_last", "specials_in_text", "unknown", "unknown_token", "vocab_size"),
    "beyond_memory",
}
IN_CHARACTERS = {
    *("pattern", "number_token", "replacements", "byte_order", "marker_text", "complete_alphabet"),
    *("specials_last", "specials_in_text", "unknown_token", "vocab_size", "beyond_memory"),
}


@pytest.mark.parametrize(
    ("options", "unusable"),
    [
        (Options(), IN_BYTES),
        (Options(marker=Marker.SYMBOL), IN_BYTES - {"marker_text"}),
        (Options(marker=Marker.SUFFIX), IN_BYTES),
        (Options(pre_tokenizer="custom"), IN_BYTES - {"pattern"}),
        (Options(normalizers=("numbers",)), IN_BYTES - {"number_token"}),
        (Options(normalizers=("replace",)), IN_BYTES - {"replacements"}),
        (Options(special_tokens=("<s>",)), IN_BYTES - {"specials_last", "specials_in_text"}),
        (Options(word_memory_mb=9), IN_BYTES - {"beyond_memory"}),
        (Options(stop=Stop.VOCAB_SIZE), IN_BYTES - {"vocab_size"} | {"merges"}),
        (Options(stop=Stop.NO_PAIR), IN_BYTES | {"merges"}),
        (CHARACTERS, IN_CHARACTERS),
        (METASPACE, IN_CHARACTERS),
        (replace(METASPACE, pre_tokenizer="custom"), IN_CHARACTERS),
        (replace(CHARACTERS, marker=Marker.SYMBOL), IN_CHARACTERS - {"marker_text"}),
        (replace(CHARACTERS, marker=Marker.SUFFIX), IN_CHARACTERS - {"marker_text", "complete_alphabet"}),
        (replace(CHARACTERS, marker=Marker.CONTINUING), IN_CHARACTERS - {"marker_text", "complete_alphabet"}),
        (replace(CHARACTERS, unknown=Unknown.TOKEN), IN_CHARACTERS),
        (
            replace(CHARACTERS, unknown=Unknown.FUSE, special_tokens=("<s>",)),
            IN_CHARACTERS - {"unknown_token", "specials_last", "specials_in_text"},
        ),
        (
            replace(CHARACTERS, unknown=Unknown.FUSE, special_tokens=("<s>",), base=Base.BYTES),
            IN_BYTES - {"specials_last", "specials_in_text"},
        ),
    ],
)
def test_unusable_fields_have_a_reason(options, unusable):
    reasons = options.unusable()
    assert set(reasons) == unusable
    assert all(reason.endswith(".") for reason in reasons.values())


@pytest.mark.parametrize(
    ("options", "field", "reason"),
    [
        (METASPACE, "marker_text", "always ▁"),
        (CHARACTERS, "marker_text", "Only with a marker that is not part of the text."),
        (Options(), "unknown_token", "nothing is unknown"),
        (CHARACTERS, "unknown_token", "Only where unknown characters become the unknown token."),
        (replace(CHARACTERS, unknown=Unknown.TOKEN), "unknown_token", "special tokens first"),
    ],
)
def test_a_field_can_be_without_effect_for_several_reasons(options, field, reason):
    assert reason in options.unusable()[field]


# Impossible choices.


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (Options(special_tokens=("a", "a")), "The same special token is listed twice."),
        (Options(special_tokens=("",)), "A special token must not be empty."),
        (
            Options(special_tokens=("a\udc80",)),
            "A special token holds half a character (a lone surrogate), which no file can hold; leave it out.",
        ),
        (
            replace(CHARACTERS, marker=Marker.SUFFIX, marker_text="\ud800"),
            "The marker text holds half a character (a lone surrogate), which no file can hold; leave it out.",
        ),
        (
            replace(CHARACTERS, initial_characters="ab\udfff"),
            "The list of initial characters holds half a character (a lone surrogate), which no file can hold; "
            "leave it out.",
        ),
        (
            Options(normalizers=("numbers",), number_token="\ud800"),
            "The text for numbers holds half a character (a lone surrogate); leave it out.",
        ),
        (
            Options(normalizers=("replace",), replacements=(("a", "b"), ("a", "\ud800"))),
            "Replacement 2: the new text holds half a character (a lone surrogate); leave it out.",
        ),
        (
            Options(stop_token="\ud800"),
            "Stop pattern: The pattern holds half a character (a lone surrogate); leave it out.",
        ),
        (Options(merges=-1), "The number of merges must not be negative, but is -1."),
        (Options(stop=Stop.VOCAB_SIZE, vocab_size=-1), "The vocabulary size must not be negative, but is -1."),
        (Options(min_frequency=0), "The minimum frequency must be at least 1, but is 0."),
        (Options(longest_token=-1), "The length of the longest token must be at least 1, but is -1."),
        (replace(CHARACTERS, alphabet_limit=-1), "The alphabet limit must be at least 1, but is -1."),
        (
            replace(CHARACTERS, coverage=1.5),
            "The character coverage must be more than 0 and at most 1, such as 0.9995, but is 1.5.",
        ),
        (
            Options(special_tokens=("a",), specials_last=True, stop=Stop.NO_PAIR),
            "Special tokens can only have the last ids if a number of merges or a vocabulary size ends the training: "
            "their ids are needed before it begins.",
        ),
        (
            replace(CHARACTERS, unknown=Unknown.TOKEN),
            "Which special token stands for unknown characters? Choose an unknown token, such as <unk>.",
        ),
        (
            Options(pre_tokenizer="metaspace"),
            "The pre-tokenizer “Before each ▁” finds no ▁ in the text: choose another one for bytes.",
        ),
        (
            replace(CHARACTERS, pre_tokenizer="metaspace"),
            "The pre-tokenizer “Before each ▁” finds no ▁ in the text: choose the marker ▁ too, or another.",
        ),
        (
            Options(normalizers=("numbers",), number_token=""),
            "The text for numbers is empty; write what takes their place, such as <num>.",
        ),
        (
            Options(normalizers=("replace",)),
            "There is nothing to replace; write at least one pattern and its new text.",
        ),
        (
            Options(normalizers=("replace",), replacements=(("a", ""), ("(", ""))),
            "Replacement 2: The pattern cannot be read at character 2: missing ).",
        ),
        (Options(stop_token="(x"), "Stop pattern: The pattern cannot be read at character 3: missing )."),
        (
            Options(stop_token="x*"),
            "Stop pattern: The pattern matches nothing in an empty text, and a match needs at least one character. "
            "Use + instead of *, and no | without something on both sides.",
        ),
    ],
)
def test_impossible_choices(options, message):
    assert str(options.config_error()) == message
    assert options.problem() == message
    with pytest.raises((ConfigError, PatternError)):
        options.config(), options.pipeline()


def test_half_characters_in_a_pattern_are_a_problem():
    problem = Options(pre_tokenizer="custom", pattern="a|\ud800").problem()
    assert problem == "The pattern holds half a character (a lone surrogate); leave it out."
    assert Options(pattern="a|\ud800", marker_text="\ud800", initial_characters="\ud800").problem() is None


def test_half_characters_that_were_typed_can_be_stored():
    options = Options(special_tokens=("中\ud800",), number_token="é")
    text = options.to_json()
    assert text.isascii()
    assert Options.from_json(text) == options
    assert '"é"' in replace(options, special_tokens=()).to_json()


def test_what_has_no_effect_is_no_problem():
    options = Options(
        number_token="",
        replacements=(("(", ""),),
        pattern="(",
        merges=-1,
        stop=Stop.VOCAB_SIZE,
        marker=Marker.METASPACE,
        unknown=Unknown.TOKEN,
        specials_last=True,
    )
    assert options.problem() is None
    assert options.faults() == {}


def test_the_library_for_nmt_nfkc_may_be_missing(monkeypatch):
    find = importlib.util.find_spec
    monkeypatch.setattr("core.unicode_forms.find_spec", lambda name: None if name == "sentencepiece" else find(name))
    assert "pip install sentencepiece" in Options().unusable_normalizers()["nmt_nfkc"]
    assert "pip install sentencepiece" in str(Options(normalizers=("nmt_nfkc",)).problem())
    monkeypatch.setattr("core.unicode_forms.find_spec", lambda name: "found")
    assert "nmt_nfkc" not in Options().unusable_normalizers()
    assert Options(normalizers=("nmt_nfkc",)).problem() is None


def test_the_library_for_ftfy_may_be_missing(monkeypatch):
    monkeypatch.setattr("core.text_cleaning.find_spec", lambda name: None)
    assert "pip install ftfy" in Options().unusable_normalizers()["ftfy"]
    assert "pip install ftfy" in str(Options(normalizers=("ftfy",)).problem())
    monkeypatch.setattr("core.text_cleaning.find_spec", lambda name: "found")
    assert "ftfy" not in Options().unusable_normalizers()
    assert Options(normalizers=("ftfy",)).problem() is None


def test_a_bad_pattern_is_an_error_with_its_place():
    options = Options(pre_tokenizer="custom", pattern="[a-z]+(\\w", min_frequency=0)
    error = options.pattern_error()
    assert error is not None
    assert error.position == 9  # the end
    assert options.config_error() is None  # one thing after the other
    assert options.problem() == "The pattern cannot be read at character 10: missing )."
    assert Options(pattern="(").pattern_error() is None  # not in use


def test_faults_have_the_place_of_the_text_that_is_wrong():
    options = Options(
        normalizers=("numbers", "replace"),
        number_token="",
        replacements=(("a", "b"), ("c", "d"), ("x)", "")),
        pre_tokenizer="custom",
        pattern="ab(",
        stop_token="[",
    )
    assert options.faults() == {
        "pattern": Fault("The pattern cannot be read at character 4: missing ).", 3),
        "number_token": Fault("Write what takes the place of a number."),
        "replacements": Fault("The pattern cannot be read at character 2: unbalanced parenthesis.", 1, 2),
        "stop_token": Fault("The pattern cannot be read at character 2: unterminated character set.", 1),
    }
    assert replace(options, replacements=()).faults()["replacements"] == Fault(
        "Write at least one pattern and its new text."
    )


# The order of normalizers.


def test_a_normalizer_takes_its_usual_place():
    options = Options()
    for name in ("strip", "nfkc", "lowercase"):
        options = options.with_normalizer(name, True)
    assert options.normalizers == ("nfkc", "lowercase", "strip")
    assert options.with_normalizer("lowercase", True) == options
    assert options.with_normalizer("nfkc", False).normalizers == ("lowercase", "strip")
    assert options.with_normalizer("nfd", False) == options


def test_another_order_is_kept():
    options = Options(normalizers=("strip", "lowercase", "nfkc"))
    assert options.with_normalizer("numbers", True).normalizers == ("numbers", "strip", "lowercase", "nfkc")
    assert options.with_normalizer("nfkc", False).normalizers == ("strip", "lowercase")


def test_normalizers_are_moved_as_far_as_there_are_places():
    options = Options(normalizers=("nfkc", "lowercase", "strip"))
    assert options.with_normalizer_moved("strip", -1).normalizers == ("nfkc", "strip", "lowercase")
    assert options.with_normalizer_moved("nfkc", 1).normalizers == ("lowercase", "nfkc", "strip")
    assert options.with_normalizer_moved("nfkc", -1) == options
    assert options.with_normalizer_moved("strip", 5) == options


def test_normalizers_are_listed_where_they_usually_are_and_the_chosen_ones_in_their_order():
    assert Options().listed_normalizers() == NORMALIZER_ORDER
    listed = Options(normalizers=("strip", "lowercase", "nfc")).listed_normalizers()
    assert listed == (
        *("ftfy", "html_unescape", "nmt_nfkc", "strip", "nfkc", "nfd", "nfkd", "lowercase", "strip_accents"),
        *("replace", "numbers", "collapse_whitespace", "nfc", "prepend_metaspace"),
    )


def test_the_usual_order_lets_lower_case_see_what_nfkc_makes_and_accents_go_after_nfd():
    options = Options()
    for name in NORMALIZER_ORDER[:-1]:
        if name not in ("ftfy", "nmt_nfkc", "nfc", "nfd", "nfkc", "replace"):
            options = options.with_normalizer(name, True)
    assert options.pipeline().normalizer.normalize(" Ⅷ  Été\t№ ") == "viii ete no"


# JSON.


@pytest.mark.parametrize("options", [Options(), EVERYTHING, *(preset.options for preset in PRESETS)])
def test_json_round_trip(options):
    again = Options.from_json(options.to_json())
    assert again == options
    assert [type(getattr(again, f.name)) for f in fields(again)] == [
        type(getattr(options, f.name)) for f in fields(options)
    ]


def test_the_round_trip_is_of_every_field():
    usual = Options()
    assert [f.name for f in fields(Options) if getattr(EVERYTHING, f.name) == getattr(usual, f.name)] == []
    for field in fields(Options):
        options = replace(usual, **{field.name: getattr(EVERYTHING, field.name)})
        assert Options.from_json(options.to_json()) == options


def test_missing_fields_have_their_defaults():
    assert Options.from_json('{"merges": 9}') == Options(merges=9)


def test_json_of_the_first_version_is_still_read():
    text = """{"normalizers": ["lowercase", "nfkc"], "pre_tokenizer": "whitespace", "pattern": "x",
        "base": "characters", "byte_order": "stand-in", "marker": "suffix", "marker_text": "</w>",
        "complete_alphabet": true, "special_tokens": ["[UNK]"], "unknown_token": "[UNK]", "stop": "merges",
        "merges": 500, "vocab_size": 2000, "min_frequency": 1, "tie_break": "ids"}"""
    assert Options.from_json(text) == Options(
        normalizers=("lowercase", "nfkc"),
        pre_tokenizer="whitespace",
        pattern="x",
        base=Base.CHARACTERS,
        marker=Marker.SUFFIX,
        marker_text="</w>",
        special_tokens=("[UNK]",),
        unknown_token="[UNK]",
        unknown=Unknown.TOKEN,
        merges=500,
    )
    assert Options.from_json('{"unknown_token": null}').unknown is Unknown.KEEP
    assert Options.from_json('{"unknown_token": "a", "unknown": "drop"}').unknown is Unknown.DROP


@pytest.mark.parametrize(
    ("text", "message"),
    [
        *((text, "not valid JSON") for text in ("", "{", "[" * 100_000)),
        *((text, "not a JSON object") for text in ("[]", "null", "5", '"gpt2"')),
        ('{"colour": 1}', "There is no training option named 'colour'."),
        ('{"special_tokens": "abc"}', "The training option 'special_tokens' cannot be 'abc'."),
    ],
)
def test_what_is_wrong_with_json_is_said(text, message):
    with pytest.raises(ConfigError, match=message):
        Options.from_json(text)


@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("normalizers", ["nfc", ["x"], [5], ["metaspace"], {"nfc": 1}, None]),
        ("number_token", [5, None]),
        ("replacements", ["ab", ["ab"], [["a"]], [["a", "b", "c"]], [["a", 1]], [{"a": "b"}], {"a": "b"}]),
        ("texts", ["pages", 1, None, []]),
        ("pre_tokenizer", ["gpt5", ["gpt2"], None]),
        ("pattern", [None, 1]),
        ("digits", ["twos", 3]),
        ("punctuation", [1, "yes", None]),
        ("base", ["letters", []]),
        ("byte_order", ["", 0]),
        ("marker", [{}, "prefix"]),
        ("marker_text", [5, None]),
        ("complete_alphabet", [1]),
        ("initial_characters", [["a"], None]),
        ("coverage", [0, -0.5, 1.0001, True, "1", None, float("nan")]),
        ("alphabet_limit", [-1, 1.5, None, True]),
        ("special_tokens", ["abc", [1], None]),
        ("specials_last", [0, "last"]),
        ("specials_in_text", ["skip", None]),
        ("unknown", ["fail", None]),
        ("unknown_token", [5, ["a"]]),
        ("score", ["likelihood", None]),
        ("tie_break", ["random"]),
        ("stop", ["never", None]),
        ("merges", [True, 1.5, -1, MAX_NUMBER + 1, float("nan"), "5", None]),
        ("vocab_size", [-1, MAX_NUMBER + 1]),
        ("min_frequency", [0, -1]),
        ("longest_token", [-1, False]),
        ("word_memory_mb", [-1, 0.5]),
        ("beyond_memory", ["disk", None]),
        ("min_word_count", [0, True]),
        ("stop_token", [None, 5]),
    ],
)
def test_values_of_the_wrong_kind_are_refused(name, values):
    for value in values:
        with pytest.raises(ConfigError, match=f"The training option '{name}' cannot be "):
            Options.from_json(json.dumps({name: value}))


def test_the_values_at_the_ends_are_read():
    text = json.dumps({"coverage": 1, "merges": 0, "vocab_size": MAX_NUMBER, "min_frequency": 1})
    options = Options.from_json(text)
    assert (options.coverage, options.merges, options.vocab_size, options.min_frequency) == (1.0, 0, 10_000_000, 1)
    assert isinstance(options.coverage, float)


def test_json_is_for_people_too():
    assert json.loads(EVERYTHING.to_json())["marker_text"] == "▁"
    assert "▁" in EVERYTHING.to_json()
