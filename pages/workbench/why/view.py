"""Draws the page Why it looks there: a head's map, its score source by source, what it writes, the path, and pairs of
heads."""

from __future__ import annotations

from dataclasses import astuple, replace

import streamlit as st

from tlmviz.analysis.workbench import following
from tlmviz.analysis.workbench.following import Step
from tlmviz.figures import number, readable
from tlmviz.ui import compute as shared
from tlmviz.ui import frame, handoff, inputs, link, live
from tlmviz.ui.handoff import EXPLORER, Onward
from tlmviz.ui.language import _

from . import claims
from .data import Data
from .state import HEADS, PIN, SCORE, Why

PICTURE = live.Picture(__file__, "why", pin=PIN, path=Why.path, at=Why.at, every=Why.every)
PAIRS = live.Picture(__file__, "why-heads", "heads.js", kind=Why.kind, pair=Why.pair)
NAMED = 5  # tokens promoted and lowered
SOURCES = 6  # of a value


EQUATIONS = {
    SCORE: (
        r"s=\frac{q\cdot k}{\sqrt d}=\sum_{i,j}\frac{(R_m W_Q\,\hat x_m^{(i)})\cdot(R_n W_K\,\hat x_n^{(j)})}{\sqrt d},"
        r"\qquad "
        r"Y(h)=O(h)\,W_O(h)",
        "Elhage et al. 2021 (“A Mathematical Framework for Transformer Circuits”); Kamath et al. 2025 (“Tracing "
        "Attention Computation Through Feature Interactions”); Transformer with PyTorch, Eq. 59.",
    ),
    HEADS: (
        r"\text{K: }\frac{\lVert W_{QK}\,W_{OV}\rVert_F}{\lVert W_{QK}\rVert_F\lVert W_{OV}\rVert_F},\qquad "
        r"\text{Q: with }W_{QK}^\top,\qquad \text{V: with the reader's }W_{OV}",
        "Elhage et al. 2021, “Three kinds of composition”.",
    ),
}


def controls(model: str) -> Why | None:
    """Draw the controls; what they say. None, with a sentence, where there is no text."""
    lm = shared.model(model)
    text = inputs.text_box(lm)
    with frame.after_picture(pairs=False):
        left, *places = st.columns([0.34, 0.14, 0.14, 0.2, 0.18], vertical_alignment="center")
        if text is not None:
            _open(Data(Why.of_session(model=model, text=text, pin=PIN.default)))
        view = Why.view.draw(left)
        if text is not None and view == SCORE:
            inputs.head_and_token_menus(lm.config, shared.trace(model, text).tokens, places=places)
    for name in ("head", "query", "key"):
        link.FIELDS[name].share()
    chosen = Why.of_session(model=model, text=text or "", pin=PIN.get())
    return None if text is None else replace(chosen, pin=astuple(Data(chosen).pinned))


def _open(data: Data) -> None:
    """Open a pair of heads that was clicked. While nobody has chosen a head or a pin, show the weight that is most
    worth explaining."""
    pair = data.chosen.pair
    Why.pair.set(None)
    if pair and (steps := data.opened(pair)):
        reader, writer = steps
        PIN.set(astuple(reader))
        Why.path.set((astuple(writer),))
        Why.at.set(0)
        Why.view.set(SCORE)
    elif link.head_is_free() and link.pin_is_free():
        link.suggest_row(*astuple(data.striking))


def score(data: Data) -> None:
    """One score taken apart."""
    found, step, places = data.found, data.step, data.places
    rows, columns, values = data.folded
    header = {
        "title": _("{model}: {way}", model=data.chosen.model, way=_way(data, step)),
        "tokens": found.tokens,
        "places": places,
        "rows": rows,
        "columns": columns,
        "at": data.at,
        "steps": [
            {
                "name": each.name,
                "place": astuple(each),
                "from": _quoted(data, each.query),
                "to": _quoted(data, each.key),
            }
            for each in data.steps
        ],
        "reads": {
            side: {name: [key, number(weight, ".0%")] for name, (key, weight) in data.reads(names, at).items()}
            for side, names, at in (("query", rows, step.query), ("key", columns, step.key))
        },
        "score": number(found.score, ".2f"),
        "weight": number(found.weight, ".1%"),
        "total": len(found.names),
        "few": len(rows) < len(found.names),
        "written": _written(data),
    }
    PICTURE.show(header, {"weights": data.weights[places][:, places], "values": values})


def _quoted(data: Data, position: int) -> str:
    return f"“{readable(data.found.tokens[position])}” ({position})"


def _way(data: Data, step: Step) -> str:
    return f"{step.name}, {_quoted(data, step.query)} → {_quoted(data, step.key)}"


def _written(data: Data) -> dict | None:
    """What the head writes, and by which sources of its value."""
    written = data.found.written
    if written is None:
        return None
    parts = sorted(zip(data.found.names, written.shares.tolist()), key=lambda pair: -abs(pair[1]))
    rest = sum(share for _name, share in parts[SOURCES:])
    return {
        "promoted": written.promoted[:NAMED],
        "lowered": written.lowered[:NAMED],
        "shares": parts[:SOURCES] + ([(following.OTHERS, rest)] if len(parts) > SOURCES else []),
    }


def heads(data: Data) -> None:
    """How much each head reads of each earlier one."""
    config = data.lm.config
    header = {
        "title": _("{model}: how much each head reads of each earlier one", model=data.chosen.model),
        "layers": config.n_layers,
        "heads": config.n_heads,
        "chance": number(config.d_model**-0.5, ".2f"),
    }
    PAIRS.show(header, data.pairs)


def further(data: Data) -> None:
    """A link to where the case can be followed: the head on this text among all others."""
    step = data.step if data.chosen.view == SCORE else _reader(data)
    look = {
        "model": data.chosen.model,
        "text": data.chosen.text,
        "head": f"{step.layer}.{step.head}",
        "query": str(step.query),
        "key": str(step.key),
    }
    handoff.links([Onward(_("Open {head} in the explorer", head=step.name), EXPLORER, look)])


def _reader(data: Data) -> Step:
    """The head that the first claim says listens most, at its plainest weight."""
    best = claims.strongest(data)
    found = best and data.opened(best[:2])
    return found[0] if found else data.chosen.first


def snippet(data: Data) -> str:
    """The numbers with the public API."""
    chosen, at = data.chosen, data.step
    if chosen.view == HEADS:
        return f"""\
import tlmviz
from tlmviz.analysis.workbench.composition import composition

lm = tlmviz.load({chosen.model!r})
scores = composition(lm)[{chosen.kind!r}]  # [writer, reader]
writer, reader = divmod(int(scores.argmax()), len(scores))
print(divmod(writer, lm.config.n_heads), divmod(reader, lm.config.n_heads), scores.max())
"""
    return f"""\
import tlmviz

lm = tlmviz.load({chosen.model!r})
found = lm.explain({chosen.text!r}, {at.layer}, {at.head}, query={at.query}, key={at.key})
print(found.score, found.scores.sum(), found.weight)
for at_query, at_key, share in found.largest(8):
    print(at_query, at_key, share)
print(found.written and found.written.promoted)
"""
