"""The state of the page Encoder & decoder: a sentence and its translation, the decoder's mask, and a target token."""

from __future__ import annotations

from tlmviz.ui import link, state, translation
from tlmviz.ui.language import N_
from tlmviz.ui.translation import SentencePair

MASKED, REMOVED, LEARNED, ROTATED = KINDS = ("Causal mask", "Removed", "Trained without", "RoPE in cross")


class Decoding(state.State):
    """What the decoder reads, with which mask (`kind`), one of its heads, and one target token, counted from 1."""

    model: str
    pair: SentencePair
    head: tuple[int, int]
    sentence = translation.SENTENCE
    french = translation.TRANSLATION
    kind = state.menu(
        N_("Decoder"),
        {
            MASKED: N_("Causal mask"),
            REMOVED: N_("Removed"),
            LEARNED: N_("Trained without"),
            ROTATED: N_("RoPE in cross"),
        },
        key="edmask",
        segments=True,
        label_visibility="collapsed",
    )
    token = state.menu(
        N_("Target token"), key="edtok", default=3, parse=link.whole(1, 9999), label_visibility="collapsed"
    )

    @property
    def masked(self) -> bool:
        """Whether the decoder's future is hidden."""
        return self.kind in (MASKED, ROTATED)
