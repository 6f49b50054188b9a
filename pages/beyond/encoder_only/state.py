"""The state of the page Encoder-only: which part of it is open, the texts, the hidden place and the head."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from tlmviz.ui import link, state
from tlmviz.ui.language import N_

CLS, HIDDEN, MASKS, KINDS = PARTS = ("What [CLS] reads", "Hidden words", "With a causal mask", "Three kinds of models")
LONGEST = 64  # tokens of a text whose every token is hidden once: twice as many passes
TEXT = "The little girl was sad because she lost her doll."
FIRST = "Once upon a time there was a little girl named Lily. Lily had a red ball."
RIGHT_ORDER = "Lily lost her ball in the park. She looked and looked for the ball."
SECOND = "Lily lost her ball in park the. She looked and looked for the ball."
SENTENCE = "The little girl lost her dog."


def _forget_place() -> None:
    """The place that was chosen belongs to the text it was chosen in."""
    Choice.place.set(0)


@dataclass
class _Head(state.Control):
    """The head that the second picture holds: the one that all pages share."""

    def get(self) -> Any:
        return link.view().head

    def set(self, value: Any) -> None:
        link.choose_head(*value)


HEAD = _Head("", (0, 0), lambda text: link.pairs(text)[0], lambda head: link.write_pairs([head]))


def _box(label: str, default: str, key: str, **rest: Any) -> Any:
    return state.text(label, default, key=key, more={"live": "150ms", "label_visibility": "collapsed"}, **rest)


class Choice(state.State):
    """The open part, its text or texts, the hidden place, and a head."""

    layer: int
    head: int
    part = state.parts(
        N_("Part"),
        {
            CLS: N_("What [CLS] reads"),
            HIDDEN: N_("Hidden words"),
            MASKS: N_("With a causal mask"),
            KINDS: N_("Three kinds of models"),
        },
        key="epart",
    )
    text = _box(N_("Text"), TEXT, "etext", changed=_forget_place)
    first = _box(N_("First text"), FIRST, "ea")
    second = _box(N_("Second text"), SECOND, "eb")
    sentence = _box(N_("Sentence"), SENTENCE, "esent")
    # 0: the token that gains most from the right.
    place = state.live("eplace", 0, link.whole(0, LONGEST), ends=(3, LONGEST))

    @property
    def read(self) -> tuple[str, str | None]:
        """What the encoder reads: one text, or two."""
        return {CLS: (self.first, self.second), KINDS: (self.sentence, None)}.get(self.part, (self.text, None))
