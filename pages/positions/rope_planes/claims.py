"""What the page RoPE planes says about its pictures, each where it is true, and what their parts are in any state."""

from __future__ import annotations

import numpy as np

from tlmviz.figures import number, turn
from tlmviz.ui.hints import OWN_TEXT, Hint, to, within
from tlmviz.ui.language import N_, _, ngettext
from tlmviz.ui.markdown import plain
from tlmviz.ui.markdown import quoted as quoted_token

from .data import Data
from .state import BASE, BOTH, CLOCKS, HALF, HEADS, LAYOUTS, OFF, OWN, STEPS


def stands_still(data: Data) -> str | None:
    """Query and key move together, and the score stays."""
    if data.chosen.moves != BOTH or len(set(_written(data))) > 1:
        return None
    return _(
        "Query and key move along together: every hand turns, and the score stays {score}. Only their distance counts.",
        score=_written(data)[0],
    )


def highest_here(data: Data) -> str | None:
    """At no other distance on the way is the score as high."""
    if not (walked := _walked(data)):
        return None
    here, scores = walked
    score, far = scores[here], min(scores, key=lambda apart: (float(scores[apart]), apart))
    if any(float(other) >= float(score) for apart, other in scores.items() if apart != here):
        return None
    return ngettext(
        "Nowhere does {query} score {key} as high as here, one token back: {score}, where {far} back it would be "
        "{low}.",
        "Nowhere does {query} score {key} as high as here, {n} tokens back: {score}, where {far} back it would be "
        "{low}.",
        here,
        query=token(data, 0),
        key=token(data, 1),
        score=_minus(score),
        far=f"{far:,}",
        low=_minus(scores[far]),
    )


def higher_elsewhere(data: Data) -> str | None:
    """At another distance on the way the score is higher."""
    if not (walked := _walked(data)):
        return None
    here, scores = walked
    best = max(scores, key=lambda apart: (float(scores[apart]), -apart))
    if float(scores[best]) <= float(scores[here]):
        return None
    return _(
        "Here, {here} back, {query} scores {key} {score}; {best} back the same two vectors would score {high}, most on "
        "this way.",
        here=f"{here:,}",
        query=token(data, 0),
        key=token(data, 1),
        score=_minus(scores[here]),
        best=f"{best:,}",
        high=_minus(scores[best]),
    )


def turns(data: Data) -> str | None:
    """How far the fastest and the slowest plane turn over the rows that are drawn."""
    if data.rows.stop - data.rows.start < 2:
        return None
    ends = data.rotation.angles[-1] - data.rotation.angles[0]
    return _(
        "Over these {count} positions the fastest pair of columns turns {most} times, the slowest {least}.",
        count=data.rows.stop - data.rows.start,
        most=f"{ends[0] / 2 / np.pi:.3g}",
        least=f"{ends[-1] / 2 / np.pi:.2g}",
    )


def layout_costs(data: Data) -> str | None:
    """The loss with the wrong layout, where it is higher."""
    if not float(_loss(data, HALF)) > float(_loss(data, OWN)):
        return None
    return _(
        "Read with the wrong layout, the model raises no error: its loss on this text goes from {own} to {half} nats "
        "per token.",
        own=_loss(data, OWN),
        half=_loss(data, HALF),
    )


def layout_costs_nothing(data: Data) -> str | None:
    """The loss with the wrong layout, where it is no higher."""
    if not float(_loss(data, HALF)) <= float(_loss(data, OWN)):
        return None
    return _(
        "On this text the wrong layout does not show in the loss: {half} nats per token, {own} with the right one. A "
        "longer text shows it.",
        own=_loss(data, OWN),
        half=_loss(data, HALF),
    )


def without_rotation(data: Data) -> str | None:
    """What the rotation is worth to the model on this text."""
    if len(data.trace) < 2:
        return None
    return _(
        "With its rotation the model loses {own} nats per token on this text, without any {off}, with base {base} "
        "{other}.",
        own=_loss(data, OWN),
        off=_loss(data, OFF),
        base=_base(data.base),
        other=_loss(data, BASE),
    )


