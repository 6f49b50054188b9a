"""What the page Train a transformer says of the networks it trains, each where it is true; what they learn, the view
says."""

from __future__ import annotations

from tlmviz.figures import number
from tlmviz.ui.language import N_, _, ngettext

from .data import DIGITS, Data
from .state import INDUCTION, NONE, PIECES, TEXT, TEXTS

LEARNS = {
    INDUCTION: N_("to go on with a run of letters that repeats"),
    "copy": N_("to copy eight digits"),
    "reverse": N_("to write eight digits backwards"),
    "sort": N_("to put eight digits in order"),
    "turned": N_("to add two numbers, the last digit of the sum first"),
    "addition": N_("to add two numbers"),
    TEXT: N_("to go on with your text, letter by letter"),
    PIECES: N_("to go on with your text, piece by piece"),
}
LARGE = 0.03  # rate from which a step is of the size of the weights


def begins(data: Data) -> str:
    """What is trained, and where."""
    what = _(LEARNS[data.chosen.task])
    if len(data.runs) == 2:
        return _(
            "Two networks that start from random numbers and are alike but for one thing learn {what}, in your "
            "browser.",
            what=what,
        )
    if data.chosen.task in TEXTS:  # it is this page's, and was sent with it
        return _(
            "An untrained network of {count} numbers learns {what}, in your browser, while you watch.",
            count=f"{data.parameters:,}",
            what=what,
        )
    return _(
        "An untrained network of {count} numbers learns {what}, in your browser, while you watch: nothing is sent.",
        count=f"{data.parameters:,}",
        what=what,
    )


def one_layer(data: Data) -> str | None:
    """No head can build on another."""
    alone = [run for run in data.runs if run["layers"] == 1]
    if not alone:
        return None
    return _(
        "With **one layer** no head reads what another head wrote. To look for *what came after this letter before*, a "
        "head needs keys that know their left neighbour, which another head has to write first."
    )


def no_mask(data: Data) -> str | None:
    """The answer is in sight."""
    if all(run["causal"] for run in data.runs):
        return None
    return _(
        "**Without a mask** every position sees the one after it, whose token it is asked for: a low loss that is of "
        "no use where the next token has not been written yet."
    )


def one_distance(data: Data) -> str | None:
    """A run is taught one period."""
    if not any(run.get("fixed") for run in data.runs):
        return None
    return _(
        "**Taught one distance**, all training data repeat after 24 positions; what is tested repeats after 4 to 24. "
        "Its loss on its own data says nothing about that."
    )


def no_positions(data: Data) -> str | None:
    """Order is not told."""
    found = [run for run in data.runs if run["positions"] == NONE]
    if not found:
        return None
    if any(not run["causal"] for run in found):
        return _(
            "**Without positions and without a mask** nothing tells order: the same tokens in another order give the "
            "same outputs, in that order."
        )
    return _("**Without positions** the mask alone tells order, by how many tokens a position sees.")


def large_rate(data: Data) -> str | None:
    """A step is as large as weights are at the start."""
    rates = [run["rate"] for run in data.runs if run["rate"] >= LARGE]
    if not rates:
        return None
    return _(
        "**Adam's first steps** move nearly every weight by about the rate, {rate} after the warm-up; W_Q starts with "
        "weights of a size of {size}.",
        rate=number(max(rates), ".2g"),
        size=number(data.chosen.width**-0.5, ".2f"),
    )


def carries(data: Data) -> str | None:
    """The first digit of a sum depends on all carries."""
    if data.chosen.task != "addition":
        return None
    return _(
        "**As written**, a sum begins with the digit that needs every carry; with the last digit first, each digit "
        "needs the two above it and one carry."
    )


def by_pieces(data: Data) -> str | None:
    """What byte-pair encoding makes of the text."""
    if data.chosen.task != PIECES:
        return None
    different, count = data.encoded
    return _(
        "**Byte-pair encoding** joins what most often stands side by side: the text's {letters} letters are {count} "
        "pieces, {different} different ones. A sequence of {length} pieces is some {reach} letters long.",
        letters=f"{len(data.chosen.text):,}",
        count=f"{count:,}",
        different=different,
        length=data.sizes[1],
        reach=round(data.sizes[1] * len(data.chosen.text) / max(1, count)),
    )


WHY = one_layer, no_mask, one_distance, no_positions, large_rate  # of what a second run has changed
BEFORE = begins, carries, by_pieces  # the guess
CLAIMS = begins, *WHY, carries, by_pieces


def title(data: Data) -> str:
    """The network, and how it is taught."""
    chosen = data.chosen
    return _(
        "{layers}, {heads} each, d {width}, rate {rate:g}: {count} parameters",
        layers=ngettext("{n} layer", "{n} layers", chosen.layers),
        heads=ngettext("{n} head", "{n} heads", chosen.heads),
        width=chosen.width,
        rate=chosen.rate,
        count=f"{data.parameters:,}",
    )


def notice(data: Data) -> tuple[str, ...]:
    """What holds of the picture's parts in any state."""
    parts = [
        _(
            "**A map** is one head's attention on one fresh sequence, the same throughout: a row is a position that "
            "looks, a column what it looks at."
        ),
        _(
            "**Right** is counted on 32 fresh sequences, which no step has seen; loss 1 on the axis is a guess among "
            "all tokens."
        ),
    ]
    if data.chosen.task == INDUCTION:
        parts.append(
            _(
                "**Induction** is the weight that a head gives to what followed the same letter earlier, all earlier "
                "places summed; **previous** that on the position before. Of each the best head is drawn."
            )
        )
    if data.chosen.task in DIGITS:
        parts.append(_("**Whole** answers are right in every digit."))
    return tuple(parts)


MATHS = (
    N_(
        "Pre-norm blocks, GELU by its tanh, an untied output; Adam with β₁ 0.9, β₂ 0.99, ε 1e-8, 20 steps of "
        "warm-up, then a constant rate; gradients longer than 1 are shortened to 1. In float32, by WebAssembly."
    ),
)
