"""The state of the page Compare: which two runs, and, from the picture, the head in detail and the pinned token."""

from __future__ import annotations

from tlmviz.ui import link, state
from tlmviz.ui.language import N_

PROMPTS, MODELS, PRECISIONS = "prompts", "models", "precisions"
# Beside FP32: which part is rounded, and the format's key.
BITS = {
    "Weights BF16": ("weights", "bf16"),
    "Weights FP16": ("weights", "fp16"),
    "Weights INT8": ("weights", "int8"),
    "Weights INT4": ("weights", "int4"),
    "Keys and values FP8": ("cache", "e4m3"),
    "Keys and values INT8": ("cache", "int8"),
    "Keys and values INT4": ("cache", "int4"),
}
LIMITS = tuple(f"1e-{exponent}" for exponent in range(1, 8))  # of KL, in nats


def _head(text: str) -> tuple[int, int]:
    layer, _dot, head = text.partition(".")
    place = link.whole(0, 9999)
    return place(layer), place(head)


def _other_runs() -> None:
    """Head and pin belong to the runs that they were chosen in."""
    Compare.head.set(None)
    Compare.pin.set(None)


def _text(label: str, default: str, key: str) -> state.Control:
    return state.text(label, default, key=key, more={"live": "300ms"}, changed=_other_runs)


class Compare(state.State):
    """Two runs: of one model over two texts, or of two models, or one in two precisions, over one text."""

    model: str
    text: str
    view = state.parts(
        N_("What is compared"),
        {PROMPTS: N_("Two prompts"), MODELS: N_("Two models"), PRECISIONS: N_("Two precisions")},
        key="cmpview",
        spelled={PROMPTS: "Two prompts", MODELS: "Two models", PRECISIONS: "Two precisions"},
    )
    a = _text(N_("Text A"), "Lily had a red ball. One day, Lily lost the red", "cmpa")
    b = _text(N_("Text B"), "Lily had a red hat. One day, Lily lost the red", "cmpb")
    other = state.menu(
        N_("Model B"),
        key="cmpwith",
        default="stories-gpt",
        parse=link.up_to(100),
        show="B: {}".format,
        label_visibility="collapsed",
    )
    bits = state.menu(
        N_("B"), tuple(BITS), key="cmpbits", default="Weights INT4", show="B: {}".format, label_visibility="collapsed"
    )
    limit = state.menu(N_("Stay in 16 bits above a KL of"), LIMITS, key="cmplimit", default="1e-4")
    head = state.live(  # in detail; None: the one that moved most
        "cmphead", None, _head, lambda head: ".".join(map(str, head or ())), ends=((0, 0), (3, 4))
    )
    pin = state.live(  # an aligned token; None: where the predictions are furthest apart
        "cmppin", None, link.whole(0, 9999), lambda pin: "" if pin is None else str(pin), ends=(0, 5, 9999)
    )
    for _control in (view, other, bits):
        _control.changed = _other_runs

    @property
    def texts(self) -> tuple[str, str]:
        """What both runs read."""
        return (self.a, self.b) if self.view == PROMPTS else (self.text, self.text)

    @property
    def rounded(self) -> tuple[str, str] | None:
        """What is rounded in the second run, and the format's key; None where nothing is."""
        return BITS[self.bits] if self.view == PRECISIONS else None

    @property
    def second(self) -> str:
        """The model of the second run."""
        return self.other if self.view == MODELS else self.model
