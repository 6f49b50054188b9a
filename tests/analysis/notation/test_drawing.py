"""Formulas as TeX, and tensors as the matrices that are drawn."""

import numpy as np
import torch

from tlmviz.analysis.notation.latex import latex
from tlmviz.analysis.notation.panels import MOST, cut, panel
from tlmviz.analysis.notation.parsing import parse


def test_tex_staggers_indices_and_colours_what_is_marked():
    text = "L_{ts}^{(h)} = 1/sqrt(dk) Qhat_{th}^k Khat_{shk}"
    assert latex(parse(text)) == (r"L_{ts}{}^{(h)} = \frac{1}{\sqrt{d_k}}\, \widehat{Q}_{th}{}^{k}\, \widehat{K}_{shk}")
    start = text.rindex("k")
    assert r"\widehat{K}_{sh\textcolor{#d1490c}{\boldsymbol{k}}}" in latex(parse(text), [(start, start + 1)])
    assert latex(parse("WQ_{hf}^d")) == r"W_{Q\,hf}{}^{d}" and latex(parse("H''_t")) == "{H''}_{t}"
    assert r"\sum_{s \le  t} A_{ts}" in latex(parse("sum_{s<=t} A_{ts}"))
    assert latex(parse("(A_t + B_t) C_t - 2")) == r"\left(A_{t} + B_{t}\right)\, C_{t} - 2"
    assert r"\pi(h)" in latex(parse("K_{spi(h)}^d")) and r"\delta" in latex(parse("delta_r^{r'}"))


def test_positions_are_drawn_and_heads_cut():
    assert cut("tsh", (5, 6, 3), 2) == cut("tsh", (5, 6, 3), 9)
    chosen = cut("tsh", (5, 6, 3), 2)
    assert (chosen.rows, chosen.columns, chosen.at[2]) == (0, 1, 2)
    assert (cut("thd", (5, 3, 4), 1).rows, cut("thd", (5, 3, 4), 1).columns) == (0, 2)
    assert (cut("hd", (3, 4), 0).rows, cut("hd", (3, 4), 0).columns) == (0, 1)
    assert cut("t", (5,), 0).columns is None and cut("", (), 0).rows is None


def test_a_panel_shows_the_cut():
    value = torch.arange(30.0).reshape(2, 3, 5)  # s, h, t
    drawn = panel("L", value, ("s", "h", "t"), 1, ["a", "b", "c", "d", "e"])
    np.testing.assert_array_equal(drawn.values, value[:, 1])
    assert drawn.name == "L, h=1" and drawn.shape == "[s=2, h=3, t=5]" and drawn.row_labels == ("a", "b")
    assert panel("x", torch.full((3,), torch.nan), ("t",), 0, []).values.shape == (3, 1)
    long = panel("x", torch.zeros(2, 500), ("t", "f"), 0, [])
    assert long.values.shape == (2, MOST) and str(MOST) in long.note
