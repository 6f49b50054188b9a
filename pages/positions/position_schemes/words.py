"""The words of the page Position schemes: claim, what to notice, equation, captions, snippet."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tlmviz.ui import long_text

if TYPE_CHECKING:
    from .controls import Choice

CLAIM = "Same model, same training, six ways to encode the position of a token."
TITLES = {
    "learned": "Learned",
    "sinusoidal": "Sinusoidal",
    "relative": "Relative",
    "alibi": "ALiBi",
    "rope": "RoPE",
    "none": "None",
}
ALIKE = {  # the measure of similarity of each scheme
    "learned": "cosine of two vectors",
    "sinusoidal": "cosine of two vectors",
    "rope": "cosine after turning",
    "alibi": "factor on the weight, head {}",
    "relative": "factor for the mean query, head {}",
    "none": "all alike",
}
_NOTICE = {
    "What is added": (
        "Two families: *learned* and *sinusoidal* add a vector to the embedding, once; *relative*, *ALiBi* and *RoPE* act in "
        "every layer, where queries meet keys, and depend on distances alone.",
        "Sinusoidal and RoPE share their frequencies: fast dimensions change from token to token, slow ones hardly change.",
        "Zero has the colour of the page; each picture has its own span. Without positions, only the mask tells order.",
    ),
    "Position similarity": (
        "Blue is alike. A picture that is the same along every diagonal depends on distances alone.",
        "Learned vectors are told nothing about distance: here they tell early from late, but hardly one token from the next.",
        "ALiBi and relative are shown for the past alone, as the factor on a weight: choose another head to see its slope. "
        "Relative vectors end: from distance {last} on all share the last one.",
    ),
    "Attention by distance": (
        "ALiBi's steep heads cannot look far, whatever the text; in the others training decides where heads look, in the upper "
        "layers.",
        "Step through the layers. Flat lines average over the past; peaks at 1 token back are previous-token heads, and not "
        "every layer has them.",
    ),
    "Extrapolation": (
        "All were trained on {context} tokens. ALiBi's loss stays where it was: far tokens hardly count. That of relative "
        "vectors stays too: all far distances share one vector.",
        "RoPE and sinusoids meet angles that did not occur in training, and the loss climbs soon after the line; *Context "
        "extension* repairs RoPE. Without positions the loss climbs less, from a higher one inside.",
        "Learned vectors end: there is nothing to add at token {context}.",
    ),
}
EQUATION = (
    r"\begin{aligned} \text{learned, sinusoidal: } & x_t \mathrel{+}= p_t \qquad "
    r"\text{RoPE: } s_{ts} = \tfrac{(R_t q_t) \cdot (R_s k_s)}{\sqrt d} \qquad "
    r"\text{ALiBi: } s_{ts} = \tfrac{q_t \cdot k_s}{\sqrt d} - m_h (t - s),\quad m_h = 2^{-8(h+1)/H} \\ "
    r"\text{relative: } & s_{ts} = \tfrac{q_t \cdot (k_s + a_{\min(t-s,\,R-1)})}{\sqrt d} \qquad "
    r"\text{none: } s_{ts} = \tfrac{q_t \cdot k_s}{\sqrt d} \end{aligned}",
    "Decoder-Only Transformers in Einstein Notation, section 3; Attention, “Positional Embeddings”; Transformer with PyTorch, "
    "sections 2.1.4 and 3.3. Sinusoidal: Vaswani et al. 2017; relative: Shaw et al. 2018; RoPE: Su et al. 2021; ALiBi: Press et "
    "al. 2022, whose slopes for other than powers of two heads interleave two such sequences.",
    "The chapter also names position vectors that are joined to the embedding instead of added: [x, p] W = x W_x + p W_p, of "
    "which adding is the case W_x = W_p. At an odd width the last frequency has a sine alone.",
)
NOTHING_TO_COMPARE = (
    "This page compares models that differ in their positions alone, and models/ has no two of them; train some with "
    "`python -m tlmviz.training zoo-rope` and `zoo-alibi`."
)
HOW_FAR_HEADING = "## How far trained heads look"
LOSS_ALONG_TITLE = "Loss along the text"
SCHEMES_ALT = "Loss along the text beyond the training length, one line per position scheme"
LOSS_HELP = "Mean nats per token of this stretch"
SLOPES_ALT = "ALiBi's slope of each head beside the decay measured in each layer"
RANKED_TITLE = "Mean distance of every head"
PARAMETERS_HELP = "Trained numbers of the positions alone"


def notice(view: str, context: int, relative_distance: int) -> tuple[str, ...]:
    """What to notice in a view, with the models' training length and number of relative vectors."""
    return tuple(point.format(context=context, last=relative_distance - 1) for point in _NOTICE[view])


