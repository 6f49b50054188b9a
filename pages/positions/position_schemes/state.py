"""The state that both parts of the page Position schemes share: the part that is open, and the text that is read."""

from __future__ import annotations

from tlmviz.analysis.samples import sample_text
from tlmviz.ui import long_text, state
from tlmviz.ui.language import N_

SCHEMES, EXTENSION = "schemes", "extension"


class Reading(state.State):
    """Which part is open, and whose text it reads."""

    part = state.parts(N_("Part"), {SCHEMES: N_("Six schemes"), EXTENSION: N_("Context extension")}, key="ppart")
    source = state.menu(
        N_("Text"),
        {long_text.SAMPLE: N_("Sample stories"), long_text.OWN: N_("Your own text")},
        key="xsrc",
        segments=True,
        label_visibility="collapsed",
    )
    own = long_text.TEXT

    @property
    def is_own(self) -> bool:
        """Whether the own text is read: while nothing is written, the stories are."""
        return self.source == long_text.OWN and bool(self.own.strip())

    @property
    def text(self) -> str:
        """What is read."""
        return self.own if self.is_own else sample_text()

    @property
    def snippet(self) -> tuple[str, str]:
        """For a snippet: the import that the stories need, and the line that gives the text."""
        return long_text.text_lines(self.text, long_text.OWN if self.is_own else long_text.SAMPLE)
