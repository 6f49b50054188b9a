"""The state that all parts of the page Long context share: the part that is open, and the text that is read."""

from __future__ import annotations

from tlmviz.analysis.kernels.long_context import LONGEST
from tlmviz.ui import long_text, state
from tlmviz.ui.language import N_

WRITTEN = "Stories by the model"
LENGTHS = (256, 1024, 2048, 4096, 8192, LONGEST)
MAPS, TEXT, MASKS, INDEXER = "Maps", "Text", "Masks", "Lightning indexer"


class Long(state.State):
    """The open part; whose text is read: bundled stories, stories that the model writes, both of so many tokens, or
    one's own."""

    model: str
    view = state.parts(
        N_("View"),
        {MAPS: N_("Maps"), TEXT: N_("Text"), MASKS: N_("Masks"), INDEXER: N_("Lightning indexer")},
        key="lview",
    )
    source = state.menu(
        N_("Text"),
        {
            long_text.SAMPLE: N_("Sample stories"),
            WRITTEN: N_("Stories by the model"),
            long_text.OWN: N_("Your own text"),
        },
        key="src",
        segments=True,
        label_visibility="collapsed",
    )
    tokens = state.menu(
        N_("Tokens"),
        LENGTHS,
        key="ltok",
        default=2048,
        widget="select_slider",
        show="{:,} tokens".format,
        label_visibility="collapsed",
    )
    seed = state.number(N_("Seed"), 0, 9999, 0, key="draw", more={"label_visibility": "collapsed"}, help=N_("Seed"))
    own = long_text.TEXT

    @property
    def is_own(self) -> bool:
        """Whether the own text is read: while nothing is written, the stories are."""
        return bool(self.source == long_text.OWN and self.own)
