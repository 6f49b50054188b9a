"""Draws the view Sinkhorn dial of the page mHC: a matrix made doubly stochastic, half step by half step."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import streamlit as st

from pages.streams.mhc.state import ENTRIES, ITERATIONS, LOGITS, MIXED, MODEL, OWN, Streams
from pages.streams.mhc.view import WARM, offer
from tlmviz.errors import Error
from tlmviz.ui import frame, live
from tlmviz.ui.language import N_, _

from . import claims
from .data import Dial, Matrix

PICTURE = live.Picture(
    __file__,
    "sd",
    token=Streams.token,
    sublayer=Streams.sublayer,
    step=Streams.step,
    temperature=Streams.temperature,
    source=Streams.source,
    kind=Streams.kind,
    matrix=Streams.matrix,
)
_READABLE = "_sd_readable"  # session: the last Matrix that could be read
EQUATION = (
    r"P_0 = e^{\,\mathrm{logits}/T},\qquad P_{k+\frac12} = \mathrm{diag}(P_k \mathbf 1)^{-1} P_k,\qquad"
    r" P_{k+1} = P_{k+\frac12}\,\mathrm{diag}(\mathbf 1^{\!\top} P_{k+\frac12})^{-1},\qquad"
    r" \lVert P_{k+1}\mathbf 1 - \mathbf 1\rVert \approx \sigma_2^2\,\lVert P_k\mathbf 1 - \mathbf 1\rVert",
    "Transformer with PyTorch, section 5.2; Sinkhorn and Knopp 1967. σ₂ is the second singular value of the limit "
    "(Knight 2008). Rows are scaled before columns here; the paper on mHC (Xie et al. 2025) writes columns before "
    "rows.",
)


class Preset(NamedTuple):
    """What a matrix is an example of, how its numbers are read, and the numbers."""

    help: str
    kind: str
    text: str


_BAND = "\n".join(" ".join(f"{0 - abs(1.2 * i - j) / 2:.3g}" for j in range(16)) for i in range(16))
PRESETS = {
    N_("As mHC starts"): Preset(
        N_("0 on the diagonal, −6 off it"), LOGITS, "0 -6 -6 -6\n-6 0 -6 -6\n-6 -6 0 -6\n-6 -6 -6 0"
    ),
    N_("Mixed"): Preset(N_("Any positive matrix has exactly one scaling"), ENTRIES, MIXED),
    N_("Slow"): Preset(
        N_("A nearly triangular matrix: the rate is close to 1"), ENTRIES, "1 1 1\n0.02 1 1\n0.02 0.02 1"
    ),
    N_("Two blocks"): Preset(N_("Two scalings side by side"), ENTRIES, "1 5 0 0\n3 1 0 0\n0 0 1 4\n0 0 2 1"),
    N_("Triangle"): Preset(
        N_("Support, but not total: what is above the diagonal goes to 0"), ENTRIES, "1 1 1\n0 1 1\n0 0 1"
    ),
    N_("No support"): Preset(N_("Two rows share one column: no scaling exists"), ENTRIES, "1 2 3\n0 4 0\n0 5 0"),
    N_("A row of zeros"): Preset(N_("Nothing brings its sum to 1"), ENTRIES, "0 0 0\n1 2 3\n4 5 6"),
    N_("Logits of 1e4"): Preset(
        N_("exp overflows; logarithms do not"), LOGITS, "1e4 9999 9998\n9999 1e4 9997\n-1e4 -9999 -9999"
    ),
    N_("16 × 16"): Preset(N_("The largest that is read: logits fall beside a diagonal"), LOGITS, _BAND),
}


def show(model: str, text: str) -> None:
    """The dial of a model's logits, or of a matrix that is typed."""
    chosen = Streams.of_session(model=model, text=text)
    data = Dial(chosen)
    has_logits = data.logits is not None
    if not has_logits:
        left, right = st.columns([0.76, 0.24], vertical_alignment="center")
        left.info(claims.no_logits(data))
        offer(right, key="sd-model")
    room = st.container(horizontal=True, gap="small")
    if has_logits and Streams.source.draw(room) == MODEL:
        for field in (Streams.kind, Streams.matrix):  # nothing of them is shown
            field.put(field.default)
    else:
        data = Dial(chosen, _typed(room))
    frame.claim(claims.CLAIMS, data)
    _picture(data)
    frame.next_step(claims.HINTS, data)
    whose = MODEL if data.typed is None else OWN
    frame.claims(claims.CLAIMS, data, more=claims.NOTICE[whose], maths=claims.MATHS[whose])
    frame.badges(data.judged)
    frame.equation(*EQUATION)
    frame.copy_as_python(snippet(data))


