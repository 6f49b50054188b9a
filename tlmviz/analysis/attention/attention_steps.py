"""The steps inside attention, from the fused projection to the output projection (000 section 2.1.2)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import torch
from torch import Tensor

from tlmviz.analysis.sources import quote
from tlmviz.kernels.reference import attention, attention_maps, rotary
from tlmviz.layers.attention import Attention
from tlmviz.layers.latent import LatentAttention
from tlmviz.tracing.trace import Trace

from .matrices import HeadParts, Panel, Product, Step
from .reader import ROWS, Reader, spread

NOTES = "Transformer with PyTorch, section"
# What a query sees -> what is said of its scores; and whose tokens it takes, as a word and under the sum.
SEEN = {
    "past": "; no cell is hidden yet, so tokens still see the future",
    "all": ", those of later tokens too: an encoder has no mask",
    "source": ": each token that is being written meets each token that was read",
}
TAKEN = {
    "past": ("itself and every earlier token", r"s \le t"),
    "all": ("every token", "s"),
    "source": ("every source token", "s"),
}


def qkv(r: Reader) -> Step:
    """Step 1: one projection makes every query, key and value."""
    linear, fused, c = r.attn.qkv, r["attn.fused"], r.config
    tap, name = r.input(1)
    inputs = r[tap]
    ends = (0, c.n_heads * c.head_dim, (c.n_heads + c.n_kv_heads) * c.head_dim)
    labels = _centred(fused.shape[1], (*ends, fused.shape[1]), ("queries", "keys", "values"))
    panel = r.panel(
        "queries | keys | values",
        fused,
        r.shape(T=r.length, **{"(H+2G)·D": fused.shape[1]}),
        x="column of W_qkv",
        col_labels=labels,
        edges=ends[1:],
    )
    return Step(
        "qkv",
        f"One matrix product turns each token's {c.d_model} numbers into all its queries, keys and values at once.",
        (quote(Attention.forward, "fused = self.fused("),),
        r"\begin{bmatrix} Q & K & V \end{bmatrix} = X\, W_{qkv}" + (" + b" if any(c.attention.biases[:3]) else ""),
        f"{NOTES} 2.1.2, step 1, Eq. 19–20.",
        r.python("attn.fused"),
        (panel,),
        Product(inputs, linear.weight.T, fused, linear.bias, name, "W_qkv", column="column of W_qkv"),
    )


def heads(r: Reader) -> Step:
    """Step 2, first half: the columns belong to heads."""
    fused, c = r["attn.fused"], r.config
    panels, start = [], 0
    for name, letter, count, chosen in _parts(r):
        part = fused[:, start : start + count * c.head_dim]
        starts = tuple(range(0, part.shape[1] + 1, c.head_dim))
        panels.append(
            r.panel(
                name,
                part,
                r.shape(**{letter: count}, T=r.length, D=c.head_dim),
                x="head",
                col_labels=_centred(part.shape[1], starts, tuple(str(i) for i in range(count))),
                edges=starts[1:-1],
                outline=(chosen * c.head_dim, (chosen + 1) * c.head_dim),
                limit=spread(fused),
            )
        )
        start += part.shape[1]
    shared = (
        "" if c.n_heads == c.n_kv_heads else f" {c.n_heads // c.n_kv_heads} query heads share one key and value head."
    )
    return Step(
        "heads",
        f"The columns are cut into heads of D = {c.head_dim}; the heads never mix again before the projection.{shared}",
        (quote(Attention.forward, "split = fused.unflatten("),),
        r"Q = \begin{bmatrix} Q^{(1)} & \cdots & Q^{(h)} \end{bmatrix},\qquad Q^{(i)} \in \mathbb{R}^{T \times d_h}",
        f"{NOTES} 2.1.2, step 2, Eq. 21–22.",
        r.python("attn.fused"),
        tuple(panels),
    )


def split(r: Reader) -> Step:
    """Step 2, second half: query, key and value of the chosen head."""
    q, k, v = _unrotated(r)
    limit = spread(q, k, v)
    first = r.head * r.config.head_dim
    return Step(
        "split",
        "Head by head: what a token looks for (query), what it offers (key), what it hands over (value).",
        (quote(Attention.forward, "q, k, v = split.split("),),
        r"Q^{(i)},\ K^{(i)},\ V^{(i)} \in \mathbb{R}^{T \times d_h}",
        f"{NOTES} 2.1.2, step 2, Eq. 22.",
        f"{r.python('attn.fused')}[..., {first}:{first + r.config.head_dim}]",
        (
            r.of_head("query", q, limit),
            r.of_head("key", k, limit, shared=True),
            r.of_head("value", v, limit, shared=True),
        ),
    )


def qk_norm(r: Reader) -> Step:
    """Norms of queries and keys, which bound their products."""
    before_q, before_k, _ = _unrotated(r)
    q, k = _normed(r)
    limit = spread(before_q, before_k, q, k)
    whole = r.config.attention.qk_norm == "full"
    over = "all heads' numbers together" if whole else "each head's numbers"
    return Step(
        "QK norm",
        f"Queries and keys are divided by the root mean square of {over} and scaled, so that no product grows without "
        "bound.",
        (quote(Attention.forward, "q, k = self.qk_norm(q, k)"),),
        r"q \leftarrow \frac{q}{\sqrt{\overline{q^2} + \epsilon}} \odot \gamma_q,\qquad "
        r"k \leftarrow \frac{k}{\sqrt{\overline{k^2} + \epsilon}} \odot \gamma_k",
        "Henry et al. 2020; over the whole projection: OLMo 2, section 3.3.",
        r.python("attn.fused"),
        (
            r.of_head("query", before_q, limit),
            r.of_head("query normalised", q, limit),
            r.of_head("key", before_k, limit, shared=True),
            r.of_head("key normalised", k, limit, shared=True),
        ),
    )


# Layout of RoPE -> the lines that turn a vector, and the two numbers of plane j.
PAIRS = {
    "interleaved": (("return torch.view_as_real(",), "2j", "2j+1"),
    "half": (("first, second = ", "return torch.cat((first"), "j", "j+D/2"),
}


def rotate(r: Reader) -> Step:
    """RoPE: queries and keys turn with their position."""
    before_q, before_k = _normed(r)
    q, k, _ = r.trace.qk(r.layer, r.head)
    limit, own, dims = spread(before_q, before_k), r.config.layer(r.layer), r.config.rotary_dim
    call = quote(Attention.forward, "self.q(positions.rotate(q, cos_sin))")
    fragments, a, b = PAIRS[r.config.positions.layout]
    some = "" if dims == r.config.head_dim else f" Only the first {dims} dimensions turn."
    sentence = (
        "Each pair of dimensions turns by an angle that grows with the position: fast at the left, slowly at the right."
    )
    return Step(
        "RoPE",
        sentence + some if own.rotary else "This layer has no RoPE: its queries and keys stay as they are.",
        (call, quote(rotary.rotate, *fragments)),
        rf"\begin{{aligned}} q'_{{t,{a}}} &= q_{{t,{a}}}\cos\theta_{{t,j}} - q_{{t,{b}}}\sin\theta_{{t,j}} \\"
        rf" q'_{{t,{b}}} &= q_{{t,{a}}}\sin\theta_{{t,j}} + q_{{t,{b}}}\cos\theta_{{t,j}} \end{{aligned}}",
        f"{NOTES} 3.3, Eq. 53–56, with θ(t, j) = t · {own.rope_base:g}^(−2j/D)"
        + (f", scaled ({r.config.positions.scaling})." if r.config.positions.scaling != "none" and own.scaled else "."),
        r.python("attn.q") + f"[:, {r.head}]",
        (
            r.of_head("query", before_q, limit),
            r.of_head("query rotated", q, limit),
            r.of_head("key", before_k, limit, shared=True),
            r.of_head("key rotated", k, limit, shared=True),
        ),
    )


def latent(r: Reader) -> Step:
    """Latent attention instead of steps 1 and 2: what a cache keeps of each token."""
    attn, c = r.attn, r.config
    name, inputs = r.input(1)
    down = attn.down(r[name])
    labels = _centred(down.shape[1], (0, attn.rank, down.shape[1]), ("latent", "key for RoPE"))
    panel = r.panel(
        "c_KV | k^R",
        down,
        r.shape(T=r.length, **{"R+D_R": down.shape[1]}),
        x="column of W_down",
        col_labels=labels,
        edges=(c.attention.latent_dim,),
    )
    return Step(
        "latent",
        f"Each token is squeezed to {down.shape[1]} numbers, all that a cache keeps; every head's keys and values "
        "are made from them.",
        (
            quote(LatentAttention.project, "c, k_r = self.down("),
            quote(LatentAttention.expand, "rearrange(part", "for part in self.up("),
        ),
        r"C_{KV} = X\, W_{\downarrow KV},\qquad K^{(i)} = C_{KV} W^{(i)}_{\uparrow K},\quad "
        r"V^{(i)} = C_{KV} W^{(i)}_{\uparrow V}",
        f"{NOTES} 3.2, Eq. 38–39; 3.4 for k^R.",
        f"{r.weights}.down({r.python(name)})",
        (panel,),
        Product(r[name], attn.down.weight.T, down, None, inputs, "W_down", column="column of W_down"),
    )


def scores(r: Reader) -> Step:
    """Step 3: every query meets every key."""
    q, k, _ = r.trace.qk(r.layer, r.head)
    dot, limit = r.trace.scores(r.layer, r.head, "dot"), spread(q, k)
    return Step(
        "scores",
        f"Every query is multiplied with every key{SEEN[r.sees]}.",
        (quote(Trace.scores, "return q @ k.T"),),
        r"Q^{(i)} K^{(i)\top}",
        f"{NOTES} 2.1.2, step 3, Eq. 24.",
        _scores(r, "dot"),
        (r.of_head("query", q, limit), r.of_head("key", k, limit, shared=True), r.square("q·k", dot)),
        Product(q, k.T, dot, None, "query", "key, transposed", "dimension", r.key, labels=tuple(r.trace.key_tokens)),
    )


def scale(r: Reader) -> Step:
    """Step 4: divide by sqrt(D), and add what distance adds where the model has that."""
    sources = [quote(attention_maps.attention_scores, "scores = (tile_q * scale)")]
    d, own = r.config.head_dim + r.config.attention.rope_dim, r.config.attention.scale
    sentence = f"Divided by √D = √{d} = {d**0.5:.3g}, the scores keep the softmax from saturating."
    if own is not None:
        sentence = f"Multiplied by the model's own scale, {own:.3g}, the scores keep the softmax from saturating."
    added = paper = ""
    if r.config.positions.kind == "alibi":
        sources.append(quote(attention._by_distance, "bias = -mask.slopes"))
        sentence += " ALiBi then takes off slope × distance."
        added, paper = r" - m_i\,|t - s|", " ALiBi: Press et al. 2022."
    elif r.config.positions.kind == "relative":
        sources.append(quote(attention.by_relative, "products = q @", "return products.gather("))
        sentence += " Each query's product with the vector of the distance, scaled alike, is then added."
        last = r.config.positions.distances - 1
        added = rf" + \frac{{q_t^\top a_{{\min(|t - s|,\,{last})}}}}{{\sqrt{{d_h}}}}"
        paper = " Relative positions: Shaw et al. 2018, Eq. 4."
    cap = r.config.attention.softcap
    formula = r"\frac{Q^{(i)} K^{(i)\top}}{\sqrt{d_h}}"
    if cap is not None:
        sources.append(quote(attention.capped, "return "))
        sentence += f" Each scaled score s is then bounded: {cap:g} · tanh(s / {cap:g})."
        formula = rf"{cap:g}\,\tanh\left({formula} / {cap:g}\right)"
        paper += " The bound: Gemma 2, section 2."
    return Step(
        "scale",
        sentence,
        tuple(sources),
        formula + added,
        f"{NOTES} 2.1.2, step 4, Eq. 25.{paper}",
        _scores(r, "scaled"),
        (_stage(r, "q·k", "dot"), _stage(r, "scaled score", "scaled")),
    )


def mask(r: Reader) -> Step:
    """Step 5: hide the future, and what lies outside the window."""
    window = r.config.layer(r.layer).window
    beyond = f" and everything {window} or more tokens back" if window else ""
    beyond_lines = ("if mask.window is not None", "(distance.abs() >= mask.window)") if window else ()
    lines = ("if mask.causal:", "(distance < 0)", *beyond_lines, "masked_fill_(hidden")
    return Step(
        "mask",
        f"The future{beyond} is set to −∞ (grey), so that no token can look ahead.",
        (quote(attention._by_distance, *lines),),
        r"s_{ij} = -\infty \quad \text{for } j > i" + (rf"\ \text{{or}}\ i - j \ge {window}" if window else ""),
        f"{NOTES} 2.1.2, step 5, Eq. 17 and 26.",
        _scores(r, "masked"),
        (_stage(r, "scaled score", "scaled"), _stage(r, "masked score", "masked")),
    )


def softmax(r: Reader) -> Step:
    """Step 6: each row becomes a probability distribution."""
    if r.length > ROWS:
        size = len(np.arange(0, r.length, -(-r.length // ROWS)))
        bin_ = round(r.length / size)
        weights, note = (r.trace.pooled(r.layer, r.head, size), f"each cell the largest of about {bin_} × {bin_}")
    else:
        weights, note = r.trace.attention(r.layer, r.head), ""
    which, over = TAKEN[r.sees]
    return Step(
        "softmax",
        f"Each row becomes weights that sum to 1: how much of {which} this one takes.",
        (quote(attention_maps.attention_map, "return _normalise("), quote(attention._normalise, "return scores - lse")),
        r"a_{ts} = e^{\,s_{ts} - \mathrm{lse}_t},\qquad \mathrm{lse}_t = \log \textstyle\sum"
        rf"_{{{over}}} e^{{\,s_{{ts}}}}",
        f"{NOTES} 2.1.2, step 6, Eq. 27.",
        f"{r.variable}.attention({r.layer}, {r.head})",
        (
            _stage(r, *(("masked score", "masked") if r.sees == "past" else ("scaled score", "scaled"))),
            r.square("attention weight (probability)", weights, kind="probability", note=note),
        ),
    )


def mix(r: Reader) -> Step:
    """Step 7: the weighted sum of the values."""
    weights, z, v = r.trace.attention(r.layer, r.head), r["attn.z"][r.head], r["attn.v"][r.group]
    limit = spread(v, z)
    return Step(
        "mix",
        "Each token's row of weights mixes the values. One fused kernel does scores to sum; the second line is its "
        "formula.",
        (
            quote(_method(r, "forward" if r.sees == "source" else "attend"), "z, lse = kernels.attention("),
            quote(attention._formula, "out = logp.exp()"),
        ),
        r"O^{(i)} = \mathrm{softmax}\!\left(\tfrac{Q^{(i)} K^{(i)\top}}{\sqrt{d_h}}%s\right) V^{(i)}"
        % (" + M" if r.sees == "past" else ""),
        f"{NOTES} 2.1.2, step 7, Eq. 28; as Eq. 10, whose sum over i is one over j.",
        r.python("attn.z") + f"[:, {r.head}]",
        (r.of_head("value", v, limit, shared=True), r.of_head("mixed values", z, limit)),
        Product(weights, v, z, None, "attention weight", "value", r.key, "dimension", terms=tuple(r.trace.key_tokens)),
    )


def concat(r: Reader) -> Step:
    """Step 8: the heads side by side again."""
    y, c, size = r["attn.concat"], r.config, r.config.value_dim
    starts = tuple(range(0, y.shape[1] + 1, size))
    panel = r.panel(
        "heads side by side",
        y,
        r.shape(T=r.length, C=y.shape[1]),
        x="head",
        edges=starts[1:-1],
        col_labels=_centred(y.shape[1], starts, tuple(str(i) for i in range(c.n_heads))),
        outline=(r.head * size, (r.head + 1) * size),
    )
    again = " again" if y.shape[1] == c.d_model else ""
    return Step(
        "concat",
        f"The {c.n_heads} heads' outputs are laid side by side: {c.n_heads} × {size} = {y.shape[1]} per token{again}.",
        (quote(_method(r, "forward"), "y = self.concat("),),
        r"Y = \begin{bmatrix} O^{(1)} & \cdots & O^{(h)} \end{bmatrix}",
        f"{NOTES} 2.1.2, step 8, Eq. 28–29.",
        r.python("attn.concat"),
        (panel,),
    )


def head_parts(r: Reader) -> HeadParts:
    """What each head of attention writes, before they are added."""
    linear, z = r.attn.proj, r["attn.z"]
    return HeadParts(z, linear.weight.T.unflatten(0, (len(z), -1)), r["attn.out"], linear.bias)


def per_head(r: Reader) -> Step:
    """What the chosen head alone writes: its mixed values through its own rows of the output matrix."""
    parts, size = head_parts(r), r.config.value_dim
    first = r.head * size
    return Step(
        "per head",
        f"Each head alone: its {size} numbers pass through its own {size} rows of the output matrix. The next step's "
        "output is the sum of what all heads write.",
        (quote(HeadParts.of_head, "return "), quote(HeadParts.error, "total = sum(")),
        r"Y^{(i)} = O^{(i)}\, W_O^{(i)},\qquad Y = \sum_{i=1}^{h} Y^{(i)}" + (" + b" if parts.bias is not None else ""),
        f"{NOTES} 3.4, Eq. 59, there with latents; the sum over heads is the same.",
        f"{r.python('attn.z')}[0, {r.head}] @ {r.weights}.proj.weight.T[{first}:{first + size}]",
        (
            r.of_head("mixed values", parts.mixed[r.head], spread(parts.mixed)),
            r.stream(f"what head {r.head} writes", parts.of_head(r.head)),
        ),
        heads=parts,
    )


def head_rows(parts: HeadParts, token: int) -> Panel:
    """Every head's part at one token, a row each; then the bias where there is one, and the output that they add up
    to."""
    written = [*parts.of_token(token), *(() if parts.bias is None else (parts.bias,)), parts.out[token]]
    names = [*map(str, range(len(parts.mixed))), *(() if parts.bias is None else ("bias",)), "sum"]
    values = torch.stack(written).float().numpy()
    return Panel(
        "what every head writes here, and their sum",
        f"[H={len(parts.mixed)}, C={values.shape[1]}]",
        values,
        np.arange(len(values)),
        np.arange(values.shape[1]),
        y="head",
        row_labels=tuple(names),
    )


def project(r: Reader) -> Step:
    """Step 9: the output projection mixes the heads."""
    linear, y, out = r.attn.proj, side_by_side(r), r["attn.out"]
    return Step(
        "project",
        "The output projection mixes the heads: every number now draws on all of them.",
        (quote(_method(r, "forward"), "return self.out("),),
        r"Y\, W_O" + (" + b" if r.config.attention.o_bias else ""),
        f"{NOTES} 2.1.2, step 9, Eq. 29.",
        r.python("attn.out"),
        (r.stream("heads side by side", y), r.stream("attention's output", out)),
        Product(y, linear.weight.T, out, linear.bias, "heads side by side", "W_O"),
    )


def _parts(r: Reader) -> tuple[tuple[str, str, int, int], ...]:
    """Query, key and value: name, letter of the head axis, heads, the chosen one."""
    g, letter = r.config.n_kv_heads, r.letter(shared=True)
    return (("query", "H", r.config.n_heads, r.head), ("key", letter, g, r.group), ("value", letter, g, r.group))


def _unrotated(r: Reader) -> list[Tensor]:
    """The chosen head's query, key and value as slices of the fused projection, [T, D] each."""
    c, fused = r.config, r["attn.fused"]
    first = (r.head, c.n_heads + r.group, c.n_heads + c.n_kv_heads + r.group)
    return [fused[:, start * c.head_dim : (start + 1) * c.head_dim] for start in first]


