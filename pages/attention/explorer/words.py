"""The words of the page Attention explorer: claim, what to notice, equation, snippet, and the panels' sentences."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tlmviz.analysis.attention.flow import Flow
from tlmviz.decoding.cuts import Cuts
from tlmviz.figures import readable
from tlmviz.figures.written import number
from tlmviz.ui import inputs

if TYPE_CHECKING:  # these import the words themselves
    from .compute import LossGradient
    from .controls import Choice, Drawing
    from .writing import Branch

CLAIM = "What every head of a really trained model attends to, as you type."
NOTICE = (
    "Heads differ: order the overview by *Previous token* to find those that look back one token, by *Entropy* to "
    "tell sharp heads from those that average over everything.",
    "Type a phrase twice, or take the example *Repeats*, and order by *Induction*: these heads look at what followed the "
    "phrase the first time, and the prediction follows them.",
    "A head that finds nothing to look at puts its weight on the first token, whatever that is: order by *Attention sink* to "
    "see which do on your text.",
    "Click a cell or a token to pin it; the predictions then show what the model expects after that token. "
    "Ctrl and the wheel zoom the map; after a click the wheel alone does.",
    "◎ beside a prediction asks who wrote it: every tile and MLP shows what it adds to that word's logit. The parts add up to "
    "the logit because the final norm's scale is held fixed; without a part the scale would change too, so mute a head "
    "(Alt-click) to see what the model really loses.",
    "*Flow*, below the maps, follows a prediction back to the tokens it starts from, through the heads and MLPs that carry it: "
    "the thicker an edge, the more. Click an edge to open its head at that place in the map.",
    "Click a predicted word to write it, or let the model write on; *Keep* holds one continuation beside another.",
)
EQUATION = (
    r"p_{ts} = \exp\!\Big(\tfrac{q_t \cdot k_s}{\sqrt{d_k}} + b_{ts} - \mathrm{lse}_t\Big),\qquad "
    r"\mathrm{lse}_t = \log \sum_{s \le t} \exp\!\Big(\tfrac{q_t \cdot k_s}{\sqrt{d_k}} + b_{ts}\Big)",
    "Scaled dot-product attention: Transformer with PyTorch, section 1.2, Eq. 4, and section 2.1.2, Eq. 24–27. "
    "The maps are recomputed from q, k and each row's log-sum-exp; none is stored.",
)
DOWNLOADS = "PNG and SVG of the map: the buttons above the picture. Other charts: their camera button (SVG)."


MADE = {
    "language": "lm = tlmviz.load({model!r})\ntrace = lm.trace({text!r})",
    "trace": "trace = tlmviz.open({model!r})",
}
NO_CHECKS = "These identities are measured on networks, and a file has none: `tlmviz check PATH` measures them on a checkpoint."
TEXT_ENDS = "The model ends the text here."
GO_ON_FROM_KEPT = "Go on from the kept"
TRACE_FILE = "Trace: ids, q, k, v, lse, logits (NPZ)"
FOLLOW_PINNED = "Follow the pinned token instead"
CROSS_ALT = "Every head's map between two texts"
PRODUCTS_ALT = "Products of query and key per dimension with their running sum"
RESCALED_ALT = "One row's weights at two scales"
CURVES_ALT = "Row entropy and gradient size against the scale factor"
LOSS_CHANGE_ALT = "Change of the loss of each token"
LOSS_GRADIENT_ALT = "Gradient of the loss with respect to the logits"


def longest_reached(name: str, context: int) -> str:
    """Why the model writes no further."""
    return f"{name} reads no more than {context:,} tokens."


def map_file(layer: int, head: int) -> str:
    """The button that saves the map."""
    return f"Map of layer {layer}, head {head} (CSV)"


def flow_after_title(token: str, after: str, position: int, least: float) -> str:
    """What stands above the picture."""
    return f"Flow to “{token}” after “{after}” ({position}): edges of {least:.1%} and more"


def over_patches_title(layer: int, head: int, token: str) -> str:
    """What stands above the picture."""
    return f"Layer {layer}, head {head}: what {token} attends to"


def over_patches_alt(layer: int, head: int) -> str:
    """What the picture shows, for screen readers."""
    return f"Weights of layer {layer}, head {head} over the image"


def cross_title(layer: int, head: int) -> str:
    """What stands above the picture."""
    return f"Layer {layer}, head {head}: each token's attention to the other text (probability)"


def cross_map_alt(layer: int, head: int) -> str:
    """What the picture shows, for screen readers."""
    return f"Layer {layer}, head {head}: queries by keys of another text"


def scaled_heading(factor: float) -> str:
    """What the picture of all heads shows."""
    return f"Every head of the model at × {factor:g}"


def cut_anew(token: str) -> str:
    """Why the drawn tokens are not those of the text."""
    return f"With “{token}” the text is cut into other tokens than those that were drawn."


def snippet(choice: Choice) -> str:
    """The map with the public API."""
    layer, head = choice.view.head
    made = MADE[choice.lm.task].format(model=choice.model, text=choice.text)
    return f"""\
