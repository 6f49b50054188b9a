"""Draws the view Matrices of the page mHC: H_pre, H_post and H_res of every sublayer at every token, one in detail."""

from __future__ import annotations

import streamlit as st

from pages.streams.mhc.state import EVERYTHING, MEAN, NOTHING, Streams
from pages.streams.mhc.view import WARM, offer
from tlmviz.analysis.streams.birkhoff import TOLERANCE
from tlmviz.figures.streams import matrices as figures
from tlmviz.ui import deferred, frame, live, long_text, reading
from tlmviz.ui.language import N_, _

from . import claims
from .data import Matrices

PICTURE = live.Picture(
    __file__, "sm", token=Streams.token, sublayer=Streams.sublayer, cell=Streams.entry, colors=Streams.colors
)
SYMBOLS = {NOTHING: "from I", EVERYTHING: "from 1/N", MEAN: N_("from its mean over tokens")}
EQUATIONS = {  # by connection
    "manifold": (
        r"X_{l+1} = H^{\text{res}}_l X_l + H^{\text{post}}_l F_l(H^{\text{pre}}_l X_l), \qquad "
        r"H^{\text{res}}_l = \sum_k w_k P_k, \quad w_k > 0, \quad \sum_k w_k = 1",
        "Transformer with PyTorch, section 5, Eq. 88–97; permutations P: Birkhoff 1946, von Neumann 1953, "
        "at most (N − 1)² + 1 of them. H_res comes from Sinkhorn's iterations, rows then columns, as in released code "
        "(the paper: columns then rows): columns end exact, and rows as near as the iterations bring them. The streams "
        "begin as copies of the embedding, and the head reads their mean.",
    ),
    "hyper": (
        r"X_{l+1} = H^{\text{res}}_l X_l + H^{\text{post}}_l F_l(H^{\text{pre}}_l X_l)",
        "Transformer with PyTorch, section 5, Eq. 88–97; free matrices: Zhu et al. 2024.",
    ),
    "residual": (
        r"x_{l+1} = x_l + F_l(x_l)",
        "Transformer with PyTorch, Eq. 98: N = 1 in Eq. 88–97 with H_pre = H_post = H_res = 1.",
    ),
}


def show(model: str, text: str) -> None:
    """The picture, what stands out in it, and the distances of all matrices."""
    data = Matrices(Streams.of_session(model=model, text=text))
    if data.connection.kind == "residual":
        left, right = st.columns([0.8, 0.2], vertical_alignment="center")
        with left:
            frame.claim(claims.CLAIMS, data)
        offer(right, key="smother")
    else:
        frame.claim(claims.CLAIMS, data)
    header, arrays = payload(data, reading.maths())
    PICTURE.show(header, arrays)
    frame.next_step(claims.HINTS, data)
    deferred.when_painted("beneath-matrices", lambda: _beneath(data))


def payload(data: Matrices, maths: bool) -> tuple[dict, dict]:
    """Everything the view shows: 48 sublayers, 256 tokens and 4 streams are 1.4 MB. With `maths` measures have
    symbols."""
    header = {
        "title": _("Mixing matrices"),
        "tokens": data.tokens,
        "first": 0,
        "names": data.sublayers,
        "streams": data.connection.streams,
        "kind": data.connection.kind,
        "model": data.chosen.model,
        "tolerance": TOLERANCE,
        "maths": maths,
        "warm": WARM,
    }
    arrays = {name: matrix.float().numpy() for name, matrix in vars(data.mixing).items()}
    arrays["roots"], arrays["pairs"] = data.roots
    return header, arrays


def _beneath(data: Matrices) -> None:
    """What stands out, the distances of all matrices, the equation, the code, and the badges."""
    kind = data.connection.kind
    if kind == "residual":
        frame.claims(claims.CLAIMS, data, more=claims.OF_ONE_STREAM)
    else:
        frame.claims(claims.CLAIMS, data, more=claims.NOTICE, maths=claims.MATHS)
        _distances(data)
    badges = st.container()
    frame.equation(*EQUATIONS[kind])
    frame.copy_as_python(snippet(data))
    with badges:  # last: they take the longest to measure
        frame.badges(data.checks)


def _distances(data: Matrices) -> None:
    """The distances of all matrices of the text, as a map and as curves."""
    words = SYMBOLS.get if reading.maths() else Streams.distance.show
    names, theme = {name: _(words(name)) for name in data.distances}, frame.theme()
    chosen = Streams.distance.draw(format_func=names.get)
    left, right = st.columns([0.58, 0.42])
    with left:
        figure = figures.distance_map(
            data.distances[chosen],
            data.sublayers,
            data.tokens,
            _("Distance {name}", name=names[chosen]),
            (data.sublayer, data.token),
            theme,
            most=data.full,
        )
        alt = _("Frobenius distance {name} of H_res of every sublayer at every token.", name=names[chosen])
        frame.chart(figure, key="smmap", alt=alt)
    with right:
        curves = {names[name]: values for name, values in data.distances.items()}
        figure = figures.distance_curves(curves, data.sublayers, data.sublayer, theme)
        alt = _("Mean and standard deviation over tokens of each distance, by sublayer.")
        frame.chart(figure, key="smcurves", alt=alt)


def snippet(data: Matrices) -> str:
    """Python that measures the matrix looked at."""
    permutations = """
from tlmviz.analysis.streams.birkhoff import birkhoff

parts = birkhoff(H)  # weights [K], permutations [K, N]: stream i takes what stream permutations[k, i] held
"""
    sublayer, token = data.sublayer, data.token
    return f"""import torch
import tlmviz
from tlmviz.analysis.streams import mixing as streams
from tlmviz.figures import LIGHT
from tlmviz.figures.streams import matrices as figures

lm = tlmviz.load({data.chosen.model!r})
{long_text.text_line(data.chosen.text)}
trace = lm.trace(text)
mixing = streams.mixing_of(trace)  # pre, post [P, T, N] and res [P, T, N, N]
H = mixing.res[{sublayer}, {token}].double()  # {data.sublayers[sublayer]}, token {token}
rows, columns = H.sum(1), H.sum(0)
eigenvalues, singular = torch.linalg.eigvals(H), torch.linalg.svdvals(H)
from_identity = torch.linalg.matrix_norm(H - torch.eye(len(H)))
from_mean = torch.linalg.matrix_norm(H - 1 / len(H))
spread = mixing.res[{sublayer}].std(0, correction=0)  # of every entry over tokens
for name in ("H", "rows", "columns", "eigenvalues", "singular", "from_identity", "from_mean", "spread"):
    print(name, globals()[name].numpy().round(4), sep="\\n")
distances = torch.linalg.matrix_norm(mixing.res - torch.eye(len(H)))  # from the identity, of every matrix [P, T]
sublayers = {data.sublayers!r}
place = ({sublayer}, {token})
figures.distance_map(distances.numpy(), sublayers, trace.tokens, "Distance from the identity", place, LIGHT).show()
{"" if data.connection.kind == "hyper" else permutations}"""
