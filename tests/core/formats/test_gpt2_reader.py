"""Files of other hands in GPT-2's format: ids are those of the libraries, whatever the order, names and signs."""

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.added_tokens import AddedToken
from core.alphabet import Base, Marker, Token, Unknown
from core.encoding_rules import Encoder, EncodingRules
from core.errors import FormatError
from core.formats import FORMATS, ReadOptions, Severity, export
from core.formats.assembly import Model, assembled
from core.formats.gpt2_files import looks_like_vocabulary
from core.formats.opening import open_model
from core.formats.spelling import STAND_INS
from core.imported import Imported
from core.merge import UNKNOWN
from core.pre_tokenizer import PRE_TOKENIZERS
from core.progress import without_progress
from core.special_tokens import Specials
from core.tokenizer import Tokenizer
from tests.core.formats.kinds import DATA, assert_same, hugging_face, messages, probes, refusals, run

GPT2 = FORMATS["gpt2"]
BYTES = {char: token_id for token_id, char in enumerate(STAND_INS.values())}


def expected(name):
    return json.loads((DATA / "formats" / "expected" / f"{name}.json").read_text(encoding="utf-8"))


def probe_texts():
    data = json.loads((DATA / "probes.json").read_text(encoding="utf-8"))
    return {probe["id"]: probe["text"] for probe in data["probes"]}


def write(folder, vocab, merges, names=("vocab.json", "merges.txt")):
    folder.mkdir(exist_ok=True)
    (folder / names[0]).write_text(json.dumps(vocab), encoding="utf-8")
    (folder / names[1]).write_bytes(("#version: 0.2\n" + "".join(f"{merge}\n" for merge in merges)).encode())
    return folder


def numbered(*texts, vocab=BYTES):
    return {**vocab, **{text: len(vocab) + place for place, text in enumerate(texts)}}


def library(folder, byte_level=True, **options):
    tokenizers = pytest.importorskip("tokenizers")
    model = tokenizers.models.BPE.from_file(str(folder / "vocab.json"), str(folder / "merges.txt"), **options)
    made = tokenizers.Tokenizer(model)
    if byte_level:
        made.pre_tokenizer = tokenizers.pre_tokenizers.ByteLevel(add_prefix_space=False)
        made.decoder = tokenizers.decoders.ByteLevel()
    return hugging_face(made)


def assert_goes_out_and_back(recording, folder):
    result = export(recording, len(recording), GPT2, folder)
    assert result.self_test.problem is None
    assert [part.difference for part in result.self_test.parts] == ["", "", ""]
    assert result.self_test.passed
    again = GPT2.load(folder)
    assert list(again) == list(recording)
    assert dict(again.tokens_at(len(again))) == dict(recording.tokens_at(len(recording)))
    assert again.alphabet == recording.alphabet
    assert again.pipeline == recording.pipeline
    assert (again.rules, again.looked_for) == (recording.rules, recording.looked_for)


def test_the_first_merges_of_gpt2(tmp_path):
    recording = open_model(DATA / "formats" / "gpt2_1000").recording
    tokenizer, texts = Tokenizer(recording), probe_texts()
    for name, result in expected("gpt2_1000")["expected"].items():
        assert tokenizer.ids(texts[name], Specials.AS_TEXT) == result["ids"], name
        assert tokenizer.ids(texts[name]) == result.get("special", result["ids"]), name
    assert_goes_out_and_back(recording, tmp_path / "again")
    assert_same(recording, 1000, hugging_face(run(GPT2.snippet(tmp_path / "again"))["tokenizer"]), probes())


def test_merges_that_begin_with_a_hash():
    tokenizer = Tokenizer(open_model(DATA / "formats" / "gpt2_hash_merges").recording)
    for text, ids in expected("gpt2_hash_merges")["texts"].items():
        assert tokenizer.ids(text) == ids


