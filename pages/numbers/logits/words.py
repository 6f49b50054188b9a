"""The words of the page Logits: claim, what to notice, equations, captions, table headings, snippets."""

from __future__ import annotations

from tlmviz.analysis.numbers.logits import Growth, Softness
from tlmviz.figures import number
from tlmviz.ui.guess import three_digits

from .compute import Embedding, Output
from .controls import DIRECTIONS, HEAD, SCORES, Choice

CLAIM = "Sums of many numbers grow with their number: why scores are divided by √d, and logits by √E."
NOTICE = {
    SCORES: (
        "**Before training** (blue) d products have d times the variance of one: the curve lies on the dashed line. Divided by "
        "√d, a score has one spread in heads of every size, and softmax starts soft.",
        "**After training** the curve may lie above the line: products rise and fall together, as query and key then agree in "
        "many dimensions at once. √d is right for the start of training; how sharp a head is in the end, its weights decide.",
    ),
    HEAD: (
        "**Before training** the spread is what √E·σ·RMS says: each logit is a sum of E products that do not know one another.",
        "**After training** the logits spread further than that: the last stream points where likely tokens' vectors do.",
        "Dividing the logits of a *trained* model makes it worse: it learned with the factor 1. A divisor has to be there "
        "while it learns.",
    ),
    DIRECTIONS: (
        "**Isotropic** vectors point everywhere alike: mean cosine 0, equal shares on all axes, a cloud around the cross. "
        "So they start.",
        "**Training pushes rare tokens one way.** Where head and embedding are one matrix, each step pushes every token that did "
        "not come away from what the model had in mind: in stories-rope the group apart are bytes that no story contains. "
        "stories-gpt has a head of its own, and its embedding a mean cosine of 0.01.",
        "**Without their mean** the vectors lie around the cross again: one common direction was most of what they shared.",
    ),
}
NOTICE_MATHS = {
    SCORES: (
        "The curves are exact means over all $\\binom{D}{d}$ choices of dimensions: $d\\,\\bar v+d(d-1)\\,\\bar c$, with the "
        "mean variance $\\bar v$ and covariance $\\bar c$ of the products.",
    ),
    HEAD: (
        "The note takes RMS(x) = 1; a norm's learned gain changes that, so the measured RMS stands in the prediction.",
    ),
    DIRECTIONS: (
        "$Z(c)=\\sum_w e^{v_w^\\top c}$ over the main axes c: the least over the greatest is 1 for isotropic vectors.",
    ),
}
EQUATIONS = {
    SCORES: (
        r"\operatorname{Var}(q\cdot k)=\sum_{j,l}\operatorname{Cov}(q_jk_j,\,q_lk_l)\;\overset{\text{independent}}{=}\;d\,v,"
        r"\qquad \operatorname{Var}\!\Big(\frac{q\cdot k}{\sqrt d}\Big)=v",
        "Transformer with PyTorch, section 1.2, Eq. 4; Vaswani et al. 2017, section 3.2.1, footnote 4.",
        "Both assume independent entries of variance 1. That holds of weights as they are drawn, not of trained ones.",
    ),
    HEAD: (
        r"l_j=\sum_{t=1}^{E}w_{jt}x_t,\qquad \operatorname{Var}(l_j)\approx E\,\sigma^2\,\mathrm{RMS}(x)^2,\qquad "
        r"\mathrm{RMS}(x)=1\ \Rightarrow\ \text{std}\approx\sqrt E\,\sigma",
        "LLM notes, section 2.1, Eq. 3 and 4.",
        "The note divides by √E for logits that do not grow with the model's width; these models do without, as their head "
        "starts with σ = 0.02.",
    ),
    DIRECTIONS: (
        r"\operatorname{Var}(x_t)\approx\tfrac1E\sum_t x_t^2\ \ \text{needs coordinates that are alike (isotropy)},\qquad "
        r"I=\frac{\min_c Z(c)}{\max_c Z(c)}",
        "LLM notes, section 2.1, Eq. 4; Mu and Viswanath 2018, Eq. 3.",
        "",
    ),
}
SOFTNESS = {"Spread": ".3g", "Entropy (bits)": ".2f", "Largest weight": ".1%", "Gradient left": ".3f"}
SOFTNESS_HELPS = {
    "Spread": "Standard deviation of the scores that softmax is given.",
    "Entropy (bits)": "How many tokens a row is spread over, as a power of two; mean over the rows.",
    "Largest weight": "What the row's favourite gets, in the mean.",
    "Gradient left": "The sum of p (1 − p): what comes back through softmax. Near 0 nothing can be learned.",
}
SPREADS = {"σ of weights": ".4f", "RMS(x)": ".3f", "√E·σ·RMS": ".3f", "Measured": ".3f", "Ratio": ".2f"}
ISOTROPIES = {
    "Mean cosine": ".3f",
    "First axis": ".1%",
    "First ten": ".1%",
    "Axes for 90 %": ",d",
    "Z least/greatest": ".3f",
}
GROWTH_ALT = "Variance of a score against the number of dimensions"
SCORES_ALT = "Scores of the head, undivided and divided by the root of d"
SPREADS_TITLE = "Spread of the logits over the vocabulary (standard deviation)"
SPREADS_ALT = "Spread of the logits after every token"
DIVIDED_ALT = "Loss of the text with all logits divided by a number"
COSINES_PAIRS_TITLE = "Cosines of pairs of tokens"
COSINES_ALT = "How alike the vectors of two tokens are"
VARIANCE_HELD_TITLE = "Variance held by the first axes"
SHARES_ALT = "Cumulative share of the variance by main axes"


