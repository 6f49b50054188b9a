"""The words of the view "Matrices" of the page mHC."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from tlmviz.analysis.streams.birkhoff import Decomposition
from tlmviz.ui import long_text

if TYPE_CHECKING:  # these import the words themselves
    from .compute import Extremes
    from .controls import Choice

DISTANCES = ("from I", "from 1/N", "from its mean over tokens")

EQUATIONS = {  # by connection
    "manifold": (
        r"X_{l+1} = H^{\text{res}}_l X_l + H^{\text{post}}_l F_l(H^{\text{pre}}_l X_l), \qquad "
        r"H^{\text{res}}_l = \sum_k w_k P_k, \quad w_k > 0, \quad \sum_k w_k = 1",
        "Transformer with PyTorch, section 5, Eq. 88–97; permutations P: Birkhoff 1946, von Neumann 1953, "
        "at most (N − 1)² + 1 of them. H_res comes from Sinkhorn's iterations, rows then columns, as in released code (the "
        "paper: columns then rows): columns end exact, and rows as near as the iterations bring them. The streams begin as "
        "copies of the embedding, and the head reads their mean.",
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
NOTICE_ONE_STREAM = "One stream, one number: the only doubly stochastic 1 × 1 matrix is 1, so a plain residual is mHC with N = 1."
SMCURVES_ALT = "Mean and standard deviation over tokens of each distance, by sublayer."


def distances(maths: bool) -> dict[str, str]:
    """What each distance of DISTANCES is called: with symbols, or in words."""
    plain = ("from no mixing", "from full mixing", "from its mean over tokens")
    return dict(zip(DISTANCES, DISTANCES if maths else plain))


def one_stream(model: str) -> str:
    """What there is to see of a plain residual connection."""
    return (
        f"{model} has one stream, read, written and carried on whole: every matrix is the number 1, "
        "at every sublayer and token."
    )


def notice(extremes: Extremes) -> list[str]:
    """How to read the picture, and where streams are mixed most."""
    return [
        "Columns of a map are the streams that are read from, rows those that are written to. Green bars are what the sublayer "
        "reads, orange ones where its result goes, grey ones the sums.",
        "Click, or press an arrow: the maps choose a sublayer, the curve a token, the matrix an entry.",
        f"Streams are mixed most by {extremes.mixing_sublayer} at token {extremes.mixing_token}: an entry off the diagonal is "
        f"{extremes.mixing:.4g}.",
    ]


def notice_maths(extremes: Extremes) -> list[str]:
    """What is read where, and which sublayer depends on the token most."""
    return [
        "Green is H_pre, orange H_post, the map H_res. The token changes "
        f"{extremes.spread_sublayer} most: an entry's standard deviation is {extremes.spread:.2g}."
    ]


def notice_constrained(extremes: Extremes, permutations: Decomposition | None) -> str:
    """What holds of doubly stochastic matrices, measured."""
    if permutations is None:
        average = "The chosen matrix is too far from doubly stochastic for an average of permutations."
    else:
        weights = permutations.weights
        average = f"The chosen matrix is an average of {len(weights)} permutations; the largest weight is {weights[0]:.3g}."
    return (
        f"Columns sum to 1 within {_small(extremes.column_error)} and rows within {_small(extremes.row_error)}, so mixing can "
        f"redistribute, not amplify: equal streams stay equal, and their mean is carried on whole. {average}"
    )


def _small(error: float) -> str:
    """An error in digits where these are few, else what it lies below."""
    return (
        f"{error:.1g}"
        if error == 0 or error >= 1e-4
        else f"{10.0 ** math.ceil(math.log10(error)):.10f}".rstrip("0")
    )


def notice_free(extremes: Extremes) -> str:
    """What holds of the free matrices of hyper-connections, measured."""
    return (
        f"Nothing binds these matrices: rows sum to {extremes.least_row:.3g} up to {extremes.largest_row:.3g}, entries go down "
        f"to {extremes.least_entry:.2g}, eigenvalues may leave the unit circle, and products over depth grow or shrink."
    )


def smmap_alt(distance: str) -> str:
    """What the picture shows, for screen readers."""
    return f"Frobenius distance {distance} of H_res of every sublayer at every token."


def snippet(choice: Choice) -> str:
    """Python that measures the matrix looked at."""
    reading, token, sublayer = choice.reading, choice.token, choice.sublayer
    permutations = """
from tlmviz.analysis.streams.birkhoff import birkhoff

parts = birkhoff(H)  # weights [K], permutations [K, N]: stream i takes what stream permutations[k, i] held
"""
    return f"""import torch
import tlmviz
from tlmviz.analysis.streams import mixing as streams
from tlmviz.figures import LIGHT
from tlmviz.figures.streams import matrices as figures

lm = tlmviz.load({reading.model!r})
{long_text.text_line(reading.text)}
trace = lm.trace(text)
mixing = streams.mixing_of(trace)  # pre, post [P, T, N] and res [P, T, N, N]
H = mixing.res[{sublayer}, {token}].double()  # {reading.sublayers[sublayer]}, token {token}
rows, columns = H.sum(1), H.sum(0)
eigenvalues, singular = torch.linalg.eigvals(H), torch.linalg.svdvals(H)
from_identity = torch.linalg.matrix_norm(H - torch.eye(len(H)))
from_mean = torch.linalg.matrix_norm(H - 1 / len(H))
spread = mixing.res[{sublayer}].std(0, correction=0)  # of every entry over tokens
for name in ("H", "rows", "columns", "eigenvalues", "singular", "from_identity", "from_mean", "spread"):
    print(name, globals()[name].numpy().round(4), sep="\\n")
distances = torch.linalg.matrix_norm(mixing.res - torch.eye(len(H)))  # from the identity, of every matrix [P, T]
sublayers = {reading.sublayers!r}
place = ({sublayer}, {token})
figures.distance_map(distances.numpy(), sublayers, trace.tokens, "Distance from the identity", place, LIGHT).show()
{"" if reading.connection.kind == "hyper" else permutations}"""