def strongest(data: Data) -> str | None:
    """The plane that moves the score most."""
    parts = data.clocks.parts[data.clocks.home]
    size = [f"{abs(part):.2f}" for part in parts]
    best = max(range(len(size)), key=lambda plane: float(size[plane]))
    if size.count(size[best]) > 1:
        return None
    return _(
        "**Plane {plane}** moves the score most: it adds {part}. It turns once in {turn} tokens.",
        plane=best,
        part=number(parts[best], "+.2f"),
        turn=turn(float(data.clocks.wavelength[best])),
    )


def adds_up(data: Data) -> str | None:
    """The planes' sum at the true positions, beside the model's own score."""
    if data.base != data.own_base:
        return None
    return _("At the true positions the planes add up to **{found}**, the model's own score {scored}.", **_sum(data))


def another_base(data: Data) -> str | None:
    """The same with another base than the model's."""
    if data.base == data.own_base:
        return None
    return _(
        "At the true positions the planes add up to **{found}** with base {base}; the model, trained with {own}, "
        "scores {scored}.",
        base=_base(data.base),
        own=_base(data.own_base),
        **_sum(data),
    )


def unfinished(data: Data) -> str | None:
    """Planes that are too slow for a full turn."""
    if not (count := int((data.clocks.wavelength > data.lm.config.context).sum())):
        return None
    return ngettext(
        "{n} of {planes} planes never completes a turn within the {context} tokens that {model} reads.",
        "{n} of {planes} planes never complete a turn within the {context} tokens that {model} reads.",
        count,
        planes=len(data.clocks.frequency),
        context=f"{data.lm.config.context:,}",
        model=plain(data.chosen.model),
    )


def not_its_layout(data: Data) -> str | None:
    """The rotation that is drawn is another model's."""
    if data.chosen.layout != HALF:
        return None
    return _("Not the layout this model was trained with.")


def not_all_rows(data: Data) -> str | None:
    """The text has more rows than are drawn."""
    rows, length = data.rows, len(data.trace)
    if rows.stop - rows.start == length:
        return None
    return _(
        "Positions {first} to {last} of {length}.",
        first=f"{rows.start:,}",
        last=f"{rows.stop - 1:,}",
        length=f"{length:,}",
    )


def chooses_otherwise(data: Data) -> str | None:
    """Positions at which the wrong layout makes another token most probable."""
    length = len(data.trace)
    if not (count := length - round(data.agreement(HALF) * length)):
        return None
    return ngettext(
        "After {n} of {length} tokens it expects another next token than before.",
        "After {n} of {length} tokens it expects another next token than before.",
        count,
        length=length,
    )


def uses(data: Data) -> str | None:
    """The planes that a head's scores depend on most."""
    if len(data.trace) < 3:
        return None
    moved, apart = int(data.energy[data.chosen.head].argmax()), int(data.spread.argmax())
    slow, fast = (turn(float(data.wavelength[plane])) for plane in (moved, apart))
    if moved == apart:
        return _(
            "**{head}** could be moved most by plane {moved}, a turn in {slow} tokens, which also tells its keys apart "
            "most.",
            head=head(data),
            moved=moved,
            slow=slow,
        )
    return _(
        "**{head}** could be moved most by plane {moved}, a turn in {slow} tokens; plane {apart}, a turn in {fast}, "
        "tells its keys apart most.",
        head=head(data),
        moved=moved,
        slow=slow,
        apart=apart,
        fast=fast,
    )


def prefers(data: Data) -> str | None:
    """The distance that position alone prefers."""
    if len(data.trace) < 3:
        return None
    scores = [f"{score:.2f}" for score in data.by_distance[OWN][1]]
    best = max(range(len(scores)), key=lambda apart: float(scores[apart]))
    if scores.count(scores[best]) > 1:
        return None
    return ngettext(
        "**By position alone** it would rather read {n} token back than any other: the mean score there is {score}.",
        "**By position alone** it would rather read {n} tokens back than any other: the mean score there is {score}.",
        best,
        score=_minus(scores[best]),
    )


