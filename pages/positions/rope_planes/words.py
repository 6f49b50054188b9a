"""The words of the page RoPE planes: claim, what to notice, equations with their sources, captions, snippets."""

from __future__ import annotations

from tlmviz.figures import readable
from tlmviz.figures.written import number
from tlmviz.ui.guess import three_digits
from tlmviz.ui.inputs import plain

from .controls import CLOCKS, HEADS, LAYOUTS, STEPS, Choice

CLAIM = "Each pair of dimensions turns with its position; a score depends only on the angles between query and key."
NOTICE = {
    CLOCKS: (
        "*Move both*, then ▶: every hand turns and the angles between them do not, so bars and score stay as they are. Only "
        "the distance counts.",
        "*Move the query*: fast planes change within a few tokens. Slow ones hardly change, so they compare content wherever it "
        "is; with larger steps (the menu beside it) they turn too.",
        "*A previous-token head*: at distance 1 the hands of its fast planes point the same way, so the token before gets the "
        "highest score.",
    ),
    STEPS: (
        "The angle table starts fast at the left (1 rad per token) and slow at the right; orange dots mark a plane's first "
        "full turn.",
        "▶ walks over the planes: two framed columns of *before* are turned together and go back to their places. Each pair "
        "keeps its length.",
        "Trained queries are not spread evenly: look for the columns that are strong in every row.",
    ),
    LAYOUTS: (
        "Loading a model with the wrong layout raises no error, and the text often stays grammatical. The loss shows it; longer "
        "texts show it more.",
        "Arcs of one colour turn together. The wrong layout turns dimensions against each other that were trained as pairs with "
        "another speed.",
        "Nothing is lost for good: put in the right order, the same weights give the model's own predictions again.",
    ),
    HEADS: (
        "Grey bars: how far a plane could move a score. Blue bars: how far it tells a query's keys apart. A tall grey bar "
        "without blue adds the same to every key, and changes nothing.",
        "Heads that look at near tokens use the fast planes at the left; heads that look for content use slow ones.",
        "Dotted lines put every pair of the text at every distance: what position alone prefers. Without RoPE it is flat, and "
        "what is left of the solid line is content.",
    ),
}
NOTICE_MATHS = {
    CLOCKS: (
        "Why only m − n counts: a turn by mω undone is a turn by −mω, and turns add, so (R_m q) · (R_n k) = qᵀ R_mᵀ R_n k = "
        "qᵀ R_{n−m} k. In one plane the entries of R_mᵀ R_n are cos mω cos nω + sin mω sin nω = cos (n − m)ω and, off the "
        "diagonal, ± sin (n − m)ω.",
    ),
    STEPS: ("The framed columns become *even* and *odd*, and are mixed by cos and sin.",),
    LAYOUTS: ("With the rows of W_Q and W_K reordered, the half-split code gives the model's own logits.",),
    HEADS: (
        "Grey is the mean of |q||k|, blue a standard deviation. What is the same for every key is taken out by the softmax.",
    ),
}
RUNS = {
    "own": "Interleaved, as trained",
    "half": "Half-split: wrong",
    "permuted": "Half-split, W_Q and W_K reordered",
}
ROTATIONS = {"own": "RoPE on", "off": "off", "base": "base {base:,.6g}"}
_SLIPS = (
    "The notes shorten θ^(t/d) to θ^t after Eq. 47: the angle of plane j at position t is t·θ^(−2j/d), so read θ^j in Eq. 54 "
    "and 56, and θ² in Eq. 58, as θ^(2j/d). Their code's default base is 100,000, the chapter uses 10,000."
)
EQUATIONS = {
    CLOCKS: (
        r"s_{mn} = \frac{(R_m q) \cdot (R_n k)}{\sqrt{d}} = \frac{1}{\sqrt{d}} \sum_{j=0}^{d/2-1} |q_j|\,|k_j| "
        r"\cos\!\big(\varphi_j + (m - n)\,\theta^{-2j/d}\big),\qquad \lambda_j = 2\pi\,\theta^{2j/d}",
        "Transformer with PyTorch, section 3.3, Eq. 47–58; Decoder-Only Transformers in Einstein Notation, section 3.1; "
        "Attention, “Rotary Positional Embeddings”. φ is the angle between q and k in plane j before any rotation.",
        _SLIPS,
    ),
    STEPS: (
        r"\begin{bmatrix} x'_{t,2j} \\ x'_{t,2j+1} \end{bmatrix} = \begin{bmatrix} \cos t\omega_j & -\sin t\omega_j \\ "
        r"\sin t\omega_j & \cos t\omega_j \end{bmatrix} \begin{bmatrix} x_{t,2j} \\ x_{t,2j+1} \end{bmatrix},\qquad "
        r"\omega_j = \theta^{-2j/d}",
        "Transformer with PyTorch, section 3.3: Eq. 49 angles, 50 cos, 51 sin, 52 even and odd, 53–56 rotation, 57–58 one "
        "plane as a matrix, then interleaved back.",
        _SLIPS,
    ),
    LAYOUTS: (
        r"\text{interleaved: plane } j = (2j,\ 2j+1),\qquad \text{half-split: plane } j = (j,\ j + \tfrac{d}{2}),\qquad "
        r"\mathrm{RoPE}_{\text{half}}(P x) = P\,\mathrm{RoPE}_{\text{interleaved}}(x)",
        "Transformer with PyTorch, Eq. 52–58, interleaves, as RoFormer and Meta's LLaMA do; GPT-NeoX and Hugging Face's LLaMA "
        "split in halves, so a converter must reorder the rows of W_Q and W_K by P (first the even dimensions, then the odd).",
    ),
    HEADS: (
        r"E_j = \frac{1}{\sqrt{d}}\,\overline{|q_j|\,|k_j|},\qquad \bar s(\delta) = \frac{1}{T - \delta} \sum_{t=\delta}^{T-1} "
        r"\frac{(R_t q_t) \cdot (R_{t-\delta} k_{t-\delta})}{\sqrt{d}}",
        "Means over the pairs of this text that the head can see. Transformer with PyTorch, section 3.3; the score as a "
        "function of t − s: Decoder-Only Transformers in Einstein Notation, section 3.1.",
    ),
}
CLOCKS_ALT = "One clock per RoPE plane with a query's and a key's hand, walked by a slider"
NUMBERS_HEADING = "Numbers at the true positions"
ENERGY_ALT = "Share of each plane, for every head"
DISTANCE_ALT = "Mean score by distance with RoPE on, off and with another base"
LAYOUTS_ALT = "Which dimensions turn together in either layout"
TEXT_ENDS = "(the end of the text)"
LAYOUTLOSS_ALT = "Loss of each token with the right and the wrong layout"
MEAN_LOSS_HELP = "Mean loss of this text"
SAME_HELP = "Share of the positions whose most probable next token is that of the model as trained"
STEPS_ALT = "Angle table, cos, sin, pairs and rotated pairs as heatmaps, plane by plane"
ADDS = "adds to the score"  # a column


