"""What the part With and without coverage says about its picture, each where it is true."""

from __future__ import annotations

from tlmviz.ui.hints import Hint, to
from tlmviz.ui.language import N_, _, ngettext

from .data import Data


def stutters(data: Data) -> str | None:
    """The model without coverage repeats itself more."""
    without, covering = data.repeats
    if without <= covering:
        return None
    return ngettext(
        "{without} repeats {n} run of three tokens; {covering}, told what it has looked at, repeats {less}.",
        "{without} repeats {n} runs of three tokens; {covering}, told what it has looked at, repeats {less}.",
        without,
        without=data.chosen.without,
        covering=data.chosen.covering,
        less=covering,
    )


def stutters_still(data: Data) -> str | None:
    """The model with coverage repeats itself more."""
    without, covering = data.repeats
    if covering <= without:
        return None
    return ngettext(
        "Coverage does not help here: {covering} repeats {n} run of three tokens, {without} {less}.",
        "Coverage does not help here: {covering} repeats {n} runs of three tokens, {without} {less}.",
        covering,
        without=data.chosen.without,
        covering=data.chosen.covering,
        less=without,
    )


def alike(data: Data) -> str | None:
    """Both repeat as much."""
    without, covering = data.repeats
    if without != covering:
        return None
    if not without:
        return _("Neither repeats itself on this sentence.")
    return ngettext("Both repeat {n} run of three tokens.", "Both repeat {n} runs of three tokens.", without)


CLAIMS = stutters, stutters_still, alike
HINTS = (Hint(N_("Make *Beam* 5."), to(width=5)),)


def repeats(count: int) -> str:
    """How often a text repeats itself."""
    if not count:
        return _("repeats nothing")
    return ngettext("{n} repeated trigram", "{n} repeated trigrams", count)


def repeated(data: Data) -> str:
    """How often the two models repeat themselves over all sentences of the table."""
    trigrams = [sum(line[f"repeats, {label}"] for line in data.table) for label in ("without", "with")]
    losses = [sum(line[f"covloss, {label}"] for line in data.table) / len(data.table) for label in ("without", "with")]
    return _(
        "{sentences} sentences: {without} writes {first} repeated trigrams, {covering} {second}; mean covloss {low} "
        "and {high}.",
        sentences=len(data.table),
        without=data.chosen.without,
        first=trigrams[0],
        covering=data.chosen.covering,
        second=trigrams[1],
        low=f"{losses[0]:.3f}",
        high=f"{losses[1]:.3f}",
    )


def missing(lacking: str) -> str:
    """What there is to do when the installation lacks the models "with" or "without" coverage."""
    lack = _("the one with") if lacking == "with" else _("them")
    return _(
        "This needs two recurrent models, one with a coverage vector and one without, and this installation lacks "
        "{lack}. `python -m tlmviz.training eng-fra-coverage --data DIR` trains one.",
        lack=lack,
    )


NOTICE = (
    N_(
        "eng-fra-coverage began as eng-fra-additive. It was then trained to see how much attention each source "
        "word has got already, and to pay for looking there again."
    ),
    N_(
        "Logged: on all 1,169 held-out sentences eng-fra-additive repeats 176 sequences of 3 tokens and "
        "eng-fra-coverage 81; its translations score a little lower (BLEU 52.0 and 50.2). The sentences of the "
        "table were chosen because they invite repetition."
    ),
)


MATHS = (
    N_(
        "Logged: after as many further steps without coverage eng-fra-additive repeats 159 sequences, at a BLEU of "
        "52.1 (one seed each; the card of eng-fra-coverage has the table)."
    ),
    N_("A beam of 1 is greedy, without penalties: a wide beam and its penalties hide what a model would repeat."),
)
