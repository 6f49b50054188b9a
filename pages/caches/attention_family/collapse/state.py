"""The state of the part One head for all: what all heads are given, and what stands between. The picture holds both."""

from __future__ import annotations

from tlmviz.ui import link, state

SCORES, VALUES = PARTS = ("M", "U")  # one W_Q W_K' in all heads, or one W_V W_O
SWITCHES = ("rope", "norm", "alibi", "same", "softmax")


def _switches(text: str) -> tuple[str, ...]:
    """Reads names that commas separate; raises ValueError for one that there is not."""
    names = text.split(",") if text else []
    if not set(names) <= set(SWITCHES):
        raise ValueError(text)
    return tuple(name for name in SWITCHES if name in names)


class Lemma(state.State):
    """What heads share, and which switches are on: "softmax" counts where they share W_V W_O, the others where W_Q
    W_K'."""

    model: str
    text: str
    head: tuple[int, int]
    part = state.live("clpart", SCORES, link.choice(PARTS), ends=PARTS)
    on = state.live(
        "clon", (), _switches, ",".join, ends=(("rope",), ("norm",), ("alibi", "same"), ("rope", "same"), SWITCHES)
    )
