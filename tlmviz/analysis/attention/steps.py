"""One block, step by step: the tensor each step makes, the line of code that made it, its matrix product.

The steps follow 000 section 2.1.2. Which ones there are, and in which order, depends on the
configuration: PLACEMENTS says where the norms stand, only RoPE rotates, SwiGLU has a gate.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

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
from tlmviz.tracing.trace import Trace

from . import attention_steps, expert_steps
from .attention_steps import NOTES
from .matrices import Activation, Panel, Product, Step
from .placements import ATTENTION, MLP, PLACEMENTS
from .reader import Reader, spread

CURVES: dict[str, Callable[[Tensor], Tensor]] = {
    "ReLU": F.relu,
    "GELU": F.gelu,
    "SiLU": F.silu,
    "GELU by tanh": partial(F.gelu, approximate="tanh"),
}
DRAWN = ("ReLU", "GELU", "SiLU")  # beside a model's own, for comparison
SHOWN_LOGITS = 48


def step_names(config: ModelConfig, layer: int = 0) -> tuple[str, ...]:
    """This configuration's steps in the order they run, embedding to loss; layers may differ in having experts."""
    if config.attention.latent_dim is not None:
        other = {"qkv", "heads", "split", "QK norm", "RoPE"}
    else:
        other = {"latent"} if config.positions.kind == "rope" else {"latent", "RoPE"}
    attention = tuple(name for name in attention_steps.BUILDERS if name not in other)
    if config.attention.qk_norm == "none":
        attention = tuple(name for name in attention if name != "QK norm")
    inside = {ATTENTION: attention, MLP: _feedforward_names(config, layer)}
    order = PLACEMENTS[config.norm.placement].order
    return ("embed", *(step for name in order for step in inside.get(name, (name,))), "logits", "loss")


def _feedforward_names(config: ModelConfig, layer: int) -> tuple[str, ...]:
    return tuple(expert_steps.BUILDERS) if config.has_experts(layer) else ("up", "activate", "down")


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
        "added_attn",
        "added_mlp",
    )
    attn = ("fused", "latent", "q", "k", "v", "lse", "z", "concat", "out")
    parts = (
        *block,
        *(f"attn.{name}" for name in attn),
        *(f"mlp.{name}" for name in ("pre", "hidden", *expert_steps.TAPS)),
    )
    # A trace counts its heads on blocks.0.attn.q.
    return frozenset(("embed", "normed", "logits", "blocks.0.attn.q", *(f"blocks.{layer}.{part}" for part in parts)))


def make_step(lm: LanguageModelLike, trace: Trace, name: str, layer: int, head: int) -> Step:
    """One step of one layer and head on a traced text. Raises UnknownName for a step this model does not have."""
    names = step_names(lm.config, layer)
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
    sources = [quote(TransformerLM.read, "x = self.token_emb(", "x = self.embed(")]
    factor = r.config.embedding_scale
    times = "" if factor == 1 else f" and multiplies it by {factor:.4g}"
    if not added:
        how = {
            "rope": "RoPE rotates queries and keys later",
            "alibi": "ALiBi lowers scores by distance later",
            "relative": "queries meet a vector per distance later",
        }
        later = how.get(r.config.positions.kind, "this model has none at all")
        return Step(
            "embed",
            f"Each token's id picks one row of the embedding{times}. No position is added: {later}.",
            tuple(sources),
            ("" if factor == 1 else rf"x_t = {factor:.4g}\,E[\mathrm{{id}}_t]") or r"x_t = E[\mathrm{id}_t]",
            f"{NOTES} 2.1.4 (there with a position vector added).",
            'trace["embed"]',
            (r.stream("x, token embedding", x),),
        )
    sources.append(quote(type(r.network.positions).embed, "return x "))
    position = r.network.positions.embed(torch.zeros_like(x), torch.arange(r.length))
    limit, learned = spread(x - position, position, x), r.config.positions.kind == "learned"
    times, scaled, kind = ("", "", "learned") if learned else (r"\sqrt{C}\,", ", times √C", "fixed sines and cosines")
    sentence = f"Each token's id picks a row of the embedding{scaled}, and each position adds its own vector ({kind})."
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


NORM_FORMULAS = {
    "layernorm": (
        "LayerNorm takes off each token's mean and divides by its standard deviation",
        r"\frac{x - \bar{x}}{\sqrt{\mathrm{Var}(x) + \epsilon}} \odot \gamma + \beta",
    ),
    "rmsnorm": (
        "RMSNorm divides each token's vector by its root mean square",
        r"\frac{x}{\sqrt{\tfrac{1}{C}\sum_c x_c^2 + \epsilon}} \odot \gamma",
    ),
}
EQUAL = "so that {} reads rows of equal size"
# Placement -> what its norms read, and where they stand; {} is the sublayer.
PLACES = {
    "pre": ("x", EQUAL),
    "post": ("x + {}", "after the addition (post-norm)"),
    "sandwich": ("x", EQUAL),
    "output": ("{}'s output", "so that what {} adds has rows of equal size"),
    "parallel": ("x", EQUAL + "; attention and MLP read the same x here"),
    "parallel-shared": ("x", "so that attention and MLP read the same rows of equal size"),
}


