"""What is compared whole when a file is read back: merges, vocabulary, special tokens."""

from dataclasses import replace

import pytest

from core.added_tokens import AddedToken
from core.alphabet import Token
from core.encoding_rules import Encoder, EncodingRules
from core.formats import FORMATS, Finding, Kept, Severity, export, self_test, self_testing
from core.formats.base import listed
from core.formats.opening import open_model
from core.imported import Imported
from core.merge import Merge
from core.recording import Recording
from core.trainer import TrainerConfig
from tests.core.formats.kinds import kind
from tests.core.formats.readers import at_once
from tests.core.runs import record

HF = FORMATS["huggingface"]


@pytest.fixture
def trained():
    return record(
        "low low low lower lower newest newest newest widest", TrainerConfig(merges=6, special_tokens=("<s>",))
    )


def copy(recording: Recording, merges=(), **changes) -> Recording:
    """What a reader would give, with something else in it."""
    other = replace(recording, **changes)
    other.extend(merges or recording)
    return other


def parts(original: Recording, read: Recording, keeps=frozenset(Kept)):
    format = replace(HF, read=at_once(lambda *_: read), keeps=keeps)
    test = self_test(original, len(original), format, "anywhere", [])
    assert test.passed == (not any(part.difference for part in test.parts))
    return {part.kept.value: (part.count, part.difference) for part in test.parts}


def test_all_is_counted_where_all_is_the_same(trained, tmp_path):
    test = export(trained, 4, HF, tmp_path / "m").self_test
    assert test is not None
    assert test.passed
    assert [(part.kept, part.count, part.difference) for part in test.parts] == [
        (Kept.MERGES, 4, ""),
        (Kept.VOCABULARY, 261, ""),
        (Kept.SPECIAL_TOKENS, 1, ""),
    ]


def test_another_merge_is_named(trained):
    first, second = trained[0], trained[1]
    merges = [first, Merge(1, second.right, second.left, second.token_id), *list(trained)[2:]]
    found = parts(trained, copy(trained, merges))
    assert found["merges"] == (
        6,
        f"rank 1 is {second.left} {second.right} 258 here and {second.right} {second.left} 258 in the file",
    )
    assert found["vocabulary"][1].startswith("the first is 258 ")


def test_a_missing_merge_is_counted(trained):
    found = parts(trained, copy(trained, list(trained)[:5]))
    assert found["merges"] == (6, "6 here and 5 in the file")
    assert found["vocabulary"] == (263, "263 here and 262 in the file")
    assert found["special tokens"] == (1, "")


def test_a_flag_of_a_special_token_counts(trained):
    changed = copy(trained, added_tokens=(AddedToken("<s>", 0, lstrip=True),))
    assert parts(trained, changed)["special tokens"] == (
        1,
        "the first is '<s>' 0 (special) here and '<s>' 0 (special, lstrip) in the file",
    )


def test_ids_do_not_count_where_the_format_keeps_none(trained):
    tokens = {i + 7: token for i, token in trained.alphabet.tokens.items()}
    moved = copy(
        trained,
        [Merge(merge.rank, merge.left + 7, merge.right + 7, merge.token_id + 7) for merge in trained],
        alphabet=replace(trained.alphabet, tokens=tokens),
    )
    assert parts(trained, moved)["merges"][1] != ""
    without = FORMATS["gpt2"].keeps - {Kept.IDS}
    assert parts(trained, moved, without) == {
        "merges": (6, ""),
        "vocabulary": (263, ""),
        "special tokens": (1, ""),
    }
    assert parts(trained, moved, without - {Kept.VOCABULARY}).keys() == {"merges", "special tokens"}


def test_texts_are_compared_by_their_cuts_where_the_format_keeps_no_ids(trained):
    without = frozenset({Kept.MERGES})
    fewer = copy(trained, list(trained)[:2])
    format = replace(HF, read=at_once(lambda *_: fewer), keeps=without)
    (difference,) = self_test(trained, 6, format, "anywhere", ["newest", "xyz"]).differences
    assert difference.text == "newest"
    assert (difference.expected_text, difference.actual_text) == ("newe st", "n e we s t")
    assert (difference.expected_ids, difference.actual_ids) == ((4, 6), (1, 2, 4, 5, 6))


