"""One block, step by step: the tensor each step makes, the line of code that made it, its matrix product.

The steps follow 000 section 2.1.2. Which ones there are, and in which order, depends on the
configuration: post-norm blocks normalise after adding, only RoPE rotates, SwiGLU has a gate.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional as F

from tlmviz.analysis.sources import Source, quote
from tlmviz.config import ModelConfig
from tlmviz.errors import UnknownName
from tlmviz.layers import positions as kinds
from tlmviz.layers.streams import Residual
from tlmviz.networks.transformer import TransformerLM
from tlmviz.protocols import LanguageModelLike
from tlmviz.tokens import output_names
from tlmviz.trace import Trace

from . import attention_steps
from .attention_steps import NOTES
from .matrices import Activation, Product, Step
from .reader import Reader, spread

CURVES = {"ReLU": F.relu, "GELU": F.gelu, "SiLU": F.silu}
SHOWN_LOGITS = 48


def step_names(config: ModelConfig) -> tuple[str, ...]:
    """This configuration's steps in the order they run, embedding to loss."""
    if config.attention.latent_dim is not None:
        other = {"qkv", "heads", "split", "RoPE"}
    else:
        other = {"latent"} if config.positions.kind == "rope" else {"latent", "RoPE"}
    attention = tuple(name for name in attention_steps.BUILDERS if name not in other)
    mlp = ("up", "activate", "down")
    if config.norm.placement == "pre":
        block = ("norm 1", *attention, "add 1", "norm 2", *mlp, "add 2")
    else:
        block = (*attention, "add 1", "norm 1", *mlp, "add 2", "norm 2")
    return ("embed", *block, "logits", "loss")


def tensor_names(layer: int) -> frozenset[str]:
    """Every tapped tensor that the steps of one layer read."""
    block = (
        "resid_pre",
        "join_attn.read",
        "normed_attn",
        "resid_mid",
        "join_mlp.read",
        "normed_mlp",
        "resid_post",
    )
    attn = ("fused", "latent", "q", "k", "v", "lse", "z", "concat", "out")
    parts = (
        *block,
        *(f"attn.{name}" for name in attn),
        *(f"mlp.{name}" for name in ("pre", "hidden", "out")),
    )
    # A trace counts its heads on blocks.0.attn.q.
    return frozenset(
        ("embed", "normed", "logits", "blocks.0.attn.q", *(f"blocks.{layer}.{part}" for part in parts))
    )


def make_step(lm: LanguageModelLike, trace: Trace, name: str, layer: int, head: int) -> Step:
    """One step of one layer and head on a traced text. Raises UnknownName for a step this model does not have."""
    names = step_names(lm.config)
    if name not in names:
        raise UnknownName(f"{lm.name} has no step {name!r}; its steps are {', '.join(names)}.")
    with torch.inference_mode():
        return BUILDERS[name](Reader(lm, trace, layer, head))


def snippet(model: str, text: str, step: Step) -> str:
    """Python that makes this step's tensor with the public API and draws it."""
    return (
        f"import plotly.express as px\nimport tlmviz\n\nlm = tlmviz.load({model!r})\ntrace = lm.trace({text!r})\n"
        f"tensor = {step.python}\nprint(list(tensor.shape))\n"
        f'figure = px.imshow(tensor.reshape(-1, tensor.shape[-1]).numpy(), aspect="auto", title="{step.name}")\n'
        "figure.show()\n"
    )


# --- before the block ------------------------------------------------------------------------------


