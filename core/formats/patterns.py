"""Rewrites a pattern of the `regex` module so that other engines cut the same words.

The result means the same to Python's regex, to Oniguruma (Hugging Face) and to Rust's fancy-regex (tiktoken); without
atomic groups also to JavaScript. What differs between them and cannot be rewritten is refused. The differences were
found by comparing all code points and `tests/core/formats/test_formats_patterns.py` keeps comparing.
"""

import re
import sys
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from itertools import groupby, product

import regex

from core.errors import FormatError
from core.pre_tokenizer import PRE_TOKENIZERS, Digits, PreTokenizer, custom
from core.punctuation import PUNCTUATION
from core.user_patterns import compiled

WORD = r"\p{Alphabetic}\p{M}\p{Nd}\p{Pc}\p{Join_Control}"
r"""What `\w` is by Unicode's rules. Oniguruma's own `\w` also takes ² ³ ¹ ¼ ½ ¾, JavaScript's only ASCII."""

MAX_REPEAT = 200
r"""tiktoken gives up on `\p{L}{1,245}`, which takes too much memory there; Hugging Face only on `.{1,100001}`."""

TEXT_START, TEXT_END = r"(?<![\s\S])", r"(?![\s\S])"

DOTTED_I = "(?-i:İ)"  # ignoring case, only Python's regex takes İ for an i

_QUANTIFIER = re.compile(r"(\*|\+|\?|\{\d+\}|\{\d+,\}|\{,\d+\}|\{\d+,\d+\})([?+]?)")
_CODE_POINT = re.compile(r"x([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})")
_PROPERTY = re.compile(r"\{(\^?)(?:(?:script|sc|gc|general_?category)[=:])?([A-Za-z_ -]+)\}|([A-Z])", re.I)
_CONTROL = {"a": "\a", "f": "\f", "v": "\v"}
_SAME_ESCAPES = "nrt"
_NAMED_GROUP = re.compile(r"\?P?<[^\W\d]\w*>")
_CATEGORIES = (
    "L Lu Ll Lt Lm Lo M Mn Mc Me N Nd Nl No P Pc Pd Ps Pe Pi Pf Po S Sm Sc Sk So Z Zs Zl Zp C Cc Cf Co Cn "
    "Alphabetic Join_Control White_Space "
    "Arabic Armenian Bengali Cyrillic Devanagari Ethiopic Georgian Greek Gujarati Han Hangul Hebrew Hiragana "
    "Kannada Katakana Khmer Lao Latin Malayalam Mongolian Myanmar Sinhala Tamil Telugu Thai Tibetan"
)
_LONG_NAMES = {
    "letter": "L", "uppercaseletter": "Lu", "lowercaseletter": "Ll", "mark": "M", "number": "N", "decimalnumber": "Nd",
    "punctuation": "P", "symbol": "S", "separator": "Z", "other": "C",
}  # fmt: skip
_PROPERTIES = {name.lower().replace("_", ""): name for name in _CATEGORIES.split()} | _LONG_NAMES
_OTHER_SPELLINGS = {
    # tiktoken 0.14 and before, minbpe, transformers
    r"'(?:[sdmt]|ll|ve|re)| ?\p{L}++| ?\p{N}++| ?[^\s\p{L}\p{N}]++|\s++$|\s+(?!\S)|\s": "gpt2",
    r"'(?:[sdmt]|ll|ve|re)| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+": "gpt2",
    r"'s|'t|'re|'ve|'m|'ll|'d| ?[\p{L}]+| ?[\p{N}]+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+": "gpt2",
    r"'(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?+\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]++[\r\n]*|\s*[\r\n]|\s+(?!\S)|\s+": (
        "cl100k"
    ),
}
"""Patterns that cut all texts as one of ours does."""
_CL100K_OF_TIKTOKEN = (
    r"'(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?+\p{L}++|\p{N}{1,3}+| ?[^\s\p{L}\p{N}]++[\r\n]*+"
    r"|\s++$|\s*[\r\n]|\s+(?!\S)|\s"
)
_SPACE_BEHIND_LINE_END = re.compile(rb"[\r\n](?:[\t\v\f ]|\xc2|\xe1|\xe2|\xe3)")
_CASED = ("Lu", "Ll", "Lt")
_FOLDS_TO_ONE = re.compile("ss|ff|fi|fl|st", re.I)


