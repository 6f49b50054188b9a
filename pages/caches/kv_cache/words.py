"""The words of the page KV cache: claim, what to notice, equations, captions, numbers as text, and snippets."""

from __future__ import annotations

import numpy as np

from tlmviz.analysis.caches.cost import Shape
from tlmviz.analysis.caches.decode_steps import Decoding
from tlmviz.figures.written import large
from tlmviz.tokens import END
from tlmviz.ui.guess import three_digits
from tlmviz.ui.inputs import plain

from .controls import CALCULATOR, COST, SIDE_BY_SIDE, STEPS, Choice, Deployment

CLAIM = "A new token needs all old keys and values, and no old query."
EQUATIONS = {
    STEPS: (
        r"\begin{bmatrix} QK^\top & - \\ q_{T+1}K^\top & q_{T+1}k_{T+1}^\top \end{bmatrix},\qquad "
        r"y_{T+1} = \sum_{i \le T+1} \frac{\exp(q_{T+1} k_i^\top)}{\sum_{j \le T+1} \exp(q_{T+1} k_j^\top)}\, v_i",
        "Transformer with PyTorch, section 3.1, Eq. 34–37 (scaling by 1/√d left out, as there). The mask hides the new "
        "column, so no old query ever meets a new key: Q need not be kept.",
        "For latent attention Eq. 42 keeps the "
        "query's side as well; by the same argument it is never read again, and only c_KV and k^R are kept (Eq. 69).",
    ),
    COST: (
        r"\text{with: } 2N + 4LHD\,T,\qquad \text{without: } 2N\,T + 4LHD\,T^2 \quad\text{operations for token } T",
        "N: parameters in products of matrices. Attention, “KV Caching”, section 5: a step with the cache is O(1) in its "
        "products with weights, plus the cost of attention, which is O(T). "
        "Masked cells are counted, as for any product of matrices.",
    ),
    SIDE_BY_SIDE: (
        r"\text{MHA, GQA, MQA: } 2\,G\,D,\qquad \text{MLA: } d_c + d^R_h,\qquad \text{window: at most } W \text{ positions}",
        "Numbers kept per token and layer. LLM notes, section 3.2; Transformer with PyTorch, sections 3.2 and 3.4; "
        "Decoder-Only Transformers in Einstein Notation, sections 4.4 and 6.",
        "Section 4.4 "
        "gives the window as (t − W, t], which is W positions, and its mask as s < t − W, which leaves W + 1; here it is W.",
    ),
    CALCULATOR: (
        r"\text{bytes} = B \cdot L \cdot T \cdot 2\,G\,D \cdot \tfrac{\text{bits}}{8},\qquad "
        r"\text{MLA: } d_c + d^R_h \text{ in place of } 2\,G\,D,\qquad \text{window: } \min(T, W) \text{ in place of } T",
        "LLM notes, section 3.2. All numbers here are by formula, the same that is held to nbytes of this project's caches.",
        "The notes say that GPT-3.5 and LLaMA use MQA: PaLM does; LLaMA 2 70B uses GQA, LLaMA 2 7B plain MHA, "
        "and GPT-3.5's shape was never published.",
    ),
}
NOTICE = {
    STEPS: (
        "Each token adds **one row** to the map and **one column** to the stored keys and values. Rows above never change, so "
        "old queries are never needed again.",
        "Memory is allocated ahead and doubles when it is full, so used and allocated bytes differ.",
    ),
    COST: (
        "Without the cache every token costs a pass over the whole text: the gap grows with the length.",
        "Milliseconds are measured here and now; of small models Python's overhead per layer hides much of what is saved.",
    ),
    SIDE_BY_SIDE: (
        "Fewer key/value heads, a small latent or a window: three ways to keep less. Choose a model at the left, and *Steps* "
        "shows its cache.",
        "The memory of a window has its full size from the start, and then never grows.",
    ),
    CALCULATOR: (
        "MHA pays for every head, GQA and MQA for groups of heads, MLA for one latent. A window stops the growth.",
        "Number formats below 16 bits also need scales, which are not counted.",
    ),
}
STEPS_ALT = "The attention map filled row by row, the kept keys and values, and each layer's memory, walked by a slider"
KVSHAPES_ALT = "Bytes of one request's cache for every published shape"
KVMEMORY_ALT = "Weights and caches against the length, beside the memory there is"
MEASURING = "Measuring each token with the cache and without …"
KVTIME_ALT = "Measured milliseconds per token with the cache and without"
KVFLOPS_ALT = "Operations per token by formula, with the cache and without"
FLOP_HELP = "Of the last token"
MS_PER_TOKEN = "ms per token, measured"
DOTS_CAPTION = (
    "Dots and bars: the bytes of real caches, filled with your text. Diamonds and lines: the formula."
)
NO_MODEL = "No model is chosen; choose at least one."
KVBYTES_ALT = "Bytes per token of each model's cache, measured and by formula"
KVGROWTH_ALT = "Bytes of each cache against its length"
KEPT_PER_TOKEN = "Kept per token and layer"


