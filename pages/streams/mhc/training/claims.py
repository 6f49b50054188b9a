"""What the view Training says of its picture: which model ended best, and how far its matrices amplify."""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce

from pages.streams.mhc.claims import factor
from tlmviz.figures import number
from tlmviz.figures.streams.depth import NAMES
from tlmviz.ui.hints import Hint, where
from tlmviz.ui.language import N_, Said, _

from .data import Data


def ends(data: Data) -> str | None:
    """How well the models read held-out text at the end, the best first."""
    last = data.last("valid_bpb")
    ranked = [(NAMES[kind], number(last[kind], ".4f")) for kind in sorted(last, key=last.__getitem__)]
    if not ranked:
        return None
    listed = _joined([_("{name} {bits}", name=name, bits=bits) for name, bits in ranked])
    if len({bits for name, bits in ranked[:2]}) < 2:
        return _("**At the end, in bits per byte of held-out text**: {listed}.", listed=listed)
    return _("**{best} ends best**, in bits per byte of held-out text: {listed}.", best=ranked[0][0], listed=listed)


def gains(data: Data) -> str | None:
    """What all matrices together amplify by at the end."""
    found = {kind: gain for kind, gain in data.last("gain_forward").items() if kind != "residual"}
    if not found:
        return None
    return _(
        "Multiplied together, the matrices of all sublayers amplify a signal at the end of the training by up to: "
        "{gains}.",
        gains=_joined([_("{name} {gain}", name=NAMES[kind], gain=factor(gain)) for kind, gain in found.items()]),
    )


CLAIMS = ends, gains
HINTS = (Hint(N_("Drag the slider back to the first step."), where(lambda data: data.read[1])),)


def _joined(said: Sequence[Said]) -> Said:
    return reduce(lambda before, more: before + ", " + more, said)


NOTICE = (
    N_("All start as the same network: streams are equal then, and no matrix changes that."),
    N_("Lower is better in the first two panels."),
    N_(
        "The last panel multiplies the matrices of all sublayers: what a signal can gain on its way forward "
        "(solid), a gradient on its way back (dotted). mHC is bound to 1 in both; HC is free."
    ),
)


MATHS = (
    N_("mHC keeps 1 up to what Sinkhorn's iterations leave of the rows' error."),
    N_(
        "The gradient norm is taken before clipping: its largest value of the steps since the last mark (dotted) "
        "shows single spikes that a mean (solid) hides."
    ),
)
