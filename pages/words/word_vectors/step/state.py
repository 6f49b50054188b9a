"""The state of the part One step: the method, the pair or the text, the draws, and what the picture holds."""

from __future__ import annotations

from tlmviz.ui import link, state
from tlmviz.ui.language import N_

SOFTMAX, NEGATIVE, BAG, TREE = "Full softmax", "Negative sampling", "CBOW", "Tree"
CENTER, CONTEXT = "little", "girl"
MOST_WORDS = 60  # of a text that CBOW reads: more do not fit into its strip
_LIVE = {"live": "150ms"}


class Step(state.State):
    """A method, the pair of words, the text that CBOW reads, how many words are drawn, and what the picture holds."""

    method = state.menu(
        N_("Method"),
        {SOFTMAX: N_("Full softmax"), NEGATIVE: N_("Negative sampling"), BAG: N_("CBOW"), TREE: N_("Tree")},
        key="wpart",
        segments=True,
        label_visibility="collapsed",
    )
    center = state.text(N_("Center word"), CENTER, key="wcenter", ends=("dog", "xyzzyq"), more=_LIVE)
    context = state.text(N_("Context word"), CONTEXT, key="wcontext", ends=("dog", "king"), more=_LIVE)
    text = state.text(
        N_("Text"), "Once upon a time there was a little girl named Lily who had a red ball", key="wsent", more=_LIVE
    )
    window = state.slider(
        N_("Window"), 1, 10, 5, key="wreach", help=N_("Words on each side of the one that is predicted.")
    )
    negatives = state.slider(
        N_("Words drawn"), 1, 20, 5, key="wneg", help=N_("Negative samples for each pair: k in the equation.")
    )
    rate = state.live("wrate", 0.3, state.between(0.001, 10.0), "{:.4g}".format, ends=(0.001, 10.0))
    everything = state.live(  # all vectors move, not v alone
        "wmove",
        True,
        lambda text: ("v", "all").index(text) == 1,
        lambda every: "all" if every else "v",
        ends=(False, True),
    )
    seed = state.live("wsseed", 0, link.whole(0, 999_999), ends=(31, 999_999))
    # CBOW's word; None: see data.
    at = state.live("wsat", None, link.whole(0, MOST_WORDS - 1), ends=(0, MOST_WORDS - 1))
    widths = state.live("wwide", "model", link.choice(("model", "text")), ends=("model", "text"))  # of the tree's nodes


Step.text.changed = lambda: Step.at.set(None)
