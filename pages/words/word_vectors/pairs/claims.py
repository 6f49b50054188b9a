"""What the part Text to pairs says about its picture, each where it is true, and what its parts are in any state."""

from __future__ import annotations

import numpy as np

from tlmviz.figures import number
from tlmviz.ui import markdown
from tlmviz.ui.hints import Hint, where
from tlmviz.ui.language import N_, _, listed

from .data import Data

AGREE = 0.5  # cosine from which rows agree


def all_thrown(data: Data) -> str | None:
    """No word is left."""
    if data.kept:
        return None
    return _("Every word of this text was thrown out: press *Throw* for another try, or set t to off.")


def never_meet(data: Data) -> str | None:
    """Two words never meet and have the same company."""
    if not data.alike or data.alike[2] < AGREE:
        return None
    one, other, cosine = data.alike
    return _(
        "“{one}” and “{other}” never meet in a window here, yet the words around them agree: a cosine of {cosine}.",
        one=markdown.plain(one),
        other=markdown.plain(other),
        cosine=number(cosine, ".2f"),
    )


def meet_most(data: Data) -> str | None:
    """Two words meet more often than any others, where there is nothing more to say of words that never do."""
    if data.chosen.by_distance or never_meet(data):
        return None
    counts = np.triu(data.matrix, 1)
    most = counts.max(initial=0)
    if most < 2 or (counts == most).sum() > 1:
        return None
    one, other = (data.reading.vocabulary[at] for at in np.unravel_index(counts.argmax(), counts.shape))
    return _(
        "“{one}” and “{other}” meet most often: {count} times.",
        one=markdown.plain(one),
        other=markdown.plain(other),
        count=int(most),
    )


def cut(data: Data) -> str | None:
    """Only a beginning of the text is read."""
    if len(data.every) == len(data.words):
        return None
    return _("This text has {count:,} words; the first {n:,} are read.", count=len(data.every), n=len(data.words))


def stays(data: Data) -> str | None:
    """How likely the text's most frequent word stays, where the models' text has it."""
    word = data.reading.vocabulary[int(data.reading.counts.argmax())]
    if word not in data.shares or not data.usual:
        return None
    values = {
        "word": markdown.plain(word),
        "t": f"{data.usual:g}",
        "model": data.chosen.model,
        "times": number(100 * min(1.0, (data.usual / data.shares[word]) ** 0.5), ".0f"),
    }
    if data.chosen.threshold:
        return _("At t = {t} “{word}” stays {times} times in 100.", **values)
    return _(
        "With t off every word stays. When {model} was trained, at t = {t}, “{word}” stayed {times} times in 100.",
        **values,
    )


def no_vector(data: Data) -> str | None:
    """The model lacks words."""
    unknown = data.distances.unknown
    if not unknown:
        return None
    named = [markdown.quoted(word[:30]) for word in unknown[:6]]
    if len(unknown) > 6:
        named.append(_("{n} more", n=len(unknown) - 6))
    return _(
        "{model} has no vector for {words}; words-fasttext makes one from a word's letters.",
        model=data.chosen.model,
        words=listed(named),
    )


CLAIMS = all_thrown, never_meet, meet_most, cut, stays, no_vector
HINTS = (Hint(N_("Press ▶."), where(lambda data: data.kept)),)


def title(data: Data) -> str:
    """What the matrix counts."""
    window = data.chosen.window
    if data.chosen.by_distance:
        return _("Pairs of a window of {window} on each side, counted (1 / distance each)", window=window)
    return _("Pairs of a window of {window} on each side, counted (1 each)", window=window)


NOTICE = (
    N_(
        "**Every word is the center once**, and makes a pair with each word in its window. These pairs are all "
        "that skip-gram, CBOW and GloVe ever learn from: nobody tells them what a word means."
    ),
    N_(
        "**The matrix grows** with each window: a row for the center, a column for each word around it. In the end "
        "it is symmetric, as each pair is met from both sides."
    ),
    N_(
        "**How frequent a word is** was counted in the text that the models learned from; words that it lacks are "
        "rare and always stay."
    ),
    N_("**Words that are thrown out** leave no gap: the window closes over them."),
)


MATHS = (
    N_(
        "A window of $m$ words on each side makes $2mT-m(m+1)$ pairs of $T>m$ words. Windows go on across full "
        "stops, as they did in the models' training."
    ),
)
