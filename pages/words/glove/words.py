"""The words of the page GloVe: claim, what to notice, equation, captions, table headings, snippet."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from tlmviz.analysis.words.glove import Fit
from tlmviz.figures import escaped, number
from tlmviz.ui import inputs

from .controls import MODEL, Choice

if TYPE_CHECKING:  # it imports the words itself
    from .compute import Table

CLAIM = "Not how often two words meet, but how much more often than another word does."
NO_FIT = "words-glove was fitted to its own text's counts and not to yours, so there is nothing to compare these with."
NOTICE = (
    "**A ratio far above 1** says the probe belongs to the first word, far below 1 to the second; near 1 it belongs to both or "
    "to neither, and tells nothing. That is why GloVe learns from ratios and not from counts.",
    "**Small counts are chance:** a count of 0.2 is one meeting five words apart. A ratio of two such numbers says little, and "
    "the weight f makes the fit care little about them.",
)
NOTICE_MATHS = (
    "$P(k\\mid i)=X_{ik}/X_i$. A model that fits $\\log X_{ik}$ has the ratio as a difference of vectors, "
    "$(w_i-w_j)^\\top\\tilde w_k+b_i-b_j$: the probe's own bias falls out.",
)
EQUATION = (
    r"J=\tfrac12\sum_{i,j} f(X_{ij})\,\big(w_i^\top\tilde w_j+b_i+\tilde b_j-\log X_{ij}\big)^2,\qquad "
    r"f(x)=\min\!\big(1,(x/x_{\max})^{\alpha}\big),\qquad f(0)=0",
    "Mathematics in Modern NLP, section 4.2, Eq. 19–21; Pennington et al. 2014, Eq. 8 and 9.",
    "The notes call the counts P and leave out the biases; the model has both, as in the paper. With counts, X is how often two "
    "words met; with probabilities log P would lack the frequency of the words, which the biases take up.",
)
FORMATS = {"Xᵢ": ".3g", "Xⱼ": ".3g", "P(k|i)": ".3%", "P(k|j)": ".3%", "Ratio": ".3g", "Fitted": ".3g"}
HELPS = {
    "Xᵢ": "How often the probe met word i, each meeting weighed 1 / distance.",
    "Xⱼ": "How often the probe met word j.",
    "P(k|i)": "The share of all that stands near word i.",
    "P(k|j)": "The share of all that stands near word j.",
    "Fitted": "The ratio that the model's vectors and biases give.",
}
FIT_FORMATS = {"Cells": ",d", "Share of the weight": ".1%", "Error in log X": ".2f", "Mean error": ".2f"}
SHARE_WEIGHT = "Share of the weight"
ERROR_LOG_X = "Error in log X"
COUNTS_HEADING = "#### The counts, and what the vectors make of them"
RATIOS_ALT = "Ratios of the probabilities of each probe near the two words"
X_COUNTED_TITLE = "X, counted (meetings, each 1 / distance)"
COUNTED_ALT = "How often each two of these words met"
FITTED_ALT = "The counts that the vectors stand for"
WEIGHT_F_TITLE = "Weight f(x); points: the pairs above"
WEIGHT_ALT = "The weight of a count, rising to 1"
DENSITY_ALT = "Counted against fitted values, near the diagonal where the fit is good"


def title(choice: Choice) -> str:
    """What the bars say."""
    one, other = escaped(choice.first[:16]), escaped(choice.second[:16])
    return f"“{one}” against “{other}” (ratio of shares)"


def rows(choice: Choice, found: Table) -> list[dict]:
    """The table of the paper, a row each probe."""
    table = []
    for k, probe in enumerate(found.probes):
        row = {
            "Probe k": probe,
            "Xᵢ": float(found.ratios.counts[0, k]),
            "Xⱼ": float(found.ratios.counts[1, k]),
            "P(k|i)": float(found.ratios.probabilities[0, k]),
            "P(k|j)": float(found.ratios.probabilities[1, k]),
            "Ratio": float(found.ratios.ratios[k]),
        }
        table.append(row if found.fitted is None else {**row, "Fitted": float(found.fitted[k])})
    return table


def ratios(choice: Choice, found: Table) -> str:
    """How well the vectors agree, what was left out, and that both words are one; empty where nothing is to be said."""
    parts = []
    if found.fitted is not None and choice.first != choice.second:
        both = (found.ratios.counts > 0).all(0)
        agree = int(((found.fitted > 1) == (found.ratios.ratios > 1))[both].sum())
        parts.append(
            f"Of {int(both.sum())} probes that met both words the vectors put {agree} on the counted side of 1. Pairs that "
            "never met are left out of the fit, so nothing tells the vectors that they do not."
        )
    if choice.first == choice.second:
        parts.append(
            f"Both words are “{inputs.plain(choice.first)}”, so every ratio is 1; give two different words."
        )
    if found.unknown:
        named = ", ".join(f"“{inputs.plain(word[:30])}”" for word in found.unknown)
        where = "your text" if choice.own is not None else "the most frequent words that counts come with"
        parts.append(f"Not among {where}, so left out: {named}.")
    return " ".join(parts)


def notice(choice: Choice, found: Table) -> tuple[str, ...]:
    """What to look for, with this table's strongest probe."""
    values = np.where(np.isfinite(found.ratios.ratios), found.ratios.ratios, 0)
    best = int(values.argmax())
    if values[best] <= 1 or choice.first == choice.second:
        return NOTICE
    probe, one, other = (
        inputs.plain(word[:30]) for word in (found.probes[best], choice.first, choice.second)
    )
    near, far = (number(100 * share, ".2g") for share in found.ratios.probabilities[:, best])
    return (
        f"**“{probe}”** makes up {near} % of what stands near “{one}” and {far} % near “{other}”: "
        f"{number(values[best], '.3g')} times as much.",
        *NOTICE,
    )


