r"""Patterns of Hugging Face's tokenizers, which Oniguruma reads by Ruby's rules, rewritten for the `regex` module.

Both know the same words for most things; `^`, `$`, `\h`, `\w` and a `+` behind braces mean something else there.
"""

import re

from core.formats.patterns import INTERSECTION, WORD, Rewriter, from_portable, portable, without_intersections
from core.pre_tokenizer import PRE_TOKENIZERS, PreTokenizer

_WORD_IN_SET = WORD.replace(r"\p{Join_Control}", "")
_WORD = _WORD_IN_SET + "²³¹¼½¾"
_HEX = "0-9A-Fa-f"
_INTERSECTION = re.compile(INTERSECTION, re.DOTALL)
_BRACES = re.compile(r"\{(?:\d+(?:,\d*)?|,\d+)\}")


def from_oniguruma(pattern: str) -> str:
    """The pattern that matches the same with `regex`. Raises FormatError for what only Oniguruma knows."""
    return _Reader(pattern).rewrite()


def known_pre_tokenizer(pattern: str) -> PreTokenizer | None:
    """The pre-tokenizer of ours that cuts at the same places when this pattern isolates its matches."""
    rewritten = from_oniguruma(pattern)
    for known in PRE_TOKENIZERS.values():
        if known.keeps_everything and (pattern == known.pattern or rewritten == portable(known.pattern)):
            return from_portable(known.pattern)
    return None


class _Reader(Rewriter):
    def rewrite(self) -> str:
        rewritten = self._alternatives()
        if self._peek():
            raise self._refusal("a closing parenthesis too many")
        return rewritten

    def _quantified(self, atom: str) -> str:
        if atom in ("|", ""):
            return atom
        count = 0
        while (char := self._peek()) and (char in "*+?" or _BRACES.match(self._text, self._place)):
            atom = self._repeated(f"(?:{atom})" if count else atom)
            count += 1
        if self._peek() == "{":
            self._next()
            return atom + r"\{"
        return atom

    def _repeated(self, atom: str) -> str:
        braces = _BRACES.match(self._text, self._place)
        if braces is None:
            repeat = self._next()
            return atom + repeat + ("?" if self._take("?") else "+" if self._take("+") else "")
        self._place = braces.end()
        repeat = braces[0].replace("{,", "{0,")
        if "," in repeat and self._take("?"):
            return f"{atom}{repeat}?"
        return atom + repeat  # a `+` or, behind `{3}`, a `?` repeats all of this

    def _atom(self) -> str:
        if self._take("^"):
            return r"(?:(?<![\s\S])|(?<=\n)(?=[\s\S]))"
        if self._take("$"):
            return r"(?=\n|(?![\s\S]))"
        return super()._atom()

    def _group(self) -> str:
        if self._take("?i)"):
            self._ignore_case, outer = True, self._ignore_case
            rest = self._alternatives()
            self._ignore_case = outer
            return f"(?i:{rest})"
        if self._take("?#"):
            while self._next() != ")":
                pass
            return ""
        if self._take("?<!") or self._take("?<="):
            opening = f"({self._text[self._place - 3 : self._place]}"
            return self._grouped(opening)
        return super()._group()

    def _grouped(self, opening: str) -> str:
        body = self._alternatives()
        if not self._peek():
            raise self._refusal("a group without its end")
        self._next()
        return f"{opening}{body})"

    def _escape(self) -> str:
        if self._take("z"):
            return r"(?![\s\S])"
        if self._take("Z"):
            return r"(?=\n?(?![\s\S]))"
        if self._take("w"):
            return f"[{_WORD}]"
        if self._take("W"):
            return f"[^{_WORD}]"
        if self._take("h"):
            return f"[{_HEX}]"
        if self._take("H"):
            return f"[^{_HEX}]"
        if self._take("b"):
            return f"(?:(?<=[{_WORD}])(?![{_WORD}])|(?<![{_WORD}])(?=[{_WORD}]))"
        if self._take("B"):
            return f"(?:(?<=[{_WORD}])(?=[{_WORD}])|(?<![{_WORD}])(?![{_WORD}]))"
        if self._peek() in tuple("123456789k"):
            raise self._refusal("a reference to another group")
        return super()._escape()

    def _class(self) -> str:
        shared = _INTERSECTION.match(self._text, self._place - 1)
        if shared is None or self._ignore_case:
            return super()._class()
        self._place = shared.end()
        return _Reader(without_intersections(shared[0])).rewrite()

    def _class_item(self) -> tuple[str, str, str]:
        if self._text.startswith("&&", self._place):
            raise self._refusal("a set of what two sets share")
        if self._text.startswith("[^", self._place):
            raise self._refusal("a negated set inside a set")
        if not self._text.startswith("[:", self._place) and self._take("["):
            if self._ignore_case:
                raise self._refusal("a set inside a set where case is ignored")
            return self._inner_set(), "", ""
        for name, meaning in (("\\w", _WORD_IN_SET), ("\\h", _HEX)):
            if self._take(name):
                return meaning, "", ""
        return super()._class_item()

    def _inner_set(self) -> str:
        """What a set inside a set holds, the set around it holds."""
        parts = list[str]()
        while not parts or self._peek() != "]":
            parts.append(self._class_item()[0])
        self._next()
        return "".join(parts)
