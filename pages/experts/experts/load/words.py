"""The words of the view "Load" of the page Experts."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from tlmviz.figures import number, readable

if TYPE_CHECKING:
    from pages.experts.experts.controls import Reading
    from tlmviz.analysis.experts.survey import Survey

FEW = 10  # tokens that are named for an expert
HELPS = {
    "your text": "Share of your text's tokens that this expert reads.",
    "reads in your text": "Your tokens that it reads, those with the largest weight first.",
    "held out": "Share of the tokens of held-out stories that it reads.",
    "answers to (held out)": "Tokens that it reads more often than its load would make it; in brackets, of how many of them.",
}
NOTICE_MATHS = (
    "Colours count doublings: log₂ of the load over the even share k / E, cut at a quarter and at four times.",
)
EQUATION = (
    r"f_i = \frac{1}{T} \sum_t \mathbf{1}[\,i \in \mathcal{C}_t\,], \qquad \sum_i f_i = k, \qquad \text{even: } f_i = k / E",
    "Fedus, Zoph and Shazeer, Switch Transformers (2021), Eq. 5, for k choices; Decoder-Only Transformers in Einstein Notation, "
    "section 6.3.",
)
XLOAD_ALT = "Share of the tokens that reach each expert of each layer"


def rows(
    loads: np.ndarray, readers: Sequence[Sequence[str]], survey: Survey | None, layer: int
) -> list[dict[str, object]]:
    """A row of the table for each expert of a layer."""
    found: list[dict[str, object]] = []
    for expert, (load, tokens) in enumerate(zip(loads, readers)):
        row: dict[str, object] = {
            "expert": expert,
            "your text": float(load),
            "reads in your text": listed([readable(token) for token in tokens]),
        }
        if survey is not None:
            place = survey.layers.index(layer)
            found_there = survey.experts[place][expert]
            row["held out"] = found_there.load
            row["answers to (held out)"] = listed(
                [
                    f"{readable(each.token)} ({number(100 * each.share, '.0f')} %)"
                    for each in found_there.answers
                ]
            )
        found.append(row)
    return found


def listed(names: Sequence[str]) -> str:
    """The first few of some names."""
    return " · ".join(names[:FEW]) + (" …" if len(names) > FEW else "")


def no_survey(model: str) -> str:
    """That nothing was counted on held-out stories."""
    return f"{model} brings no count of held-out stories, so what its experts answer to is known of your text alone."


def notice(reading: Reading, loads: np.ndarray, survey: Survey | None) -> list[str]:
    """What to notice, with the extremes of this text."""
    place, expert = np.unravel_index(int(loads.argmax()), loads.shape)
    idle = int((loads == 0).sum())
    found = [
        f"Blue experts read more of the tokens than an even share, orange ones fewer. On your text expert {expert} of layer "
        f"{reading.layers[place]} reads most, {number(100 * float(loads.max()), '.0f')} %"
        + (f", and {idle} of {loads.size} read nothing." if idle else ".")
    ]
    if survey is not None:
        most = [expert.load / reading.even for layer in survey.experts for expert in layer]
        found.append(
            f"Over {survey.tokens:,} held-out tokens the busiest expert has {number(max(most), '.2f')} times the even "
            f"share, the least busy {number(min(most), '.2f')} times: balance holds over many texts, not in each."
        )
    found.append(
        "Choose a layer: what an expert answers to is most often a kind of token, a mark, a name, the end of a word, more "
        "rarely a subject; nothing told it which."
    )
    return found


def share_tokens_title(percent: float) -> str:
    """What stands above the picture."""
    return f"Share of the tokens that each expert reads (even: {percent:.3g} %)"


def snippet(reading: Reading) -> str:
    """Loads with the public API."""
    return f"""\
import tlmviz
from tlmviz.analysis.experts import routing

lm = tlmviz.load({reading.model!r})
trace = lm.trace({reading.text!r})
shares = routing.loads(trace) / len(trace)  # [layers with experts, E]; a row sums to k
print(shares.round(3))
for layer in trace.expert_layers:
    print(layer, routing.balance(trace.routing(layer).load.numpy()))
"""
