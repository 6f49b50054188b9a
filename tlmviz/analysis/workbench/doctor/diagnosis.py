"""From evidence to a name: the first step at which two runs part, and what explains it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from tlmviz.errors import BadShape, UnknownName
from tlmviz.tracing.trace import Trace

from ..comparing import align
from . import entering, layers, parts, precision, scores
from .evidence import CLEAR, Beside, Evidence, Named, Step, distance, gather, other_layouts

Rule = Callable[[Evidence, Step], Named | None]

NONE, PRECISION, UNSURE = "no difference", "precision", "cannot tell"
# Taps behind a product with weights, and what those are called.
WEIGHTS = {
    "attn.fused": "W_Q, W_K, W_V",
    "attn.out": "W_O",
    "mlp.pre": "W_gate",
    "mlp.hidden": "W_up",
    "mlp.out": "W_down",
}


@dataclass(frozen=True)
class Diagnosis:
    """What the doctor says: `cause` by name, its `value` (a number, or a name where there is none), the first `layer`
    concerned (None before the first and behind the last), the first `step` (a tap's name), and sentences of `evidence`.

    `healthy` is true where nothing is wrong: no difference, or one that rounding explains.
    """

    cause: str
    value: float | str | None
    layer: int | None
    step: str | None
    evidence: list[str]
    errors: dict[str, float] = field(repr=False, default_factory=dict)

    @property
    def healthy(self) -> bool:
        """Whether no fault was found."""
        return self.cause in (NONE, PRECISION)

    @property
    def sure(self) -> bool:
        """Whether a cause is named at all."""
        return self.cause != UNSURE

    def __str__(self) -> str:
        where = "" if self.step is None else f" at {self.step}"
        value = f"{self.value:.5g}" if isinstance(self.value, float) else self.value
        value = "" if value is None else f" ({value})"
        return f"{self.cause}{value}{where}: {'; '.join(self.evidence)}"


def diagnose(a: Trace, b: Trace, beside: Beside | None = None) -> Diagnosis:
    """Where trace `b` parts from trace `a` of the same text, and why.

    With a network behind `a` and all tensors in `b`, every part of it is asked alone what it makes of b's input, so
    that one fault does not hide in what follows from it. Causes: "tokens", "embedding scale", "positions", "norm eps",
    "norm gain", "norm bias", "norm kind", "norm missing", "weights", "bias", "rope base", "rope scaling", "rope
    layout", "rope missing", "rope factor", "rope precision", "rotary dim", "position offset", "qk-norm", "causal mask",
    "mask offset", "window", "padding", "documents", "scale", "soft-cap", "alibi slopes", "sink", "key/value groups",
    "key heads", "value heads", "stale keys", "stale values", "stale keys and values", "late keys", "late values", "late
    keys and values", "dropout", "head order", "activation", "residual", "parallel MLP", "layer skipped", "layers
    exchanged", "logit scale", "logit soft-cap", "logit offset"; and "no difference", "precision", which are healthy,
    and "cannot tell". `beside` has the keys that stood in front of b's own in its row, padding or another text, so that
    a mask that let them be seen is found. Raises BadShape for models of different shape.
    """
    return examine(a, b, beside)[0]


def examine(a: Trace, b: Trace, beside: Beside | None = None) -> tuple[Diagnosis, Evidence | None]:
    """`diagnose`, and the evidence that it is made of: every step of both runs; None where they read other tokens."""
    if a.ids != b.ids and a.tokens != b.tokens:
        # A run of which the ids alone are known spells its tokens otherwise: what agrees more is what they read.
        read = ((a.tokens, b.tokens), (a.ids, b.ids))
        edits, (x, y) = min(((align(*pair).edits, pair) for pair in read), key=lambda found: found[0])
        where = next((i for i, pair in enumerate(zip(x, y)) if pair[0] != pair[1]), min(len(a), len(b)))
        first = f"first at {where}: {x[where : where + 3]} and {y[where : where + 3]}"
        said = [f"the texts differ by {edits} tokens, {first}"]
        return Diagnosis("tokens", float(edits), None, None, said), None
    heads = _heads(b, a.n_heads)
    if (a.n_layers, a.n_heads) != (b.n_layers, heads):
        raise BadShape(
            f"The first run has {a.n_layers} layers of {a.n_heads} heads, the second {b.n_layers} of {heads}: two "
            "models of different shape have no fault in common; compare runs of one."
        )
    evidence = gather(a, b, beside)
    return _judge(evidence), evidence


def _heads(trace: Trace, expected: int) -> int:
    """How many heads a run has; as many as are expected where its first layer did not run."""
    try:
        return trace.n_heads
    except UnknownName:
        return expected


def _judge(evidence: Evidence) -> Diagnosis:
    """What the evidence says."""
    errors = {step.name: step.error for step in evidence.steps}
    wrong = [step for step in evidence.steps if evidence.stands_out(step)]
    if not wrong and not evidence.asked:
        for step, (cause, value, said) in entering.offsets(evidence):
            errors[step.name] = step.error
            return Diagnosis(cause, value, 0, step.name, [said, "scores are the same"], errors)
    if not wrong:
        largest = max(errors.values(), default=0.0)
        cause = NONE if largest < 1e-6 else PRECISION
        alone = "q, k, v, lse or logits" if "logits" in errors else "q, k, v or lse"
        what = "step" if evidence.asked else f"{alone}, of which alone is known,"
        said = f"no {what} differs " + (f"by more than {largest:.2g} of its size" if largest else "at all")
        return Diagnosis(cause, largest, None, None, [said], errors)
    first = wrong[0]
    rounded = precision.rounded_weights(evidence, wrong) or precision.rounded_attention(evidence, wrong)
    if rounded is not None:
        return Diagnosis(PRECISION, rounded[0], None, None, [rounded[1]], errors)
    named = _name(evidence, first)
    laid = other_layouts(evidence, first.found) if first.part in ("attn.q", "attn.k") else (first.found,)
    apart = min(distance(first.expected, each) for each in laid)
    seen = f"the first step that differs is {first.name}, by {apart:.3g} of its size"
    if named is None:
        behind = "nothing that enters attention does: the cause lies behind the last attention"
        why = behind if not evidence.asked and first.name == "logits" else "no rule explains it"
        return Diagnosis(UNSURE, apart, first.layer, first.name, [seen, why], errors)
    cause, value, sentence = named
    return Diagnosis(cause, value, first.layer, first.name, [sentence, seen], errors)


def _name(evidence: Evidence, step: Step) -> Named | None:
    """What the rule of a step's part says."""
    if not evidence.asked:
        return entering.name_entering(evidence, step)
    rule = RULES.get(step.part)
    return layers.name_exchanged(evidence, step) or (rule(evidence, step) if rule else None)


def _product(evidence: Evidence, step: Step) -> Named | None:
    """Behind weights: one vector at every position is a bias, zeros at random are dropout, anything else the
    weights."""
    names, bias = WEIGHTS[step.part], parts.name_bias(step.expected, step.found, evidence.rounding)
    if bias is not None:
        return "bias", bias, f"{names} adds another vector at every position"
    named = parts.name_dropout(step.expected, step.found)
    if named is None and step.part == "attn.out":
        named = layers.name_merged_behind(evidence, step)
    if named is not None or parts.in_places(step.expected, step.found, CLEAR * evidence.rounding):
        return named
    return parts.other_product(names, step.error)


def _norm_of(entering: str) -> Rule:
    """The rule of a norm that reads this tap of its layer; the last norm, of the last one."""

    def rule(evidence: Evidence, step: Step) -> Named | None:
        layer = evidence.a.n_layers - 1 if step.layer is None else step.layer
        reading = layers.name_skipped if step.layer is None else layers.name_parallel
        read = evidence.found(f"blocks.{layer}.{entering}")
        return reading(evidence, step) or parts.name_norm(evidence, step, read)

    return rule


def _sum_of(entering: str, added: str) -> Rule:
    def rule(evidence: Evidence, step: Step) -> Named | None:
        before, more = (evidence.found(f"blocks.{step.layer}.{name}") for name in (entering, added))
        return parts.name_sum(evidence, step, before, more)

    return rule


RULES: dict[str, Rule] = {
    "embed": parts.name_embedding,
    "resid_pre": layers.name_skipped,
    "normed_attn": _norm_of("resid_pre"),
    "normed_mlp": _norm_of("resid_mid"),
    "normed": _norm_of("resid_post"),
    "attn.fused": parts.name_projection,
    "attn.q": parts.name_turned,
    "attn.k": parts.name_turned,
    "attn.v": parts.name_values,
    "attn.lse": scores.name_cause,
    "attn.z": scores.name_cause,
    "attn.concat": layers.name_merged,
    "attn.out": _product,
    "resid_mid": _sum_of("resid_pre", "attn.out"),
    "mlp.pre": _product,
    "mlp.hidden": parts.name_hidden,
    "mlp.out": _product,
    "resid_post": _sum_of("resid_mid", "mlp.out"),
    "logits": parts.name_logits,
}
