"""The words of the page Why it looks there: claim, sentences on what is shown, what to notice, equations, snippets."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from tlmviz.analysis.workbench import following
from tlmviz.analysis.workbench.explaining import Explanation
from tlmviz.analysis.workbench.following import Step
from tlmviz.figures import number, readable
from tlmviz.trace import Trace
from tlmviz.ui import inputs

if TYPE_CHECKING:  # these import the words themselves
    from .controls import Choice

SCORE, HEADS = "One score", "All pairs of heads"  # the two views
CLAIM = "One weight of one head, as a sum over what the query and the key are made of."
NOT_WRITTEN = (
    "Norms behind this model's sublayers make its logits no sum of what heads write: tokens cannot be named."
)
CAPTION = (
    "Click a cell of the map to explain another weight. Click a head among the sources to follow it back: to the token it was "
    "at, and from there to the one it read most. The norms' scales are held as they are, and MLPs are not looked into."
)
COMPOSED = (
    "By weights alone, without any text: how much of what the writer writes the reader's queries, keys or values take up. "
    "Click a pair to see the reader on your text, with the writer followed. Rotations of RoPE and MLPs in between are left out."
)
NOTICE = {
    SCORE: (
        "**A score is a sum.** Query and key are each read off a stream into which the token, every earlier head and every MLP "
        "have written. So their product is a sum over pairs of sources, and the numbers in the picture add up to the score.",
        "**A key need not be about its own token.** In the example the key at “ball” owes most of what any head gives it to "
        "L4H2, which sat at “ball” and read the token before, “red”. The query “red” looks for that: a word that stood behind "
        "“red”. Two heads in a row find what came next last time: **induction**.",
        "**Then the head writes** what it read into the query's stream, and that raises some tokens and lowers others.",
        "**Softmax compares** the score with all others of the row: a large one has weight only where the others are smaller.",
    ),
    HEADS: (
        "**Heads work in chains.** A bright cell says that the reader listens to what the writer writes: through its keys (where "
        "it is found), its queries (what it looks for), or its values (what it hands on).",
        "**Only earlier layers write for later ones**: the other cells are empty.",
    ),
}
NOTICE_MATHS = {
    SCORE: (
        "Norms are frozen: each divides by its actual scale. Biases are a source of their own, and what distance adds to the "
        "score (ALiBi, relative positions) is a last row and column.",
        "What is written passes the final norm, frozen too, and the model's head, as if no later layer answered to it.",
    ),
    HEADS: ("Two matrices without relation give about $1/\\sqrt{C}$, with C the width of the stream.",),
}
EQUATIONS = {
    SCORE: (
        r"s=\frac{q\cdot k}{\sqrt d}=\sum_{i,j}\frac{(R_m W_Q\,\hat x_m^{(i)})\cdot(R_n W_K\,\hat x_n^{(j)})}{\sqrt d},\qquad "
        r"Y(h)=O(h)\,W_O(h)",
        "Elhage et al. 2021 (“A Mathematical Framework for Transformer Circuits”); Kamath et al. 2025 (“Tracing Attention "
        "Computation Through Feature Interactions”); Transformer with PyTorch, Eq. 59.",
        "",
    ),
    HEADS: (
        r"\text{K: }\frac{\lVert W_{QK}\,W_{OV}\rVert_F}{\lVert W_{QK}\rVert_F\lVert W_{OV}\rVert_F},\qquad "
        r"\text{Q: with }W_{QK}^\top,\qquad \text{V: with the reader's }W_{OV}",
        "Elhage et al. 2021, “Three kinds of composition”.",
        "",
    ),
}
MULTIPLYING = "Multiplying the matrices of all heads …"


def quoted(tokens: Sequence[str], position: int) -> str:
    """A token with its place."""
    return f"“{readable(tokens[position])}” ({position})"


def shown(places: int, tokens: int) -> str:
    """How much of a long text the map shows; nothing where that is all."""
    return (
        ""
        if places == tokens
        else f" The map has the {places} tokens nearest to query and key, of {tokens:,}."
    )


def step(of: Step, tokens: Sequence[str]) -> dict:
    """A step of the path, as the picture and the link name it."""
    return {
        "name": of.name,
        "path": f"{of.layer}.{of.head}.{of.query}.{of.key}",
        "query": of.query,
        "key": of.key,
        "from": quoted(tokens, of.query),
        "to": quoted(tokens, of.key),
    }


def said(found: Explanation, at: Step, trace: Trace) -> str:
    """What the picture says in a sentence or two: the weight, and the head that the key owes most to."""
    tokens = found.tokens
    start = (
        f"{at.name} at {quoted(tokens, at.query)} gives {number(found.weight, '.0%')} of its attention to "
        f"{quoted(tokens, at.key)}: score {number(found.score, '.2f')}."
    )
    sums = found.scores.sum(0).tolist()
    heads = [(total, name) for total, name in zip(sums, found.names) if following.head_of(name) and total > 0]
    if not heads or found.score <= 0:
        return start
    total, name = max(heads)
    read = following.follow(trace, name, at.key)
    behind = "the token before it, " if read.key == at.key - 1 else ""
    most = "More than any other source, " if total == max(sums) else "Among heads most, "
    where = (
        f"{number(total, '.2f')} of it by way of the key: there it reads {behind}{quoted(tokens, read.key)}."
    )
    return f"{start} {most}{name} gives {where}"


def snippet(choice: Choice) -> str:
    """The numbers with the public API."""
    if choice.view == HEADS:
        return f"""\
import tlmviz
from tlmviz.analysis.workbench.composition import composition

lm = tlmviz.load({choice.model!r})
scores = composition(lm)["k"]  # [writer, reader]; "q" and "v" too
writer, reader = divmod(int(scores.argmax()), len(scores))
print(divmod(writer, lm.config.n_heads), divmod(reader, lm.config.n_heads), scores.max())
"""
    at = choice.step
    return f"""\
import tlmviz

lm = tlmviz.load({choice.model!r})
found = lm.explain({choice.text!r}, {at.layer}, {at.head}, query={at.query}, key={at.key})
print(found.score, found.scores.sum(), found.weight)
for at_query, at_key, share in found.largest(8):
    print(at_query, at_key, share)
print(found.written and found.written.promoted)
"""


def guess(found: Explanation, at: Step) -> str:
    """The question before the picture."""
    query, key = (inputs.plain(quoted(found.tokens, position)) for position in (at.query, at.key))
    return (
        f"{at.name} at {query} gives {number(found.weight, '.0%')} of its attention to {key}. Which part of the model wrote what "
        f"it finds at {key}, more than any other? L2H1 is head 1 of layer 2."
    )


def guessed(found: Explanation, source: int, total: float) -> str:
    """The source at the key that gives most of the score."""
    return (
        f"**{inputs.plain(found.names[source])}** gives {number(total, '.2f')} of a score of {number(found.score, '.2f')}, more "
        "than any other source at the key."
    )