CLAIMS = {
    CLOCKS: (stands_still, highest_here, higher_elsewhere, strongest, adds_up, another_base, unfinished),
    STEPS: (turns, not_its_layout, not_all_rows),
    LAYOUTS: (layout_costs, layout_costs_nothing, chooses_otherwise),
    HEADS: (without_rotation, uses, prefers),
}
HINTS = {
    CLOCKS: (
        Hint(N_("Choose *Move both* and press ▶: what stands still?"), to(moves=BOTH)),
        Hint(N_("Press ▶: what stands still?"), within),
    ),
    STEPS: (Hint(N_("Press ▶, or drag through the planes."), within),),
    LAYOUTS: (OWN_TEXT,),
    HEADS: (Hint(N_("Choose *In every layer*."), to(everywhere=True)), OWN_TEXT),
}


def _written(data: Data) -> list[str]:
    return [f"{score:.2f}" for score in data.clocks.scores + 0.0]


def _walked(data: Data) -> tuple[int, dict[int, str]] | None:
    """The distance that is there, and distance -> score on the way of the slider, as far as a causal model sees the
    key."""
    if data.chosen.moves == BOTH:
        return None
    apart = data.clocks.positions[:, 0] - data.clocks.positions[:, 1]
    return int(apart[data.clocks.home]), {int(n): score for n, score in zip(apart, _written(data)) if n >= 0}


def _minus(written: str) -> str:
    return written.replace("-", "−")


def _loss(data: Data, how: str) -> str:
    return f"{data.mean_loss(how):.2f}"


def _base(base: float) -> str:
    return f"{base:,.6g}"


def _sum(data: Data) -> dict[str, str]:
    found = float(data.clocks.scores[data.clocks.home])
    return {"found": number(found, "+.4f"), "scored": number(data.model_score, "+.4f")}


def head(data: Data) -> str:
    """The head's name."""
    return "L{}H{}".format(*data.chosen.head)


def token(data: Data, side: int) -> str:
    """The query (0) or the key (1), as it is quoted."""
    position = data.chosen.pair[side]
    return quoted_token(data.trace.tokens[position], position)


NOTICE = {
    CLOCKS: (
        N_(
            "Fast planes change within a few tokens; slow ones hardly change: they compare content wherever it "
            "is. λ is the number of tokens of a turn."
        ),
    ),
    STEPS: (
        N_("The angle table is fast at the left and slow at the right; orange dots mark a plane's first full turn."),
        N_(
            "▶ walks over the planes: two framed columns of *before* are turned together and go back to their places. "
            "Each pair keeps its length."
        ),
    ),
    LAYOUTS: (
        N_(
            "Arcs of one colour turn together. The wrong layout turns dimensions against each other that were trained "
            "at another speed; put in the right order, the same weights give the model's own predictions again."
        ),
    ),
    HEADS: (
        N_(
            "*In this head*: it keeps the queries and keys it has, and only their rotation is exchanged. *In every "
            "layer*: a real pass with the other rotation, in which queries and keys change too."
        ),
        N_(
            "Grey bars: how far a plane could move a score. Blue bars: how far it tells a query's keys apart. A tall "
            "grey bar without blue adds the same to every key, and changes nothing."
        ),
        N_("Dotted lines put every pair of the text at every distance: what position alone prefers."),
    ),
}
MATHS = {
    CLOCKS: (
        N_(
            "Why only m − n counts: a turn by mω undone is a turn by −mω, and turns add, so (R_m q) · (R_n k) = qᵀ "
            "R_mᵀ R_n k = qᵀ R_(n−m) k. In one plane the entries of R_mᵀ R_n are cos mω cos nω + sin mω sin nω = cos "
            "(n − m)ω and, off the diagonal, ± sin (n − m)ω."
        ),
    ),
    STEPS: (N_("The framed columns become *even* and *odd*, and are mixed by cos and sin."),),
    LAYOUTS: (N_("With the rows of W_Q and W_K reordered, the half-split code gives the model's own logits."),),
    HEADS: (
        N_(
            "Grey is the mean of |q||k|, blue a standard deviation. What is the same for every key the softmax takes "
            "out."
        ),
    ),
}