# --- captions and numbers ------------------------------------------------------------------------------


def generated(choice: Choice, decoding: Decoding) -> str:
    """The generated text, and why it ended early or where it lies beyond the trained length."""
    lm = choice.lm
    text = "".join(decoding.tokens[decoding.prompt :]).replace(END, f" {END}")
    lines = [f"Generated: {plain(text)}"]
    if decoding.ids[-1] in lm.tokenizer.ends and decoding.steps < choice.tokens:
        lines.append(f"The model ended its text after {decoding.steps} of {choice.tokens} tokens.")
    if len(decoding.ids) > lm.config.context:
        lines.append(f"Positions from {lm.config.context:,} on lie beyond the length it was trained on.")
    return lines[0] + "  \n" * (len(lines) > 1) + " ".join(lines[1:])


def measured(length: int, steps: int, rounds: int) -> str:
    """Where the numbers of the view Cost come from."""
    source = (
        "one round"
        if rounds == 1
        else f"each dot the fastest of {rounds} rounds, in which the ways took turns"
    )
    return (
        f"{length:,} positions, {steps} of them generated. Milliseconds: {source}, measured when this was first shown; "
        "other work on the server shows in them. Operations: products of matrices, by formula."
    )


def time_range(milliseconds: np.ndarray) -> str:
    """The median over the tokens, [rounds, N], in the fastest and in the slowest round."""
    rounds = np.median(milliseconds, axis=1)
    return f"{rounds.min():.2f} – {rounds.max():.2f}"


def time_help(rounds: int) -> str:
    """How the range of times came about."""
    if rounds == 1:
        return "Median over the tokens; there was time for one round."
    return (
        f"Median over the tokens, in the fastest and in the slowest of {rounds} rounds; the ways took turns. Where two ranges "
        "overlap, the order says nothing."
    )


def remarks(deployment: Deployment, fits: int, weights: float | None) -> str:
    """What does not fit, what is cached per token, and where the calculator's numbers come from."""
    shape, sentences = deployment.shape, []
    if weights is not None and weights > deployment.memory:
        sentences.append(f"The weights alone need {size(weights)}.")
    elif fits < deployment.batch:
        sentences.append(f"{deployment.batch:,} at once do not fit beside the weights.")
    if deployment.length > shape.context:
        sentences.append(f"{shape.name} was made to read {shape.context:,} tokens.")
    cached = numbers_per_token(shape)
    sentences.append(
        f"{shape.name}: {shape.kind}, {cached} numbers per token and layer, {shape.n_layers} layers. "
    )
    sentences.append("All by formula. FLOP: 2 × parameters that a token meets, and its attention.")
    return " ".join(sentences)


def numbers_per_token(shape: Shape) -> str:
    """How many numbers are cached per token and layer, as a sum."""
    if shape.latent is not None:
        return f"{shape.latent} + {shape.rope} = {shape.numbers_per_token_per_layer:,}"
    return f"2 · {shape.groups} · {shape.head_dim} = {shape.numbers_per_token_per_layer:,}"


def size(count: float | None, unit: str = "B") -> str:
    """A count with its unit in three digits; a dash where it is not known."""
    if count is None:
        return "—"
    for prefix, factor in (("P", 1e15), ("T", 1e12), ("G", 1e9), ("M", 1e6), ("k", 1e3)):
        if count >= factor:
            return f"{count / factor:.3g} {prefix}{unit}"
    return f"{count:.0f} {unit}"


# --- snippets ----------------------------------------------------------------------------------------

