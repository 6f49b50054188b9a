"""What the part Race says about its picture, each where it is true."""

from __future__ import annotations

import numpy as np

from tlmviz.analysis.translation import beam_race
from tlmviz.figures import number
from tlmviz.ui import markdown
from tlmviz.ui.hints import Hint, where
from tlmviz.ui.language import N_, _

from .data import Data


def greedy_turned_off(data: Data) -> str | None:
    """The step at which greedy left the way of the best text, with both probabilities."""
    best, other = data.best, data.winners[1]
    step = beam_race.parting(best.tokens, other.tokens)
    if step is None:
        return None
    return _(
        "**Greedy dropped the best text at step {step}**: after “{before}” it wrote “{taken}” (p {q}) in place of "
        "“{own}” (p {p}), and a width of 1 cannot turn back. In the end its score is {score} against {best}.",
        step=step + 1,
        before=markdown.plain(data.base.mt.text(best.tokens[:step])) or "⟨start⟩",
        taken=_token(data, other.tokens[step]),
        q=f"{np.exp(other.logps[step]):.3f}",
        own=_token(data, best.tokens[step]),
        p=f"{np.exp(best.logps[step]):.3f}",
        score=_signed(other.score),
        best=_signed(best.score),
    )


def greedy_found(data: Data) -> str | None:
    """Greedy finds the best text."""
    if greedy_turned_off(data):
        return None
    return _("**Greedy** finds the best text of all widths here.")


def likelier_yet_worse(data: Data) -> str | None:
    """Greedy's text is the more probable one, and its score is lower."""
    best, other = data.best, data.winners[1]
    if _signed(other.parts.logp) == _signed(best.parts.logp) or other.parts.logp <= best.parts.logp:
        return None
    return _(
        "Greedy's log P is the higher one all the same, {other} against {best}: the length penalty decides.",
        other=_signed(other.parts.logp),
        best=_signed(best.parts.logp),
    )


def wider_found_it_too(data: Data) -> str | None:
    """A wider beam found the better text and ranks another above it."""
    if not (fall := _fall(data)) or fall[1]:
        return None
    return _("{head} it found that text too, and ended with another one that ranks lower.", head=_head(data))


def wider_stopped(data: Data) -> str | None:
    """A wider beam had enough complete texts before the better one was written."""
    if not (fall := _fall(data)) or not fall[1] or fall[1].how != "ended":
        return None
    (narrow, wide), lost = fall
    return _(
        "{head} it had {ends} complete texts after {steps} steps and stopped; the better one needs {tokens} tokens, "
        "and its beginning was still among those kept.",
        head=_head(data),
        ends=len(data.searches[wide].leaves),
        steps=lost.step,
        tokens=len(data.winners[narrow].tokens),
    )


def wider_dropped(data: Data) -> str | None:
    """A wider beam kept others than the better one's beginning."""
    if not (fall := _fall(data)) or not fall[1] or fall[1].how == "ended":
        return None
    (narrow, _wide), lost = fall
    before = markdown.plain(data.base.mt.text(data.winners[narrow].tokens[: lost.step]))
    if not lost.least > lost.total:
        return _(
            "{head} at step {step} it kept others than “{before}”.", head=_head(data), step=lost.step, before=before
        )
    return _(
        "{head} at step {step} it kept {kept} beginnings that were all more probable than “{before}” (log P {total}; "
        "the last one kept {least}), which the narrower beam kept among other rivals.",
        head=_head(data),
        step=lost.step,
        kept=lost.kept,
        before=before,
        total=_signed(lost.total),
        least=_signed(lost.least),
    )


def wider_is_never_worse(data: Data) -> str | None:
    """No wider beam ends with less."""
    if data.falls:
        return None
    return _("No wider beam scores worse than a narrower one here.")


CLAIMS = (
    greedy_turned_off,
    greedy_found,
    likelier_yet_worse,
    wider_found_it_too,
    wider_stopped,
    wider_dropped,
    wider_is_never_worse,
)
HINTS = (Hint(N_("Press ▶; then write a translation of your own."), where(lambda data: not data.own)),)


def _fall(data: Data):
    """The first pair of widths of which the wider one ends with less, and how that lost the better text."""
    if not (falls := data.falls):
        return None
    narrow, wide = falls[0]
    return (narrow, wide), beam_race.loss(data.searches[wide], data.winners[narrow])


def _head(data: Data) -> str:
    narrow, wide = data.falls[0]
    return _(
        "**The beam of {wide} scores worse than that of {narrow}**, {worse} against {better}:",
        wide=wide,
        narrow=narrow,
        worse=_signed(data.winners[wide].score),
        better=_signed(data.winners[narrow].score),
    )


def _token(data: Data, token: int) -> str:
    return markdown.plain(data.base.tokenizer.name(token).strip()) or "␣"


def _signed(value: float) -> str:
    return number(value, ".3f")


NOTICE = (
    N_(
        "A dot is a beginning that was kept, a square a text that ended, the best of a step on top. Orange is the "
        "best text of all widths, by score: a cross says where a beam lost it."
    ),
)