# --- captions ----------------------------------------------------------------------------------------


def about(choice: Choice) -> str:
    """The sentence beside the controls: which rows are drawn, or what is exchanged; empty where there is none."""
    if choice.part == HEADS:
        if choice.everywhere:
            return "A real pass with the other rotation in every layer: queries and keys change too."
        return "The head keeps the queries and keys it has; only their rotation is exchanged."
    if choice.part != STEPS:
        return ""
    rows, length = choice.rows, len(choice.trace)
    sentences = []
    if rows.stop - rows.start < length:
        sentences.append(f"Positions {rows.start:,} to {rows.stop - 1:,} of {length:,}.")
    if choice.layout == "half":
        sentences.append("Not the layout this model was trained with.")
    return " ".join(sentences)


def sum_of_planes(choice: Choice, score: float, model: float) -> str:
    """The planes' sum at the true positions, beside the model's own score."""
    own, base, found, scored = choice.own_base, choice.base, number(score, "+.4f"), number(model, "+.4f")
    if base == own:
        return f"At the true positions the planes add up to **{found}**, the model's own score {scored}. "
    return (
        f"At the true positions the planes add up to **{found}** with base {base:,.6g}; the model, trained with "
        f"{own:,.6g}, scores {scored}. "
    )


def unfinished_turns(choice: Choice, count: int, planes: int) -> str:
    """How many planes are too slow for a full turn."""
    return (
        f"{count} of {planes} planes never complete a turn within the {choice.lm.config.context:,} tokens that {choice.model} "
        "reads."
    )


def layout_cost(difference: float) -> str:
    """What the wrong layout costs on this text."""
    return f"On this text the wrong layout costs **{number(difference, '+.4f')}** nats per token."


def exchanged_losses(losses: dict[str, float]) -> str:
    """The loss of a pass under each rotation."""
    listed = ", ".join(f"{label} **{loss:.4f}**" for label, loss in losses.items())
    return f"Loss of a real pass with the rotation exchanged in every layer (nats per token): {listed}."


# --- snippets ----------------------------------------------------------------------------------------

_START = """\
import tlmviz
from tlmviz.analysis.positions import {analysis}
from tlmviz.figures import LIGHT
from tlmviz.figures.positions import {figures} as figures

lm = tlmviz.load({name!r})
trace = lm.trace({text!r})
"""


def _start(choice: Choice, analysis: str, figures: str) -> str:
    return _START.format(analysis=analysis, figures=figures, name=choice.model, text=choice.text)