def test_all_of_gpt2(shared_dir):
    recording = open_model(shared_dir / "data" / "tokenizers" / "gpt2").recording
    assert len(recording) == 50_000
    assert recording.is_monotone
    assert recording.alphabet.special_ids == {"<|endoftext|>": 50256}
    tokenizer = Tokenizer(recording)
    found = json.loads((shared_dir / "data" / "probes" / "expected_gpt2.json").read_text(encoding="utf-8"))
    texts = probe_texts()
    for probe in found["probes"]:
        assert tokenizer.ids(texts[probe["id"]], Specials.AS_TEXT) == probe["ids"], probe["id"]
        assert tokenizer.ids(texts[probe["id"]]) == probe.get("ids_special", probe["ids"]), probe["id"]


ODD = {
    "out of order": (["abc", "ab"], ["ab c", "a b"]),
    "two places": (["ab", "aba"], ["ab a", "a b"]),
    "listed twice, the last counts": (["ab", "bc"], ["a b", "b c", "a b"]),
    "two ways": (["ab", "abc", "bc"], ["a b", "ab c", "b c", "a bc"]),
    "tokens without a merge": (["ab", "xyz", "Ġhello"], ["a b"]),
    "a merge that makes a byte's neighbour again": (["ab", "aba", "abab"], ["a b", "ab a", "aba b", "ab ab"]),
}


@pytest.mark.parametrize(("made", "merges"), ODD.values(), ids=ODD)
def test_lists_that_no_training_makes(made, merges, tmp_path):
    folder = write(tmp_path / "odd", numbered(*made), merges)
    recording = open_model(folder).recording
    texts = ["abc", "ababx", "abcx abcabc", "xyz hello hello", "bcabc ab", "abababab"]
    assert_same(recording, len(recording), library(folder), texts)
    assert_goes_out_and_back(recording, tmp_path / "again")
    assert (tmp_path / "again" / "merges.txt").read_bytes() == (folder / "merges.txt").read_bytes()
    assert json.loads((tmp_path / "again" / "vocab.json").read_bytes()) == json.loads(
        (folder / "vocab.json").read_bytes()
    )
    assert_same(recording, len(recording), hugging_face(run(GPT2.snippet(tmp_path / "again"))["tokenizer"]), texts)


PARTS = ["a", "b", "ab", "ba", "aa", "aba", "bab"]


@settings(max_examples=60)
@given(
    pairs=st.lists(st.tuples(st.sampled_from(PARTS), st.sampled_from(PARTS)), min_size=1, max_size=9),
    words=st.lists(st.text("ab", min_size=1, max_size=12), min_size=1, max_size=5),
)
def test_any_list_gives_the_librarys_ids(pairs, words, tmp_path_factory):
    made = list(dict.fromkeys([*PARTS[2:], *(left + right for left, right in pairs)]))
    folder = write(tmp_path_factory.mktemp("any"), numbered(*made), [" ".join(pair) for pair in pairs])
    assert_same(GPT2.load(folder), len(pairs), library(folder), words)


def test_what_is_unusual_is_said(tmp_path):
    vocab = numbered("ab", "abc", "xyz", "<s>") | {"[MASK]": 300}
    recording = GPT2.load(write(tmp_path / "x", vocab, ["ab c", "a b", "a b"]))
    assert recording.imported.facts == (
        "The files do not say how texts are cut: it is done as GPT-2 does.",
        "The files do not say which tokens are special; these look it: <s>, [MASK].",
        "1 merge is listed again for a pair that has one already.",
        "1 token has no merge.",
        "40 ids below 301 stand for no token.",
    )
    assert recording.alphabet.special_ids == {"<s>": 259, "[MASK]": 300}
    assert recording.orphans == {258: 2}


