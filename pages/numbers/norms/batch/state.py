"""The states of the parts Norms and Convolution: which norm of the model, and what the picture is set to."""

from __future__ import annotations

from tlmviz.analysis.numbers import norm_pictures, norms
from tlmviz.ui import link, state
from tlmviz.ui.language import N_

NOTHING, AWAY = "nothing", "away"
ACTIONS = (NOTHING, "itemtimes", "itemplus", "channeltimes", "channelplus", AWAY)
LAYER, RMS, BATCH, RUNNING = "layer", "rms", "batch", "running"
OF_TOKENS = LAYER, RMS, BATCH, RUNNING
OF_MAPS = BATCH, RUNNING, LAYER, "instance", "group"
NAMES = {
    LAYER: "LayerNorm",
    RMS: "RMSNorm",
    BATCH: N_("BatchNorm in training"),
    RUNNING: N_("BatchNorm in evaluation"),
    "instance": "InstanceNorm",
    "group": "GroupNorm",
}
SEEN = 20  # batches of the running statistics at first
LAST = ""  # in place of a norm's path: the last, whose input has passed all layers


def _kept(key: str, default, most: int):
    """A whole number that the picture holds; None while nobody has chosen."""
    return state.live(key, default, link.whole(0, most), ends=(0, most))


def _flag(text: str) -> bool:
    return {"1": True, "0": False}[link.choice(("0", "1"))(text)]


class Tokens(state.State):
    """A norm of the model, and what the picture of its batch holds."""

    model: str
    text: str
    place = state.menu(N_("Place"), key="nbplace", default=LAST, parse=str, label_visibility="collapsed")
    norm = state.live("nbnorm", LAYER, link.choice(OF_TOKENS), ends=OF_TOKENS)
    action = state.live("nbact", NOTHING, link.choice(ACTIONS), ends=ACTIONS)
    item = _kept("nbitem", None, 9999)
    channel = _kept("nbchan", None, 99999)
    first = _kept("nbfrom", None, 99999)
    printed = state.live("nbslip", False, _flag, lambda on: str(int(on)), ends=(True,))
    seen = _kept("nbseen", SEEN, norms.OTHERS)


class Maps(state.State):
    """What the picture of digits behind a convolution holds."""

    norm = state.live("npnorm", BATCH, link.choice(OF_MAPS), ends=OF_MAPS)
    action = state.live("npact", NOTHING, link.choice(ACTIONS), ends=ACTIONS)
    item = _kept("npitem", None, 9999)
    channel = _kept("npchan", None, 99999)
    printed = state.live("npslip", False, _flag, lambda on: str(int(on)), ends=(True,))
    seen = _kept("npseen", SEEN, norm_pictures.BATCHES)
    seed = _kept("npseed", 0, 999)
    count = state.live("npmany", norm_pictures.BATCH, link.whole(1, norm_pictures.BATCH), ends=(1, norm_pictures.BATCH))