_DECODE = """\
import tlmviz
from tlmviz.analysis.caches import cost, decode_steps
{imports}
lm = tlmviz.load({choice.model!r})
done = decode_steps.decode(
    lm, lm.encode({choice.text!r}),
    tokens={choice.tokens}, layer={choice.layer}, head={choice.head}, temperature={choice.temperature}, seed={choice.seed},
)
"""


def steps_snippet(choice: Choice) -> str:
    """The picture of the steps with the public API."""
    imports = "from tlmviz.figures import LIGHT\nfrom tlmviz.figures.caches import kv_cache\n"
    return (
        _DECODE.format(choice=choice, imports=imports)
        + """\
print(done.occupied_bytes, done.reserved_bytes)  # bytes after the prompt and after each token
flops = [
    tuple(cost.step_flops(lm.config, done.prompt + step, cached).total for cached in (True, False))
    for step in range(done.steps + 1)
]
figure = kv_cache.steps(done, flops, LIGHT, title=lm.name)
figure.show()
"""
    )


def cost_snippet(choice: Choice) -> str:
    """Times and operations of a generation."""
    return (
        _DECODE.format(choice=choice, imports="")
        + """\
timing = decode_steps.measure(lm, done.ids, done.prompt)
for way, (positions, milliseconds) in timing.fastest().items():
    print(way, positions, milliseconds)
length = len(done.ids)
print(cost.step_flops(lm.config, length), cost.step_flops(lm.config, length, cached=False))
"""
    )


def models_snippet(models: list[str], text: str, length: int) -> str:
    """Real caches beside the formula."""
    return f"""\
import torch

import tlmviz
from tlmviz.analysis.caches import cost

sizes = {{}}
for name in {models!r}:
    lm = tlmviz.load(name)
    cache = lm.new_cache()
    ids = torch.tensor(lm.tokenizer.encode({text!r}) * {length})[:{length}]
    lm(ids[None], cache)
    sizes[name] = cache.nbytes, cost.cache_bytes(cost.Shape.of(lm.config), {length})
print(sizes)
"""


def calculator_snippet(deployment: Deployment, own: bool) -> str:
    """The calculator's numbers; `own` says that the shape is a bundled model's."""
    name = deployment.shape.name
    start = f"""\
from tlmviz.analysis.caches import cost, shapes

shape = shapes.find({name!r})
"""
    if own:
        start = f"""\
import tlmviz
from tlmviz.analysis.caches import cost

lm = tlmviz.load({name!r})
shape = cost.Shape.of(lm.config, lm.n_parameters)
"""
    length, bits, page = deployment.length, deployment.bits, deployment.page
    return (
        start
        + f"""\
whole = cost.cache_bytes(shape, {length}, batch={deployment.batch}, bits={bits}, page={page})
fits = cost.max_batch(
    shape, {length}, {deployment.memory:g}, bits={bits}, weight_bits={deployment.weight_bits}, page={page}
)
print(shape.source, whole, fits)
"""
    )


def guess(choice: Choice, decoding: Decoding) -> str:
    """The question before the picture."""
    new = f"{decoding.steps} token{'s' * (decoding.steps > 1)}"
    return (
        f"{plain(choice.model)} has read {decoding.prompt} tokens and writes {new}. Without a cache it reads "
        "the whole text again for each. How many times as many operations is that?"
    )


def guessed(times: float, cached: int, read_again: int) -> str:
    """How many operations the generated tokens take, both ways."""
    return (
        f"It is **{three_digits(times)} times** as many: {large(read_again)} operations without the cache, {large(cached)} "
        "with it."
    )


def request_title(length: int) -> str:
    """What stands above the bytes of one request."""
    return f"One request of {length:,} tokens (pale: beyond the context)"


def range_help(timed: int) -> str:
    """The tooltip."""
    return (
        f"The fastest and the slowest of {timed} steps; the models took turns, when this was first shown. "
        "Other work on the server shows in the slowest."
    )


def title(choice: Choice, length: int, longest: int) -> str:
    """What stands above the steps: the head, and how many of a long text's positions are drawn."""
    head = f"{choice.model} ({Shape.of(choice.lm.config).kind}), layer {choice.layer}, head {choice.head}"
    return head if length <= longest else f"{head}; the last {longest} of {length:,} positions"