_IN_SET = r"(?:[^\[\]\\&]|&(?!&)|\\.)"
INTERSECTION = rf"\[(?!\^)({_IN_SET}+)&&\[(\^?)({_IN_SET}+)\]\]"
_SET = re.compile(rf"\\.|{INTERSECTION}|\[\^?\]?{_IN_SET}*\]", re.DOTALL)


def without_intersections(pattern: str) -> str:
    r"""`[\p{L}&&[^a]]`, which Python's regex reads otherwise than Rust and Ruby, as `(?:(?![a])[\p{L}])`."""

    def rewritten(match: re.Match[str]) -> str:
        of, negated, other = match.groups()
        return f"(?:(?{'!' if negated else '='}[{other}])[{of}])" if of else match[0]

    return _SET.sub(rewritten, pattern)


def portable(pattern: str) -> str:
    r"""The same words in every engine: `\w+` becomes `[\p{Alphabetic}...]+`, `\d{1,3}+` becomes `(?>\p{Nd}{1,3})`.

    Raises FormatError for what only some engines know.
    """
    return Rewriter(pattern).rewrite()


def portable_in_lines(pattern: str) -> str:
    """As `portable`, for a pattern that is searched for line by line here and in the whole text elsewhere.

    Raises FormatError for one that could match a line end: only then can the two differ.
    """
    return _LineRewriter(pattern).rewrite()


def portable_words(pre_tokenizer: PreTokenizer) -> str:
    """One pattern that cuts as the pre-tokenizer does, with its digits and punctuation apart.

    Raises FormatError as `portable` does, and where the modifiers cannot be said in one pattern.
    """
    if pre_tokenizer.is_plain:
        return portable(pre_tokenizer.pattern)
    if pre_tokenizer.splits:
        raise FormatError(
            "The text is cut by several patterns one after the other, or what stands between their matches counts too, "
            "and here there is one pattern for all words. Save as Hugging Face tokenizer.json."
        )
    apart = _Apart.of(pre_tokenizer)
    return f"{apart.alone(pre_tokenizer)}|{_PieceRewriter(pre_tokenizer.pattern, apart).rewrite()}"


def inside_set(characters: Iterable[str]) -> str:
    """What stands between the brackets of a set of these characters."""
    literal, parts = Rewriter("")._literal_in_class, list[str]()
    for _, run in groupby(enumerate(sorted(map(ord, characters))), lambda item: item[1] - item[0]):
        codes = [code for _, code in run]
        first, last = literal(chr(codes[0])), literal(chr(codes[-1]))
        parts.append(first if len(codes) == 1 else f"{first}-{last}")
    return "".join(parts)


def from_portable(pattern: str) -> PreTokenizer:
    """The pre-tokenizer that `portable` made this from: one of the known ones, or one with the pattern itself."""
    if name := _OTHER_SPELLINGS.get(pattern):
        return PRE_TOKENIZERS[name]
    for known in PRE_TOKENIZERS.values():
        if pattern in (known.pattern, portable(known.pattern)):
            return known
    return custom(pattern)


def cuts_as_cl100k(pattern: str, tokens: Iterable[bytes]) -> bool:
    """Whether this is tiktoken's newer form of GPT-4's pattern, and the tokens do not show where it differs.

    It takes all white space at the end of a text for one word, where the older one cuts behind the last line end.
    """
    return pattern == _CL100K_OF_TIKTOKEN and not any(map(_SPACE_BEHIND_LINE_END.search, tokens))


def javascript_reads(pattern: str) -> bool:
    """Whether transformers.js reads the portable form: it has no atomic groups and cannot end ignoring case."""
    return "(?>" not in pattern and "(?-i:" not in pattern