def norm(which: int) -> Callable[[Reader], Step]:
    """Normalisation 1 or 2: before its sublayer, on what it adds, or after the addition."""

    def build(r: Reader) -> Step:
        sublayer, tap = ((ATTENTION, "normed_attn"), (MLP, "normed_mlp"))[which - 1]
        name, place = PLACES[r.config.norm.placement]
        return norm_step(r, f"norm {which}", f"self.norm{which}(", r.normed(which), tap, name, place, sublayer)

    return build


def norm_out(which: int) -> Callable[[Reader], Step]:
    """The second normalisation of a sublayer, on what it adds."""

    def build(r: Reader) -> Step:
        sublayer, part = ((ATTENTION, "attn"), (MLP, "mlp"))[which - 1]
        name, place = PLACES["output"]
        line, read = f"self.norm_{part}_out(", r[f"{part}.out"]
        return norm_step(r, f"norm out {which}", line, read, f"added_{part}", name, place, sublayer)

    return build


def norm_step(r: Reader, step: str, line: str, read: Tensor, tap: str, name: str, place: str, sublayer: str) -> Step:
    """A normalisation: the tensor it reads, the tap of its result, and where it stands."""
    kind, latex = NORM_FORMULAS[r.config.norm.kind]
    return Step(
        step,
        f"{kind}, {place.format(sublayer)}.",
        (quote(type(r.block).forward, line),),
        latex,
        f"{NOTES} 2.1.3 (pre-norm block); the formula: {NORM_SOURCES[r.config.norm.kind]}",
        r.python(tap),
        (r.stream(name.format(sublayer), read), r.stream("normalised, scaled by γ", r[tap])),
    )


def add(which: int) -> Callable[[Reader], Step]:
    """Residual addition 1 or 2."""

    def build(r: Reader) -> Step:
        part, after = (("attn", "resid_mid"), ("mlp", "resid_post"))[which - 1]
        source = r.place.streams[which - 1]
        x, update, result = r.state(source), r[r.place.added[which - 1]], r.total(which)
        name = ("attention", "MLP")[which - 1]
        tapped = r.place.normed[which - 1] is not None
        later = "" if tapped else " Its normalisation follows (post-norm)."
        python = r.python(after) if tapped else f"{r.python(source)} + {r.python(part + '.out')}"
        if r.config.connection.kind != "residual":
            limit, share = spread(x, result), float((update.norm(dim=-1) / x.norm(dim=-1)).mean())
            join = getattr(r.block, f"join_{part}")
            return Step(
                f"add {which}",
                f"The layer carries {r.config.connection.streams} streams: H_res mixes them, and H_post hands what "
                f"{name} wrote to each. "
                "Drawn is their mean; what was written is {share} as long. The page mHC shows streams and matrices.",
                (quote(type(r.block).forward, f"self.join_{part}("), quote(type(join).forward, "return ")),
                r"X \leftarrow H^{\mathrm{res}} X + H^{\mathrm{post}} f(H^{\mathrm{pre}} X)",
                f"{NOTES} 5, Eq. 97.",
                f"{python}.mean(-2)",
                (
                    r.stream("mean of streams", x, limit),
                    r.stream(f"{name} (own colour scale)", update),
                    r.stream("new mean of streams", result, limit),
                ),
                share=share,
            )
        return _sum(r, f"add {which}", name, (x, update, result), python, _addition(r, which), later)

    return build


def added(r: Reader, step: str, taps: tuple[str, str, str], name: str, source: Source) -> Step:
    """An addition of what the taps kept: the stream before, what is added, and the stream after."""
    before, update, after = (r[tap] for tap in taps)
    return _sum(r, step, name, (before, update, after), r.python(taps[2]), (source,))


def _sum(
    r: Reader,
    step: str,
    name: str,
    parts: tuple[Tensor, Tensor, Tensor],
    python: str,
    sources: tuple[Source, ...],
    later: str = "",
) -> Step:
    x, update, result = parts
    limit, share = spread(x, result), float((update.norm(dim=-1) / x.norm(dim=-1)).mean())
    return Step(
        step,
        f"{name[0].upper()}{name[1:]} does not replace the stream, it adds to it, here a vector {{share}} as "
        f"long.{later}",
        sources,
        r"x \leftarrow x + f(x)",
        f"{NOTES} 2.1.3.",
        python,
        (r.stream("x", x, limit), r.stream(f"+ {name} (own colour scale)", update), r.stream("= new x", result, limit)),
        share=share,
    )


def _addition(r: Reader, which: int) -> tuple[Source, ...]:
    forward = type(r.block).forward
    if not r.place.joined:
        return (quote(forward, ("self.resid_mid(", "self.resid_post(")[which - 1]),)
    return quote(forward, f"self.join_{('attn', 'mlp')[which - 1]}("), quote(Residual.forward, "return ")


# --- feed-forward ----------------------------------------------------------------------------------