def embed(r: Reader) -> Step:
    """Token ids become vectors, and positions are added where the model adds them."""
    x, added = r.trace["embed"][0], type(r.network.positions).embed is not kinds.Positions.embed
    sources = [quote(TransformerLM.forward, "x = self.embed(")]
    if not added:
        how = {
            "rope": "RoPE rotates queries and keys later",
            "alibi": "ALiBi lowers scores by distance later",
            "relative": "queries meet a vector per distance later",
        }
        later = how.get(r.config.positions.kind, "this model has none at all")
        return Step(
            "embed",
            f"Each token's id picks one row of the embedding. No position is added: {later}.",
            tuple(sources),
            r"x_t = E[\mathrm{id}_t]",
            f"{NOTES} 2.1.4 (there with a position vector added).",
            'trace["embed"]',
            (r.stream("x, token embedding", x),),
        )
    sources.append(quote(type(r.network.positions).embed, "return x "))
    position = r.network.positions.embed(torch.zeros_like(x), torch.arange(r.length))
    limit, learned = spread(x - position, position, x), r.config.positions.kind == "learned"
    times, factor, kind = (
        ("", "", "learned") if learned else (r"\sqrt{C}\,", ", times √C", "fixed sines and cosines")
    )
    sentence = f"Each token's id picks a row of the embedding{factor}, and each position adds its own vector ({kind})."
    return Step(
        "embed",
        sentence,
        tuple(sources),
        rf"x_t = {times}E[\mathrm{{id}}_t] + P[t]",
        f"{NOTES} 2.1.4, Eq. 31.",
        'trace["embed"]',
        (
            r.stream("token embedding", x - position, limit),
            r.stream("+ position", position, limit),
            r.stream("= x", x, limit),
        ),
    )


# --- around the sublayers --------------------------------------------------------------------------


NORM_SOURCES = {
    "layernorm": "LLM notes, section 3.7, whose short form prints √(σ + ε) for √(σ² + ε).",
    "rmsnorm": "LLM notes, section 4.2.",
}


def norm(which: int) -> Callable[[Reader], Step]:
    """Normalisation 1 or 2: before its sublayer (pre) or after the addition (post)."""

    def build(r: Reader) -> Step:
        sublayer, tap = (("attention", "normed_attn"), ("MLP", "normed_mlp"))[which - 1]
        before = r.read(which) if r.pre_norm else _sum(r, which)
        name = "x" if r.pre_norm else f"x + {sublayer}"
        if r.config.norm.kind == "layernorm":
            kind, latex = (
                "LayerNorm takes off each token's mean and divides by its standard deviation",
                (r"\frac{x - \bar{x}}{\sqrt{\mathrm{Var}(x) + \epsilon}} \odot \gamma + \beta"),
            )
        else:
            kind, latex = (
                "RMSNorm divides each token's vector by its root mean square",
                (r"\frac{x}{\sqrt{\tfrac{1}{C}\sum_c x_c^2 + \epsilon}} \odot \gamma"),
            )
        place = (
            f"so that {sublayer} reads rows of equal size" if r.pre_norm else "after the addition (post-norm)"
        )
        return Step(
            f"norm {which}",
            f"{kind}, {place}.",
            (_line(r, which),),
            latex,
            f"{NOTES} 2.1.3 (pre-norm block); the formula: {NORM_SOURCES[r.config.norm.kind]}",
            r.python(tap),
            (r.stream(name, before), r.stream("normalised, scaled by γ", r[tap])),
        )

    return build


def add(which: int) -> Callable[[Reader], Step]:
    """Residual addition 1 or 2."""

    def build(r: Reader) -> Step:
        source, part, after = (("resid_pre", "attn", "resid_mid"), ("resid_mid", "mlp", "resid_post"))[
            which - 1
        ]
        x, update, result = r.state(source), r[f"{part}.out"], _sum(r, which)
        limit, name = spread(x, result), ("attention", "MLP")[which - 1]
        share = float((update.norm(dim=-1) / x.norm(dim=-1)).mean())
        later = "" if r.pre_norm else " Its normalisation follows (post-norm)."
        python = r.python(after) if r.pre_norm else f"{r.python(source)} + {r.python(part + '.out')}"
        if r.config.connection.kind != "residual":
            join = getattr(r.block, f"join_{part}")
            return Step(
                f"add {which}",
                f"The layer carries {r.config.connection.streams} streams: H_res mixes them, and H_post hands what {name} wrote "
                "to each. "
                f"Drawn is their mean; what was written is {share:.0%} as long. The page mHC shows streams and matrices.",
                (quote(type(r.block).forward, f"self.join_{part}("), quote(type(join).forward, "return ")),
                r"X \leftarrow H^{\mathrm{res}} X + H^{\mathrm{post}} f(H^{\mathrm{pre}} X)", f"{NOTES} 5, Eq. 97.",
                f"{python}.mean(-2)",
                (r.stream("mean of streams", x, limit), r.stream(f"{name} (own colour scale)", update),
                 r.stream("new mean of streams", result, limit)),
            )  # fmt: skip
        return Step(
            f"add {which}",
            f"{name[0].upper()}{name[1:]} does not replace the stream, it adds to it, here a vector {share:.0%} as long."
            f"{later}",
            _addition(r, which),
            r"x \leftarrow x + f(x)",
            f"{NOTES} 2.1.3.",
            python,
            (
                r.stream("x", x, limit),
                r.stream(f"+ {name} (own colour scale)", update),
                r.stream("= new x", result, limit),
            ),
        )

    return build


