"""The state of the page Pipeline: a schedule, the pipeline that it runs on, and the time under the cursor."""

from __future__ import annotations

from tlmviz.analysis.cost.pipeline import MOST_CHUNKS, MOST_LAYERS, MOST_MICRO, MOST_STAGES, ONE, SCHEDULES, Setting
from tlmviz.ui import state
from tlmviz.ui.language import N_

_START = Setting()
FIRST = "stages", "micro"  # in sight; the others behind More
MORE = "layers", "chunks", "forward", "backward", "weights", "hop", "overlapped", "recompute"


def _brief(time: float | None) -> str:
    return "" if time is None else str(round(time, 2))


class Choice(state.State):
    """A schedule, the pipeline that it runs on, and a moment of the run."""

    schedule = state.menu(
        N_("Schedule"), tuple(SCHEDULES), key="plview", default=ONE, segments=True, label_visibility="collapsed"
    )
    stages = state.slider(N_("Devices p"), 1, MOST_STAGES, _START.stages, key="plp")
    micro = state.slider(N_("Micro-batches m"), 1, MOST_MICRO, _START.micro, key="plm")
    chunks = state.slider(
        N_("Chunks v a device"),
        1,
        MOST_CHUNKS,
        _START.chunks,
        key="plv",
        help=N_("Into how many parts each device's layers fall. Interleaved 1F1B alone uses it."),
    )
    layers = state.slider(N_("Layers of the model"), 1, MOST_LAYERS, _START.layers, key="pll")
    forward = state.slider(
        N_("Forward F"),
        0.1,
        3.0,
        1.0,
        step=0.1,
        key="plf",
        help=N_("Time of one micro-batch on one device, in any unit."),
    )
    backward = state.slider(
        N_("Inputs' gradient B"),
        0.1,
        3.0,
        1.0,
        step=0.1,
        key="plb",
        help=N_("The gradient by a stage's inputs: the stage before waits for it."),
    )
    weights = state.slider(
        N_("Weights' gradient W"),
        0.1,
        3.0,
        1.0,
        step=0.1,
        key="plw",
        help=N_("The gradient by a stage's weights: no other stage waits for it."),
    )
    hop = state.slider(
        N_("Message per hop"),
        0.0,
        2.0,
        0.0,
        step=0.1,
        key="plc",
        help=N_("What a message from one device to another takes."),
    )
    overlapped = state.toggle(
        N_("Messages overlapped"),
        True,
        key="plover",
        help=N_("On: a device goes on working while what it made is on its way. Off: it waits until it has been sent."),
    )
    recompute = state.toggle(
        N_("Recompute"),
        key="plre",
        help=N_("Each layer keeps its input alone, and runs forward a second time before its backward."),
    )
    at = state.live("plat", None, state.between(0.0, 1e6), _brief, ends=(0.0, 1e6))  # the time; None: the end

    @property
    def setting(self) -> Setting:
        """The pipeline. Raises BadSchedule for stages without a layer."""
        return Setting(**{name: getattr(self, name) for name in (*FIRST, *MORE)})
