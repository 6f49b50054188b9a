"""The words of the page "RoPE planes": what to notice, equations with their sources."""

from __future__ import annotations

import pandas as pd

Pair = tuple[int, int]

POINTS = {
    "Clocks": (
        "*Move both*, then ▶: every hand turns and the angles between them do not, so bars and score stand still. Only the "
        "distance counts.",
        "*Move the query*: fast planes swing within a few tokens, slow ones hardly stir and work like ordinary content. Larger "
        "steps (the menu beside it) wake the slow ones.",
        "*A previous-token head* lines all its fast hands up at distance 1: that is how rotation says “the token before”.",
    ),
    "Step by step": (
        "The angle table starts fast at the left (1 rad per token) and slow at the right; orange dots mark a plane's first "
        "full turn.",
        "▶ walks over the planes: the framed columns of *before* become *even* and *odd*, are mixed by cos and sin, and go "
        "back to their places. Each pair keeps its length.",
        "Trained queries are not spread evenly: look for the columns that are strong in every row.",
    ),
    "Heads": (
        "Grey bars, |q||k|: how far a plane could move a score. Blue, standard deviation: how far it tells a query's keys "
        "apart. A tall grey bar without blue adds the same to every key, which the softmax takes out.",
        "Heads that look at near tokens use the fast planes at the left; heads that look for content use slow ones.",
        "Dotted lines put every pair of the text at every distance: what position alone prefers. Without RoPE it is flat, and "
        "what is left of the solid line is content.",
    ),
}
_SLIPS = (
    "The notes shorten θ^(t/d) to θ^t after Eq. 47: the angle of plane j at position t is t·θ^(−2j/d), so read θ^j in Eq. 54 "
    "and 56, and θ² in Eq. 58, as θ^(2j/d). Their code's default base is 100,000, the chapter uses 10,000."
)
EQUATIONS = {
    "Clocks": (
        r"s_{mn} = \frac{(R_m q) \cdot (R_n k)}{\sqrt{d}} = \frac{1}{\sqrt{d}} \sum_{j=0}^{d/2-1} |q_j|\,|k_j| "
        r"\cos\!\big(\varphi_j + (m - n)\,\theta^{-2j/d}\big),\qquad \lambda_j = 2\pi\,\theta^{2j/d}",
        "Transformer with PyTorch, section 3.3, Eq. 47–58; Decoder-Only Transformers in Einstein Notation, section 3.1; "
        "Attention, “Rotary Positional Embeddings”. φ is the angle between q and k in plane j before any rotation. "
        + _SLIPS,
    ),
    "Step by step": (
        r"\begin{bmatrix} x'_{t,2j} \\ x'_{t,2j+1} \end{bmatrix} = \begin{bmatrix} \cos t\omega_j & -\sin t\omega_j \\ "
        r"\sin t\omega_j & \cos t\omega_j \end{bmatrix} \begin{bmatrix} x_{t,2j} \\ x_{t,2j+1} \end{bmatrix},\qquad "
        r"\omega_j = \theta^{-2j/d}",
        "Transformer with PyTorch, section 3.3: Eq. 49 angles, 50 cos, 51 sin, 52 even and odd, 53–56 rotation, 57–58 one "
        "plane as a matrix, then interleaved back. " + _SLIPS,
    ),
    "Layouts": (
        r"\text{interleaved: plane } j = (2j,\ 2j+1),\qquad \text{half-split: plane } j = (j,\ j + \tfrac{d}{2}),\qquad "
        r"\mathrm{RoPE}_{\text{half}}(P x) = P\,\mathrm{RoPE}_{\text{interleaved}}(x)",
        "Transformer with PyTorch, Eq. 52–58, interleaves, as RoFormer and Meta's LLaMA do; GPT-NeoX and Hugging Face's LLaMA "
        "split in halves, so a converter must reorder the rows of W_Q and W_K by P (first the even dimensions, then the odd).",
    ),
    "Heads": (
        r"E_j = \frac{1}{\sqrt{d}}\,\overline{|q_j|\,|k_j|},\qquad \bar s(\delta) = \frac{1}{T - \delta} \sum_{t=\delta}^{T-1} "
        r"\frac{(R_t q_t) \cdot (R_{t-\delta} k_{t-\delta})}{\sqrt{d}}",
        "Means over the pairs of this text that the head can see. Transformer with PyTorch, section 3.3; the score as a "
        "function of t − s: Decoder-Only Transformers in Einstein Notation, section 3.1.",
    ),
}


