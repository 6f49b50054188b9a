"""The view "Matrices" of the page mHC: H_pre, H_post and H_res of every sublayer at every token, and one of them in detail."""

from __future__ import annotations

import streamlit as st
import torch

from pages.streams.mhc import compute as stream_state
from tlmviz.analysis.streams import mixing as streams
from tlmviz.analysis.streams.birkhoff import TOLERANCE, birkhoff
from tlmviz.errors import BadShape
from tlmviz.figures.streams import matrices as figures
from tlmviz.kernels import sinkhorn_errors
from tlmviz.ui import compute, frame, long_text

from .component import COLORS, matrices_view, payload

DISTANCES = ("from I", "from 1/N", "from its mean over tokens")
CONNECTION = {
    "manifold": (
        r"X_{l+1} = H^{\text{res}}_l X_l + H^{\text{post}}_l F_l(H^{\text{pre}}_l X_l), \qquad "
        r"H^{\text{res}}_l = \sum_k w_k P_k, \quad w_k > 0, \quad \sum_k w_k = 1",
        "Transformer with PyTorch, section 5, Eq. 88–97; permutations P: Birkhoff 1946, von Neumann 1953, "
        "at most (N − 1)² + 1 of them.",
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


def show(name: str, text: str) -> None:
    """Draw the view for a model and a text."""
    lm, trace, mixing = compute.model(name), compute.trace(name, text), stream_state.mixing(name, text)
    kind, names = lm.config.connection.kind, streams.sublayers(trace.n_layers)
    if kind == "residual":
        _one_stream(name)
    sublayers, tokens = mixing.pre.shape[:2]
    token, sublayer = stream_state.place(tokens, sublayers)
    matrices_view(_payload(name, text, mixing, trace.tokens, names, kind), key="smview", on_change=_moved)
    frame.let_the_picture_paint()
    frame.what_to_notice(*_noticed(mixing, names, kind, token, sublayer))
    if kind != "residual":
        _distances(mixing, names, trace.tokens, (sublayer, token))
    badges = st.container()
    frame.equation(*CONNECTION[kind])
    frame.copy_as_python(_snippet(name, text, token, sublayer, kind))
    with badges:  # last: they take the longest to measure
        frame.badges(stream_state.checks(name, text))


# --- what the browser chose ----------------------------------------------------------------------


def _looked_at() -> dict:
    """The entry and the colours of this session, at first as the URL says, and the number of the browser's last word."""
    if "_sm" not in st.session_state:
        row, _, col = st.query_params.get("smij", "").partition(".")
        known = all(part.isdecimal() and len(part) < 3 for part in (row, col))
        colors = st.query_params.get("smcol")
        st.session_state["_sm"] = {
            "row": int(row) if known else 1,
            "col": int(col) if known else 0,
            "colors": colors if colors in COLORS else COLORS[0],
            "seq": 0,
        }
    return st.session_state["_sm"]


def _moved() -> None:
    """Callback of the picture: the user chose a token, a sublayer, an entry or the colours."""
    sent = (st.session_state.get("smview") or {}).get("place")
    if not sent:
        return
    before = _looked_at()
    chosen = {"row": int(sent["row"]), "col": int(sent["col"]), "seq": int(sent["seq"])}
    chosen["colors"] = sent["colors"] if sent["colors"] in COLORS else COLORS[0]
    st.session_state["_sm"] = chosen
    stream_state.remember(int(sent["token"]), int(sent["sublayer"]))
    for key, value, was in (
        ("smij", f"{chosen['row']}.{chosen['col']}", f"{before['row']}.{before['col']}"),
        ("smcol", chosen["colors"], before["colors"]),
    ):
        if value != was:
            st.query_params[key] = value


def _payload(name, text, mixing, tokens, names, kind) -> bytes:
    """What travels: the same bytes again while nobody but the picture itself has moved it, as it knows where it stands.

    Streamlit forgets a picture that a run leaves out, so that one which comes back is told where the user was.
    """
    looked, known = _looked_at(), st.session_state.get("_sm_sent")
    told = (st.session_state.get("smview") or {}).get("place")
    if told and told["seq"] == looked["seq"] and known is not None and known[0] == (name, text):
        return known[1]
    token, sublayer = stream_state.place(len(tokens), len(names))
    state = {"token": token, "sublayer": sublayer, **looked}
    data = payload(mixing, tokens, names, state, kind=kind, model=name, tolerance=TOLERANCE)
    st.session_state["_sm_sent"] = (name, text), data
    return data


# --- beside the picture --------------------------------------------------------------------------


def _one_stream(name: str) -> None:
    """What there is to see of a plain residual, and a way to a model with more."""
    left, right = st.columns([0.8, 0.2], vertical_alignment="center")
    left.info(
        f"{name} has one stream, read, written and carried on whole: every matrix is the number 1, at every sublayer and token."
    )
    if compute.DEFAULT_STREAM_MODEL in compute.stream_models():
        right.button(
            f"Show {compute.DEFAULT_STREAM_MODEL}", key="smother", on_click=_choose_default, width="stretch"
        )


def _choose_default() -> None:
    st.session_state["smodel"] = compute.DEFAULT_STREAM_MODEL


def _noticed(mixing: streams.Mixing, names: list[str], kind: str, token: int, sublayer: int) -> list[str]:
    """What this text shows, measured."""
    here = mixing.res[sublayer, token].double()
    if kind == "residual":
        return [
            "One stream, one number: the only doubly stochastic 1 × 1 matrix is 1, so a plain residual is mHC with N = 1."
        ]
    rows, columns = sinkhorn_errors(mixing.res)
    size = here.shape[-1]
    off = mixing.res.masked_fill(torch.eye(size, dtype=torch.bool), 0.0).abs()
    most = int(off.amax((-2, -1)).argmax())
    at = most // mixing.res.shape[1], most % mixing.res.shape[1]
    moving = mixing.res.std(1, correction=0).amax((-2, -1))
    points = [
        "Column j of a map is the stream that is read from, row i the one that is written to; green bars are what the sublayer "
        "reads (H_pre), orange ones where its result goes (H_post), grey ones the sums.",
        "Click or use the arrow keys: the maps choose a sublayer, the curve a token, the matrix an entry.",
        f"Streams are mixed most by {names[at[0]]} at token {at[1]}: an entry off the diagonal is {float(off.max()):.4g}. "
        f"The token changes {names[int(moving.argmax())]} most: an entry's standard deviation is {float(moving.max()):.2g}.",
    ]
    if kind == "manifold":
        points.append(
            f"Columns sum to 1 within {float(columns.max()):.1e} and rows within {float(rows.max()):.1e}: within that, no "
            f"eigenvalue leaves the unit circle and equal streams stay equal. {_wiring(here)}"
        )
    else:
        sums = mixing.res.sum(-1)
        low, high, least = float(sums.min()), float(sums.max()), float(mixing.res.min())
        points.append(
            f"Nothing binds these matrices: rows sum to {low:.3g} up to {high:.3g}, entries go down to {least:.2g}, eigenvalues "
            "may leave the unit circle, and products over depth grow or shrink."
        )
    return points


def _wiring(matrix: torch.Tensor) -> str:
    try:
        parts = birkhoff(matrix)
    except BadShape:
        return "At the chosen place Sinkhorn stopped too early for an average of permutations."
    return f"The chosen matrix is an average of {len(parts.weights)} wirings; the widest has weight {parts.weights[0]:.3g}."


def _distances(mixing: streams.Mixing, names: list[str], tokens: list[str], place: tuple[int, int]) -> None:
    """The distances of all matrices of the text, as a map and as curves."""
    identity = torch.eye(mixing.res.shape[-1])
    origins = (identity, torch.full_like(identity, 1 / len(identity)), mixing.res.mean(1, keepdim=True))
    values = {
        name: torch.linalg.matrix_norm(mixing.res - origin).numpy()
        for name, origin in zip(DISTANCES, origins)
    }
    what = st.segmented_control(
        "Frobenius distance of H_res",
        DISTANCES,
        default=DISTANCES[0],
        key="smdist",
        required=True,
        bind="query-params",
    )
    theme = frame.theme()
    left, right = st.columns([0.58, 0.42])
    with left:
        frame.chart(
            figures.distance_map(values[what], names, tokens, f"Distance {what}", place, theme),
            key="smmap",
            alt=f"Frobenius distance {what} of H_res of every sublayer at every token.",
        )
    with right:
        frame.chart(
            figures.distance_curves(values, names, place[0], theme),
            key="smcurves",
            alt="Mean and standard deviation over tokens of each distance, by sublayer.",
        )


def _snippet(name: str, text: str, token: int, sublayer: int, kind: str) -> str:
    parts = (
        ""
        if kind == "hyper"
        else """
from tlmviz.analysis.streams.birkhoff import birkhoff

parts = birkhoff(H)  # weights [K], permutations [K, N]: stream i takes what stream permutations[k, i] held"""
    )
    line = long_text.text_line(text)
    return (
        f"""import torch
import tlmviz
from tlmviz.analysis.streams import mixing as streams

lm = tlmviz.load({name!r})
{line}
mixing = streams.mixing_of(lm.trace(text))  # pre, post [P, T, N] and res [P, T, N, N]
H = mixing.res[{sublayer}, {token}].double()  # {streams.sublayers(sublayer // 2 + 1)[sublayer]}, token {token}
rows, columns = H.sum(1), H.sum(0)
eigenvalues, singular = torch.linalg.eigvals(H), torch.linalg.svdvals(H)
from_identity = torch.linalg.matrix_norm(H - torch.eye(len(H)))
from_mean = torch.linalg.matrix_norm(H - 1 / len(H))
spread = mixing.res[{sublayer}].std(0, correction=0)  # of every entry over tokens
{parts}""".rstrip()
        + "\n"
    )
