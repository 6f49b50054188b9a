"""The controls of the views Norms and Convolution: which norm of the model, and what the picture is set to."""

from __future__ import annotations

from tlmviz.analysis.numbers import norm_pictures, norms
from tlmviz.ui import link

from ..controls import Choice, Picture, flag, written

ACTIONS = ("nothing", "itemtimes", "itemplus", "channeltimes", "channelplus", "away")
KINDS = {
    "tokens": ("layer", "rms", "batch", "running"),
    "pictures": ("batch", "running", "layer", "instance", "group"),
}
SEEN = 20  # batches of the running statistics at first


def _fields(prefix: str, kind: str, most_seen: int) -> dict[str, link.Field]:
    """One of each value; those that have no default are chosen by what is shown."""
    return {
        "norm": link.Field(f"{prefix}norm", KINDS[kind][0], link.choice(KINDS[kind])),
        "action": link.Field(f"{prefix}act", "itemtimes", link.choice(ACTIONS)),
        "item": link.Field(f"{prefix}item", None, link.whole(0, 9999)),
        "channel": link.Field(f"{prefix}chan", None, link.whole(0, 99999)),
        "first": link.Field(f"{prefix}from", None, link.whole(0, 99999)),
        "printed": link.Field(f"{prefix}slip", False, flag, written),
        "seen": link.Field(f"{prefix}seen", SEEN, link.whole(0, most_seen)),
        "seed": link.Field(f"{prefix}seed", 0, link.whole(0, 999)),
        "count": link.Field(f"{prefix}many", norm_pictures.BATCH, link.whole(1, norm_pictures.BATCH)),
    }


TOKENS = Picture("normsview", _fields("nb", "tokens", norms.OTHERS))
MAPS = Picture("mapsview", _fields("np", "pictures", norm_pictures.BATCHES))


def choose_place(choice: Choice, room) -> str:
    """A menu of the model's norms in `room`; the path of the one chosen, the last at first, whose input has passed all layers."""
    names = norms.places(choice.lm)
    paths = list(names)
    return link.menu(
        room,
        "Norm",
        paths,
        "nbplace",
        default=paths[-1],
        show=lambda path: f"What the norm “{names[path]}” is given",
        label_visibility="collapsed",
    )
