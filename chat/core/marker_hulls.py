"""The parser's third step: take away emphasis that holds nothing but lifted markers, as in **[[block_1]]**.

Left alone, its signs would show as they are: **** is no emphasis in Markdown, and a line of it is a rule.
"""

import re

from chat.core.marker_events import Mark, Run
from chat.core.marker_offsets import Offsets

_SIGNS = "*_~"
_EACH_SIGN = tuple(_SIGNS)
_OPENING = re.compile(r"\*{1,3}|_{1,3}|~{1,2}")
_MOST_GAP = 16
_MOST_GAPS = 64


class Hulls:
    """Cut `**` or the like before a mark if the same stands behind it and it can open emphasis there."""

    def __init__(self) -> None:
        self.offsets = Offsets()
        self._previous = "\n"
        self._signs = ""
        self._inside: list[Run | Mark] = []
        self._behind = ""
        self._out: list[Run | Mark] = []

    @property
    def held(self) -> int:
        """Code points held back now."""
        return len(self._signs) + self._gaps() + len(self._behind)

    def feed(self, items: list[Run | Mark]) -> list[Run | Mark]:
        """Take what the step before has settled and return what is settled here."""
        for item in items:
            if isinstance(item, Mark):
                self._mark(item)
            elif item.literal:
                self._give_up()
                self._write(item)
            else:
                self._text(item)
        return self._taken()

    def flush(self) -> list[Run | Mark]:
        """End the answer and return the rest."""
        self._settle(final=True)
        self._give_up()
        return self._taken()

    def _taken(self) -> list[Run | Mark]:
        out, self._out = self._out, []
        return out

    def _mark(self, mark: Mark) -> None:
        if self._behind:
            self._settle(final=True)
        # One ~ is no emphasis; it was held because it may become two.
        if self._signs not in ("", "~") and not mark.quiet:
            self._inside.append(mark)
        else:
            self._give_up()
            self._out.append(mark)

    def _text(self, run: Run) -> None:
        if self._inside:
            self._behind += run.text
            self._settle(final=False)
        elif self._signs or run.text.endswith(_EACH_SIGN):
            self._outside(run.text)
        else:
            self._write(run)

    def _outside(self, text: str) -> None:
        """Let text through but for signs at its end that a mark may follow."""
        text = self._signs + text
        self._signs = ""
        bare = text.rstrip(_SIGNS)
        signs = text[len(bare) :]
        before = bare[-1:] or self._previous
        if _OPENING.fullmatch(signs) and (before.isspace() or before in "([{«“‘（「『"):
            self._signs, text = signs, bare
        self._write(Run(text))

    def _settle(self, *, final: bool) -> None:
        """Decide on the signs before the marks once what follows the marks is known."""
        if not self._inside or not self._behind:
            return
        bare = self._behind.lstrip(" ")
        gap = len(self._behind) - len(bare)
        run = len(bare) - len(bare.lstrip(_SIGNS))
        open_end = run == len(bare) and len(bare) <= len(self._signs) and gap <= _MOST_GAP
        if open_end and not final and self._signs.startswith(bare):
            return
        behind, self._behind = self._behind, ""
        if bare[:run] == self._signs and gap <= _MOST_GAP:
            self.offsets.cut(len(self._signs))
            self._signs = ""
            self._pass_inside()
            self._write(Run(behind[:gap]))
            self.offsets.cut(run)
            self._outside(bare[run:])
        elif not bare and gap <= _MOST_GAP and self._gaps() <= _MOST_GAPS:
            self._inside.append(Run(behind))
        else:
            self._give_up()
            self._outside(behind)

    def _gaps(self) -> int:
        return sum(len(item.text) for item in self._inside if isinstance(item, Run))

    def _give_up(self) -> None:
        """Let everything held through as it was."""
        if not self._signs and not self._inside and not self._behind:
            return
        signs, self._signs = self._signs, ""
        self._write(Run(signs))
        self._pass_inside()
        behind, self._behind = self._behind, ""
        self._write(Run(behind))

    def _pass_inside(self) -> None:
        inside, self._inside = self._inside, []
        for item in inside:
            if isinstance(item, Mark):
                self._out.append(item)
            else:
                self._write(item)

    def _write(self, run: Run) -> None:
        if run.text:
            self._out.append(run)
            self.offsets.keep(len(run.text))
            self._previous = run.text[-1]
