"""What all views of the page "Alignment & coverage" say: its claim, the names of the views, and the shared equations."""

from __future__ import annotations

from tlmviz.figures import number
from tlmviz.ui import inputs

CLAIM = "Where each translated word looked, and what it missed."
VIEWS = ("Ribbons", "Translation", "Matrix by hand", "With and without coverage", "Force attention")
RIBBONS, TRANSLATION, BY_HAND, MODELS, FORCE = VIEWS

PENALTY = (
    r"\mathrm{cp}(X, Y) = \beta \sum_{j=1}^{|X|} \log \min\Big(\max\Big(\sum_{i=1}^{|Y|} a_{ij},\ "
    r"\text{floor}\Big),\ 1\Big),\qquad \sum_j a_{ij} = 1",
    "Mathematics in Modern NLP, section 6.3.2, Eq. 37–40; Wu et al. 2016.",
    "Eq. 37 has no floor: a source word that nobody "
    "looks at would cost log 0, and no finite weight could save the translation. Here, as in practice, it costs β log floor.",
)
OVERLAP = (
    r"\mathbf{c}^t = \sum_{t'=0}^{t-1} \mathbf{a}^{t'} \ \text{(48)}\quad\text{or}\quad "
    r"\mathbf{c}^t = \frac{1}{t}\sum_{t'=0}^{t-1} \mathbf{a}^{t'} \ \text{(50)},\qquad "
    r"\mathrm{covloss}_t = \sum_i \min(a_i^t, c_i^t) \ \text{(49)}",
    "Mathematics in Modern NLP, section 7.1, Eq. 48–50; Tu et al. 2016, See et al. 2017. At the first step c is 0 in both forms.",
)
EQUATIONS = (PENALTY, OVERLAP)
ALIGNMAP_ALT = "Attention of target tokens on source tokens, coverage and penalty below"
ALIGNSTEPS_ALT = "Coverage before each step, the step's attention, and their overlap"


def guess(text: str, written: str, step: int) -> str:
    """The question before the ribbons."""
    return (
        f"The model writes “{inputs.plain(text)}”. While it writes {_quoted(written)} (step {step + 1}), at which source "
        "token does it look most?"
    )


def guessed(written: str, best: tuple[str, float], second: tuple[str, float]) -> str:
    """The two source tokens that are looked at most, with their weights."""
    (first, weight), (other, less) = best, second
    return (
        f"While it writes {_quoted(written)} it looks at **{_quoted(first)}** with {number(weight, '.0%')}, then at "
        f"{_quoted(other)} with {number(less, '.0%')}."
    )


def _quoted(token: str) -> str:
    return f"“{inputs.plain(token.strip())}”"
