"""The steps of a translating Transformer's block: those of `steps`, and cross-attention's between them (000 section
2.2)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import torch

from tlmviz.analysis.sources import quote
from tlmviz.errors import UnknownName
from tlmviz.layers.attention import CrossAttention
from tlmviz.layers.blocks import CrossBlock
from tlmviz.networks import teacher_forcing
from tlmviz.networks.encoder_decoder import EncoderDecoder

from . import attention_steps, steps
from .attention_steps import NOTES
from .matrices import SOURCE, Product, Step
from .placements import ATTENTION, CROSS, MLP, PLACEMENTS
from .reader import Reader, spread
from .stacks import ENCODER, Stack

CROSS_NOTES = f"{NOTES} 2.2; LLM notes, section 7."


class CrossReader(Reader):
    """The cross-attention of one layer and head: queries of the text that is written, keys of the one that was read."""

    part, variable = "cross", "cross"


def stack_step_names(stack: Stack) -> tuple[str, ...]:
    """A stack's steps in the order they run: an encoder hides nothing and ends in its memory, a decoder reads that."""
    names = steps.step_names(stack.config)
    if stack.which == ENCODER:
        return (*(name for name in names if name not in ("mask", "logits", "loss")), "memory")
    attention = names[names.index("norm 1") + 1 : names.index("add 1")]
    inside = {ATTENTION: attention, CROSS: tuple(CROSS_STEPS), MLP: ("up", "activate", "down")}
    order = PLACEMENTS[CROSS].order
    return ("embed", *(step for name in order for step in inside.get(name, (name,))), "logits", "loss")


def make_stack_step(stack: Stack, name: str, layer: int, head: int) -> Step:
    """One step of one layer and head of a stack. Raises UnknownName for a step that it does not have."""
    names = stack_step_names(stack)
    if name not in names:
        raise UnknownName(f"The {stack.which} of {stack.name} has no step {name!r}; its steps are {', '.join(names)}.")
    with torch.inference_mode():
        if name in CROSS_STEPS:
            assert stack.cross is not None  # the steps of an encoder have none of these
            return replace(CROSS_STEPS[name](CrossReader(stack, stack.cross, layer, head)), name=name)
        build = BUILDERS[name] if name in BUILDERS else steps.BUILDERS[name]
        return build(Reader(stack, stack.trace, layer, head))


def stack_snippet(model: str, text: str, translation: list[int], which: str, step: Step) -> str:
    """Python that makes this step's tensor and draws it."""
    return (
        "import plotly.express as px\nimport tlmviz\nfrom tlmviz.analysis.attention.stacks import read_stack\n\n"
        f"lm = read_stack(tlmviz.load({model!r}), {text!r}, {translation!r}, {which!r})\n"
        f"trace, cross = lm.trace, lm.cross\ntensor = {step.python}\nprint(list(tensor.shape))\n"
        f'figure = px.imshow(tensor.reshape(-1, tensor.shape[-1]).numpy(), aspect="auto", title="{step.name}")\n'
        "figure.show()\n"
    )


def embed(r: Reader) -> Step:
    """Token ids become vectors; one embedding serves both texts."""
    return Step(
        "embed",
        f"Each token's id picks one row of the embedding, times √C = {r.config.embedding_scale:.4g}; both languages "
        "share it. No position is added: RoPE rotates queries and keys later.",
        (quote(EncoderDecoder._embed, "return "),),
        r"x_t = \sqrt{C}\,E[\mathrm{id}_t]",
        "Vaswani et al. 2017, section 3.4.",
        'trace["embed"]',
        (r.stream("x, token embedding", r.trace["embed"][0]),),
    )


def memory(r: Reader) -> Step:
    """What the decoder reads: the last block's stream, normalised."""
    last = f"blocks.{r.config.n_layers - 1}.resid_post"
    return Step(
        "memory",
        f"After all {r.config.n_layers} layers the stream is normalised once more: this memory, a vector per source "
        "token, is all that the decoder sees of the source.",
        (quote(EncoderDecoder.encode, "return self.memory("),),
        r"M = \mathrm{norm}(x)",
        CROSS_NOTES,
        'trace["normed"]',
        (r.stream("x after the last layer", r.trace[last][0]), r.stream("memory", r.trace["normed"][0])),
    )


