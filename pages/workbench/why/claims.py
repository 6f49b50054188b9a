"""What the page Why it looks there says about its picture, each where it is true, and what its parts are in any
state."""

from __future__ import annotations

import numpy as np

from tlmviz.analysis.workbench import following
from tlmviz.analysis.workbench.explaining import DISTANCE
from tlmviz.analysis.workbench.sources import BIASES
from tlmviz.figures import number, percent, readable
from tlmviz.ui import markdown
from tlmviz.ui.hints import Hint, where, within
from tlmviz.ui.language import N_, _

from .data import Data
from .state import HEADS, SCORE

LITTLE = 0.5  # logits: of a head that adds less than this to every token none is named
PARTS = {  # sources that are no head and no MLP
    "token": N_("the token itself"),
    "position": N_("its position"),
    DISTANCE: N_("the distance"),
    BIASES: N_("the biases"),
}
THROUGH = {"k": N_("keys"), "q": N_("queries"), "v": N_("values")}


def owes_to_head(data: Data) -> str | None:
    """The key owes most to what an earlier head wrote there."""
    if not (owed := _most(data)):
        return None
    name, total = owed
    head = following.head_of(name)
    if head is None:
        return None
    read = following.most_read(data.trace, *head, data.step.key)
    where = token(data, read)
    said = (
        _(
            "{looks}. Of all sources at {key} {source} draws it there most, and {source} reads the token before it, "
            "{where}: {total} of the score {score}."
        )
        if read == data.step.key - 1
        else _(
            "{looks}. Of all sources at {key} {source} draws it there most, and {source} reads {where}: {total} of the "
            "score {score}."
        )
    )
    key = token(data, data.step.key)
    return said.format(looks=_looks(data), key=key, source=name, where=where, total=total, score=_score(data))


def owes_to_other(data: Data) -> str | None:
    """The key owes most to no head: to its own token, an MLP, biases."""
    if not (owed := _most(data)) or following.head_of(owed[0]):
        return None
    return _(
        "{looks}. Of all sources at {key} {source} draws it there most: {total} of the score {score}.",
        looks=_looks(data),
        key=token(data, data.step.key),
        total=owed[1],
        score=_score(data),
        source=_source(owed[0]),
    )


def owes_to_nothing(data: Data) -> str | None:
    """The score is not above zero, or its largest part is no single one."""
    if _most(data):
        return None
    return _("{looks}: score {score}.", looks=_looks(data), score=_score(data))


def listens_most(data: Data) -> str | None:
    """The strongest pair of heads."""
    if not (best := strongest(data)):
        return None
    writer, reader, value = best
    return _(
        "No head listens to another as {reader} does to {writer}: on a scale from 0 to 1 its {through} depend on it by "
        "{value}, where those of heads without relation would by about {chance}.",
        reader=reader,
        writer=writer,
        through=_(THROUGH[data.chosen.kind]),
        value=number(value, ".2f"),
        chance=number(_chance(data), ".2f"),
    )


def listens_to_none(data: Data) -> str | None:
    """No head comes before another."""
    if strongest(data):
        return None
    return _("All heads of this model stand in one layer: none reads what another writes.")


def compared(data: Data) -> str | None:
    """Another key of the row gets more."""
    row = data.weights[data.step.query]
    best = int(row.argmax())
    if percent(row[best]) == percent(data.found.weight):
        return None
    return _(
        "**Another token gets more**: from {query}, {name} gives {share} to {best}.",
        query=token(data, data.step.query),
        name=data.step.name,
        share=percent(row[best]),
        best=token(data, best),
    )


def writes(data: Data) -> str | None:
    """What it then writes raises a token."""
    if not (gain := _gain(data)) or float(gain[1]) < LITTLE:
        return None
    return _(
        "**Then the head writes** what it read into the stream at {query}: “{token}” gains {gain} logits, more than "
        "any other token.",
        query=token(data, data.step.query),
        token=markdown.plain(gain[0]),
        gain=gain[1],
    )


def names_no_tokens(data: Data) -> str | None:
    """Norms behind sublayers."""
    if data.found.written:
        return None
    return _("Norms after this model’s sublayers make its logits no sum of what heads write: tokens cannot be named.")