def _clocks_snippet(choice: Choice) -> str:
    """The clocks, their sum and the model's own score with the public API."""
    (layer, head), (query, key), own = choice.head, choice.pair, choice.own_base
    return (
        _start(choice, "rope_planes", "rope_clocks")
        + f"""\
q, k = rope_planes.head_vectors(trace, layer={layer}, head={head}, base={own!r})  # before RoPE, [T, D]
clocks = rope_planes.clocks(
    q[{query}], k[{key}], ({query}, {key}), base={choice.base!r}, moves={choice.moves!r}, stride={choice.stride}
)
score = clocks.scores[clocks.home]
print("planes:", clocks.parts[clocks.home], "sum:", score)
model = trace.scores({layer}, {head})[{query}, {key}].item()
print("the model's own score, with base {own:g}:", model)
figures.clocks(clocks, LIGHT, title="Layer {layer}, head {head}", moves={choice.moves!r}).show()
"""
    )


def _steps_snippet(choice: Choice) -> str:
    """Every matrix of the rotation with the public API, and the kernel beside it."""
    (layer, head), query = choice.head, choice.pair[0]
    base, layout = choice.base, choice.layout
    return (
        "import torch\n\n"
        + _start(choice, "rope_planes", "rope_steps")
        + f"""\
q, _ = rope_planes.head_vectors(trace, layer={layer}, head={head}, base={choice.own_base!r})
rows = figures.shown_rows(len(trace), {query})
steps = rope_planes.rotation(q[rows], base={base!r}, layout={layout!r}, start=rows.start)
kernel = tlmviz.kernels.rope(q[rows], torch.arange(rows.start, rows.stop), base={base!r}, layout={layout!r})
error = (torch.from_numpy(steps.out) - kernel).abs().max().item()
print("largest difference from the kernel:", error)
figures.rotation(steps, trace.tokens[rows], {query}, {base!r}, LIGHT, title="Layer {layer}, head {head}").show()
"""
    )


def _layouts_snippet(choice: Choice) -> str:
    """The model with either layout: loss and what it writes."""
    return (
        _start(choice, "rope_runs", "rope_planes")
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


def _heads_snippet(choice: Choice) -> str:
    """Energy per plane and mean score by distance with the public API."""
    (layer, head), own, base = choice.head, choice.own_base, choice.base
    return (
        _start(choice, "rope_planes", "rope_planes")
        + f"""\
energy = rope_planes.energy(trace)  # [L, H, P]
spread = rope_planes.spread(trace, {layer}, {head})  # [P]
q, k = rope_planes.head_vectors(trace, {layer}, {head}, base={own!r})
spec, curves = trace.specs[{layer}], {{}}
for name, base in (("on", {own!r}), ("off", None), ("base {base:g}", {base!r})):
    measured = rope_planes.mean_by_distance(*rope_planes.turned(q, k, base), spec.scale, spec.mask.window)
    every = rope_planes.mean_of_all_pairs(q, k, base, len(measured), spec.scale)
    curves[name] = (measured, every)
figures.by_distance(curves, "Layer {layer}, head {head}", LIGHT).show()
"""
    )


SNIPPETS = {
    CLOCKS: _clocks_snippet,
    STEPS: _steps_snippet,
    LAYOUTS: _layouts_snippet,
    HEADS: _heads_snippet,
}


def plane(number_of: int, wavelength: float) -> str:
    """A plane by its number and its speed."""
    return f"Plane {number_of}: a turn in {three_digits(wavelength)} tokens"


def guess(choice: Choice) -> str:
    """The question before the clocks."""
    query, key = (_quoted(choice, position) for position in choice.pair)
    return (
        f"In layer {choice.head[0]}, head {choice.head[1]}, query {query} meets key {key}. "
        "Which plane, a pair of dimensions, moves their score most, up or down?"
    )


def guessed(choice: Choice, best: int, part: float, score: float) -> str:
    """What the plane that moves the score most adds to it."""
    return f"**Plane {best}** adds {number(part, '+.2f')} to a score of {number(score, '.2f')}, more than any other."


def _quoted(choice: Choice, position: int) -> str:
    return f"“{plain(readable(choice.trace.tokens[position]))}” ({position})"


def clocks_title(layer: int, head: int, query: int, key: int) -> str:
    """What stands above the clocks."""
    return f"Layer {layer}, head {head}: query {query}, key {key}"


def distance_title(name: str) -> str:
    """What stands above the mean scores."""
    return f"{name}: mean score by distance"


def uses_alt(name: str) -> str:
    """What the picture shows, for screen readers."""
    return f"{name}: how far each plane can move a score, and tells keys apart"


def layouts_heading(query: int) -> str:
    """What stands above the two predictions."""
    return f"Next token after position {query} with the right and the wrong layout"


def continued_column(count: int) -> str:
    """The column of what is written next."""
    return f"writes next ({count} tokens, most probable)"


def rope_step_title(layer: int, head: int) -> str:
    """What stands above the picture."""
    return f"RoPE step by step: the queries of layer {layer}, head {head}"