def _typed(room) -> Matrix:
    """The controls of a typed matrix; it, or with a sentence the last that could be read."""
    kind = Streams.kind.draw(room)
    with room.popover(_("Presets")):
        for name, preset in PRESETS.items():
            st.button(_(name), key=f"sd-{name}", help=_(preset.help), on_click=_take, args=(preset,), width="stretch")
    with room.popover(_("Type or paste")):
        matrix = Matrix(Streams.matrix.draw(), kind)
    try:
        matrix.logits  # noqa: B018 (whether it can be read)
    except Error as error:
        said = _("{error} The last matrix that could be read is shown.", error=frame.worded(error))
        st.warning(said.replace("_", "\\_").replace("*", "\\*"))
        return st.session_state.get(_READABLE, Matrix(MIXED, ENTRIES))
    st.session_state[_READABLE] = matrix
    return matrix


def _take(preset: Preset) -> None:
    """Callback: put a preset into the field."""
    for field, value in ((Streams.source, OWN), (Streams.kind, preset.kind), (Streams.matrix, preset.text)):
        field.set(value)


def _picture(data: Dial) -> None:
    header: dict = {"tokens": data.tokens, "first": 0, "names": data.sublayers, "warm": WARM, "own": None}
    arrays = {}
    if data.typed is None:
        header |= {"title": data.chosen.model, "iterations": data.connection.iterations}
        arrays["logits"] = data.logits.float().numpy()
    else:
        support = data.typed.support
        pattern = "".join("0" if value == -np.inf else "+" for value in data.typed.logits.ravel())
        judged = {"kind": support.kind, "blocks": support.blocks, "pattern": pattern}
        own = {"words": data.typed.words, "support": judged, "verdict": claims.verdict(data)}
        header |= {"title": _("Own matrix"), "iterations": None, "own": own}
    PICTURE.show(header, arrays)


def snippet(data: Dial) -> str:
    """Python that draws the dial."""
    chosen = data.chosen
    if data.typed is not None:
        return f"""import torch
from tlmviz import kernels
from tlmviz.analysis.streams import scaling_support
from tlmviz.figures import LIGHT
from tlmviz.figures.streams import dial as stream_dial

logits = torch.from_numpy(scaling_support.parse({data.typed.text!r}, {data.typed.kind!r})) / {chosen.temperature!r}
{_iterations(chosen.step, "")}"""
    return f"""import torch
import tlmviz
from tlmviz import kernels
from tlmviz.analysis.streams import scaling_support, mixing as streams
from tlmviz.figures import LIGHT
from tlmviz.figures.streams import dial as stream_dial

trace = tlmviz.load({chosen.model!r}).trace({chosen.text!r})
taps = [f"{{place}}.logits" for place in streams.places(trace.n_layers)]
tensors = trace.tensors(taps)
all_logits = torch.cat([tensors[tap] for tap in taps])  # of every sublayer and token, [P, T, N, N]
all_logits = all_logits[:, {data.token}].double() / {chosen.temperature!r}
gains = scaling_support.depth_gains(all_logits)
logits = all_logits[{data.sublayer}]  # {data.sublayers[data.sublayer]}
{_iterations(chosen.step, "gains=gains.numpy(), ")}"""


def _iterations(step: int, arguments: str) -> str:
    """The lines that both snippets end with: so many half steps, measured and drawn with some more arguments."""
    rows = "\nmatrix = matrix / matrix.sum(1, keepdim=True).clamp(min=1e-300)  # rows scaled, columns not yet"
    return f"""iterates = kernels.sinkhorn_iterates(logits, {ITERATIONS})  # the matrix after 0, 1, ... iterations
matrix = iterates[{step // 2}]{rows if step % 2 else ""}
support = scaling_support.support(torch.isfinite(logits).numpy())
rate = scaling_support.rate(logits, support)
residual = scaling_support.residuals(iterates)
found = f"residual {{residual[{step // 2}]:.3e}} after {step // 2} iterations"
print(f"{{support.kind}} support; {{found}}; rate {{rate:.6f}}")
shown = stream_dial.dial(matrix.numpy(), residual.numpy(), rate, {step / 2:g}, LIGHT, {arguments}title="Sinkhorn-Knopp")
shown.show()"""
