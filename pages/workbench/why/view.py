"""Draws the page Why it looks there: a head's map, its score source by source, what it writes, and the path followed."""

from __future__ import annotations

from tlmviz.analysis.workbench import following
from tlmviz.analysis.workbench.explaining import Explanation
from tlmviz.figures import number
from tlmviz.ui import below, frame

from . import compute, controls, words
from .component import heads_payload, heads_view, score_payload, score_view
from .controls import Choice

FEW = 9  # sources a side, beside all others
TOKENS = 160  # of a map
NAMED = 5  # tokens promoted and lowered
SOURCES = 6  # of a value


def score(choice: Choice) -> None:
    """One score taken apart."""
    found, step = compute.explanation(choice.model, choice.text, choice.step), choice.step
    every = controls.ALL.get()
    rows, columns, values = following.folded(found.names, found.scores, len(found.names) if every else FEW)
    places = compute.places(step, len(found.tokens), TOKENS)
    data = score_payload(
        compute.attention(choice.model, choice.text, step.layer, step.head)[places][:, places],
        values.numpy(),
        tokens=found.tokens,
        places=places,
        rows=rows,
        columns=columns,
        at=choice.at,
        steps=[words.step(each, found.tokens) for each in choice.steps],
        reads={
            "query": _reads(choice, rows, step.query),
            "key": _reads(choice, columns, step.key),
        },
        said=words.said(found, choice.step, choice.trace),
        score=number(found.score, ".2f"),
        weight=number(found.weight, ".1%"),
        more=len(found.names) > FEW + 1,
        all=every,
        total=len(found.names),
        written=_written(found),
        refused="" if found.written else words.NOT_WRITTEN,
        picture=below.next_picture(),
    )
    score_view(data, key=controls.KEY, on_change=lambda: controls.keep(choice))
    frame.caption(words.CAPTION + words.shown(len(places), len(found.tokens)))


def _reads(choice: Choice, names: list[str], position: int) -> dict[str, list]:
    """Of each head among the sources: the key that it reads most from a position, and its weight there."""
    trace, found = choice.trace, {}
    for name in names:
        if head := following.head_of(name):
            key = following.most_read(trace, *head, position)
            weights = trace.attention(*head, slice(position, position + 1), slice(key, key + 1))
            found[name] = [key, number(float(weights), ".0%")]
    return found


def _written(found: Explanation) -> dict | None:
    """What the head writes, and by which sources of its value."""
    written = found.written
    if written is None:
        return None
    parts = sorted(zip(found.names, written.shares.tolist()), key=lambda pair: -abs(pair[1]))
    largest = parts[:SOURCES]
    rest = sum(share for _, share in parts[SOURCES:])
    return {
        "promoted": [list(pair) for pair in written.promoted[:NAMED]],
        "lowered": [list(pair) for pair in written.lowered[:NAMED]],
        "shares": [list(pair) for pair in largest]
        + ([[following.OTHERS, rest]] if len(parts) > SOURCES else []),
    }


def heads(choice: Choice) -> None:
    """Composition scores of all pairs of heads. Raises BadShape for latent attention."""
    found = compute.compositions(choice.model)
    config = choice.lm.config
    data = heads_payload(
        found,
        layers=config.n_layers,
        heads=config.n_heads,
        kind=controls.KIND.get(),
        chance=number(config.d_model**-0.5, ".2f"),
        picture=below.next_picture(),
    )
    heads_view(data, key=controls.KEY, on_change=lambda: controls.keep(choice))
    frame.caption(words.COMPOSED)


DRAW = {controls.SCORE: score, controls.HEADS: heads}
