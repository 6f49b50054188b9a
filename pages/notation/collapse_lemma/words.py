"""The words of the page Collapse lemma: claim, what to notice, equations, captions and snippet."""

from __future__ import annotations

from .compute import TOKENS
from .controls import Choice

CLAIM = "Heads that share one matrix are one head, until something stands between."
NOTICE = (
    "**One W_Q W_K'**: every head is given the same product M, in factors of its own. With nothing between, all heads draw one "
    "map, and a single head could do the work of all.",
    "**RoPE between**: positions turn queries and keys before they meet, so the factors matter and the heads come apart. **Norm "
    "between** does so too, as it takes out lengths that the factors had shared out.",
    "**ALiBi** adds to each head a slope of its own: even equal factors do not help. With **Same factors** RoPE and the norm "
    "leave heads equal, as all then do the same.",
    "**One W_V W_O**: heads that look in different places hand on the same. As long as weights are plain scores, they add up to "
    "one head. A **softmax between** ends that: it is why several heads see more than one.",
)
NOTICE_MATHS = (
    "RoPE between W_Q and W_K' makes a matrix for each distance: the lowest picture walks through them, and says what the best "
    "single matrix misses.",
    "The layer's output is compared with that of the single head of the lemma: the map of head 0 and the sum of all heads' "
    "W_V W_O; in the second part the mean M and H times the one W_V W_O. Shares are of Frobenius norms.",
)
EQUATIONS = (
    (
        r"W_Q^{(h)} {W_K^{(h)}}^\top = M \ \Rightarrow\ L^{(h)}_{ts} = x_t M x_s^\top,\quad Y = A\,X\textstyle\sum_h W_V^{(h)} "
        r"W_O^{(h)},\qquad \text{RoPE: } W_Q R_t R_s^\top W_K^\top,\qquad \text{ALiBi: } x_t M x_s^\top - m_h (t - s)",
        "Decoder-Only Transformers in Einstein Notation, section 9: single bilinear collapse, and why RoPE and ALiBi break it.",
        "The notes write R_tᵀ R_s, for vectors as columns; rows, as here, are turned by R_t R_sᵀ. The norm and the softmax as "
        "counterexamples are not in the notes.",
    ),
    (
        r"\textstyle\sum_h \big(X M_h X^\top\big) X U = \big(X \bar M X^\top\big) X\,(H U),\qquad "
        r"\sum_h \mathrm{softmax}\big(X M_h X^\top\big) \ne H\,\mathrm{softmax}\big(X \bar M X^\top\big),\qquad "
        r"\bar M = \tfrac1H \sum_h M_h",
        "The same with one U = W_V W_O in all heads: linear attention with scores as weights.",
    ),
)
FACTORS = (
    "The factors are W_Q A and W_K A'⁻¹ with a drawn A per head (seed 0), which turns and stretches up to twofold, and is 1 in "
    "head 0. RMS norms are without gain; RoPE has the model's base, or 10,000 where it has none; ALiBi's slopes are the usual "
    "ones. Probabilities on a root scale, from 0 to 1; differences from −0.5 to 0.5."
)
TURNED_ALT = "The product of W_Q and W_K with RoPE between them, by distance"


def title(choice: Choice) -> str:
    """What the maps are of."""
    return f"Layer {choice.layer} of {choice.model}, all heads"


def query_product(choice: Choice) -> str:
    """The product of a query's and a key's matrix by the model's own names, with RoPE between."""
    part = choice.lm.config.attention
    return f"{'W_Q' if part.query_latent_dim is None else 'W_↑Q'} R W_{'K' if part.latent_dim is None else '↑K'}'"


def caption(choice: Choice, tokens: int) -> str:
    """Which weights and tokens the maps are of, and what of the model stands in the first row only."""
    length = len(choice.trace)
    read = f"the first {tokens} of {length:,} tokens" if tokens < length else f"{length} tokens"
    return f"{choice.model}'s own weights on this text ({read}).{left_out(choice)}"


def left_out(choice: Choice) -> str:
    """What a model does between W_Q, W_K and its scores that no product of the two holds; nothing for most models."""
    part = choice.lm.config.attention
    parts = [
        *(["the norms of queries and keys"] if part.qk_norm != "none" else []),
        *(["the bound (softcap) of the scores"] if part.softcap is not None else []),
    ]
    if not parts:
        return ""
    return (
        f" **Left out of W_Q W_K', and of every row but the first: {' and '.join(parts)}** that {choice.model} has; the lemma is "
        "about models without."
    )


def snippet(choice: Choice) -> str:
    """Both parts with the public API."""
    return f"""\
import tlmviz
from tlmviz.analysis.notation.collapse import EVERY, collapse

lm = tlmviz.load({choice.model!r})
trace = lm.trace({choice.text!r})
found = collapse(lm, trace, layer={choice.layer}, stop={TOKENS})
for between, apart in zip(EVERY, found.apart):
    print(between, apart)  # logits and probabilities at most, and the share of the output
print("without softmax, with it:", found.missed)
"""