class Rewriter:
    text_start, text_end = TEXT_START, TEXT_END

    def __init__(self, pattern: str) -> None:
        self._text = pattern
        self._place = 0
        self._ignore_case = False

    def rewrite(self) -> str:
        if self._take("(?i)"):
            self._ignore_case = True
            return f"(?i:{self._alternatives()})"
        return self._alternatives()

    def _alternatives(self) -> str:
        """Up to the closing parenthesis of the group we are in, or the end."""
        parts: list[str] = []
        while self._place < len(self._text) and self._peek() != ")":
            parts.append(self._quantified(self._atom()))
        return "".join(parts)

    def _quantified(self, atom: str) -> str:
        match = _QUANTIFIER.match(self._text, self._place)
        if not match:
            if atom not in ("|", "") and self._peek() == "{":
                raise self._refusal("a brace that is no repeat; write \\{ for the character")
            return atom
        if any(int(number) > MAX_REPEAT for number in re.findall(r"\d+", match[1])):
            raise self._refusal(f"a repeat of more than {MAX_REPEAT} times")
        self._place = match.end()
        repeat, mode = match[1].replace("{,", "{0,"), match[2]
        if mode == "+":
            return f"(?>{atom}{repeat})"  # Oniguruma takes `{1,3}+` for a repeat of a repeat
        if repeat.startswith("{") and "," not in repeat:
            return atom + repeat  # to Oniguruma `{3}?` means `(?:{3})?`
        return atom + repeat + mode

    def _atom(self) -> str:
        char = self._next()
        if char == "(":
            return self._group()
        if char == "[":
            return self._class()
        if char == "\\":
            return self._escape()
        if char == ".":
            return self._matcher(r"[^\n]")
        if char == "|":
            return char
        if char == "^":
            return self.text_start
        if char == "$":
            return self._end()
        return self._matcher(self._letter(char))

    def _end(self) -> str:
        return rf"(?=\n?{self.text_end})"  # `$` also stands before a final line end

    def _matcher(self, atom: str) -> str:
        """Called for everything that matches one character."""
        return atom

    def _group(self) -> str:
        if named := _NAMED_GROUP.match(self._text, self._place):
            self._place = named.end()
            return self._grouped("(?:")
        for letter in "iI":
            if self._ignore_case and self._take(f"?:{letter}|{DOTTED_I})"):  # it was rewritten before
                return self._letter(letter)
        for opening in ("?:", "?>", "?=", "?!"):
            if self._take(opening):
                return self._grouped("(" + opening)
        for opening in ("?<=", "?<!"):
            if self._take(opening):
                return self._look_behind("(" + opening)
        for opening, ignore_case in (("?i:", True), ("?-i:", False)):
            if self._take(opening):
                return self._with_case("(" + opening, ignore_case)
        if self._peek() == "?":
            raise self._refusal("this kind of group")
        return self._grouped("(?:")

    def _grouped(self, opening: str) -> str:
        body = self._alternatives()
        self._next()
        return f"{opening}{body})"

    def _with_case(self, opening: str, ignore_case: bool) -> str:
        outer, self._ignore_case = self._ignore_case, ignore_case
        start = self._place
        group = self._grouped(opening)
        self._ignore_case = outer
        if ignore_case and _FOLDS_TO_ONE.search(self._text, start, self._place):
            raise self._refusal("letters such as ss or fi where case is ignored (some engines then take ß or ﬁ too)")
        return group

    def _look_behind(self, opening: str) -> str:
        start = self._place
        parts = []
        while self._peek() != ")":
            if self._peek() in "(|^$*+?{":
                raise self._refusal("a look-behind of more than plain characters and classes", start)
            parts.append(self._atom())
        self._next()
        return f"{opening}{''.join(parts)})"

    def _escape(self) -> str:
        for name in "wW":
            if self._take(name):
                return self._matcher(f"[{'^' if name == 'W' else ''}{WORD}]")
        for name in "bB":
            if self._take(name):
                return self._word_edge(name)
        if self._take("A"):
            return self.text_start
        if self._take("Z"):
            return self.text_end
        return self._matcher(self._shared_class() or self._letter(self._escaped_character()))

    def _word_edge(self, name: str) -> str:
        if name == "b":
            return f"(?:(?<=[{WORD}])(?![{WORD}])|(?<![{WORD}])(?=[{WORD}]))"
        return f"(?:(?<=[{WORD}])(?=[{WORD}])|(?<![{WORD}])(?![{WORD}]))"

    def _shared_class(self) -> str | None:
        r"""What may stand inside and outside brackets: `\s`, `\d`, `\p{...}`."""
        for name, meaning in (("d", r"\p{Nd}"), ("D", r"\P{Nd}"), ("s", r"\s"), ("S", r"\S")):
            if self._take(name):
                return meaning
        for name in "pP":
            if self._take(name):
                return self._property(name)
        return None

    def _property(self, letter: str) -> str:
        match = _PROPERTY.match(self._text, self._place)
        key = re.sub("[_ -]", "", match[2] or match[3]).lower() if match else ""
        name = _PROPERTIES.get(key) or _PROPERTIES.get(key.removeprefix("is"))
        if match is None or name is None:
            raise self._refusal("this property")
        if self._ignore_case and name in _CASED:
            raise self._refusal(f"\\p{{{name}}} where case is ignored")
        self._place = match.end()
        negated = (letter == "P") != bool(match[1])
        return f"\\{'P' if negated else 'p'}{{{name}}}"

    def _escaped_character(self) -> str:
        if match := _CODE_POINT.match(self._text, self._place):
            self._place = match.end()
            return chr(int(match[1] or match[2] or match[3], 16))
        char = self._next()
        if char in _SAME_ESCAPES:
            return {"n": "\n", "r": "\r", "t": "\t"}[char]
        if char in _CONTROL:
            return _CONTROL[char]
        if char.isalnum():
            self._place -= 1
            raise self._refusal(f"\\{char}")
        return char

    def _class(self) -> str:
        negated, has_i = self._take("^"), False
        parts: list[str] = []
        while not parts or self._peek() != "]":
            item, low, high = self._class_item()
            parts.append(item)
            has_i = has_i or any(low <= char <= high for char in "iI")
        self._next()
        if not (self._ignore_case and has_i):
            return self._matcher(f"[{'^' if negated else ''}{''.join(parts)}]")
        plain = f"(?:(?!{DOTTED_I})[^{''.join(parts)}])" if negated else f"(?:[{''.join(parts)}]|{DOTTED_I})"
        return self._matcher(plain)

    def _class_item(self) -> tuple[str, str, str]:
        """The item rewritten, and the first and last character of what it spells out ("" for a property)."""
        if self._text.startswith(("[:", "[=", "[."), self._place):
            raise self._refusal("a class by its POSIX name")
        if self._take("\\w"):
            return WORD, "", ""
        if self._text.startswith("\\", self._place):
            self._next()
            if shared := self._shared_class():
                return shared, "", ""
            low = "\b" if self._take("b") else self._escaped_character()
        else:
            low = self._next()
        if self._peek() != "-" or self._text.startswith("-]", self._place):
            return self._literal_in_class(low), low, low
        self._next()
        if self._text.startswith(("[", "-"), self._place):
            raise self._refusal("this range")
        high = self._next()
        if high == "\\":
            high = self._escaped_character()
        return f"{self._literal_in_class(low)}-{self._literal_in_class(high)}", low, high

    def _letter(self, char: str) -> str:
        return f"(?:{char}|{DOTTED_I})" if self._ignore_case and char in "iI" else self._literal(char)

    def _literal(self, char: str) -> str:
        self._check_turkish(char)
        shown = {"\n": r"\n", "\r": r"\r", "\t": r"\t"}
        return shown.get(char) or ("\\" + char if char in r"\.^$*+?{}[]()|" else char)

    def _literal_in_class(self, char: str) -> str:
        self._check_turkish(char)
        # doubled, & and ~ are set operations to Rust, and JavaScript knows no \&
        shown = {"\n": r"\n", "\r": r"\r", "\t": r"\t", "&": r"\x26", "~": r"\x7E"}
        return shown.get(char) or ("\\" + char if char in r"\[]^-" else char)

    def _check_turkish(self, char: str) -> None:
        if self._ignore_case and char in "İı":
            raise self._refusal(f"{char} where case is ignored")

    def _peek(self) -> str:
        return self._text[self._place : self._place + 1]

    def _next(self) -> str:
        char = self._peek()
        if not char:
            raise self._refusal("an end in the middle of something")
        self._place += 1
        return char

    def _take(self, expected: str) -> bool:
        found = self._text.startswith(expected, self._place)
        self._place += len(expected) if found else 0
        return found

    def _refusal(self, what: str, place: int | None = None) -> FormatError:
        place = self._place if place is None else place
        context = self._text[max(0, place - 5) : place + 10]
        return FormatError(
            f"The pattern has, at character {place + 1} (…{context}…), {what}, "
            "which other tools' engines do not know or read differently."
        )


