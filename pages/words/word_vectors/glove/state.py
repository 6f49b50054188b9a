"""The state of the part GloVe: two words, probes, and whose text is counted."""

from __future__ import annotations

from tlmviz.ui import state
from tlmviz.ui.language import N_

FIRST, SECOND, PROBES = "boy", "girl", "he his tim named she her lily"
CORPUS, OWN = "The model's text", "My text"
OWN_WORDS = "ice", "steam", "solid cold water gas hot"  # of the text that *My text* opens with
ICE = (
    "The lake was solid ice, cold and hard. Ice is water that has become solid. We walked on it all day long. "
    "Then the kettle at home blew out steam, a hot gas. Steam is water that has become a gas. It rose up and was gone."
)
_LIVE = {"live": "150ms"}


class Ratio(state.State):
    """Two words, the probes that they are told apart by, and whose text is counted."""

    first = state.text(N_("Word i"), FIRST, key="gwi", ends=("hot", "zumi"), more=_LIVE)
    second = state.text(N_("Word j"), SECOND, key="gwj", ends=("cold", FIRST), more=_LIVE)
    probes = state.text(N_("Probes k"), PROBES, key="gprobes", ends=("sun weather snow",), more=_LIVE)
    source = state.menu(
        N_("Counts of"),
        {CORPUS: N_("The model's text"), OWN: N_("My text")},
        key="gsource",
        segments=True,
        label_visibility="collapsed",
    )
    text = state.text(N_("Text"), ICE, key="gtext", more={**_LIVE, "label_visibility": "collapsed"})


def _words_that_fit() -> None:
    """Words and probes that nobody has changed follow the text that is counted."""
    fields, start = (Ratio.first, Ratio.second, Ratio.probes), (FIRST, SECOND, PROBES)
    before, now = (start, OWN_WORDS) if Ratio.source.get() == OWN else (OWN_WORDS, start)
    if tuple(field.get() for field in fields) == before:
        for field, value in zip(fields, now):
            field.set(value)


Ratio.source.changed = _words_that_fit