def test_an_imported_list_out_of_order_is_compared_too():
    alphabet = kind("bytes gpt2").alphabet
    recording = Recording(alphabet, vocabulary={500: Token(b"abc"), 501: Token(b"ab"), 502: Token(b"zz")})
    ids = {token.content: i for i, token in alphabet.tokens.items() if not token.special}
    recording.append(Merge(0, 501, ids[b"c"], 500))
    recording.append(Merge(1, ids[b"a"], ids[b"b"], 501))
    assert parts(recording, recording)["vocabulary"] == (261, "")
    fewer = replace(recording, vocabulary={500: Token(b"abc"), 501: Token(b"ab")})
    fewer.extend(recording)
    assert parts(recording, fewer)["vocabulary"] == (261, "261 here and 260 in the file")


def test_it_yields_while_it_works(trained, tmp_path):
    HF.save(trained, 6, tmp_path / "m")
    yielded = sum(1 for _ in self_testing(trained, 6, HF, tmp_path / "m"))
    assert yielded > 44


def test_a_model_read_from_a_file_is_proven_again(trained, tmp_path):
    HF.save(trained, 6, tmp_path / "m")
    opened = open_model(tmp_path / "m").recording
    test = export(opened, 6, FORMATS["tiktoken"], tmp_path / "m.tiktoken").self_test
    assert test is not None
    assert test.passed


PARTS = ("the post-processor TemplateProcessing", "the truncation to 512 tokens", "the padding")


def test_what_becomes_of_parts_that_are_not_applied(trained):
    imported = copy(trained, imported=Imported("huggingface", "tokenizer.json", not_applied=PARTS))
    said = [finding.message for finding in FORMATS["timeline-csv"].preflight(imported, 6)]
    assert not any("tokenizer.json" in message for message in said)  # nobody would expect it of a report
    without = replace(HF, findings=lambda *_: (), keeps=frozenset({Kept.MERGES}))
    named = "the post-processor TemplateProcessing, the truncation to 512 tokens and the padding"
    assert without.preflight(imported, 6) == [Finding(Severity.LOSS, f"Of tokenizer.json this is not kept: {named}.")]
    keeping = replace(without, keeps=frozenset(Kept))
    note = f"Written again as it was read, though not applied here: {named}."
    assert keeping.preflight(imported, 6) == [Finding(Severity.NOTE, note)]
    assert parts(imported, imported)["parts that are not applied"] == (3, "")
    lost = "3 here and 0 in the file"
    assert parts(imported, copy(trained))["parts that are not applied"] == (3, lost)


def test_many_parts_are_counted():
    assert listed(["a"]) == "a"
    assert listed(["a", "b"]) == "a and b"
    assert listed([str(n) for n in range(12)]) == "0, 1, 2, 3, 4, 5, 6, 7 and 4 more"


def test_another_way_of_encoding_is_foretold():
    """Merges out of order: which tokens come of them depends on the encoder."""
    alphabet = kind("bytes gpt2").alphabet
    recording = Recording(alphabet, vocabulary={500: Token(b"abc"), 501: Token(b"ab")})
    ids = {token.content: i for i, token in alphabet.tokens.items() if not token.special}
    recording.append(Merge(0, 501, ids[b"c"], 500))
    recording.append(Merge(1, ids[b"a"], ids[b"b"], 501))
    recording.rules = EncodingRules(Encoder.TOKEN_RANK)
    recording.imported = Imported("tiktoken", "x.tiktoken")
    format = replace(HF, findings=lambda *_: (), encoder=lambda _: Encoder.MERGE_RANK)
    (finding,) = format.preflight(recording, 2)
    assert finding == Finding(
        Severity.WARNING,
        "This model is encoded by token rank, and tools that read this format encode by merge rank: tokens can differ.",
    )
    assert replace(format, encoder=lambda _: Encoder.TOKEN_RANK).preflight(recording, 2) == []


def test_what_a_finding_is_about_is_not_compared(trained):
    lost = Finding(Severity.LOSS, "The merges are other ones.", frozenset({Kept.MERGES, Kept.VOCABULARY}))
    format = replace(HF, findings=lambda *_: [lost], read=at_once(lambda *_: copy(trained, list(trained)[:5])))
    test = self_test(trained, 6, format, "anywhere", ["xyz"])
    assert [part.kept for part in test.parts] == [Kept.SPECIAL_TOKENS]
    assert test.passed
