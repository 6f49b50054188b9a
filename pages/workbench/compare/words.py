"""The words of the page Compare: claim, what to notice, equation, sentences and snippet."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tlmviz.figures import number, readable

from .controls import BITS, MODELS, PRECISIONS, PROMPTS, Choice

if TYPE_CHECKING:
    from .compute import Found

CLAIM = "What changed between two runs: which heads, where in the text, and what is predicted?"
NOTICE = {
    PROMPTS: (
        "Tokens stand above each other where both texts have them; coloured ones were **exchanged**, those with a "
        "dot above or below were **added or left out**. The bar under a token says how far the predictions behind it are apart.",
        "**Blue** cells have more weight in B, **orange** ones more in A. A click on a small map, or a name under the picture, "
        "opens that head; a click on a token pins its row.",
        "Nothing can change before the first exchanged token: the model reads from left to right.",
    ),
    MODELS: (
        "Both models read the same text. Their heads have the same numbers and nothing else in common, unless one was trained "
        "on from the other: a head of A may have its twin elsewhere in B.",
        "**Predictions** can be compared all the same: the bars under the tokens show where the models disagree.",
        "The streams of models that were trained apart point in unrelated directions; of a model that was trained on, they stay "
        "close.",
    ),
    PRECISIONS: (
        "A is the model as it is, in FP32; B the same with its **weights**, or the **keys and values** that a cache keeps, "
        "rounded to fewer bits. The rounding is simulated, the arithmetic stays FP32.",
        "The table, for keys and values, rounds one head at a time: heads above your limit should stay in 16 bits. An "
        "**outlier channel**, one much larger than the others, sets the scale that all channels of its head share.",
    ),
}
MEASURING = "Keeps one head after the other in few bits …"
COSTS = {"KL (nats)": ".2e", "Outlier": ".1f"}
COST_HELPS = {
    "Head": "Layer and key/value head; with MLA, the latent that all heads of the layer share.",
    "KL (nats)": "Mean KL along the text when only this head's keys and values are rounded.",
    "Outlier": "Largest |k| of the loudest channel, beside that of the median channel.",
    "16 bits": "Whether the KL exceeds the limit.",
}
NOTICE_MATHS = (
    "A head's number is the mean, over aligned rows, of the total variation between its two rows; weight on tokens without a "
    "partner counts as one cell.",
    "KL is that of A's prediction to B's, in nats. The alignment has the fewest edits that turn one text into the other.",
)
EQUATION = (
    r"\Delta_{ij}=P^B_{\beta(i)\beta(j)}-P^A_{\alpha(i)\alpha(j)},\qquad \text{moved}=\frac1n\sum_i\tfrac12\sum_j|\Delta_{ij}|,"
    r"\qquad \mathrm{KL}(p^A\Vert p^B)=\sum_w p^A_w\log\frac{p^A_w}{p^B_w}",
    "Edit distance: Levenshtein 1966. α and β are the positions of the aligned tokens in both texts; the sum over j has one "
    "more cell for all tokens without a partner.",
)
COMPARING = "Reads both sides and compares every head …"
LIMIT = "Stay in 16 bits above a KL of"
MEASURE_ALL = "Measure every head, one pass each"


def names(choice: Choice) -> list[str]:
    """What the two runs are called."""
    return ["A", "B"] if choice.view == PROMPTS else [choice.model, choice.other]


def title(choice: Choice) -> str:
    """What is compared."""
    if choice.view == PROMPTS:
        return f"Two prompts read by {choice.model}: A “{choice.a[:60]}”, B “{choice.b[:60]}”"
    if choice.view == PRECISIONS:
        return f"{choice.model}: A FP32, B {choice.bits}, on “{choice.a[:60]}”"
    return f"A {choice.model}, B {choice.other} on “{choice.a[:60]}”"


def cut(choice: Choice, found: Found) -> str:
    """A sentence where texts are longer than what is compared."""
    compared = found.comparison.a, found.comparison.b
    if all(length <= len(trace) for length, trace in zip(found.lengths, compared)):
        return ""
    longest = max(found.lengths)
    return (
        f"The text has {longest:,} tokens: the first {max(map(len, compared))} of each are compared here. `tlmviz.compare` in "
        "Python takes all that the model reads."
    )


def kept(choice: Choice) -> str:
    """What a cache keeps of each layer."""
    return "key/value heads" if choice.lms[0].config.attention.latent_dim is None else "latents"


def same(choice: Choice, found: Found) -> str:
    """That nothing differs, and why."""
    if choice.view == PROMPTS:
        whole = (
            "Both texts are the same"
            if choice.a == choice.b
            else "What is compared of both texts is the same"
        )
        return f"**Nothing differs.** {whole}, so every weight, stream and prediction is. Change a word of one of them."
    return "**Nothing differs.** Both sides are the same model on the same text. Choose another model B."


def summary(choice: Choice, found: Found) -> str:
    """Counts, the head that moved most, and where the predictions part."""
    comparison = found.comparison
    alignment = comparison.alignment
    first = comparison.moved(1).iloc[0]
    at = int(comparison.kl.argmax())
    parts = []
    if choice.view == PROMPTS:
        edits = alignment.edits
        parts.append(
            f"**{edits} edit{'s' * (edits != 1)}** between the texts (tokens exchanged, added or left out)."
        )
        if int(alignment.equal.sum()) <= 1:  # the start
            parts.append("They share no token, so weights are compared between different words.")
    parts.append(
        f"Head **{int(first.layer)}.{int(first['head'])}** moved most: {number(100 * first.moved, '.1f')} % of its attention "
        "goes elsewhere."
    )
    token = readable(comparison.a.tokens[int(alignment.a[at])])
    parts.append(
        f"Predictions are furthest apart behind “{token}”: {number(float(comparison.kl[at]), '.2g')} nats."
    )
    return " ".join(parts)


def other_shape(a: str, layers: int, heads: int, b: str, other_layers: int, other_heads: int) -> str:
    """Why two models are not compared."""
    return (
        f"{a} has {layers} layers of {heads} heads, {b} {other_layers} of {other_heads}: no head stands for another; "
        "choose a model with as many layers and heads."
    )


def stay(choice: Choice, count: int, of: int) -> str:
    """How many heads cannot be rounded further."""
    return f"**{count} of {of}** {kept(choice)} must stay in 16 bits at this limit."


def snippet(choice: Choice) -> str:
    """The comparison with the public API."""
    if choice.view == PROMPTS:
        runs = f"""\
lm = tlmviz.load({choice.model!r})
found = tlmviz.compare(lm.trace({choice.a!r}), lm.trace({choice.b!r}))
"""
    elif choice.view == PRECISIONS:
        part, key = BITS[choice.bits]
        runs = f"""\
from tlmviz.analysis.workbench import precisions

lm = tlmviz.load({choice.model!r})
ids = lm.encode({choice.a!r})
found = tlmviz.compare(lm.trace_ids(ids), precisions.{part}_rounded(lm, ids, {key!r}))
"""
    else:
        runs = f"""\
a, b = tlmviz.load({choice.model!r}), tlmviz.load({choice.other!r})
found = tlmviz.compare(a.trace({choice.a!r}), b.trace({choice.a!r}))
"""
    return f"""\
import tlmviz

{runs}moved = found.moved(10)
print(moved)  # the heads that moved most
first = moved.iloc[0]
print(found.difference(int(first.layer), int(first["head"])).round(2))  # weight in B - weight in A
print(found.kl.round(3))  # behind each aligned token, in nats
"""