class _LineRewriter(Rewriter):
    text_start = r"(?<![^\n])"

    def _end(self) -> str:
        return r"(?![^\n])"

    def _matcher(self, atom: str) -> str:
        if regex.match(f"(?i:{atom})" if self._ignore_case else atom, "\n"):
            raise FormatError(
                f"The pattern {self._text!r} can match a line end, and it is searched for line by line here, in the "
                r"whole text elsewhere. Leave line ends out of it, as in [^\S\n] for \s and [^a\n] for [^a]."
            )
        return atom


@dataclass(frozen=True)
class _Apart:
    """The characters that are cut apart before the pattern cuts: the inside of a set, and all of them."""

    inside: str
    characters: str

    @classmethod
    def of(cls, pre_tokenizer: PreTokenizer) -> "_Apart":
        punctuation = portable(f"[{PUNCTUATION}]")[1:-1] if pre_tokenizer.punctuation else ""
        digits = r"\p{N}" if pre_tokenizer.digits is not Digits.TOGETHER else ""
        return cls(punctuation + digits, _matches(punctuation + digits))

    def alone(self, pre_tokenizer: PreTokenizer) -> str:
        """The alternative that matches them: as the pattern cuts them when nothing stands around.

        Raises FormatError if the pattern leaves some out, or cuts groups of digits in no simple way.
        """
        pattern = compiled(pre_tokenizer.pattern)
        if not all(pattern.fullmatch(char) for char in self.characters):
            raise FormatError(_NOT_ONE_PATTERN)
        if pre_tokenizer.digits is not Digits.THREES:
            return f"[{self.inside}]"
        groups = ["".join(group) for size in (1, 2, 3) for group in product("1٣½Ⅷ", repeat=size)]
        cuts = [[match[0] for match in pattern.finditer(group)] for group in groups]
        if pre_tokenizer.name == "custom" or cuts not in (
            [[group] for group in groups],
            [[*group] for group in groups],
        ):
            raise FormatError(_NOT_ONE_PATTERN)
        repeat = "{1,3}" if cuts[-1] == groups[-1:] else ""
        marks = self.inside.removesuffix(r"\p{N}")
        return rf"[{marks}]|\p{{N}}{repeat}" if marks else rf"\p{{N}}{repeat}"


