"""What several views of the page mHC say: which models are missing, and how tokens and shares are written."""

from __future__ import annotations

import torch
from torch import Tensor

from tlmviz.figures import number
from tlmviz.ui import markdown
from tlmviz.ui.language import N_, _

from .data import Data

KINDS = {
    "residual": N_("plain residuals"),
    "hyper": N_("hyper-connections (HC)"),
    "manifold": N_("constrained hyper-connections (mHC)"),
}


def missing(data: Data) -> str | None:
    """A family lacks a kind of connection."""
    if not data.missing:
        return None
    return _(
        "No model of this size with {kinds} is here; {models} can be shown.",
        kinds=_(" or ").join(_(KINDS[kind]) for kind in data.missing),
        models=", ".join(data.family.values()),
    )


def one_stream(data: Data) -> str | None:
    """A plain residual."""
    if data.connection.kind != "residual":
        return None
    return _(
        "**{model} has one stream**, read, written and carried on whole: every matrix is the number 1, at every "
        "sublayer and token.",
        model=markdown.plain(data.chosen.model),
    )


def kept(res: Tensor) -> tuple[float, float]:
    """Of matrices [..., N, N], what a stream keeps of itself on average, and the weight of another that is largest in
    size."""
    own = res.diagonal(dim1=-2, dim2=-1)
    others = (res - torch.diag_embed(own)).flatten()
    return float(own.mean()), float(others[others.abs().argmax()])


def token(data: Data, position: int) -> str:
    """A token with its place, as Markdown."""
    return markdown.quoted(data.tokens[position], position)


def share(value: float) -> str:
    """A part of a stream, as it is written."""
    return number(value, ".1%")


def factor(value: float) -> str:
    """A factor, as it is written."""
    return f"× {number(value, '#.3g').rstrip('.')}"