def up(r: Reader) -> Step:
    """The widening product, and a gate beside it where the feed-forward has one."""
    tap, name = r.input(2)
    mlp, inputs = r.block.mlp, r[tap]
    gated, pre = r.config.feedforward.gated, r["mlp.pre"]
    linear = mlp.gate_up if gated else mlp.up
    shape = r.shape(T=r.length, F=pre.shape[1])
    out = pre
    panels: tuple[Panel, ...] = (r.panel("before the activation", pre, shape, x="hidden unit"),)
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
        "Gates: Shazeer 2020." if gated else f"{NOTES} 2.1.3.",
        r.python("mlp.pre"),
        panels,
        Product(inputs, linear.weight.T, out, linear.bias, name, "W_gate,up" if gated else "W_1", column="hidden unit"),
    )


TANH = r"\approx \tfrac{%s}{2}\left(1 + \tanh\left(\sqrt{2/\pi}\,(%s + 0.044715\,%s^3)\right)\right)"
# Kind of feed-forward -> its curve's name in CURVES, and the formula.
ACTIVATIONS = {
    "relu": ("ReLU", r"\mathrm{ReLU}(x) = \max(0, x)"),
    "gelu": ("GELU", r"\mathrm{GELU}(x) = x \cdot \Phi(x)"),
    "gelu-tanh": ("GELU by tanh", r"\mathrm{GELU}(x) " + TANH % ("x", "x", "x")),
    "silu": ("SiLU", r"\mathrm{SiLU}(x) = x \cdot \sigma(x)"),
    "swiglu": ("SiLU", r"h = \mathrm{SiLU}(g) \odot u,\qquad \mathrm{SiLU}(g) = g \cdot \sigma(g)"),
    "geglu": ("GELU", r"h = \mathrm{GELU}(g) \odot u,\qquad \mathrm{GELU}(g) = g \cdot \Phi(g)"),
    "geglu-tanh": ("GELU by tanh", r"h = \mathrm{GELU}(g) \odot u,\qquad \mathrm{GELU}(g) " + TANH % ("g", "g", "g")),
}


def activate(r: Reader) -> Step:
    """The activation, its curve, and where this text's numbers fall on it."""
    kind, pre, hidden = r.config.feedforward.kind, r["mlp.pre"], r["mlp.hidden"]
    own, latex = ACTIVATIONS[kind]
    low, high = (float(x) for x in np.quantile(pre.float().numpy(), (0.0005, 0.9995)))
    inputs = torch.linspace(min(low, -4.0), max(high, 4.0), 161)
    counts, edges = np.histogram(pre.float().numpy(), 60, (inputs[0].item(), inputs[-1].item()))
    gate = " of the gate, times the value," if r.config.feedforward.gated else ""
    return Step(
        "activate",
        f"{own}{gate} lets some of the hidden units through and closes others.",
        (quote(type(r.block.mlp).forward, "hidden = self.hidden("),),
        latex,
        "Gates: Shazeer 2020. " * r.config.feedforward.gated + f"GELU: {NOTES} 2.1.3, Eq. 30.",
        r.python("mlp.hidden"),
        (r.panel("hidden units", hidden, r.shape(T=r.length, F=hidden.shape[1]), x="hidden unit"),),
        activation=Activation(
            own,
            inputs.numpy(),
            {name: CURVES[name](inputs).numpy() for name in dict.fromkeys((*DRAWN, own))},
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
    final, cap, head = r.config.norm.final, r.config.logit_softcap, r.network.head
    normalised = "normalised once more and " if final else ""
    bounded = "" if cap is None else f" The products z are then bounded: {cap:g} · tanh(z / {cap:g})."
    product = (r"\mathrm{norm}(x)\, W_{head}" if final else r"x\, W_{head}") + " + b" * (head.bias is not None)
    latex = product if cap is None else rf"{cap:g}\,\tanh\left(\left({product}\right) / {cap:g}\right)"
    return Step(
        "logits",
        f"After all {r.config.n_layers} layers the stream is {normalised}compared with every vocabulary "
        f"token.{bounded}",
        (quote(TransformerLM.forward, "return self.logits("), quote(TransformerLM.unembed, "return ")),
        rf"\mathrm{{logits}} = {latex}",
        f"{NOTES} 2.1.4.",
        "trace.logits",
        (r.stream("final x, normalised", normed), panel),
        Product(
            normed,
            head.weight.T,
            values if cap is None else head(normed),
            head.bias,
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
        (quote(Trace.loss_per_token, "logits = self._logits(", "losses.append("),),
        r"\ell_t = -\log \mathrm{softmax}(\mathrm{logits}_{t})[\mathrm{id}_{t+1}]",
        f"{NOTES} 2.1.4.",
        "trace.loss_per_token()",
        losses=losses.numpy(),
        scored=tuple(r.trace.tokens),
    )


BUILDERS: dict[str, Callable[[Reader], Step]] = {
    "embed": embed,
    "norm 1": norm(1),
    **attention_steps.BUILDERS,
    "add 1": add(1),
    "norm 2": norm(2),
    "norm out 1": norm_out(1),
    "norm out 2": norm_out(2),
    "up": up,
    "activate": activate,
    "down": down,
    **expert_steps.BUILDERS,
    "add 2": add(2),
    "logits": logits,
    "loss": loss,
}
