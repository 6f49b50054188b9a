"""The words of the view Lightning indexer: captions, the table of rounding errors, equation, snippet."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tlmviz.analysis.kernels.index_cost import DEEPSEEK, DEEPSEEK_KEYS, Sizes, products
from tlmviz.analysis.kernels.indexer import Precision
from tlmviz.figures.written import large

if TYPE_CHECKING:
    from .controls import IndexerChoice

DEEPSEEK_TOKENS = 131_072  # its context
RECALL = (
    "Recall is the share of all attention that falls on the chosen keys, averaged over all queries. It is not the loss: what one "
    "head needs can be little of the average, and this model never learned to attend to few keys."
)
RECALL_MATHS = (
    "A query with at most k keys has recall 1. *Most attention mass* takes the k keys that have it (the recall is then the best "
    "possible, the loss need not be); *random* is the expected recall, and one seeded draw for the loss. DeepSeek-V3.2 trains "
    "its model to attend to few keys in a second stage."
)
COVERED_ALT = "Covered attention mass against the number of keys per query"
SCORES_TITLE = "Index scores, softmax (probability)"
INDEXER_ROW_ALT = "One query's attention with the chosen keys marked"
INDEXER_LOSS_ALT = "Loss of dense and of sparse attention"


def cost(sizes: Sizes, length: int, k: int) -> str:
    """What choosing keys saves of this text's products, and of DeepSeek-V3.2's at its own sizes."""
    own, theirs = products(sizes, length, k), products(DEEPSEEK, DEEPSEEK_TOKENS, DEEPSEEK_KEYS)
    return (
        f"**Multiplications** of one layer behind its projections, on this text: {large(own.dense)} for all keys; with the "
        f"indexer {large(own.index)} to score them and {large(own.chosen)} for the chosen ones, {own.share:.0%} together. The "
        f"indexer still meets every key, with {sizes.index_heads} heads of {sizes.index_dim}, so that it pays on long texts: at "
        f"DeepSeek-V3.2's sizes ({DEEPSEEK.index_heads} index heads of {DEEPSEEK.index_dim}, {DEEPSEEK_KEYS:,} keys, "
        f"{DEEPSEEK_TOKENS:,} tokens) it is {theirs.share:.0%}, two thirds of it the indexer's own, and that in FP8."
    )


EQUATION = (
    r"\begin{gathered} I_{ts} = \sum_{j=1}^{H_I} w_{tj}\,\mathrm{ReLU}\big(q^I_{tj} \cdot k^I_s\big) \\ "
    r"(Uq)\cdot(Uk) = q\cdot k \\ "
    r"\min\ \mathrm{KL}\Big(\tfrac{1}{H}\textstyle\sum_h p^{(h)}_t \,\Big\|\, \mathrm{softmax}(I_t)\Big) \end{gathered}",
    "Lightning indexer: Transformer with PyTorch, section 3.5, Eq. 70 and 71; distilled as in DeepSeek-V3.2.",
    "The notes leave out what the model needs besides: a normalised key, RoPE on part of q and k, and the training.",
)


def other_model(teacher: str) -> str:
    """The model that the indexer belongs to."""
    return f"The lightning indexer was distilled from {teacher}; choose {teacher} in the Model menu to see it work."


def beyond_context(tokens: int, limit: int) -> str:
    """A text longer than what the indexer was distilled on is cut."""
    return (
        f"The indexer was distilled on {limit:,} tokens at most: the first {limit:,} of {tokens:,} are read."
    )


def all_keys(length: int, k: int) -> str:
    """k keys are all that a text has."""
    return f"This text has {length} tokens: {k} keys are all of them, which is dense attention."


def precision_table(label: str, before: Precision, after: Precision) -> str:
    """Errors and peaks of q and k in a format, as a table in Markdown."""
    lines = [
        f"| {label} | score error | choices kept | peak of q | of k |",
        "| --- | --- | --- | --- | --- |",
    ]
    for name, side in (("as trained", before), ("after U", after)):
        numbers = f"{side.error:.3%} | {side.agreement:.2%} | {side.peak_q:.2f} | {side.peak_k:.2f}"
        lines.append(f"| {name} | {numbers} |")
    return "\n".join(lines)


PRECISION = (
    "Rounded to fewer bits, the scores are off by *score error*, and *choices kept* is the share of the chosen keys that stay "
    "chosen. An outlier makes rounding coarser for its whole vector; U spreads it over all dimensions."
)


def precision_maths(head_dim: int) -> str:
    """How the columns of the table are measured."""
    return (
        "Score error: RMS of the change over RMS of the scores. Peak: "
        f"largest number of a vector over its RMS, 1 for a flat one and √{head_dim} = {head_dim**0.5:.1f} for all in one place. "
        "The step of an integer format is set by the largest number of the vector: outliers increase the error, and U, which "
        "spreads them over all dimensions, reduces it. FP8's step follows each number: it needs no U against outliers, and large "
        "ones that U spreads can even increase its error."
    )


def map_alt(title: str, layer: int) -> str:
    """What one of the maps shows, for screen readers."""
    return f"{title}, queries by keys, layer {layer}"


def rotation_heading(layer: int) -> str:
    """What stands above the histograms."""
    return f"**Rotation before rounding** · layer {layer}"


def histogram_alt(part: str) -> str:
    """What one histogram shows, for screen readers."""
    return f"Histogram of {part} before and after the rotation"


def attention_title(heads: int) -> str:
    """What stands above the attention's map."""
    return f"Attention, mean of {heads} heads (probability)"


def chosen_title(k: int) -> str:
    """What stands above the chosen keys."""
    return f"Chosen: {k} keys per query"


def snippet(choice: IndexerChoice, indexer: str) -> str:
    """The view's numbers with the public API."""
    return f"""\
import tlmviz
from tlmviz.analysis.kernels import indexer
from tlmviz.figures import LIGHT
from tlmviz.figures.kernels import indexer as figures

lm, scorer = tlmviz.load({choice.model!r}), indexer.load_indexer({indexer!r})
trace = indexer.trace_for_indexer(lm, lm.encode({choice.text!r}))
print(indexer.index_scores(trace, scorer, layer={choice.layer}))        # [T, T], later keys -inf
curves = {{how: curve.numpy() for how, curve in indexer.recall(trace, scorer).items()}}  # [L, T] each, by k
print(curves["indexer"][{choice.layer}, {choice.k} - 1])  # attention mass on {choice.k} keys per query
losses = indexer.sparse_losses(lm, trace.ids, {choice.k}, scorer)  # nats per token
print(losses)
means = {{how: curve.mean(0) for how, curve in curves.items()}}
figures.recall_curves(means, curves["indexer"][{choice.layer}], {choice.layer}, {choice.k}, LIGHT).show()
figures.losses(losses, {choice.k}, LIGHT).show()
"""
