"""The words of the view "Routing" of the page Experts."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np

from tlmviz.figures import number

if TYPE_CHECKING:
    from pages.experts.experts.controls import Reading

NOTICE_MATHS = (
    "The notes write the router's bias into the logits and take the softmax over the chosen of that sum, so that the bias would "
    "change the output as well. DeepSeek-V3 adds it for the choice alone; the panel shows the weights both ways.",
)
EQUATIONS = (
    (
        r"s_{t,i} = \sigma(\mathbf{u}_t \cdot \mathbf{e}_i), \qquad \mathcal{C}_t = \mathrm{top}k_i\,(s_{t,i} + b_i), \qquad"
        r" g_{t,i} = \frac{s_{t,i}}{\sum_{j \in \mathcal{C}_t} s_{t,j}}\ (i \in \mathcal{C}_t), \qquad"
        r" \mathbf{h}_t = \mathrm{FFN}^{\mathrm{shared}}(\mathbf{u}_t) + \sum_{i \in \mathcal{C}_t} g_{t,i}\,"
        r" \mathrm{FFN}_i(\mathbf{u}_t)",
        "Decoder-Only Transformers in Einstein Notation, section 6.3; DeepSeek-AI, DeepSeek-V3 (2024), Eq. 12–16. e: a row of "
        "the router for each expert, b: the bias. Mixtral and Qwen take a softmax in place of σ and have no bias.",
        "Section 6.3 writes G = H W_gate + b and mixes with softmax over the chosen of G: the bias would enter the weights. "
        "In DeepSeek-V3 it stays out of them.",
    ),
)


def cut(shown: int, tokens: int) -> str:
    """That not all tokens are in the picture."""
    return f"The picture shows the first {shown:,} of {tokens:,} tokens; loads and losses are those of all."


def notice(reading: Reading, arrays: Mapping[str, np.ndarray]) -> list[str]:
    """What to look for, with what this text shows, measured."""
    part = reading.experts
    shared = {0: "", 1: " One more expert, the shared one, reads every token and is not drawn."}.get(
        part.shared, f" {part.shared} more experts are shared: they read every token and are not drawn."
    )
    found = [
        f"A row is a token, a column an expert of a layer: of {part.count} each token reaches {part.chosen}, and a darker "
        f"cell has more weight in what they say together.{shared} The bars above are the shares of the tokens."
    ]
    found.append(_bias(arrays))
    found.append(
        "Click on a token to see what the router gave each expert. Experts do not divide the text by topic: "
        "look at the view Load for the tokens that each answers to."
    )
    return found


def _bias(arrays: Mapping[str, np.ndarray]) -> str:
    """How often the bias changes the choice, and by how much it would change the weights."""
    if not np.any(arrays["bias"]):
        return "This router has no bias: the choice and the weights are made of the same scores."
    turned = (np.sort(arrays["chosen"], -1) != np.sort(arrays["plain"], -1)).any(-1)
    off = np.abs(arrays["mixed"] - arrays["weights"]).max()
    return (
        f"The bias changes {int(turned.sum())} of {turned.size:,} choices on this text ({number(100 * turned.mean(), '.0f')} %, "
        "orange frames: filled where the bias brought the expert in, empty where it put one out). It chooses only: if it entered "
        f"the weights too, they would move by up to {number(float(off), '.3f')}."
    )


def snippet(reading: Reading) -> str:
    """The routing with the public API."""
    return f"""\
import tlmviz
from tlmviz.analysis.experts import routing as measures

lm = tlmviz.load({reading.model!r})
trace = lm.trace({reading.text!r})
for layer in trace.expert_layers:
    routing = trace.routing(layer)
    print(layer, routing.scores.shape, routing.bias)  # [T, E] before the bias, [E]
    print(routing.chosen[-1], routing.weights[-1])  # of the last token: experts and what they weigh, [T, k]
    print("choices that the bias changes:", measures.changed_by_bias(routing, lm.config.experts).float().mean())
    print("weights if the bias entered them:", measures.mixing_readings(trace, layer).with_bias[-1])
"""
