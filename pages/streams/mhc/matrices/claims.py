"""What the view Matrices says of its picture: how much the matrix looked at mixes, and what stands out among all of the
text."""

from __future__ import annotations

import math

from pages.streams.mhc.claims import kept, one_stream, share, token
from tlmviz.figures import number
from tlmviz.ui.hints import Hint, within
from tlmviz.ui.language import N_, _

from .data import Matrices

NEARLY = 0.01  # that a sum may be off 1


def mixes_here(data: Matrices) -> str | None:
    """What a stream keeps in the matrix looked at, and what another one gives it."""
    own, other = kept(data.matrix)
    if data.connection.kind == "residual":
        return None
    if not math.isfinite(own + other):
        return _("**The chosen matrix holds no numbers**: they overflow on this text.")
    return _(
        "**{sublayer} at {token}**: a stream keeps {own} of itself on average, and the largest weight of another in it "
        "is {other}.",
        sublayer=data.sublayers[data.sublayer],
        token=token(data, data.token),
        own=share(own),
        other=share(other),
    )


def most(data: Matrices) -> str | None:
    """Where streams are mixed most; None where several places are written alike."""
    by_place = data.off.amax((-2, -1))
    size = number(float(by_place.max()), ".4g")
    places = [place for place in by_place.flatten().tolist() if number(place, ".4g") == size]
    if data.connection.kind == "residual" or len(places) > 1:
        return None
    sublayer, position = divmod(int(by_place.argmax()), by_place.shape[1])
    return _(
        "Streams are mixed most by {sublayer} at token {position}: an entry off the diagonal is {size}.",
        sublayer=data.sublayers[sublayer],
        position=position,
        size=size,
    )


def redistributes(data: Matrices) -> str | None:
    """Matrices that are doubly stochastic, nearly."""
    rows, columns = data.errors
    if data.connection.kind != "manifold" or not (rows < NEARLY and columns < NEARLY):
        return None
    return _(
        "Columns sum to 1 within {columns} and rows within {rows}, so mixing can redistribute, not amplify: equal "
        "streams stay equal, and their mean is carried on whole.",
        columns=_small(columns),
        rows=_small(rows),
    )


def free(data: Matrices) -> str | None:
    """Matrices that nothing binds."""
    if data.connection.kind != "hyper":
        return None
    res = data.mixing.res
    return _(
        "Nothing binds these matrices: rows sum to {least} up to {largest}, and the least entry is {entry}.",
        least=number(float(res.sum(-1).min()), ".3g"),
        largest=number(float(res.sum(-1).max()), ".3g"),
        entry=number(float(res.min()), ".2g"),
    )


def depends_on_the_token(data: Matrices) -> str | None:
    """Which sublayer the token changes most."""
    size = number(float(data.spread.max()), ".2g")
    if float(data.spread.max()) < 1e-6 or [number(x, ".2g") for x in data.spread.tolist()].count(size) > 1:
        return None
    return _(
        "The token changes {sublayer} most: an entry’s standard deviation over tokens is {size}.",
        sublayer=data.sublayers[int(data.spread.argmax())],
        size=size,
    )


CLAIMS = mixes_here, one_stream, most, redistributes, free, depends_on_the_token
HINTS = (Hint(N_("Click, or press an arrow."), within),)


def _small(error: float) -> str:
    """An error in digits where these are few, else what it lies below."""
    if error == 0 or error >= 1e-4:
        return f"{error:.1g}"
    return f"{10.0 ** math.ceil(math.log10(error)):.10f}".rstrip("0")


NOTICE = (
    N_(
        "Columns of a map are the streams that are read from, rows those that are written to. Green bars are what the "
        "sublayer reads, orange ones where its result goes, grey ones the sums."
    ),
)
OF_ONE_STREAM = (
    N_("One stream, one number: the only doubly stochastic 1 × 1 matrix is 1, so a plain residual is mHC with N = 1."),
)
MATHS = (N_("Green is H_pre, orange H_post, the map H_res."),)
