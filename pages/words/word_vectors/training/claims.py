"""What the part Train now says about its picture, each where it is true."""

from __future__ import annotations

from tlmviz.figures import number
from tlmviz.ui import markdown
from tlmviz.ui.hints import OTHER_TEXT, Hint, first, where
from tlmviz.ui.language import N_, _, listed, ngettext

from .data import Data

FEW = 2000  # words of a text from which neighbours mean something


def broken(data: Data) -> str | None:
    """The numbers ran away."""
    if not data.live.broken:
        return None
    return _(
        "The numbers ran away: at this rate every step overshoots, and the vectors grew beyond all bounds. Choose a "
        "smaller rate; the smallest is the safest."
    )


def untrained(data: Data) -> str | None:
    """Nothing was read yet."""
    if data.live.begun or data.live.words_read:
        return None
    return _("Not trained yet: these vectors were drawn by chance. Press *Train for 20 seconds*.")


def nearest(data: Data) -> str | None:
    """The words nearest to the one that is asked for, after some training."""
    if not data.near or not data.live.words_read:
        return None
    named = [_("{word} {cosine}", word=markdown.quoted(word), cosine=number(value, ".2f")) for word, value in data.near]
    return _(
        "After {seconds} seconds of training nearest to “{word}”, by cosine: {words}.",
        seconds=number(data.live.elapsed, ".1f"),
        word=markdown.plain(data.word),
        words=listed(named),
    )


def unknown(data: Data) -> str | None:
    """The word has no vector."""
    if data.word:
        return None
    return _(
        "“{word}” is not among the words of this text that are trained; type another.",
        word=markdown.plain(data.chosen.near[:40]),
    )


def learned(data: Data) -> str | None:
    """The loss fell."""
    losses = [number(loss, ".2f") for loss in data.live.losses[1:] if loss == loss]
    if len(losses) < 2 or data.live.broken or float(losses[-1]) >= float(losses[0]):
        return None
    return _("The loss fell from {first} to {last} nats per pair.", first=losses[0], last=losses[-1])


def little_text(data: Data) -> str | None:
    """The text is short, and was read more than once."""
    count = len(data.live.text.ids)
    if count >= FEW or data.live.words_read <= count:
        return None
    return ngettext(
        "{n} word was read again and again: so little text gives neighbours by chance.",
        "{n} words were read again and again: so little text gives neighbours by chance.",
        count,
    )


def ended(data: Data) -> str | None:
    """The training is over."""
    if data.live.running or data.live.broken:
        return None
    if data.live.stopped:
        return _("Stopped: the slider walks the film.")
    return _("Done: the slider walks the film.")


CLAIMS = broken, untrained, nearest, unknown, learned, little_text, ended
HINTS = (
    Hint(
        N_("Paste a text and press *Train for 20 seconds*."),
        where(lambda data: not data.active, first(text=OTHER_TEXT)),
    ),
)


def title(data: Data) -> str:
    """What was read so far."""
    live = data.live
    return _(
        "{words} words, the {shown} most frequent shown; text read {passes} times in {seconds} s",
        words=f"{len(live.text.vocabulary):,}",
        shown=len(live.pictures[-1]),
        passes=f"{live.words_read / max(1, len(live.text.ids)):.1f}",
        seconds=f"{live.elapsed:.1f}",
    )


NOTICE = (
    N_(
        "**At first** all vectors are small and drawn by chance. Each pair of words that stand near each other "
        "pulls two of them together, and five drawn words are pushed away."
    ),
    N_("**Words that stand in like company** end up side by side, though nobody said what any of them means."),
    N_("**It is stoppable,** and in slices of a tenth of a second: others who use this server get in between."),
)


MATHS = (
    N_(
        "Skip-gram with negative sampling by plain gradient descent, 32 dimensions, batches of up to 32 text "
        "positions, a constant rate. All pictures lie on the two leading principal axes of the last one."
    ),
)
