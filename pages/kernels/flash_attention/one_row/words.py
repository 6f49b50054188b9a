"""The words of the part One row: title, table of results, what to notice, equation, snippet."""

from __future__ import annotations

import numpy as np

from tlmviz.analysis.kernels import online_softmax
from tlmviz.figures.written import number, power_of_ten

from ..controls import Choice
from .compute import Row

NOTICE = (
    "Blue steps are the largest logit so far. At an orange dot it grew, and everything summed so far was scaled down to match.",
    "The picture opens where the second read has come to the largest logit. *One pass* needed one read: it is done. The others "
    "read the row again, from slow memory if it is long.",
    "*All + 100* changes no weight beyond rounding, yet exp(100) is more than float32 can hold: the naive sum becomes infinite.",
)
NOTICE_MATHS = (
    "The largest logit so far is *m_i*. The factor at an orange dot is alpha = exp(m_old − m_new), on *l_i*, and in *One "
    "pass* on "
    "the output *o* too.",
)
EQUATION = (
    r"m_i = \max(m_{i-1}, x_i),\quad l_i = l_{i-1}\,e^{m_{i-1}-m_i} + e^{x_i-m_i},\quad "
    r"o_i = o_{i-1}\,\frac{l_{i-1}}{l_i}\,e^{m_{i-1}-m_i} + \frac{e^{x_i-m_i}}{l_i}\,v_i",
    "Transformer with PyTorch, section 4, Eq. 72–87, which write d_i for l_i. All numbers here are "
    "float32, as in the kernel, and compared with float64 at the end.",
    "Eq. 86–87 print the factor on the old output as exp(m_i) / exp(m_{i−1}); it is the inverse, exp(m_{i−1} − m_i), as for d_i "
    "in Eq. 79.",
)
ROW_ALT = "Five algorithms on one row of logits, walked by a slider: maximum, sum and output"


def title(choice: Choice, row: Row) -> str:
    """The query whose row is walked, the number of its logits, and how many keys were left out."""
    n, part = len(row.x), ""
    if row.visible > online_softmax.LONGEST:
        part = f"; the last {online_softmax.LONGEST} of {row.visible} keys, so not the model's whole row"
    return f"Layer {choice.layer}, head {choice.head}, query {choice.query}: {n} logit{'s' * (n != 1)}{part}"


def results(walks: tuple[online_softmax.Walk, ...], maths: bool) -> str:
    """How each algorithm ended, as a table in Markdown; red where it overflowed."""
    lines = [
        f"| | reads | {'l_i' if maths else 'sum'} | result | off from float64 by |",
        "|---|---|---|---|---|",
    ]
    for walk in walks:
        end = "finite" if walk.finite else ":red[**inf or NaN**]"
        numbers = f"{_number(walk.l_i[-1])} | {end} | {_number(walk.error)}"
        lines.append(f"| {walk.name} | {len(walk.passes)} | {numbers} |")
    return "\n".join(lines)


def _number(value: float) -> str:
    if not np.isfinite(value):
        return f":red[**{float(value):.0f}**]".replace("nan", "NaN")
    return number(float(value), ".3g") if value == 0 or abs(value) >= 1e-3 else power_of_ten(float(value))


def snippet(choice: Choice, row: Row) -> str:
    """The picture of one row with the public API; `x` holds the logits of the picture."""
    values = ", ".join("-inf" if value == -np.inf else f"{value:.9g}" for value in row.x)
    layer, head, query = choice.layer, choice.head, choice.query
    return f"""\
from numpy import array, float32, inf

import tlmviz
from tlmviz.analysis.kernels import online_softmax, tiling
from tlmviz.figures import LIGHT
from tlmviz.figures.kernels import flash_rows

trace = tlmviz.load({choice.model!r}).trace({choice.text!r})
keys = slice({row.first}, {row.first + len(row.x)})
v = tiling.head_inputs(trace, layer={layer}, head={head}, longest=None).v[keys]
# the logits of the picture; the model's own are trace.scores({layer}, {head}, "masked")[{query}, keys]
x = array([{values}], float32)
walks = online_softmax.walk_all(x, v)
for walk in walks:
    print(f"{{walk.name}}: l_i = {{walk.l_i[-1]:.6g}}, off by {{walk.error:.1e}}")
figure = flash_rows.row_walks(walks, x, trace.tokens[keys], LIGHT, title="Layer {layer}, head {head}, query {query}")
figure.show()
"""
