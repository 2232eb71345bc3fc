from bpe_gui.widgets.token_facts import line, tooltip
from core.alphabet import Base
from core.recording import Recording
from core.segmentation import Segmenter
from core.trainer import TrainerConfig, build_alphabet


def test_a_merged_token(recording):
    segmenter = Segmenter(recording, "newest")
    segment = segmenter.segments(0, 6, 1)[3]
    # the first merge of the textbook's four words is e + s
    assert segmenter.shown_text(segment) == "es"
    token_id = segment.token_id
    facts = ["es", f"id {token_id}", "bytes 65 73 (hex)", "rank 0: e + s", "9 times in the corpus"]
    assert line(segmenter, segment, 1) == "  ·  ".join(facts)


def test_a_part_of_a_character():
    recording = Recording(build_alphabet({}, TrainerConfig()))
    segmenter = Segmenter(recording, "中")
    text = line(segmenter, segmenter.segments(0, 1, 0)[1], 0)
    assert text == "⟨B8⟩  ·  id 116  ·  byte B8 (hex)  ·  base symbol  ·  part of 中 U+4E2D (E4 B8 AD)"


def test_an_unknown_character_and_a_gap(recording):
    segmenter = Segmenter(recording, "Z \u200b")
    unknown, gap, unseen = segmenter.segments(0, 3, 0)
    assert line(segmenter, unknown, 0) == "Z U+005A (5A)  ·  not in the alphabet: no token covers it"
    assert line(segmenter, gap, 0).startswith("Not in any token")
    assert line(segmenter, unseen, 0).startswith("ZERO WIDTH SPACE U+200B (E2 80 8B)")


def test_markup_in_a_token_is_shown_as_it_is():
    alphabet = build_alphabet({"<": 1}, TrainerConfig(base=Base.CHARACTERS))
    segmenter = Segmenter(Recording(alphabet), "<")
    assert "<b>&lt;</b>" in tooltip(segmenter, segmenter.segments(0, 1, 0)[0], 0)
