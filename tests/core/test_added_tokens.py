"""Added tokens are found as Hugging Face finds them."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core import kernel_loader
from core.added_tokens import AddedToken, AddedTokens
from core.alphabet import Alphabet, Base, Marker, Token, Unknown
from core.normalizer import Normalizer
from core.pipeline import Pipeline
from core.pre_tokenizer import PRE_TOKENIZERS
from core.recording import Recording
from core.special_tokens import Specials, SpecialTokenError
from core.tokenizer import Tokenizer
from core.trainer import TrainerConfig

LEFT, RIGHT, WORD, LONG = 1, 2, 3, 4
TOKENS = (
    AddedToken("<m>", LEFT, lstrip=True),
    AddedToken("<r>", RIGHT, rstrip=True),
    AddedToken("cat", WORD, special=False, single_word=True),
    AddedToken("<m><r>x", LONG),
)


def found(text: str) -> list[tuple[int, int, int]]:
    return [(start, end, token.token_id) for start, end, token in AddedTokens(TOKENS).matches(text)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a  <m><m>  <r> <r> cat", [(1, 6, LEFT), (6, 9, LEFT), (11, 15, RIGHT), (15, 19, RIGHT), (19, 22, WORD)]),
        ("<r>  <m> x", [(0, 5, RIGHT), (5, 8, LEFT)]),
        (" <r>cat", [(1, 4, RIGHT), (4, 7, WORD)]),
        ("cat_ cat2 ²cat cat\u0301", [(11, 14, WORD)]),
        ("<m>  \u3000<m>", [(0, 3, LEFT), (3, 9, LEFT)]),
        ("<m><r>x<m><r>", [(0, 7, LONG), (7, 10, LEFT), (10, 13, RIGHT)]),
        ("", []),
    ],
)
def test_white_space_around_them_and_words_beside_them(text: str, expected: list[tuple[int, int, int]]) -> None:
    assert found(text) == expected


pieces = st.sampled_from(["<m>", "<r>", "cat", "<m><r>x", " ", "\t", "\u00a0", "a", "²", "\u0301", "_", "中", "."])


@settings(max_examples=400)
@given(st.lists(pieces, max_size=12).map("".join))
def test_same_as_hugging_face(text: str) -> None:
    tokenizers = pytest.importorskip("tokenizers")
    theirs = tokenizers.Tokenizer(tokenizers.models.BPE({"?": 0}, [], unk_token="?"))
    for token in TOKENS:
        added = tokenizers.AddedToken(
            token.content, single_word=token.single_word, lstrip=token.lstrip, rstrip=token.rstrip, normalized=False
        )
        theirs.add_special_tokens([added]) if token.special else theirs.add_tokens([added])
    encoding = theirs.encode(text)
    expected = [(*span, i) for i, span in zip(encoding.ids, encoding.offsets, strict=True) if i]
    assert found(text) == expected


def model() -> Recording:
    return Recording(
        Alphabet(Base.CHARACTERS, Marker.NONE, {0: Token(b"a"), 5: Token(b" ")}),
        pipeline=Pipeline(pre_tokenizer=PRE_TOKENIZERS["none"]),
        vocabulary={token.token_id: Token(token.content.encode(), special=True) for token in TOKENS},
        added_tokens=TOKENS,
    )


def test_a_tokenizer_matches_them() -> None:
    assert Tokenizer(model()).ids("a <m>a cat") == [0, LEFT, 0, 5, WORD]


def test_only_special_ones_can_be_text_or_refused() -> None:
    assert Tokenizer(model()).ids("a<m> cat", Specials.AS_TEXT) == [0, 5, WORD]
    assert Tokenizer(model()).ids("a cat", Specials.REFUSE) == [0, 5, WORD]
    with pytest.raises(SpecialTokenError, match="'<m>' at character 3"):
        Tokenizer(model()).ids("a <m>", Specials.REFUSE)


MIXED = (
    AddedToken("AB", 10, special=False, normalized=True),
    AddedToken("É", 11, special=False, normalized=True),
    AddedToken("<S>", 12, special=True, normalized=False),
    AddedToken("<s>a", 13, special=True, normalized=True),
    AddedToken("b c", 14, special=False, single_word=True, normalized=True),
)


def normalizing_model() -> Recording:
    letters = {i: Token(letter.encode()) for i, letter in enumerate("abc ?s<>é", 0)}
    letters[9] = Token(b"[UNK]", special=True)
    return Recording(
        Alphabet(Base.CHARACTERS, Marker.NONE, letters, Unknown.TOKEN),
        TrainerConfig(Base.CHARACTERS, special_tokens=("[UNK]",), unknown_token="[UNK]", unknown=Unknown.TOKEN),
        pipeline=Pipeline(Normalizer.named("nfc", "lowercase"), PRE_TOKENIZERS["none"]),
        added_tokens=MIXED,
        vocabulary={token.token_id: Token(token.content.encode(), special=True) for token in MIXED},
    )


@settings(max_examples=200)
@given(st.lists(st.sampled_from(["ab", "AB", "a", "B", "<S>", "<s>", "é", "E\u0301", " c", "İ", "中"])).map("".join))
def test_normalized_ones_are_looked_for_in_normalized_text(text: str) -> None:
    tokenizers = pytest.importorskip("tokenizers")
    ours = normalizing_model()
    vocab = {token.content.decode(): i for i, token in ours.alphabet.tokens.items()}
    theirs = tokenizers.Tokenizer(tokenizers.models.BPE(vocab, [], unk_token="[UNK]"))
    theirs.normalizer = tokenizers.normalizers.Sequence(
        [tokenizers.normalizers.NFC(), tokenizers.normalizers.Lowercase()]
    )
    for token in MIXED:
        added = tokenizers.AddedToken(token.content, single_word=token.single_word, normalized=token.normalized)
        theirs.add_special_tokens([added]) if token.special else theirs.add_tokens([added])
    assert [token.token_id for token in Tokenizer(ours).encode(text)] == theirs.encode(text).ids


def test_where_they_stand_in_the_text() -> None:
    """A letter of two code points is one in the normalized text."""
    found = [tuple(token) for token in Tokenizer(normalizing_model()).encode("aE\u0301ABa")]
    assert found == [(0, 0, 1), (11, 1, 3), (10, 3, 5), (0, 5, 6)]


def test_compiled_loops_find_them_too() -> None:
    kernel_loader.load()
    text = "aE\u0301ABa<S> b c" * 300
    tokenizer = Tokenizer(normalizing_model())
    assert tokenizer.compiled
    assert tokenizer.ids(text) == [token.token_id for token in tokenizer.tokens(text)]
