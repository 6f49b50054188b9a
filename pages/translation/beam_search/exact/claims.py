"""What the part Exact search says about its picture, each where it is true."""

from __future__ import annotations

from tlmviz.checks.translation_search import log_probability_is_of_one_pass
from tlmviz.decoding.exact import Exact
from tlmviz.figures import number
from tlmviz.ui import markdown
from tlmviz.ui.hints import Hint, to
from tlmviz.ui.language import N_, _

from .data import Data

SAME = log_probability_is_of_one_pass.tolerance  # nats


def search_error(data: Data) -> str | None:
    """The beam misses the model's own best text."""
    gap = data.exact.logp - data.beam.parts.logp if data.exact.tokens and data.beam.finished else 0
    if gap <= SAME:
        return None
    return _(
        "**Search error of {gap} nats.** The model's own best is {best} ({how}); the beam of {width} stops at {beam}: "
        "log P **{logp}** against **{less}**. Judge yourself which translates better.",
        gap=f"{gap:.3f}",
        best=_text(data, data.exact.tokens),
        how=_proof(data.exact),
        width=data.base.chosen.width,
        beam=_text(data, data.beam.tokens),
        logp=number(data.exact.logp, ".3f"),
        less=number(data.beam.parts.logp, ".3f"),
    )


def no_search_error(data: Data) -> str | None:
    """The beam finds it."""
    if not data.exact.tokens or not data.beam.finished or search_error(data):
        return None
    return _(
        "**No search error**: the beam of {width} finds the model's own best, {best} ({how}), log P **{logp}** against "
        "**{less}**.",
        width=data.base.chosen.width,
        best=_text(data, data.exact.tokens),
        how=_proof(data.exact),
        logp=number(data.exact.logp, ".3f"),
        less=number(data.beam.parts.logp, ".3f"),
    )


def no_end(data: Data) -> str | None:
    """The beam finds no complete text at all."""
    if not data.exact.tokens or data.beam.finished:
        return None
    return _(
        "**The beam of {width} reaches no end.** The model's own best is {best} ({how}), log P **{logp}**.",
        width=data.base.chosen.width,
        best=_text(data, data.exact.tokens),
        how=_proof(data.exact),
        logp=number(data.exact.logp, ".3f"),
    )


def none_found(data: Data) -> str | None:
    """No complete text was found."""
    if data.exact.tokens:
        return None
    return _("No complete text was found in the time given; shorten the sentence.")


def model_error(data: Data) -> str | None:
    """The most probable text is shorter than the one that is ranked first."""
    winner = data.winners[data.base.chosen.width]
    if not data.exact.tokens or not winner.finished or len(winner.tokens) <= len(data.exact.tokens):
        return None
    return _(
        "The most probable text has {count} tokens, the one that the penalties rank first {own}, {winner}: they mend "
        "the model's choice, not the search.",
        count=len(data.exact.tokens),
        own=len(winner.tokens),
        winner=_text(data, winner.tokens),
    )


def wider_is_better(data: Data) -> str | None:
    """Wider beams find texts that are more probable."""
    logps = {width: beam.parts.logp for width, beam in data.beams.items() if beam.finished}
    if len(logps) < 2 or f"{logps[max(logps)]:.3f}" == f"{logps[min(logps)]:.3f}":
        return None
    if logps[max(logps)] < logps[min(logps)]:
        return None
    return _(
        "From a width of {narrow} to {wide} the most probable text found rises from log P {low} to {high}.",
        narrow=min(logps),
        wide=max(logps),
        low=number(logps[min(logps)], ".3f"),
        high=number(logps[max(logps)], ".3f"),
    )


def short_differs(data: Data) -> str | None:
    """The beam misses the best beginning."""
    exact = data.short[data.horizon]
    if data.beginning.parts.logp >= exact.logp - SAME:
        return None
    return _(
        "{short} the beam of {width} finds another, {other}, log P {less}.",
        short=_short(data),
        width=data.base.chosen.width,
        other=_text(data, data.beginning.tokens),
        less=number(data.beginning.parts.logp, ".3f"),
    )


def short_agrees(data: Data) -> str | None:
    """The beam finds the best beginning."""
    if short_differs(data):
        return None
    return _("{short} the beam of {width} finds the same.", short=_short(data), width=data.base.chosen.width)


CLAIMS = (search_error, no_search_error, no_end, none_found, model_error, wider_is_better, short_differs, short_agrees)
HINTS = (Hint(N_("Move *Horizon T of the short search (tokens)* to 6."), to(horizon=6)),)


def _text(data: Data, tokens) -> str:
    return f"“{markdown.plain(data.base.mt.text(tokens))}”" if tokens else _("(the empty text)")


def _proof(exact: Exact) -> str:
    if exact.proven:
        return _("proven: no text is more probable")
    return _("not proven: none above log P {bound} is possible", bound=number(exact.bound, ".2f"))


def _short(data: Data) -> str:
    exact = data.short[data.horizon]
    return _(
        "There are **{all}** texts of {horizon} tokens; the beam looks at **{beam}** candidates at most, and branch "
        "and bound looked at **{scored}**. The best beginning is {text}, log P {logp} ({proven});",
        all=number(float(exact.all_texts), ".2e"),
        horizon=data.horizon,
        beam=f"{exact.beam_cost(data.base.chosen.width):,}",
        scored=f"{exact.scored:,}",
        text=_text(data, exact.tokens),
        logp=number(exact.logp, ".3f"),
        proven=_("proven") if exact.proven else _("not proven"),
    )


def beams_first(data: Data, candidates: int) -> str:
    """What the last line of the table counts: the beams whose best text is the bound, and then the exact search."""
    return _(
        "Exact search starts from the most probable text of the {count} beams above it (widths {widths}) and cuts what "
        "falls below: its line counts their {candidates} candidates and its own {scored}.",
        count=len(data.searches),
        widths=", ".join(map(str, data.searches)),
        candidates=f"{candidates:,}",
        scored=f"{data.exact.scored:,}",
    )


NOTICE = (
    N_(
        "**Search error**: the beam misses a text that the model itself prefers. **Model error**: the preferred "
        "text is worse, often too short. A wider beam can remove only the first."
    ),
    N_(
        "The exact search need not visit all texts: log P only falls, so a beginning below the best complete text "
        "is cut."
    ),
)