def layout_points(table: pd.DataFrame) -> tuple[str, ...]:
    """What to notice about the layouts, with this text's numbers."""
    right, wrong = table.iloc[0, 1], table.iloc[1, 1]
    change = f"Here it costs **{wrong - right:+.4f}** nats per token. " if wrong == wrong else ""
    return (
        "Loading a model with the wrong layout raises no error: shapes fit, and the text often stays grammatical. "
        + change
        + "The loss shows it; longer texts show it more.",
        "Arcs of one colour turn together. The wrong layout rotates dimensions against each other that were trained as a pair "
        "with another speed.",
        "Nothing is lost for good: with the rows of W_Q and W_K reordered, the half-split code gives the model's own logits.",
    )


# --- snippets ----------------------------------------------------------------------------------------

_START = """\
import tlmviz
from tlmviz.analysis.positions import {analysis}
from tlmviz.figures import LIGHT
from tlmviz.figures.positions import {figures} as figures

lm = tlmviz.load({name!r})
trace = lm.trace({text!r})
"""


def clocks_snippet(
    name: str, text: str, head: Pair, where: Pair, base: float, own: float, moves: str, stride: int
) -> str:
    """The clocks, their sum and the model's own score with the public API."""
    return (
        _START.format(analysis="rope_planes", figures="rope_clocks", name=name, text=text)
        + f"""\
q, k = rope_planes.head_vectors(trace, layer={head[0]}, head={head[1]}, base={own!r})  # before RoPE, [T, D]
shown = rope_planes.clocks(q[{where[0]}], k[{where[1]}], {where}, base={base!r}, moves={moves!r}, stride={stride})
score = shown.scores[shown.home]
print("planes:", shown.parts[shown.home], "sum:", score)
model = trace.scores({head[0]}, {head[1]})[{where[0]}, {where[1]}].item()
print("the model's own score, with base {own:g}:", model)
figures.clocks(shown, LIGHT, title="Layer {head[0]}, head {head[1]}", moves={moves!r}).show()
"""
    )


def steps_snippet(name: str, text: str, head: Pair, row: int, base: float, own: float, layout: str) -> str:
    """Every matrix of the rotation with the public API, and the kernel beside it."""
    return (
        "import torch\n\n"
        + _START.format(analysis="rope_planes", figures="rope_steps", name=name, text=text)
        + f"""\
q, _ = rope_planes.head_vectors(trace, layer={head[0]}, head={head[1]}, base={own!r})
rows = figures.shown_rows(len(trace), {row})
steps = rope_planes.rotation(q[rows], base={base!r}, layout={layout!r}, start=rows.start)
kernel = tlmviz.kernels.rope(q[rows], torch.arange(rows.start, rows.stop), base={base!r}, layout={layout!r})
error = (torch.from_numpy(steps.out) - kernel).abs().max().item()
print("largest difference from the kernel:", error)
figures.rotation(steps, trace.tokens[rows], {row}, {base!r}, LIGHT, title="Layer {head[0]}, head {head[1]}").show()
"""
    )


def layouts_snippet(name: str, text: str) -> str:
    """The model with either layout: loss and what it writes."""
    return (
        _START.format(analysis="rope_runs", figures="rope_planes", name=name, text=text)
        + """\
runs, losses = rope_runs.variants(lm, base=lm.config.positions.rope_base), {}
for how in ("own", "half", "permuted"):
    run = lm.trace_ids(trace.ids, positions=runs[how])
    losses[how] = run.loss_per_token().numpy()
    new = rope_runs.continue_greedily(lm, trace.ids, runs[how], count=16)
    print(how, losses[how].mean(), repr(lm.tokenizer.decode(new)))
figures.losses(trace.tokens, losses, LIGHT).show()
"""
    )


def heads_snippet(name: str, text: str, head: Pair, base: float, own: float) -> str:
    """Energy per plane and mean score by distance with the public API."""
    return (
        _START.format(analysis="rope_planes", figures="rope_planes", name=name, text=text)
        + f"""\
energy = rope_planes.energy(trace)  # [L, H, P]
spread = rope_planes.spread(trace, {head[0]}, {head[1]})  # [P]
q, k = rope_planes.head_vectors(trace, {head[0]}, {head[1]}, base={own!r})
spec, curves = trace.specs[{head[0]}], {{}}
for name, base in (("on", {own!r}), ("off", None), ("base {base:g}", {base!r})):
    measured = rope_planes.mean_by_distance(*rope_planes.turned(q, k, base), spec.scale, spec.mask.window)
    every = rope_planes.mean_of_all_pairs(q, k, base, len(measured), spec.scale)
    curves[name] = (measured, every)
figures.by_distance(curves, "Layer {head[0]}, head {head[1]}", LIGHT).show()
"""
    )