def fit(cells: Fit) -> str:
    """The error of the fit."""
    return (
        f"Root of the mean squared error in log X: {number(cells.error(), '.2f')} weighed by f, as trained, and "
        f"{number(cells.error(weighted=False), '.2f')} with every count alike; an error of 0.69 is a factor of 2. Measured on "
        f"the counts of the 1,500 most frequent words that {MODEL} learned from, each pair from both sides."
    )


def not_in_text(named: str, size: int) -> str:
    """Why a word has no counts."""
    return f"“{named}” does not stand in your text, so nothing was counted for it; take one of its {size:,} words."


def no_counts(model: str) -> str:
    """What the model comes without."""
    return f"{model} comes without its counts, meetings.safetensors; copy its folder again."


def density_title(pairs: int) -> str:
    """What stands above the picture."""
    return f"All {pairs:,} counts and their fit"


def too_rare(named: str, size: int) -> str:
    """Why a word of the vocabulary has no counts."""
    return (
        f"“{named}” is rarer than those: counts come with the {size:,} most frequent words of the model's text; take a more "
        "common word, or count your own text."
    )


def unknown(named: str, size: int) -> str:
    """Why a word outside the vocabulary has no counts."""
    return (
        f"“{named}” is not in the vocabulary: counts come with the {size:,} most frequent words of the model's text; take a "
        "more common word, or count your own text."
    )


def snippet(choice: Choice, found: Table) -> str:
    """The ratios and the fit with the public API."""
    probes = " ".join(found.probes)
    if choice.own is None:
        counts = """\
meetings = wv.meetings  # of the 1,500 most frequent words
row = {word: number for number, word in enumerate(wv.vocabulary[: meetings.size])}
"""
    else:
        counts = f"""\
words = {" ".join(choice.own)!r}.split()
row = {{word: number for number, word in enumerate(dict.fromkeys(words))}}
meetings = glove.count_meetings(np.array([row[word] for word in words]), wv.config.window, len(row))
"""
    code = f"""\
import numpy as np
import tlmviz
from tlmviz.analysis.words import glove

wv = tlmviz.load({MODEL!r})
{counts}i, j, probes = row[{choice.first!r}], row[{choice.second!r}], [row[word] for word in {probes!r}.split()]
table = glove.ratios(meetings, i, j, probes)
print(table.counts, table.probabilities, table.ratios)
"""
    if choice.own is None:
        code += """\
fitted = np.exp(glove.fitted_log_ratios(wv, i, j, probes)) * meetings.totals[j] / meetings.totals[i]
fit = glove.fit(wv, meetings)
print(fitted, fit.error())
"""
    return code