def test_roberta_has_its_special_tokens_around_the_others(tmp_path):
    vocab = {"<s>": 0, "<pad>": 1, "</s>": 2, "<unk>": 3}
    vocab = numbered("Ġt", "he", "Ġthe", "<mask>", "madeupword0000", vocab=numbered(*BYTES, vocab=vocab))
    folder = write(tmp_path / "roberta", vocab, ["Ġ t", "h e", "Ġt he"])
    recording = GPT2.load(folder)
    assert list(recording.alphabet.special_ids) == ["<s>", "<pad>", "</s>", "<unk>", "<mask>"]
    assert recording.imported.facts[2:] == ("1 token has no merge.",)
    assert Tokenizer(recording).ids("<s> the</s>") == [0, vocab["Ġthe"], 2]
    assert_goes_out_and_back(recording, tmp_path / "again")


def test_special_tokens_and_a_pre_tokenizer_that_a_person_names(tmp_path):
    folder = write(tmp_path / "x", numbered("ab", "<s>", "x y"), ["a b"])
    options = ReadOptions(PRE_TOKENIZERS["whitespace"], {"<pad>": 300, "ab": 256})
    recording = GPT2.load(folder, options)
    assert recording.alphabet.special_ids == {"ab": 256, "x y": 258, "<pad>": 300}
    assert recording.pipeline.pre_tokenizer.name == "whitespace"
    for named, owner in (({"<pad>": 5}, r"which is '&''s"), ({"<s>": 400}, "which is another one than in the file")):
        with pytest.raises(FormatError, match=owner):
            GPT2.load(folder, ReadOptions(special_tokens=named))


GPT1 = {"<unk>": 0, "l": 1, "o": 2, "w": 3, "l</w>": 4, "o</w>": 5, "w</w>": 6, "lo": 7, "low</w>": 8, "lo</w>": 9}


def test_characters_with_word_ends(tmp_path):
    folder = write(tmp_path / "gpt1", GPT1, ["l o", "lo w</w>", "l o</w>"])
    recording = open_model(folder).recording
    assert (recording.alphabet.base, recording.alphabet.marker) == (Base.CHARACTERS, Marker.SUFFIX)
    assert recording.config.unknown_token == "<unk>"
    assert Tokenizer(recording).ids("low lo loé wow") == [8, 9, 7, 0, 3, 2, 6]
    assert_goes_out_and_back(recording, tmp_path / "again")
    made = hugging_face(run(GPT2.snippet(tmp_path / "again"))["tokenizer"])
    assert_same(recording, 3, made, ["low lo low lol", "loé wow é", ""])


@pytest.mark.parametrize(
    ("vocab", "merges", "marker", "text", "ids"),
    [
        ({"l": 0, "##o": 1, "##w": 2, "lo": 3, "##ow": 4}, ["l ##o", "##o ##w"], Marker.CONTINUING, "low x", [3, 2]),
        ({"▁": 0, "l": 1, "o": 2, "▁l": 3, "▁lo": 4}, ["▁ l", "▁l o"], Marker.METASPACE, "lo l", [4, 3]),
        ({"é": 0, "a": 1, "aé": 2}, ["a é"], Marker.NONE, "aé éa", [2, 0, 1]),
    ],
)
def test_other_characters(vocab, merges, marker, text, ids, tmp_path):
    recording = GPT2.load(write(tmp_path / "x", vocab, merges))
    assert (recording.alphabet.base, recording.alphabet.marker) == (Base.CHARACTERS, marker)
    assert recording.alphabet.unknown is Unknown.DROP
    assert recording.imported.facts[0].startswith("The files do not say how texts are cut. Its symbols are characters")
    assert Tokenizer(recording).ids(text) == ids
    assert_goes_out_and_back(recording, tmp_path / "again")


