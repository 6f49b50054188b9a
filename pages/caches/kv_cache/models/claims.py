"""What the part Models says about its picture, each where it is true."""

from __future__ import annotations

from tlmviz.ui import compute as shared
from tlmviz.ui.hints import Hint, to, where
from tlmviz.ui.language import N_, _, listed

from .data import TIMED, Data
from .state import LENGTHS


def keeps_less(data: Data) -> str | None:
    """The models whose caches are largest and smallest."""
    total = {name: int(size.nbytes[-1]) for name, size in data.sizes.items()}
    most, least = (end(total, key=total.__getitem__) for end in (max, min))
    if total[most] == total[least]:
        return None
    return _(
        "After {length} tokens the cache of {least} ({few}) takes {bytes} bytes and that of {most} ({many}) {more}: "
        "{times} times as many.",
        length=f"{data.chosen.length:,}",
        least=least,
        few=data.shapes[least].kind,
        bytes=f"{total[least]:,}",
        most=most,
        many=data.shapes[most].kind,
        more=f"{total[most]:,}",
        times=f"{total[most] / total[least]:.3g}",
    )


def all_keep_alike(data: Data) -> str | None:
    """All keep as much."""
    if keeps_less(data):
        return None
    bytes_ = f"{next(iter(data.sizes.values())).nbytes[-1]:,}"
    return _("After {length:,} tokens all caches take as much: {bytes} bytes.", length=data.chosen.length, bytes=bytes_)


def not_as_by_formula(data: Data) -> str | None:
    """Caches that have other bytes."""
    other = [name for name, total in data.formula.items() if int(data.sizes[name].nbytes[-1]) != total]
    if not other:
        return None
    return _(
        "{models} keep other bytes than the formula says: a buffer that is not full counts as a whole.",
        models=listed(other),
    )


def full_window(data: Data) -> str | None:
    """A window that is full no longer grows."""
    full = [
        str(
            _(
                "{model} from {n} tokens on, at {bytes} bytes",
                model=name,
                n=shape.window,
                bytes=f"{data.formula[name]:,.0f}",
            )
        )
        for name, shape in data.shapes.items()
        if shape.window and shape.window < data.chosen.length and shape.n_window_layers == shape.n_layers
    ]
    return _("A window that is full keeps its size: {models}.", models=listed(full)) if full else None


CLAIMS = keeps_less, all_keep_alike, not_as_by_formula, full_window
HINTS = (
    Hint(
        N_("Add *zoo-window*."),
        where(
            lambda data: "zoo-window" not in data.chosen.models and "zoo-window" in shared.configs(),
            to(models=lambda data: (*data.chosen.models, "zoo-window")),
        ),
    ),
    Hint(N_("Move *Tokens in the cache* to 1,024."), to(length=LENGTHS[-1])),
)


def untimed(data: Data) -> str:
    """Why some models have no time; empty where all have one."""
    without = [name for name, taken in data.times.items() if taken is None]
    if not without:
        return ""
    return _(
        "No time is shown for {models}: in {steps} steps by turns their times overlap another model's, so that the "
        "order says nothing.",
        models=listed(without),
        steps=TIMED,
    )


NOTICE = (
    N_("Fewer key/value heads, a small latent or a window: three ways to keep less."),
    N_("Dots and bars: the bytes of real caches, filled with your text. Diamonds and lines: the formula."),
)