def _normed(r: Reader) -> tuple[Tensor, Tensor]:
    """The chosen head's query and key behind their norms, where the model has any, [T, D] each."""
    c = r.config
    split = r["attn.fused"].unflatten(-1, (-1, c.head_dim)).transpose(0, 1)[None]  # [1, H + 2G, T, D]
    q, k = r.attn.qk_norm(*split.split((c.n_heads, c.n_kv_heads, c.n_kv_heads), 1)[:2])
    return q[0, r.head], k[0, r.group]


def _centred(count: int, edges: tuple[int, ...], names: tuple[str, ...]) -> tuple[str, ...]:
    """Labels for `count` columns: each part's name at its middle, nothing elsewhere."""
    labels = [""] * count
    for start, stop, name in zip(edges, edges[1:], names):
        if start < stop:  # MLA without positions has no rotated part
            labels[(start + stop) // 2] = name
    return tuple(labels)


def side_by_side(r: Reader) -> Tensor:
    """The heads' mixed values beside one another, [T, H D]."""
    return r["attn.z"].transpose(0, 1).flatten(1)


def _stage(r: Reader, name: str, stage: str) -> Panel:
    return r.square(name, r.trace.scores(r.layer, r.head, stage))


def _method(r: Reader, name: str) -> Callable[..., Any]:
    """A method of this model's own kind of attention."""
    return getattr(type(r.attn), name)


def _scores(r: Reader, stage: str) -> str:
    return f'{r.variable}.scores({r.layer}, {r.head}, "{stage}")'


BUILDERS: dict[str, Callable[[Reader], Step]] = {
    "qkv": qkv,
    "heads": heads,
    "split": split,
    "QK norm": qk_norm,
    "RoPE": rotate,
    "latent": latent,
    "scores": scores,
    "scale": scale,
    "mask": mask,
    "softmax": softmax,
    "mix": mix,
    "concat": concat,
    "per head": per_head,
    "project": project,
}