def test_clips_vocabulary_in_two_files(tmp_path):
    vocab = numbered(*(f"{char}</w>" for char in BYTES))
    vocab = numbered("lo", "low</w>", "<|startoftext|>", "<|endoftext|>", vocab=vocab)
    recording = GPT2.load(write(tmp_path / "clip", vocab, ["l o", "lo w</w>"]))
    assert (recording.alphabet.base, recording.alphabet.marker) == (Base.BYTES, Marker.SUFFIX)
    assert Tokenizer(recording).ids("LOW é") == [513, 127, 358]
    assert recording.token(513) == Token(b"low", ends_word=True)
    assert any("ftfy" in what for what in recording.imported.not_applied)
    assert_goes_out_and_back(recording, tmp_path / "again")
    tokenizer = run(GPT2.snippet(tmp_path / "again"))["tokenizer"]
    for text in ("LOW é", "low, lo 12 's"):
        assert tokenizer.encode(text).ids == Tokenizer(recording).ids(text)


def test_merges_alone(tmp_path):
    path = tmp_path / "merges.txt"
    path.write_text("#version: 0.2\nĠ t\nh e\nĠt he\n", encoding="utf-8")
    opened = open_model(path)
    assert opened.format is GPT2
    assert Tokenizer(opened.recording).ids("the the") == [83, 257, 258]
    assert "There is no vocabulary beside the merges" in opened.recording.imported.facts[0]
    assert opened.recording.alphabet.special_ids == {}
    assert open_model(tmp_path).recording.alphabet == opened.recording.alphabet
    path.write_text("#version: 0.2\nab c\na b\nxy z\n", encoding="utf-8")
    recording = open_model(path).recording
    assert [merge[1:4] for merge in recording] == [(257, 66, 256), (64, 65, 257), (259, 89, 258)]
    assert_goes_out_and_back(recording, tmp_path / "again")


@pytest.mark.parametrize(
    ("names", "opened"),
    [
        (("gpt2-vocab.json", "gpt2-merges.txt"), "gpt2-vocab.json"),
        (("gpt2-vocab.json", "gpt2-merges.txt"), "gpt2-merges.txt"),
        (("encoder.json", "vocab.bpe"), "encoder.json"),
        (("encoder.json", "vocab.bpe"), "vocab.bpe"),
        (("encoder.json", "vocab.bpe"), ""),
        (("words", "merges.txt"), "words"),
    ],
)
def test_other_names(names, opened, tmp_path):
    write(tmp_path, numbered("ab"), ["a b"], names)
    (tmp_path / "other-vocab.txt").write_text("x", encoding="utf-8")
    recording = open_model(tmp_path / opened).recording
    assert Tokenizer(recording).ids("ab") == [256]
    assert recording.imported.file == names[0]


def test_of_several_files_the_one_with_the_same_beginning_belongs(tmp_path):
    for name in ("roberta", "gpt2"):
        write(tmp_path, numbered(f"{name[0]}a"), [f"{name[0]} a"], (f"{name}-vocab.json", f"{name}-merges.txt"))
    assert Tokenizer(open_model(tmp_path / "gpt2-vocab.json").recording).ids("ga ra") == [256, 220, 81, 64]
    with pytest.raises(FormatError, match="there are 2 tokenizers in this folder"):
        open_model(tmp_path)


def test_what_stands_in_the_files_tells_the_format(tmp_path):
    codes = b"#version: 0.2\nl o\nlo w</w>\n"
    assert not GPT2.recognizes(codes, tmp_path / "merges.txt")
    assert GPT2.recognizes(b"#version: 0.2\nl o\n\xc4\xa0 t\n", tmp_path / "x")
    assert GPT2.recognizes(b"l o\n\xc4\xa0 t\n", tmp_path / "x")
    for text in (b'{"a": "b"}', b'{"a": 1', b"[1]", b"{}", b"low 5\n\xc4\xa0 5\n", b"", b"two words\n"):
        assert not GPT2.recognizes(text, tmp_path / "vocab.json")
    assert GPT2.recognizes(json.dumps(BYTES).encode(), tmp_path / "vocab.json")
    write(tmp_path / "gpt1", GPT1, ["l o", "lo w</w>"])
    assert open_model(tmp_path / "gpt1" / "merges.txt").format is GPT2
    (tmp_path / "vocab.json").write_text(json.dumps(BYTES), encoding="utf-8")
    with pytest.raises(FormatError, match=r"vocab\.json is a vocabulary, and its merges are missing"):
        open_model(tmp_path / "vocab.json")