def logits(r: Reader) -> Step:
    """The final normalisation and the head, which is the embedding."""
    return replace(
        steps.logits(r),
        sources=(quote(EncoderDecoder.decode, "normed = self.normed(", "return self.logits("),),
        reference="LLM notes, section 7.",
    )


def loss(r: Reader) -> Step:
    """Cross-entropy of each token of the translation, its end included."""
    stack = r.lm
    assert isinstance(stack, Stack)
    ids = torch.tensor(stack.target_ids)
    losses = -r.trace.logits.log_softmax(-1).gather(-1, ids[:, None])[:, 0]
    return Step(
        "loss",
        "Each position is charged −log of the probability it gave to the token of the translation that comes next, the "
        f"end too. Their mean is {float(losses.mean()):.3f} nats.",
        (quote(teacher_forcing.teacher_forced_pass, "logp = logits[0]"),),
        r"\ell_t = -\log \mathrm{softmax}(\mathrm{logits}_{t})[y_t]",
        "LLM notes, section 7.",
        f"-trace.logits.log_softmax(-1)[range({len(ids)}), {ids.tolist()}]",
        losses=losses.numpy(),
        scored=(r.trace.tokens[0], *stack.targets),
    )


# --- cross-attention -------------------------------------------------------------------------------


def norm_cross(r: Reader) -> Step:
    """The normalisation before cross-attention."""
    return steps.norm_step(
        r, "norm cross", "self.norm_cross(", r["resid_mid"], "normed_cross", *steps.PLACES["pre"], CROSS
    )


def query(r: Reader) -> Step:
    """Queries from the text that is being written."""
    c, linear = r.config, r.attn.query
    assert isinstance(r.lm, Stack)
    inputs = r.lm.trace[f"blocks.{r.layer}.normed_cross"][0]
    q = r["attn.q"].transpose(0, 1).flatten(1)
    ends = tuple(range(0, q.shape[1] + 1, c.head_dim))
    panel = r.panel(
        "queries of all heads",
        q,
        r.shape(T=r.length, C=q.shape[1]),
        x="column of W_Q",
        edges=ends[1:-1],
        outline=(r.head * c.head_dim, (r.head + 1) * c.head_dim),
    )
    return Step(
        "cross query",
        "The tokens that are being written make the queries, and nothing else.",
        (quote(CrossAttention.forward, "q = self.q("),),
        r"Q = X\, W_Q",
        CROSS_NOTES,
        r.python("attn.q"),
        (panel,),
        Product(inputs, linear.weight.T, q, linear.bias, "x normalised", "W_Q", column="column of W_Q"),
    )


def keys_values(r: Reader) -> Step:
    """Keys and values from what the encoder made of the source."""
    k, v = r["attn.k"][r.head], r["attn.v"][r.head]
    found, limit = r.trace["memory"][0], spread(k, v)
    return Step(
        "cross k, v",
        "Keys and values come from the memory, what the encoder made of the source: a row for each source token, "
        "computed once, whatever is being written.",
        (quote(CrossAttention.keys_values, "k, v = rearrange("),),
        r"K = M\, W_K,\qquad V = M\, W_V",
        CROSS_NOTES,
        r.python("attn.k"),
        (
            r.panel("memory", found, r.shape(S=len(found), C=found.shape[1]), y=SOURCE),
            r.of_head("key", k, limit, shared=True),
            r.of_head("value", v, limit, shared=True),
        ),
    )


def add_cross(r: Reader) -> Step:
    """The residual addition of cross-attention."""
    return steps.added(
        r,
        "add cross",
        ("resid_mid", "cross.out", "resid_cross"),
        "cross-attention",
        quote(CrossBlock.forward, "self.resid_cross("),
    )


CROSS_STEPS: dict[str, Callable[[Reader], Step]] = {
    "cross query": query,
    "cross k, v": keys_values,
    "cross scores": attention_steps.scores,
    "cross scale": attention_steps.scale,
    "cross softmax": attention_steps.softmax,
    "cross mix": attention_steps.mix,
    "cross per head": attention_steps.per_head,
    "cross project": attention_steps.project,
}
BUILDERS: dict[str, Callable[[Reader], Step]] = {
    "embed": embed,
    "norm cross": norm_cross,
    "add cross": add_cross,
    "memory": memory,
    "logits": logits,
    "loss": loss,
}
