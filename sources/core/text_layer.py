"""The words of a page as lines of a transparent text layer, so that selecting and copying keeps lines together."""

import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass, replace

from sources.core.geometry import TextRun

# Where letters stand in a line's box, from its top, as a share of its height.
_BASELINE = 0.8
_SAME_LINE = 0.5
# In line heights: a wider gap is a gutter between columns or cells.
_WIDEST_GAP = 3.0


@dataclass(frozen=True, slots=True)
class LayerLine:
    """Words that stand beside each other, in reading order; `baseline` and `size` in points of the page.

    A line that is read down or up the page has a `turn`, and all its measures are of the page turned back by
    it around the origin, where the line lies as any other.
    """

    baseline: float
    size: float
    words: tuple[TextRun, ...]
    right_to_left: bool = False
    turn: int = 0


def layer_lines(runs: Sequence[TextRun]) -> list[LayerLine]:
    """Gather runs, given in reading order, into lines."""
    lines: list[list[TextRun]] = []
    for run in map(_turned_back, runs):
        if lines and _continues(lines[-1][-1], run):
            lines[-1].append(run)
        else:
            lines.append([run])
    return [_line(words) for words in lines]


def in_one_piece(line: LayerLine) -> LayerLine:
    """Return the line with its words as one, for pages of so many words that each by itself would be too much."""
    left = min(word.x for word in line.words)
    right = max(word.x + word.width for word in line.words)
    words = " ".join(word.text for word in line.words)
    return replace(line, words=(replace(line.words[0], text=words, x=left, width=right - left),))


def _turned_back(run: TextRun) -> TextRun:
    match run.turn:
        case 90:
            return replace(run, x=run.y, y=-(run.x + run.width), width=run.height, height=run.width)
        case -90:
            return replace(run, x=-(run.y + run.height), y=run.x, width=run.height, height=run.width)
        case _:
            return run


def _continues(last: TextRun, run: TextRun) -> bool:
    """Whether `run` stands on the line of `last`, in either direction of writing."""
    shared = min(last.y + last.height, run.y + run.height) - max(last.y, run.y)
    gap = max(run.x - (last.x + last.width), last.x - (run.x + run.width))
    height = min(last.height, run.height)
    return last.turn == run.turn and shared >= _SAME_LINE * height and gap <= _WIDEST_GAP * height


def _line(words: list[TextRun]) -> LayerLine:
    top, size = min(word.y for word in words), max(word.height for word in words)
    return LayerLine(top + _BASELINE * size, size, tuple(words), _is_right_to_left(words), turn=words[0].turn)


def _is_right_to_left(words: list[TextRun]) -> bool:
    """Whether more letters of the line are written to the left than to the right."""
    classes = [unicodedata.bidirectional(char) for word in words for char in word.text]
    return sum(one in ("R", "AL") for one in classes) > classes.count("L")