@pytest.mark.parametrize(
    ("vocab", "merges", "message"),
    [
        (numbered("ab"), "#version: 0.2\na b\n\n", "merges.txt, line 3: expected two tokens with a space between"),
        (numbered("ab"), "a b\na  b\n", "merges.txt, line 2: expected two tokens"),
        (numbered("ab"), " a b\n", "merges.txt, line 1: expected two tokens"),
        (numbered("ab"), "\ufeffa b\n", "byte order mark"),
        (numbered("ab"), "a b\nb c\n", "merges.txt, line 2: 'bc' is not in the vocabulary"),
        (numbered("ab"), "#version: 0.2\n\u2028 b\n", "merges.txt, line 2: '\\u2028' is not in the vocabulary"),
        (BYTES | {"ab": 5}, "a b\n", "the tokens '&' and 'ab' both have the id 5"),
        (BYTES | {"ab": 2**31}, "a b\n", "expected an id, a whole number from 0, for 'ab', found 2147483648"),
        (BYTES | {"ab": "x"}, "a b\n", "expected an id, a whole number from 0, for 'ab', found 'x'"),
    ],
)
def test_what_is_wrong_is_said_with_its_place(vocab, merges, message, tmp_path):
    write(tmp_path, vocab, [])
    (tmp_path / "merges.txt").write_bytes(merges.encode())
    with pytest.raises(FormatError) as caught:
        GPT2.load(tmp_path)
    assert message in str(caught.value)


def test_an_empty_token_is_kept_though_no_text_holds_it(tmp_path):
    """Whisper's vocabulary has one."""
    folder = write(tmp_path / "x", numbered("lo") | {"": 300}, ["l o"])
    recording = GPT2.load(folder)
    assert recording.token(300) == Token(b"")
    assert_same(recording, 1, library(folder), ["", "low lo", " "])
    assert_goes_out_and_back(recording, tmp_path / "again")


def test_a_vocabulary_by_its_name_is_none_by_its_content(tmp_path):
    write(tmp_path, {"a": 0, "b": "x"}, [])
    with pytest.raises(FormatError, match="expected an id, a whole number from 0, for 'b', found 'x'"):
        open_model(tmp_path / "vocab.json")


def test_a_vocabulary_is_known_wherever_it_is_cut():
    data = json.dumps({"\\": 0, 'a"b': 11}).encode()
    for length in range(len(b'{"\\\\": 0,'), len(data) + 1):
        assert looks_like_vocabulary(data[:length])
    assert not looks_like_vocabulary(data[:-1] + b".5}")


def test_a_step_that_lacks_a_part_is_refused(tmp_path):
    recording = GPT2.load(write(tmp_path / "x", numbered("abc", "ab"), ["ab c", "a b"]))
    assert "merge of rank 0 needs a token that only a merge behind step 1 makes" in refusals(recording, "gpt2", 1)[0]
    assert refusals(recording, "gpt2", 0) == []
    assert refusals(recording, "gpt2") == []


def test_how_an_imported_tokenizer_encodes_and_what_it_looks_for_comes_back(tmp_path):
    tokens = {i: Token(bytes([i])) for i in range(256)} | {256: Token(b"ab"), 257: Token(b"abc"), 300: Token(b"xyz")}
    tokens[301] = Token(b"<s>", special=True)
    added = (AddedToken("<s>", 301, lstrip=True), AddedToken("xyz", 300, special=False, single_word=True))
    rules = EncodingRules(Encoder.TOKEN_RANK, whole_pieces=True)
    model = Model(tokens, [(256, 99, 257), (97, 98, 256)], rules=rules, added_tokens=added)
    recording = without_progress(assembled(model, Imported("x", "x")))
    assert_goes_out_and_back(recording, tmp_path / "again")
    assert "another way (Token rank)" in messages(recording, "gpt2", Severity.WARNING)[0]
    assert any("taken whole" in message for message in messages(recording, "gpt2", Severity.LOSS))
    assert "ignore_merges=True" in GPT2.snippet(tmp_path / "again")


