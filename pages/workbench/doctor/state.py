"""The state of the page Doctor: which two runs, and, of a fault that is put in, how large it is."""

from __future__ import annotations

from collections.abc import Callable

from tlmviz.analysis.workbench.faults import FAULTS
from tlmviz.ui import link, state
from tlmviz.ui.language import N_

INJECTED, TWO_WAYS, MODELS = "injected", "two ways", "models"
# Presets of the library and what they are called here.
WAYS = {
    "left-padded": N_("Left-padded"),
    "right-padded": N_("Right-padded"),
    "batch": N_("In a batch"),
    "packed": N_("Packed after a text"),
    "cached": N_("Cached, token by token"),
    "chunked": N_("Chunked prefill"),
    "bfloat16": "BF16",
    "float16": "FP16",
    "int8": N_("INT8 weights"),
    "int4": N_("INT4 weights"),
    "transformers": "transformers",
}
SIZED = {  # of the slider of a fault: what it counts, and its field, which a link is looked up by
    "RoPE base": (N_("Base"), "drvalue-rope-base"),
    "Positions moved": (N_("Tokens"), "drvalue-positions-moved"),
    "Score scale": (N_("Factor"), "drvalue-score-scale"),
    "Soft-cap": (N_("Cap"), "drvalue-soft-cap"),
    "Window": (N_("Tokens seen"), "drvalue-window"),
    "First keys hidden": (N_("Keys"), "drvalue-first-keys-hidden"),
    "Sink": (N_("Logit"), "drvalue-sink"),
    "Norm eps": ("eps", "drvalue-norm-eps"),
    "W_K noise": (N_("Noise, %"), "drvalue-w_k-noise"),
    "W_O noise": (N_("Noise, %"), "drvalue-w_o-noise"),
}


def _stop(stops: tuple[float, ...]) -> Callable[[str], float]:
    """Reads one of a slider's stops; raises ValueError for anything else."""
    return lambda text: stops[stops.index(float(text))]


class Doctor(state.State):
    """Two runs of one text: of a model and of the same with a fault put in, run another way, or of another model."""

    model: str
    text: str
    size: float  # of the fault
    view = state.parts(
        N_("Which runs"),
        {INJECTED: N_("A fault put in"), TWO_WAYS: N_("One model two ways"), MODELS: N_("Two models or files")},
        key="drview",
        spelled={INJECTED: "A fault put in", TWO_WAYS: "One model two ways", MODELS: "Two models or files"},
    )
    fault = state.menu(N_("Fault"), tuple(FAULTS), key="drfault", label_visibility="collapsed")
    layer = state.menu(N_("Layer"), key="drlayer", default=3, parse=link.whole(0, 9999), label_visibility="collapsed")
    way = state.menu(N_("Second run"), WAYS, key="drway", label_visibility="collapsed")
    other = state.menu(  # None: the likeliest
        N_("Model B"), key="drwith", parse=link.up_to(200), label_visibility="collapsed"
    )


# A field for each kind of fault, whose stops differ: a size chosen for one is still there after a look at another.
Sizes = type(
    "Sizes",
    (state.State,),
    {
        "__module__": __name__,
        "__doc__": "How large each kind of fault is.",
        **{
            name.lower().replace("-", "_").replace(" ", "_"): state.menu(
                SIZED[name][0],
                fault.stops,
                key=SIZED[name][1],
                default=fault.start,
                parse=_stop(fault.stops),
                spelled={stop: f"{stop:g}" for stop in fault.stops},
                show="{:g}".format,
                widget="select_slider",
            )
            for name, fault in FAULTS.items()
            if fault.sized
        },
    },
)
SIZES: dict[str, state.Control] = dict(
    zip((name for name, fault in FAULTS.items() if fault.sized), Sizes.controls.values())
)