def _sum(r: Reader, which: int) -> Tensor:
    """The stream right after an addition: tapped in pre-norm blocks, added again in post-norm ones, which only tap its norm."""
    if r.pre_norm:
        return r.state(("resid_mid", "resid_post")[which - 1])
    return r[("resid_pre", "resid_mid")[which - 1]] + r[("attn.out", "mlp.out")[which - 1]]


def _addition(r: Reader, which: int) -> tuple[Source, ...]:
    if not r.pre_norm:
        return (_line(r, which),)
    return quote(type(r.block).forward, f"self.join_{('attn', 'mlp')[which - 1]}("), quote(
        Residual.forward, "return "
    )


def _line(r: Reader, which: int) -> Source:
    return quote(type(r.block).forward, ("self.attn(", "self.mlp(")[which - 1])


# --- feed-forward ----------------------------------------------------------------------------------


def up(r: Reader) -> Step:
    """The widening product; SwiGLU makes a gate beside it."""
    mlp, inputs = r.block.mlp, r["normed_mlp" if r.pre_norm else "resid_mid"]
    gated, pre = r.config.feedforward.gated, r["mlp.pre"]
    linear = mlp.gate_up if gated else mlp.up
    shape, name = r.shape(T=r.length, F=pre.shape[1]), "x normalised" if r.pre_norm else "x"
    panels, out = (r.panel("before the activation", pre, shape, x="hidden unit"),), pre
    if gated:
        other = linear(inputs).chunk(2, -1)[1]
        out = torch.cat((pre, other), -1)
        panels = (
            r.panel("gate", pre, shape, x="hidden unit", limit=spread(out)),
            r.panel("up", other, shape, x="hidden unit", limit=spread(out)),
        )
    sentence = (
        f"Each token alone is widened to {pre.shape[1]} gates and as many values"
        if gated
        else f"Each token alone is widened from {r.config.d_model} to {pre.shape[1]} numbers"
    )
    return Step(
        "up",
        f"{sentence}; tokens do not see each other here.",
        (quote(type(mlp).forward, "gate, up = " if gated else "pre = self.pre("),),
        r"\begin{bmatrix} g & u \end{bmatrix} = x\, W_{gate,up}"
        if gated
        else r"x\, W_1" + (" + b_1" if r.config.feedforward.bias else ""),
        "SwiGLU: Shazeer 2020." if gated else f"{NOTES} 2.1.3.",
        r.python("mlp.pre"),
        panels,
        Product(
            inputs,
            linear.weight.T,
            out,
            linear.bias,
            name,
            "W_gate,up" if gated else "W_1",
            column="hidden unit",
        ),
    )


# Kind of feed-forward -> its curve's name in CURVES, and the formula.
ACTIVATIONS = {
    "relu": ("ReLU", r"\mathrm{ReLU}(x) = \max(0, x)"),
    "gelu": ("GELU", r"\mathrm{GELU}(x) = x \cdot \Phi(x)"),
    "gelu-tanh": (
        "GELU",
        r"\mathrm{GELU}(x) \approx \tfrac{x}{2}\left(1 + \tanh\left(\sqrt{2/\pi}\,(x + 0.044715\,x^3)\right)\right)",
    ),
    "silu": ("SiLU", r"\mathrm{SiLU}(x) = x \cdot \sigma(x)"),
    "swiglu": ("SiLU", r"h = \mathrm{SiLU}(g) \odot u,\qquad \mathrm{SiLU}(g) = g \cdot \sigma(g)"),
}