def held_out_words(spread: float | None) -> str:
    """What the table's held-out loss is, with what seeds of one model differ by."""
    seeds = "" if spread is None else f"; seeds of one model differ by {spread:.3f}"
    return f"Bits per byte of real stories{seeds}"


def about(choice: Choice) -> str:
    """What is read and by whom, in a sentence."""
    length, context, beyond = len(choice.ids), choice.context, choice.view == "Extrapolation"
    if length <= context and beyond:
        return f":orange[This text has {length:,} tokens and training had {context:,}: nothing lies beyond. Paste a longer one.]"
    source = (
        "of stories that stories-rope wrote, easier to predict than real ones"
        if choice.source == long_text.SAMPLE
        else "of your text"
    )
    read = length if beyond else min(length, context)
    return f"The same {read:,} tokens {source}, for models that differ in nothing but their positions."


def slopes(alone: list[float], uniform: float) -> str:
    """How to read the chart of slopes, with the mean distance of each head under its bias alone, and under no bias."""
    listed = ", ".join(f"{value:.0f}" for value in alone)
    return (
        "Measured: the slope of a query's scores over the tokens before it. Marks on the dash: content adds no trend; "
        "at the bottom: no decay is left. "
        f"Mean tokens back if the bias alone decided, head by head: {listed}; uniform: {uniform:.0f}."
    )


_SNIPPET = """\
import tlmviz
from tlmviz.analysis.positions import position_schemes
from tlmviz.analysis.positions.context_extension import inside_and_beyond, losses
{imports}
{text}
for scheme, name in position_schemes.families().items():
    lm = tlmviz.load(name)
    ids = lm.tokenizer.encode(text, bos=True)[:{length}]
    added = position_schemes.added(lm, lm.config.context, layer={layer})
    trace = lm.trace_ids(ids[:lm.config.context])
    alike, where = position_schemes.similarity(lm, trace, layer={layer}, head={head})
    looks = position_schemes.distances(trace)  # weight by distance, mean distance, decay of every head
    loss = losses(lm, ids[:lm.config.context] if scheme == "learned" else ids)  # nats per token
    print(scheme, added.what, added.values.shape, alike.shape, looks.mean[{layer}])
    print("loss within and beyond the training length:", inside_and_beyond(loss, lm.config.context))
"""


def ranked_alt(title: str) -> str:
    """What the picture shows, for screen readers."""
    return f"{title}, the heads of each scheme in order"


def views_alt(view: str) -> str:
    """What the picture shows, for screen readers."""
    return f"{view}, one picture per position scheme"


def learned_ends(context: int) -> str:
    """Where the learned positions end."""
    return f"Learned stops here: it has {context:,} vectors"


def moved_help(count: int, by: int) -> str:
    """What the column Moved by has."""
    return (
        f"KL divergence in nats between reading the first {count} tokens at position 0 and at position {by}: 0 where only "
        "distances count"
    )


def snippet(choice: Choice) -> str:
    """Code that makes every number of the page."""
    imports, text = long_text.text_lines(choice.text, choice.source)
    layer, head = choice.head
    return _SNIPPET.format(imports=imports, text=text, length=len(choice.ids), layer=layer, head=head)