_NOT_ONE_PATTERN = (
    "Digits or punctuation are cut apart before the pattern cuts, and for this pattern one pattern cannot say both. "
    "Save as Hugging Face tokenizer.json."
)


@cache
def _matches(inside: str) -> str:
    everything = "".join(chr(code) for code in range(sys.maxunicode + 1) if not 0xD800 <= code < 0xE000)
    return "".join(regex.findall(f"[{inside}]", everything))


class _PieceRewriter(Rewriter):
    """Nothing but the characters that are not cut apart; where one of those stands, the text ends."""

    def __init__(self, pattern: str, apart: _Apart) -> None:
        super().__init__(pattern)
        self._apart = apart
        self.text_start, self.text_end = f"(?<![^{apart.inside}])", f"(?![^{apart.inside}])"

    def _matcher(self, atom: str) -> str:
        if not regex.search(f"(?i:{atom})" if self._ignore_case else atom, self._apart.characters):
            return atom
        if atom.startswith("[^"):
            return f"{atom[:-1]}{self._apart.inside}]"
        return rf"[^\s{self._apart.inside}]" if atom == r"\S" else f"(?:(?![{self._apart.inside}]){atom})"

    def _word_edge(self, name: str) -> str:
        raise FormatError(_NOT_ONE_PATTERN)

    def _look_behind(self, opening: str) -> str:
        raise FormatError(_NOT_ONE_PATTERN)