import tlmviz

{made}
weights = trace.attention(layer={layer}, head={head})  # [T, T], computed when asked
print(trace.tokens)
print(weights)
print(trace.head_statistics())
"""


def cross(choice: Choice, rows: slice, cols: slice) -> str:
    """Which part of two texts is drawn."""
    trace = choice.trace
    parts = [
        f"{name} {part.start}–{part.stop - 1} of {total}"
        for name, part, total in (
            ("queries", rows, len(trace)),
            ("keys", cols, len(trace.key_tokens)),
        )
        if part.stop - part.start < total
    ]
    shown = f" Drawn: {', '.join(parts)}; the link's query= moves the part." if parts else ""
    return (
        f"{len(trace)} tokens read {len(trace.key_tokens)} tokens of another text; every row sums to 1.{shown} Stages, arcs, the "
        "notebook's widget and `save_html` show maps within one text only; the buttons give these numbers."
    )


def over_patches(share: float, others: int) -> str:
    """How much falls on the image, and what else there is."""
    rest = f", the rest on the {others} other token{'s' * (others != 1)}" if others else ""
    return f"{share:.1%} of this row falls on patches{rest}. Click a patch to ask from there; pixels are as the model reads them."


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


CUT_OFF = "A word that is written here takes the place of what follows."


def branches(shared: str, here: Branch, there: Branch) -> str:
    """Two continuations of one text, each with its log-probability."""

    def line(label: str, branch: Branch) -> str:
        rest = inputs.plain(branch.rest.strip()) or "nothing more"
        if not branch.tokens:
            return f"**{label}** … {rest}"
        each = branch.logp / branch.tokens
        return f"**{label}** … *{rest}* :gray[log P {number(branch.logp, '.2f')} nats, {number(each, '.2f')} per token]"

    tail = inputs.plain(shared.replace("<|endoftext|>", "")[-60:])
    return f":gray[Both begin:] …{tail}  \n{line('Shown', here)}  \n{line('Kept', there)}"


def muted(count: int) -> str:
    """That the bars are without some heads; nothing where none is muted."""
    return f" Without {count} head{'s' * (count != 1)}; the upright marks are with all." if count else ""


def cuts(drawing: Drawing, cuts: Cuts, size: int) -> str:
    """How many tokens the filters leave, and what share of the probability."""
    if cuts.kept == size:
        return f"Nothing is cut: temperature {drawing.sampling.temperature:g}, all {size:,} tokens."
    left = "1 token is" if cuts.kept == 1 else f"{cuts.kept:,} tokens are"
    return f"{left} left of {size:,}: {cuts.mass:.1%} of the probability, scaled to 100%."


def no_flow(choice: Choice) -> str:
    """Why there is nothing to follow flow through, where there is no network."""
    return (
        "Flow is followed through a network, and a file of a trace has none."
        if choice.lm.task != "language"
        else ""
    )


def flow(choice: Choice, followed: Flow, least: float) -> str:
    """How much of the flow the picture shows, and how it is measured."""
    edges, name = followed.edges, choice.lm.tokenizer.name(followed.token).strip()
    shown = edges.flow[edges.flow >= least]
    heads = f"{len(shown)} edge{'s' * (len(shown) != 1)}" if len(shown) else "No edge: lower the slider"
    stopped = float(followed.biases.sum()) + followed.rest
    biases = f"; {stopped:.1%} comes from biases and from no token" if stopped >= 0.0005 else ""
    muted = " Muted heads are followed as if they spoke." if choice.view.mute else ""
    return (
        f"{heads}. Below each token: the share of the prediction that starts in its embedding{biases}. Dots are the residual "
        f"stream, squares MLPs. What goes into the last column is what the logit of “{inputs.plain(name)}” "
        f"({number(followed.logit, '.2f')}) is a sum of: blue adds, orange takes off, widths are by size. Grey edges carry what "
        f"those parts were made of. Tokens that carry less than the slider's share are left out.{muted}"
    )


FLOW_MATHS = (
    "What parts were made of is shared by ALTI (Ferrando et al. 2022): how much nearer a part c brings the sum to the stream y, "
    "|y|₁ − |y − c|₁."
)


def rescaled(factor: float, trained: float, entropy: float) -> str:
    """What another scale makes of the pinned row; entropies in bits, as trained and at the factor."""
    if factor == 1:
        return f"Pinned row at × 1: entropy {entropy:.3f} bits. Nothing has changed yet: move the slider."
    where = "gathers on fewer tokens" if entropy < trained else "spreads over more tokens"
    change = (
        f"the row's weight {where}"
        if abs(entropy - trained) > 5e-4
        else "the row's weight stays where it was"
    )
    return f"Pinned row at × {factor:g}: {change}, entropy {trained:.3f} → {entropy:.3f} bits."


def rescaled_maths(gradient: float) -> str:
    """The pinned row's gradient under another scale."""
    return f"Its gradient Σ|p − y| is {gradient:.4f}, with y one-hot on the row's strongest key."