def not_all(data: Data) -> str | None:
    """The map of a long text."""
    if len(data.places) == len(data.found.tokens):
        return None
    return _(
        "The map has the {places} tokens nearest to query and key, of {tokens}.",
        places=len(data.places),
        tokens=f"{len(data.found.tokens):,}",
    )


SCORE_CLAIMS = (owes_to_head, owes_to_other, owes_to_nothing, compared, writes, names_no_tokens, not_all)
HEADS_CLAIMS = (listens_most, listens_to_none)
HINTS = {
    SCORE: (
        Hint(
            N_("Click a head among the sources."),
            where(lambda data: any(map(following.head_of, sum(data.folded[:2], [])))),
        ),
    ),
    HEADS: (Hint(N_("Click a pair."), within),),
}


def token(data: Data, position: int) -> str:
    """A token with its place, as Markdown."""
    return markdown.quoted(data.found.tokens[position], position)


def _looks(data: Data) -> str:
    step = data.step
    return _(
        "From {query} the head {name} gives {weight} of its attention to {key}",
        query=token(data, step.query),
        name=step.name,
        weight=percent(data.found.weight),
        key=token(data, step.key),
    )


def _score(data: Data) -> str:
    return number(data.found.score, ".2f")


def _source(name: str) -> str:
    return _(PARTS[name]) if name in PARTS else markdown.plain(name)


def _most(data: Data) -> tuple[str, str] | None:
    """The source at the key that gives most of a positive score, and how much; None where two
    are written alike."""
    found = data.found
    sums = found.scores.sum(0).tolist()
    best, *others = sorted(range(len(sums)), key=lambda source: -sums[source])
    total = number(sums[best], ".2f")
    tied = others and number(sums[others[0]], ".2f") == total
    if found.score < 0.005 or sums[best] < 0.005 or tied:
        return None
    return found.names[best], total


def _gain(data: Data) -> tuple[str, str] | None:
    """The token that gains most by what is written, and how much."""
    if not data.found.written:
        return None
    name, gain = data.found.written.promoted[0]
    return readable(name), f"{max(gain, 0.0):.2f}"


def strongest(data: Data) -> tuple[str, str, float] | None:
    """Writer, reader and score of the pair that composes most; None where no pair does."""
    scores = data.pairs[data.chosen.kind]
    writer, reader = divmod(int(scores.argmax()), len(scores))
    if scores[writer, reader] < 0.005:
        return None
    heads = data.lm.config.n_heads
    names = [f"L{each // heads}H{each % heads}" for each in (writer, reader)]
    return *names, float(scores[writer, reader])


def _chance(data: Data) -> float:
    return float(np.sqrt(1 / data.lm.config.d_model))


SCORE_NOTICE = (
    N_(
        "**A score is a sum.** Query and key are each read off a stream into which the token, every earlier head and "
        "every MLP have written. So their product is a sum over pairs of sources, and the numbers in the picture add "
        "up to it."
    ),
    N_(
        "**A key need not be about its own token.** Where an earlier head wrote into it what stood before, a later "
        "head finds by it what came next last time: two heads in a row, **induction**."
    ),
    N_(
        "**Softmax compares** the score with all others of the row: a large one has weight only where others are "
        "smaller."
    ),
    N_("The norms’ scales are held as they are, and MLPs are not looked into."),
)
SCORE_MATHS = (
    N_(
        "Norms are frozen: each divides by its actual scale. Biases are a source of their own, and what distance adds "
        "to the score (ALiBi, relative positions) is a last row and column."
    ),
    N_("What is written passes the final norm, frozen too, and the model’s head, as if no later layer answered to it."),
)
HEADS_NOTICE = (
    N_(
        "**Heads work in chains.** A bright cell says that the reader listens to what the writer writes: through its "
        "keys (where it is found), its queries (what it looks for), or its values (what it hands on)."
    ),
    N_("**Only earlier layers write for later ones**: the other cells are empty."),
    N_("By weights alone, without any text. Rotations of RoPE and MLPs in between are left out."),
)
HEADS_MATHS = (N_("Two matrices without relation give about $1/\\sqrt{C}$, with C the width of the stream."),)
