"""Texts that are hard to normalize and to cut: marks, joiners, Hangul jamo, emoji, right-to-left, odd white space."""

import unicodedata

from hypothesis import strategies as st

WHITE_SPACE = "\t\n\v\f\r \x85\xa0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u2028\u2029"
WHITE_SPACE += "\u202f\u205f\u3000"

# everything that joins, reorders or falls apart: Latin, Greek, Hangul jamo (also half-width), Indic two-part vowels,
# kana voice marks, Hebrew points, ligatures, and marks of several classes
MARKS = "aeo\u0301\u0323\u0327\u0338\u0345ÅΩέςΣİ한가\u1100\u1161\u11a8\u11a7\uffa1\uffc2ㄳ" + (
    "\u09c7\u09be\u09d7\u0b47\u0b56\u0dd9\u0dcf\u0dca\u1025\u102e\u0bc6\u0bbe\u0cc6\u0cd5\u0cd6"
    "か\u3099ｶﾞﾊﾟ\u309a\u05e9\u05c1\u05bcשּׁﬁ²①㎏¨\u0344\u0958\u2126\u212b\ufdfa\U0001d15e\U000110a5\U000110ba"
    "\U00011131\U00011127\U0001134b\U0001133e \n\u00a0\u200d"
)
OTHERS = "\x00\x1c\x1f'’sStTdDmMlLvVrReE019aé_.,!-$+<=>^`|~½٣一中日ह\u093f\u200c\ufeffſK👩🏽ש\u200fم▁§、。Ａ"
CHUNKS = ["\r\n", "\n\n", "  ", "'ll", "'RE", "▁▁", " ▁", "1234", "\x85", "👨\u200d👩\u200d👧", "!\n/", "<num>"]

assigned = st.characters(exclude_categories=["Cn", "Cs", "Co"]).filter(lambda char: unicodedata.category(char) != "Cn")
"""Libraries know different Unicode versions and agree on what this Python has assigned."""

_part = st.one_of(st.sampled_from(WHITE_SPACE + OTHERS), st.sampled_from(MARKS), st.sampled_from(CHUNKS), assigned)
hard_text = st.lists(_part, max_size=30).map("".join)
any_text = st.one_of(hard_text, st.text(max_size=30))
