"""The state of the page Experts: the view, the token and the layer looked at, and what is changed in the routing."""

from __future__ import annotations

from dataclasses import dataclass

from tlmviz.ui import inputs, link, state
from tlmviz.ui.language import N_

ROUTING, LOAD, MUTING, CAPACITY, TRAINING, COST = "routing", "load", "muting", "capacity", "training", "cost"
SHOWN = ("chosen", "scores")  # what the cells are coloured by
KEPT, REMOVED, MIXED = "as trained", "removed", "in the mix"
Pairs = tuple[tuple[int, int], ...]  # (layer, expert)


@dataclass(frozen=True)
class Change:
    """What is changed in the routing of a pass: experts muted and forced, the bias, and a capacity factor (None: no
    limit)."""

    muted: Pairs = ()
    forced: Pairs = ()
    bias: str = KEPT
    factor: float | None = None

    @property
    def nothing(self) -> bool:
        """Whether the model routes as it was trained to."""
        return self == Change()


class _Pairs(state.Several):
    """A menu of a model's experts; those of a link that the model does not have are kept, and not shown."""

    def set(self, value: Pairs) -> None:
        state.Control.set(self, tuple(sorted(set(map(tuple, value)))))


def _pairs(text: str) -> Pairs:
    return tuple(sorted(set(link.pairs(text)))[:256]) if text else ()


def _menu(key: str, label: str, hint: str, show: str) -> _Pairs:
    more = {"placeholder": hint, "label_visibility": "collapsed"}
    return _Pairs(
        key,
        (),
        _pairs,
        link.write_pairs,
        "multiselect",
        label,
        more=more,
        ends=(((0, 1), (1, 0)),),
        show=lambda each: show.format(*each),
    )


class Experts(state.State):
    """A model that reads a text, and what is looked at of its routers."""

    model: str
    text: str  # what of it is read
    prompt = inputs.TEXT
    view = state.parts(
        N_("View"),
        {
            ROUTING: N_("Routing"),
            LOAD: N_("Load"),
            MUTING: N_("Mute & force"),
            CAPACITY: N_("Capacity"),
            TRAINING: N_("Training"),
            COST: N_("Cost"),
        },
        key="xview",
        spelled={
            ROUTING: "Routing",
            LOAD: "Load",
            MUTING: "Mute & force",
            CAPACITY: "Capacity",
            TRAINING: "Training",
            COST: "Cost",
        },
    )
    token = state.live("xtok", None, link.whole(0, 99_999), ends=(0, 5))  # None: where the page opens
    layer = state.menu(  # of the model; None: where the page opens
        N_("Layer"),
        key="xlay",
        parse=link.whole(0, 99_999),
        show="Experts of layer {}".format,
        label_visibility="collapsed",
        width=220,
    )
    shown = state.live("xshow", SHOWN[0], link.choice(SHOWN), ends=SHOWN)
    muted = _menu("xmute", N_("Muted experts"), N_("Mute: layer · expert"), "mute {} · {}")
    forced = _menu("xforce", N_("Forced experts"), N_("Force: layer · expert"), "force {} · {}")
    bias = state.menu(
        N_("Bias of the routers"),
        {KEPT: N_("bias as trained"), REMOVED: N_("removed"), MIXED: N_("in the mix")},
        key="xbias",
        segments=True,
        label_visibility="collapsed",
    )
    factor = state.slider(
        N_("Capacity factor"),
        0.25,
        4.0,
        1.0,
        key="xcap",
        step=0.05,
        help=N_("An expert reads so many times its even share of the choices, and is full then."),
    )
    every = state.toggle(N_("Mute every expert alone"), key="xall")

    @property
    def change(self) -> Change:
        """What the view changes in the routing."""
        if self.view == MUTING:
            return Change(self.muted, self.forced, self.bias)
        return Change(factor=self.factor) if self.view == CAPACITY else Change()