@pytest.mark.parametrize(
    ("key", "value", "message"),
    [
        ("encoding", {"encoder": "x", "whole_pieces": True}, "encoding.encoder: expected one of merge-rank"),
        ("encoding", [], "encoding: expected an object"),
        ("encoding", {"whole_pieces": 1}, "encoding.whole_pieces: expected true or false"),
        ("added_tokens", {}, "added_tokens: expected a list"),
        ("added_tokens", [{"content": "x"}], "added_tokens[0]: 'token_id' is missing"),
        ("added_tokens", [1], "added_tokens[0]: expected an object"),
        ("decoder", {}, "decoder: expected a list of objects"),
        ("decoder", [{"type": "x"}], "decoder: There is no decoder 'x'"),
    ],
)
def test_a_damaged_side_car(key, value, message, tmp_path):
    GPT2.save(GPT2.load(DATA / "formats" / "gpt2_hash_merges"), 4, tmp_path / "x")
    side_car = tmp_path / "x" / "bpe-gui.json"
    side_car.write_text(json.dumps(json.loads(side_car.read_text(encoding="utf-8")) | {key: value}), encoding="utf-8")
    with pytest.raises(FormatError) as caught:
        GPT2.load(tmp_path / "x")
    assert f"bpe-gui.json, {message}" in str(caught.value)


def test_clips_own_file_goes_out_and_the_library_reads_it(tmp_path):
    recording = open_model(DATA / "formats" / "clip_bpe_256.txt").recording
    assert_goes_out_and_back(recording, tmp_path / "clip")
    made = hugging_face(run(GPT2.snippet(tmp_path / "clip"))["tokenizer"])
    assert_same(recording, 256, made, ["The quick, brown fox's", "low <|endoftext|>", "中文 é 12", "", " a\n b "])


@pytest.mark.parametrize("name", ["qwen3_500", "gpt_oss_300", "clip_256"])
def test_other_tools_tokenizers_go_out_and_back(name, tmp_path):
    recording = open_model(DATA / "formats" / f"{name}.tokenizer.json").recording
    assert_goes_out_and_back(recording, tmp_path / "again")
    assert GPT2.load(tmp_path / "again").decoder == recording.decoder
    made = hugging_face(run(GPT2.snippet(tmp_path / "again"))["tokenizer"])
    assert_same(recording, len(recording), made, probes("bytes own pattern"))  # without letters younger than Unicode 14


def test_unknown_characters_without_an_unknown_token_vanish_as_in_the_library(tmp_path):
    folder = write(tmp_path / "x", {"é": 0, "a": 1, "aé": 2}, ["a é"])
    assert Tokenizer(GPT2.load(folder)).ids("a?é") == [2]
    assert library(folder, byte_level=False)("a?é")[0] == [2]
    assert UNKNOWN not in Tokenizer(GPT2.load(folder)).ids("?")


def test_what_transformers_keeps_beside_the_pair_is_named(tmp_path):
    """Its class would say how texts are cut, as of CodeGen's or Qwen's older files."""
    folder = write(tmp_path / "m", BYTES | {"ab": 256}, ["a b"])
    assert open_model(folder).recording.imported.not_applied == ()
    (folder / "tokenizer_config.json").write_text('{"tokenizer_class": "Qwen2Tokenizer"}')
    assert open_model(folder).recording.imported.not_applied == ("tokenizer_config.json beside the file",)
    (folder / "added_tokens.json").write_text("{}")
    assert open_model(folder).recording.imported.not_applied == (
        "tokenizer_config.json and added_tokens.json, which lie beside the file",
    )