def activate(r: Reader) -> Step:
    """The activation, its curve, and where this text's numbers fall on it."""
    kind, pre, hidden = r.config.feedforward.kind, r["mlp.pre"], r["mlp.hidden"]
    own, latex = ACTIVATIONS[kind]
    low, high = (float(x) for x in np.quantile(pre.float().numpy(), (0.0005, 0.9995)))
    inputs = torch.linspace(min(low, -4.0), max(high, 4.0), 161)
    counts, edges = np.histogram(pre.float().numpy(), 60, (inputs[0].item(), inputs[-1].item()))
    gate = " of the gate, times the value," if kind == "swiglu" else ""
    return Step(
        "activate",
        f"{own}{gate} lets some of the hidden units through and closes others.",
        (quote(type(r.block.mlp).forward, "hidden = self.hidden("),),
        latex,
        "SwiGLU: Shazeer 2020. " * (kind == "swiglu") + f"GELU: {NOTES} 2.1.3, Eq. 30.",
        r.python("mlp.hidden"),
        (r.panel("hidden units", hidden, r.shape(T=r.length, F=hidden.shape[1]), x="hidden unit"),),
        activation=Activation(
            own,
            inputs.numpy(),
            {name: curve(inputs).numpy() for name, curve in CURVES.items()},
            counts,
            ((edges[:-1] + edges[1:]) / 2).astype(np.float32),
        ),
    )


def down(r: Reader) -> Step:
    """The product back to the stream's width."""
    linear, hidden, out = r.block.mlp.down, r["mlp.hidden"], r["mlp.out"]
    return Step(
        "down",
        f"The open units write back: {hidden.shape[1]} hidden numbers become {out.shape[1]} again.",
        (quote(type(r.block.mlp).forward, "return self.out("),),
        r"h\, W_2" + (" + b_2" if r.config.feedforward.bias else ""),
        f"{NOTES} 2.1.3.",
        r.python("mlp.out"),
        (
            r.panel("hidden units", hidden, r.shape(T=r.length, F=hidden.shape[1]), x="hidden unit"),
            r.stream("MLP's output", out),
        ),
        Product(hidden, linear.weight.T, out, linear.bias, "hidden units", "W_2", "hidden unit"),
    )


# --- after the last block --------------------------------------------------------------------------


def logits(r: Reader) -> Step:
    """The final normalisation and the head."""
    normed, values = r.trace["normed"][0], r.trace.logits
    p = values.float().softmax(-1)
    best = p.amax(0).topk(min(SHOWN_LOGITS, p.shape[1])).indices
    best = best[p[:, best].argmax(0).argsort(stable=True)]  # in the order in which the text makes them likely
    names = tuple(output_names(r.lm.tokenizer, best.tolist()))
    shape = r.shape(T=r.length, V=r.config.vocab_size)
    panel = r.panel(
        f"logits of {len(best)} likely tokens", values[:, best], shape, x="vocabulary token", col_labels=names
    )
    final = "normalised once more and " if r.pre_norm else ""
    return Step(
        "logits",
        f"After all {r.config.n_layers} layers the stream is {final}compared with every vocabulary token.",
        (quote(TransformerLM.forward, "return self.logits("),),
        r"\mathrm{logits} = \mathrm{norm}(x)\, W_{head}" if r.pre_norm else r"\mathrm{logits} = x\, W_{head}",
        f"{NOTES} 2.1.4.",
        "trace.logits",
        (r.stream("final x, normalised", normed), panel),
        Product(
            normed,
            r.network.head.weight.T,
            values,
            None,
            "final x",
            "W_head",
            column="vocabulary token",
            columns=tuple(int(i) for i in best),
            labels=names,
        ),
    )


def loss(r: Reader) -> Step:
    """Cross-entropy of each next token."""
    losses = r.trace.loss_per_token()
    mean = (
        f" Their mean is {float(losses.mean()):.3f} nats."
        if len(losses)
        else " A text of one token has no next one to score."
    )
    return Step(
        "loss",
        f"Each position is charged −log of the probability it gave to the token that came next.{mean}",
        (quote(Trace.loss_per_token, "targets = ", "return torch.nn.functional.cross_entropy("),),
        r"\ell_t = -\log \mathrm{softmax}(\mathrm{logits}_{t})[\mathrm{id}_{t+1}]",
        f"{NOTES} 2.1.4.",
        "trace.loss_per_token()",
        losses=losses.numpy(),
    )


BUILDERS: dict[str, Callable[[Reader], Step]] = {
    "embed": embed,
    "norm 1": norm(1),
    **attention_steps.BUILDERS,
    "add 1": add(1),
    "norm 2": norm(2),
    "up": up,
    "activate": activate,
    "down": down,
    "add 2": add(2),
    "logits": logits,
    "loss": loss,
}
