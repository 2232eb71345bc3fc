from pathlib import Path

from core.added_tokens import AddedToken
from core.encoding_rules import Encoder, EncodingRules
from core.imported import Imported
from core.model_facts import facts_of, headline, model_name, not_applied_line
from core.model_source import ModelSource
from core.pipeline import Pipeline
from core.pre_tokenizer import PRE_TOKENIZERS
from core.recording import Recording
from core.trainer import TrainerConfig
from tests.core.runs import record

IMPORTED = Imported(
    "huggingface",
    "tokenizer.json",
    ("2 tokens have no merge.",),
    ("the post-processor TemplateProcessing", "the normalizer Precompiled"),
    source=ModelSource(Path("/models/qwen3/tokenizer.json")),
)


def model(imported: Imported | None = IMPORTED, added: tuple[AddedToken, ...] = ()) -> Recording:
    config = TrainerConfig(merges=2, special_tokens=("<s>", "<img src=x>"))
    recording = record("low low lower", config, Pipeline(pre_tokenizer=PRE_TOKENIZERS["gpt2"]))
    recording.imported = imported
    recording.added_tokens = added
    recording.rules = EncodingRules(Encoder.TOKEN_RANK, whole_pieces=True)
    return recording


def test_one_line_says_what_is_open() -> None:
    assert headline(model()) == "qwen3 · Hugging Face tokenizer.json · 2 merges · 2 special tokens"
    added = (AddedToken("<s>", 0), AddedToken("é", 9, special=False))
    assert headline(model(added=added)).endswith("· 2 merges · 1 special token · 1 added token")
    assert (
        headline(model(Imported("gpt2", "春"))) == "春 · GPT-2 vocab.json and merges.txt · 2 merges · 2 special tokens"
    )


def test_a_trained_recording_has_no_name() -> None:
    assert model_name(model(None)) == ""
    assert not_applied_line(model(None)) == ""


def test_what_is_not_applied() -> None:
    line = "Not applied: the post-processor TemplateProcessing; the normalizer Precompiled"
    assert not_applied_line(model()) == line


def test_everything_that_is_known() -> None:
    assert facts_of(model()) == [
        ("File", str(Path("/models/qwen3/tokenizer.json"))),
        ("Format", "Hugging Face tokenizer.json"),
        ("Merges", "2"),
        ("Vocabulary", "260 tokens"),
        ("Special tokens", "2: <s> <img␣src=x>"),
        ("Base symbols", "256 bytes"),
        ("Normalizer", "none"),
        ("Texts are cut", f"GPT-2: {PRE_TOKENIZERS['gpt2'].pattern}"),
        ("Encoder", "Token rank, whole words first"),
    ]


def test_many_special_tokens_are_not_all_listed() -> None:
    added = tuple(AddedToken(f"<{number}>", 300 + number) for number in range(1_000))
    facts = dict(facts_of(model(added=added)))
    assert facts["Special tokens"].startswith("1,000: <0> <1> ")
    assert facts["Special tokens"].endswith("<39> … and 960 more")


def test_special_tokens_that_would_not_be_seen_or_turn_the_line_around() -> None:
    added = (AddedToken("\u202e\n", 300), AddedToken("a\x00", 301, special=False))
    facts = dict(facts_of(model(added=added)))
    assert facts["Special tokens"] == "1: ⟨E2 80 AE⟩⏎"
    assert facts["Added tokens"] == "1: a⟨00⟩"
