"""The words of the page Attention explorer: claim, what to notice, equation, snippet, and the panels' sentences."""

from __future__ import annotations

from .compute import LossGradient
from .controls import Choice

CLAIM = "What every head of a really trained model attends to, as you type."
NOTICE = (
    "Heads differ: order the overview by *Previous token* to find those that look back one token, by *Entropy* to "
    "tell sharp heads from those that average over everything.",
    "Type a phrase twice, or take the example *Repeats*, and order by *Induction*: these heads look at what followed the "
    "phrase the first time, and the prediction follows them.",
    "A head that puts its weight on ⟨start⟩ rests there: order by *Attention sink* to see which do on your text.",
    "Click a cell or a token to pin it; the predictions then show what the model expects after that token. "
    "Ctrl and the wheel zoom the map; after a click the wheel alone does.",
)
EQUATION = (
    r"p_{ts} = \exp\!\Big(\tfrac{q_t \cdot k_s}{\sqrt{d_k}} + b_{ts} - \mathrm{lse}_t\Big),\qquad "
    r"\mathrm{lse}_t = \log \sum_{s \le t} \exp\!\Big(\tfrac{q_t \cdot k_s}{\sqrt{d_k}} + b_{ts}\Big)",
    "Scaled dot-product attention: Transformer with PyTorch, section 1.2, Eq. 4, and section 2.1.2, Eq. 24–27. "
    "The maps are recomputed from q, k and each row's log-sum-exp; none is stored.",
)
DOWNLOADS = "PNG and SVG of the map: the buttons above the picture. Other charts: their camera button (SVG)."


def snippet(choice: Choice) -> str:
    """The map with the public API."""
    layer, head = choice.view.head
    return f"""\
import tlmviz

lm = tlmviz.load({choice.model!r})
trace = lm.trace({choice.text!r})
weights = trace.attention(layer={layer}, head={head})  # [T, T], computed when asked
print(trace.tokens)
print(weights)
print(trace.head_statistics())
"""


def one_weight(choice: Choice, query: int, key: int, weight: float) -> str:
    """One weight in a sentence: which dimension adds what to its score."""
    layer, head = choice.view.head
    spec = choice.trace.specs[layer]
    term = "q·k/√d" if spec.mask.relative is None else "q·(k + a)/√d, where a is the distance's vector"
    end = "the score" if spec.mask.slopes is None else "the score before ALiBi's penalty"
    gets = f"is hidden, as {choice.hidden}: weight 0" if choice.hidden else f"gets weight {weight:.4f}"
    return (
        f"Layer {layer}, head {head}: query {query} to key {key} {gets}. "
        f"Each bar is one dimension's {term}; the line adds them up to {end}."
        + ("" if choice.view.query is not None else " Pin a cell in the map to choose the pair.")
    )


def rescaled(factor: float, entropy: float, gradient: float) -> str:
    """The pinned row under another scale."""
    return (
        f"Pinned row at × {factor:g}: entropy {entropy:.3f} bits, gradient Σ|p − y| {gradient:.4f}, "
        "with y one-hot on the row's strongest key."
    )


def loss_gradient(gradient: LossGradient | None) -> str:
    """What the entries of p − y say, with their source."""
    if gradient is None:
        return "A text of one token has no next one, and so no loss to differentiate: type a longer text."
    return (
        f"After “{gradient.token}” the text has “{gradient.target}”, which the model gave {gradient.p:.2%}. The loss is −log "
        "of that, and its gradient with respect to the logits is p − y (Transformer with PyTorch, section 1.2, Eq. 3): "
        "p is the predicted distribution, and y is 1 at the token that really follows and 0 elsewhere. "
        "Training lowers the logits of positive bars and raises that of the negative one; all entries of the vocabulary sum to 0."
    )


def change(what: str, here: float, mean: float, loss: float) -> str:
    """An intervention in two numbers."""
    return (
        f"{what}: KL(original‖changed) **{here:.4f}** nats here, **{mean:.4f}** on average; "
        f"loss **{loss:+.4f}** nats per token."
    )


def checks(choice: Choice) -> str:
    """How to measure the same on another model."""
    return f"On your own checkpoint: `tlmviz check PATH`. Here: {choice.model}, {len(choice.trace)} tokens."
