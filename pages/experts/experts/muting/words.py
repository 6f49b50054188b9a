"""The words of the view "Mute & force" of the page Experts."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from pages.experts.experts.compute import KEPT, MIXED, REMOVED
from tlmviz.figures import number, readable

if TYPE_CHECKING:
    from .controls import Choice

NOTICE = (
    "Click on an expert above the rows: it is muted, and every token that chose it takes its next best one. Layers above see "
    "another text then, so their routing changes too.",
    "Forced, an expert is read by every token, in place of its last choice and with the weight of its own score.",
    "In the map an expert that costs little is one that others can stand in for; what one costs on this text says nothing of "
    "other texts.",
)
NOTICE_MATHS = (
    "A muted expert's score and bias count as −∞ for the choice, so that the weights of those chosen still sum to 1. With the "
    "bias in the mix, scores plus bias take the scores' place in the weights, not below 0.",
)
EQUATION = (
    r"\tilde{\mathcal{C}}_t = \mathrm{top}k_{\,i \notin \mathcal{M}}\,(s_{t,i} + b_i), \qquad"
    r" \Delta = \frac{1}{T-1} \sum_t \log \frac{P(w_{t+1} \mid w_{\le t})}{\tilde{P}(w_{t+1} \mid w_{\le t})}",
    "Decoder-Only Transformers in Einstein Notation, section 6.3. M: the muted experts; a tilde marks the changed pass.",
)
CLICK_TO_MUTE = "Click on an expert above the rows to mute it."
TOO_SHORT = "One token predicts nothing that follows, so there is no loss to compare; type one more."
CHANGE_MEAN_TITLE = "Change of the mean loss with one expert muted (nats per token)"
XMUTEMAP_ALT = "Change of the mean loss for each expert of each layer, muted alone"
XLOSSES_ALT = "Loss of each token as trained and with the routing changed"


def cost(choice: Choice, before: np.ndarray, after: np.ndarray) -> str:
    """What is changed, and the losses per token [T - 1] before and after."""
    change = choice.change
    if change.nothing:
        return f"As trained, this text costs **{before.mean():.4f}** nats per token. Mute an expert to see who needs it."
    parts = [f"without {_named(change.muted)}"] if change.muted else []
    parts += [f"with {_named(change.forced)} forced"] if change.forced else []
    parts += {KEPT: [], REMOVED: ["without the bias"], MIXED: ["with the bias in the mix"]}[change.bias]
    off = after - before
    worst = int(off.argmax())
    token = readable(choice.reading.tokens[worst + 1]).replace("`", "ˋ")
    return (
        f"Loss **{before.mean():.4f}** nats as trained, **{after.mean():.4f}** {' and '.join(parts)}: "
        f"**{number(float(off.mean()), '+.4f')}**, most at token {worst + 1} `{token}` ({number(float(off[worst]), '+.2f')})."
    )


def _named(experts: tuple[tuple[int, int], ...]) -> str:
    """Experts in words, the first few."""
    named = [f"expert {expert} of layer {layer}" for layer, expert in experts[:3]]
    return ", ".join(named) + (f" and {len(experts) - 3} more" if len(experts) > 3 else "")


def as_trained(error: str) -> str:
    """What is wrong with the link, and what is shown."""
    return f"{error} The picture shows the routing as trained."


def snippet(choice: Choice) -> str:
    """Python that measures what the change costs."""
    reading, change = choice.reading, choice.change
    parts = [
        f"edits.mute_experts(lm.config, {list(change.muted)})",
        f"edits.force_experts(lm.config, {list(change.forced)})",
    ]
    parts += {
        KEPT: [],
        REMOVED: ["edits.without_bias(lm.config)"],
        MIXED: ["edits.bias_in_the_mix(lm.config)"],
    }[change.bias]
    return f"""\
import tlmviz
from tlmviz.analysis.attention.interventions import combine
from tlmviz.analysis.experts import edits

lm = tlmviz.load({reading.model!r})
text = {reading.text!r}
changed = combine({", ".join(parts)})
before, after = lm.trace(text), lm.trace(text, edit=changed)  # pairs above are (layer, expert)
change = (after.loss_per_token() - before.loss_per_token()).mean()
print("nats per token:", before.loss_per_token().mean(), after.loss_per_token().mean(), change)
"""