def growth_title(choice: Choice, growth: Growth) -> str:
    """What the curves say of the chosen head."""
    return (
        f"Head {choice.layer}.{choice.head}: {len(growth.covariance)} products, "
        f"{number(growth.variance / growth.of_one, '.3g')} times one's variance"
    )


def growth_caption(choice: Choice, growth: Growth, before: Growth, pulls: list[float]) -> str:
    """The numbers behind the curves."""
    above = sum(pull > 1 for pull in pulls)
    return (
        f"Var(q·k) = {number(growth.variance, '.4g')} for this head, {number(growth.pull, '.2f')} times what independent "
        f"products would give; before training {number(before.pull, '.2f')} times. Of {len(pulls)} heads {above} lie above the "
        f"line. Measured on {growth.pairs:,} pairs of a query and a key of this text."
    )


def softness_rows(found: list[Softness]) -> list[dict]:
    """The table of what softmax makes of the head's scores."""
    names = ("1 (as it is)", "√d (the model)", "d")
    return [
        {
            "Divided by": name,
            "Spread": row.spread,
            "Entropy (bits)": row.entropy,
            "Largest weight": row.largest,
            "Gradient left": row.slope,
        }
        for name, row in zip(names, found)
    ]


def spread_rows(found: Output) -> list[dict]:
    """The table of what the logits' spread is made of."""
    return [
        {
            "Model": name,
            "E": part.width,
            "σ of weights": part.sigma,
            "RMS(x)": float(part.rms.mean()),
            "√E·σ·RMS": float(part.predicted.mean()),
            "Measured": float(part.measured.mean()),
            "Ratio": float(part.measured.mean() / part.predicted.mean()),
        }
        for name, part in (("trained", found.trained), ("before training", found.before))
    ]


def isotropy_rows(found: Embedding) -> list[dict]:
    """The table of how evenly the embedding's vectors point."""
    return [
        {
            "Embedding": name,
            "Mean cosine": part.mean_cosine,
            "First axis": float(part.shares[0]),
            "First ten": float(part.shares[:10].sum()),
            "Axes for 90 %": part.axes_for(0.9),
            "Z least/greatest": part.partition,
        }
        for name, part in (
            ("as it is", found.as_is),
            ("less its mean", found.centred),
            ("before training", found.before),
        )
    ]


def divided_title(best: float) -> str:
    """What stands above the picture."""
    return f"Loss of this text; least at {number(best, '.2g')}"


def directions_alt(name: str) -> str:
    """What the picture shows, for screen readers."""
    return f"Tokens along two axes, {name}"


def snippet(choice: Choice) -> str:
    """The numbers of a view with the public API."""
    start = f"""\
import tlmviz
from tlmviz.analysis.numbers import logits

lm = tlmviz.load({choice.model!r})
"""
    if choice.view == DIRECTIONS:
        return (
            start
            + """\
vectors = lm.network.token_emb.weight
for centred in (False, True):
    found = logits.isotropy(vectors, centred=centred)
    print(found.mean_cosine, found.shares[:10], found.axes_for(0.9), found.partition)
"""
        )
    start += f"trace = lm.trace({choice.text!r})\n"
    if choice.view == HEAD:
        return (
            start
            + """\
spread = logits.spread(lm, trace)
print(spread.measured.mean(), spread.predicted.mean())
raw = logits.untrained(lm)
before = logits.spread(raw, raw.trace_ids(trace.ids))
print(before.measured.mean(), before.predicted.mean())
print(logits.loss_by_divisor(trace, [1, spread.width**0.5]))
"""
        )
    return (
        start
        + f"""\
q, k, _ = trace.qk({choice.layer}, {choice.head})
growth = logits.growth(q, k)
print(growth.variance, growth.pull, growth.by_dimensions())
print(logits.softness(trace.scores({choice.layer}, {choice.head}, "dot"), [1, q.shape[-1] ** 0.5, q.shape[-1]]))
"""
    )


def guess(choice: Choice, size: int) -> str:
    """The question before the scores."""
    return (
        f"A score of head {choice.layer}.{choice.head} is a sum of {size} products. If these did not know one another, its "
        f"variance would be {size} times that of one. How many times is it in the trained model?"
    )


def guessed(times: float, growth: Growth) -> str:
    """The variance of a score, beside that of independent products."""
    return (
        f"It has **{three_digits(times)} times** the variance of one product: {number(growth.pull, '.2g')} times what "
        f"{len(growth.covariance)} independent ones would give."
    )
