"""The state of the part Text to pairs: a text, the window, which words are thrown out, and a model to compare with."""

from __future__ import annotations

from tlmviz.ui import link, state, words
from tlmviz.ui.language import N_

from ..state import LONGEST

EXAMPLES = {
    "Cat and dog": "The cat sat on the soft bed and slept. The dog sat on the soft bed and slept. Tom likes his cat a "
    "lot. Tom likes his dog a lot. A hungry cat ate the fish. A hungry dog ate the meat.",
    "The lecture's sentence": "the cat sit on the mat",
    "Two seasons": "Summer is hot, and in summer we swim in the lake. Winter is cold, and in winter we walk in the "
    "snow. A summer day is long. A winter day is short.",
    "A word nobody knows": "My zumi drank the milk. My cat drank the milk. The zumi slept in the sun. The cat slept in "
    "the sun.",
}
ONE, BY_DISTANCE = "1 each", "1 / distance"


class Pairs(state.State):
    """A text, words on each side of a center, how a meeting is counted, the threshold t and its throw, and the
    model."""

    text = state.text(
        N_("Text"),
        EXAMPLES["Cat and dog"],
        key="wtext",
        ends=(EXAMPLES["The lecture's sentence"], "one two one two"),
        more={"live": "150ms", "label_visibility": "collapsed"},
    )
    window = state.slider(N_("Words on each side, m"), 1, 5, 2, key="wm")
    counting = state.menu(
        N_("A meeting counts"), {ONE: N_("1 each"), BY_DISTANCE: N_("1 / distance")}, key="wcount", segments=True
    )
    threshold = state.menu(
        N_("Throw out frequent words, t"),
        {0.0: N_("off"), 1e-2: "0.01", 1e-3: "0.001", 1e-4: "0.0001"},
        key="wthrow",
        spelled={0.0: "off"},
        widget="select_slider",
        help=N_("A word that makes up the share f of the models' text stays with probability √(t / f)."),
    )
    seed = state.live("wseed", 0, link.whole(0, 9999), ends=(1,))
    model = state.menu(N_("Vectors of"), tuple(words.models()), key="wvm", default=words.DEFAULT_MODEL)
    at = state.live("wat", None, link.whole(1, LONGEST), ends=(1, LONGEST))  # the center among the words kept, from 1

    @property
    def by_distance(self) -> bool:
        """Whether a meeting counts 1 / distance."""
        return bool(self.counting == BY_DISTANCE)


Pairs.text.changed = lambda: Pairs.at.set(None)
