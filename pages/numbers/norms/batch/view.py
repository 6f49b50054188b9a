"""Draws the parts Norms and Convolution: the batch before and after a norm, and what a mean left standing does."""

from __future__ import annotations

from typing import Any

import numpy as np
import streamlit as st

from tlmviz.analysis.numbers import norm_pictures
from tlmviz.analysis.numbers.norms import EPS, MOMENTUM
from tlmviz.figures import readable_all
from tlmviz.figures.numbers import norms as figures
from tlmviz.ui import claims as claiming
from tlmviz.ui import compute as shared
from tlmviz.ui import frame, inputs, live
from tlmviz.ui.language import _

from . import claims
from .data import Data, Reading
from .state import LAST, Maps, Tokens

LED = 12  # channels to the left of the one that is chosen
_HELD = "norm", "action", "item", "channel", "printed", "seen"
TOKENS = live.Picture(__file__, "norms", first=Tokens.first, **{name: Tokens.controls[name] for name in _HELD})
MAPS = live.Picture(
    __file__, "norm-maps", seed=Maps.seed, count=Maps.count, **{name: Maps.controls[name] for name in _HELD}
)
EQUATION = (
    r"\hat x=\gamma\,\frac{x-\mu}{\sqrt{\sigma^2+\varepsilon}}+\beta,\qquad \mathrm{RMS}:\ \hat x=\gamma\,"
    r"\frac{x}{\sqrt{\tfrac1C\sum_i x_i^2+\varepsilon}},\qquad "
    r"\mu,\sigma\ \text{over a token's channels, or a channel's tokens}",
    "LLM notes, sections 3.7 (LayerNorm), 4.1 (BatchNorm) and 4.2 (RMSNorm); Ba et al. 2016; Ioffe and Szegedy 2015; "
    "Zhang and Sennrich 2019.",
    "The short form of LayerNorm in section 3.7 has √(σ + ε) under the fraction, where its long form and all others "
    "have √(σ² + ε): the switch “with σ where σ² should be” shows what that gives, a spread of √σ in place of 1. It "
    "also writes μ with the indices n, l for b, l. Section 4.2 says that a shift of the mean is “equivalent to "
    "adjusting the bias”: so it is token by token, but μ is another for every token and a layer has one bias.",
)
EQUATION_MAPS = (
    r"\mu_c=\frac{1}{BHW}\sum_{b,h,w}X[b,c,h,w],\qquad \sigma_c^2=\frac{1}{BHW}\sum_{b,h,w}(X[b,c,h,w]-\mu_c)^2",
    "LLM notes, section 4.1; Ioffe and Szegedy 2015, section 3.2; Ulyanov et al. 2016 (InstanceNorm); Wu and He 2018 "
    "(GroupNorm).",
)


def controls(model: str) -> Tokens | None:
    """Draw the controls; what they say. None, with a sentence, where there is no text."""
    reading = Reading(Tokens.of_session(model=model, text=""))
    paths = list(reading.places)  # not of a file, which says so
    text, place = st.columns([0.66, 0.34], vertical_alignment="center")
    with text:
        typed = inputs.text_box(shared.model(model))
    names = reading.places | {LAST: reading.places[paths[-1]]}
    Tokens.place.draw(
        place,
        options=(LAST, *paths[:-1], *paths[-1:]),
        format_func=lambda path: _("What the norm “{name}” is given", name=names[path]),
    )
    return None if typed is None else Tokens.of_session(model=model, text=typed)


def picture(data: Data) -> None:
    """The batch before and after the norm."""
    item, channel = data.open_on
    header: dict[str, Any] = {
        "kind": "tokens",
        "title": claims.title(data),
        "tokens": readable_all(data.names),
        "labels": [],
        "filters": [],
        "channels": data.x.shape[1],
        "eps": EPS,
        "momentum": MOMENTUM,
        "plus": data.plus,
        "open": {"item": item, "channel": channel, "first": max(0, channel - LED)},
    }
    arrays = {"x": data.x[:, :, 0], "unit": data.unit.astype(np.uint8), "images": np.zeros(0, np.float32)}
    TOKENS.show(header, {**arrays, "means": data.means, "variances": data.variances})


def maps(data: Data) -> None:
    """Pictures of digits behind a convolution; the browser draws some of all."""
    found = data.pictures
    header: dict[str, Any] = {
        "kind": "pictures",
        "title": claims.title(data),
        "tokens": [],
        "labels": [int(each) for each in found["labels"]],
        "filters": list(norm_pictures.FILTERS),
        "channels": len(norm_pictures.FILTERS),
        "eps": EPS,
        "momentum": MOMENTUM,
        "plus": data.plus,
        "open": {"item": 0, "channel": 0, "first": 0},
    }
    arrays = {name: found[name] for name in ("x", "images", "means", "variances")}
    MAPS.show(header, {**arrays, "unit": np.zeros(0, np.uint8)})


def beneath(data: Data) -> None:
    """What RMSNorm's output keeps of a mean, norm by norm, and whether a bias could absorb it; identities."""
    reading = data.reading
    st.markdown("#### " + _("The mean that RMSNorm leaves"))
    if found := reading.offsets:
        title = _("{model}: W y when the mean of y is missing, or one bias stands for it", model=reading.chosen.model)
        alt = _("Error of the products that read each norm, without the mean and with one bias for it")
        frame.chart(figures.offsets(found, frame.theme(), title=title), key="offsets", alt=alt)
    frame.what_to_notice(*claiming.holding(claims.MEANS, reading).values())
    frame.caption(claims.about_means(reading))
    frame.measured(lambda: reading.checks)


def snippet(data: Data) -> str:
    """The batch, its norms, and what changes, with the public API."""
    reading = data.reading
    return f"""\
import numpy as np
import tlmviz
from tlmviz.analysis.numbers import norms

lm = tlmviz.load({reading.chosen.model!r})
batch = norms.collect(lm, {reading.chosen.text!r}, {reading.place!r})
louder = batch.x.copy()
louder[-1] *= 3  # the last token
every = (norms.layer_norm, norms.rms_norm, norms.batch_norm)
change = {{norm.__name__: np.abs(norm(louder) - norm(batch.x)).max() for norm in every}}
print(change)
print(norms.layer_norm(batch.x, printed=True).std(1))  # with sqrt(sigma + eps)
"""


def snippet_of_maps(data: Data) -> str:
    """A batch norm of maps beside torch's."""
    return """\
import torch
from tlmviz.analysis.numbers import norm_pictures, norms

images, labels = norm_pictures.shown()
x = norm_pictures.responses(images[:8])
out = norms.normalised(x, *norms.moments(x, axis=(0, 2, 3)))
norm = torch.nn.BatchNorm2d(4).double().train()
difference = abs(out - norm(torch.tensor(x)).detach().numpy()).max()
print(difference)
"""
