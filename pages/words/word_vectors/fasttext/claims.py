"""What the part FastText says about its picture, each where it is true, and what its parts are in any state."""

from __future__ import annotations

import numpy as np

from tlmviz.figures import number
from tlmviz.ui import markdown
from tlmviz.ui.hints import Hint, first
from tlmviz.ui.language import N_, _, ngettext

from .data import OTHER, Data


def letters_unknown(data: Data) -> str | None:
    """No n-gram stands in a word of the vocabulary."""
    trained, count = data.trained
    if trained:
        return None
    return ngettext(
        "Its {n} n-gram stands in no word of the vocabulary: the nearest words are those of chance and of shared rows.",
        "None of its {n} n-grams stands in a word of the vocabulary: the nearest words are those of chance and of "
        "shared rows.",
        count,
    )


def finds(data: Data) -> str | None:
    """An unknown word with a nearest one."""
    trained, count = data.trained
    if data.known or 2 * trained < count:
        return None
    word, cosine = data.near[0]
    return _(
        "“{word}” is not in the vocabulary, and still has a vector. The nearest word is “{near}”, with a cosine of "
        "{cosine}.",
        word=markdown.plain(data.word),
        near=markdown.plain(word),
        cosine=number(cosine, ".2f"),
    )


def mostly_untrained(data: Data) -> str | None:
    """Most of the n-grams were never trained for it."""
    trained, count = data.trained
    if not trained or 2 * trained >= count:
        return None
    return _(
        "Only {trained} of the {count} n-grams of “{word}” stand in words of the vocabulary: its neighbours mean "
        "little.",
        trained=trained,
        count=count,
        word=markdown.plain(data.word),
    )


def has_its_own(data: Data) -> str | None:
    """A word of the vocabulary has a vector of its own among its parts."""
    if not data.known:
        return None
    return _(
        "“{word}” is in the vocabulary: beside its n-grams it has a vector of its own, {share} of the whole.",
        word=markdown.plain(data.word),
        share=number(float(data.shares[0]), ".1%"),
    )


def knows_nothing(data: Data) -> str | None:
    """A model of whole words has no vector for it."""
    if data.others:
        return None
    return _(
        "{other}, which knows whole words only, can say nothing of “{word}”.",
        other=OTHER,
        word=markdown.plain(data.word),
    )


def trained(data: Data) -> str | None:
    """How many n-grams stand in words of the vocabulary, where most do."""
    stand, count = data.trained
    if not stand or 2 * stand < count:
        return None
    return _(
        "{trained} of {count} n-grams ({share}) stand in words of the vocabulary, and were trained there.",
        trained=stand,
        count=count,
        share=number(stand / count, ".0%"),
    )


def near_unlike(data: Data) -> str | None:
    """One of the words nearest to a known one has no n-gram in common with it."""
    if not data.known:
        return None
    names, common, cosines = data.spelling
    near = {word for word, _cosine in data.near}
    apart = [at for at in np.flatnonzero(common == 0) if names[at] in near]
    if not apart:
        return None
    best = max(apart, key=lambda at: cosines[at])
    return _(
        "Spelling is not meaning: “{near}” has no n-gram in common with “{word}”, and a cosine of {cosine}.",
        near=markdown.plain(names[best]),
        word=markdown.plain(data.word),
        cosine=number(float(cosines[best]), ".2f"),
    )


CLAIMS = letters_unknown, finds, mostly_untrained, has_its_own, knows_nothing, trained, near_unlike
HINTS = (Hint(N_("Type a word of your own and misspell it."), first(word="freindly")),)


def title(data: Data) -> str:
    """The title of the staircase."""
    said = "“{word}” (in the vocabulary): {count} parts and their shares (percent)"
    if not data.known:
        said = "“{word}” (not in the vocabulary): {count} parts and their shares (percent)"
    return _(said, word=data.word, count=len(data.parts))


NOTICE = (
    N_(
        "**The word falls into n-grams**, all runs of 3 to 6 characters, with marks for its beginning and end. "
        "Each has a vector, and the word's is their mean."
    ),
    N_("**A typo keeps most of its n-grams**, so its vector stays near."),
    N_(
        "**Red frames** are n-grams that stand in no word of the vocabulary. Rows are shared by a hash, so even their "
        "vectors are not random: they were trained for others."
    ),
    N_(
        "In the last chart, words at the upper left are near without a common n-gram; at the lower right are words "
        "that look alike and lie apart."
    ),
)


MATHS = (
    N_(
        "A share is p·v / (N |v|²), how far a part leads along the mean v of N parts. Shares sum to 1; one below 0 "
        "points the other way."
    ),
)