def loss_gradient(gradient: LossGradient | None) -> str:
    """What the entries of p − y say, with their source."""
    if gradient is None:
        return "A text of one token has no next one, and so no loss to differentiate: type a longer text."
    return (
        f"After “{gradient.token}” the text has “{gradient.target}”, which the model gave {gradient.p:.2%}. Training lowers the "
        "logits of the positive bars and raises that of the negative one, the token that really follows."
    )


LOSS_GRADIENT_MATHS = (
    "The loss is −log p of the token that follows, and its gradient with respect to the logits is p − y: p is the predicted "
    "distribution, y is 1 at that token and 0 elsewhere, and all entries of the vocabulary sum to 0 (Transformer with PyTorch, "
    "section 1.2, Eq. 3)."
)


def change(what: str, here: float, mean: float, loss: float) -> str:
    """An intervention in two numbers."""
    return (
        f"{what}: KL(original‖changed) **{here:.4f}** nats here, **{mean:.4f}** on average; "
        f"loss **{number(loss, '+.4f')}** nats per token."
    )


def checks(choice: Choice) -> str:
    """How to measure the same on another model."""
    return f"On your own checkpoint: `tlmviz check PATH`. Here: {choice.model}, {len(choice.trace)} tokens."


def guess(choice: Choice) -> str:
    """The question before the picture."""
    layer, head = choice.view.head
    return f"Layer {layer}, head {head} reads from {_quoted(choice, choice.query)}. Which token gets most of its attention?"


def guessed(choice: Choice, best: tuple[int, float], second: tuple[int, float]) -> str:
    """What the row looks at: the first two keys, each with its weight."""
    (layer, head), (key, weight), (other, less) = choice.view.head, best, second
    return (
        f"From {_quoted(choice, choice.query)}, layer {layer}, head {head} looks at **{_quoted(choice, key)}** with "
        f"{number(weight, '.0%')}, then at {_quoted(choice, other)} with {number(less, '.0%')}."
    )


def _quoted(choice: Choice, position: int) -> str:
    return f"“{inputs.plain(readable(choice.trace.tokens[position]))}” ({position})"
