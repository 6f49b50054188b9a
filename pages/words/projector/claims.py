"""What the page Projector says about its pictures, each where it is true, and what their parts are in any state."""

from __future__ import annotations

from functools import wraps

import numpy as np

from tlmviz.analysis.words.analogies import Tally
from tlmviz.analysis.words.categories import CATEGORIES
from tlmviz.figures import number, percent
from tlmviz.figures.tokens import SPACE
from tlmviz.ui import markdown
from tlmviz.ui.claims import Claim
from tlmviz.ui.hints import Hint, first, to, where, within
from tlmviz.ui.language import N_, _, listed, ngettext

from .data import Data
from .state import ANALOGIES, CATEGORY, FILM, MAP, TSNE, WORDS

KINDS = list(CATEGORIES)
# Neighbours of a word's category that are worth a sentence: a list is short, and leaves out many words of its kind.
SEVERAL = 4


def its_kind(data: Data) -> str | None:
    """Several of a word's category are among its neighbours, more than chance would have it, where the colours are
    categories."""
    word, kinds = data.word, data.shown.categories
    if data.chosen.colour != CATEGORY or word is None or word.row < 0 or not (kind := kinds[word.row]):
        return None
    same = [data.shown.names[row] for row in word.near if kinds[row] == kind]
    members = int((kinds == kind).sum())
    if len(same) < SEVERAL or len(same) * (len(kinds) - 1) <= (members - 1) * len(word.near):
        return None
    return _(
        "Nobody told the model what words mean, and yet of the {others} other words on a hand-made list ({kind}) {n} "
        "are among the {all} nearest to {word}, such as {names}.",
        others=members - 1,
        kind=KINDS[kind - 1],
        n=len(same),
        all=len(word.near),
        word=markdown.quoted(word.name),
        names=listed([markdown.quoted(name) for name in same[:3]]),
    )


def nearest_words(data: Data) -> str | None:
    """What lies nearest to a word, where there is no more to say of it."""
    word = data.word
    if word is None or not word.near or its_kind(data):
        return None
    return _(
        "Of {all:,} vectors the nearest to that of {word}, by all its {size} numbers, are {names} (cosine {cosine}).",
        all=len(data.shown.names),
        word=markdown.quoted(word.name),
        size=data.shown.vectors.shape[1],
        names=listed([markdown.quoted(data.shown.names[row]) for row in word.near[:3]]),
        cosine=number(word.cosines[0], ".3f"),
    )


def together(data: Data) -> str | None:
    """Words of a category lie together, measured over all of them; where no word is looked at."""
    if _looked_at(data) or (found := data.kept_together) is None:
        return None
    same, count, chance = found
    if float(number(100 * same / count, ".0f")) <= float(number(100 * chance, ".0f")):
        return None
    return _(
        "Nobody told the model what words mean. Yet of the {count:,} that a hand sorted into categories, {share} have "
        "their nearest in the same category; chance would give {chance}.",
        count=count,
        share=percent(same / count),
        chance=percent(chance),
    )


def scattered(data: Data) -> str | None:
    """Words of a category do not."""
    if _looked_at(data) or together(data):
        return None
    return _("Words of one category do not lie together in these vectors, no more than chance would have it.")


def _looked_at(data: Data) -> bool:
    return data.word is not None and bool(data.word.near)


def other_spelling(data: Data) -> str | None:
    """A token with a space was taken, and there is one without."""
    word, typed = data.word, data.chosen.word.strip()
    if word is None or word.row < 0 or not word.name.startswith(SPACE) or typed.startswith(SPACE):
        return None
    bare = data.every.rows.get(word.name.removeprefix(SPACE))
    if bare is None:
        return None
    said = _(
        "{word} is number {row:,}, the token of a word with a space before it; without one it is another token, number "
        "{bare:,}: type “={name}”."
    )
    return said.format(
        word=markdown.quoted(word.name),
        row=word.row + 1,
        bare=bare + 1,
        name=markdown.plain(word.name.removeprefix(SPACE)),
    )


def some_only(data: Data) -> str | None:
    """Not all vectors are in the picture."""
    shown, every = len(data.shown.names), len(data.every.names)
    if shown == every:
        return None
    return _(
        "Only the {shown:,} most frequent of {every:,} are in this picture, and neighbours are taken among them.",
        shown=shown,
        every=every,
    )


def plane_keeps(data: Data) -> str | None:
    """How much of the variance the plane holds, where no word shows what it loses."""
    kept = float(data.share[:2].sum())
    if data.chosen.plane == TSNE or nearer_in_the_plane(data) or number(100 * kept, ".0f") == "100":
        return None
    return _(
        "**A plane lies.** This one keeps {kept} of the variance: words may meet in it that are far apart by all "
        "numbers.",
        kept=percent(kept),
    )


def nearer_in_the_plane(data: Data) -> str | None:
    """Points that the plane puts nearer to a word than its nearest one."""
    word = data.word
    if word is None or word.row < 0 or not word.near:
        return None
    away = np.linalg.norm(data.places[-1] - data.places[-1][word.row], axis=1)
    nearer = int((away < away[word.near[0]]).sum()) - 1
    if nearer < 1:
        return None
    return ngettext(
        "In this plane {n} point lies nearer to {word} than {nearest}, which is its nearest by all numbers: where a "
        "line is long, the plane is wrong, not the line.",
        "In this plane {n:,} points lie nearer to {word} than {nearest}, which is its nearest by all numbers: where a "
        "line is long, the plane is wrong, not the line.",
        nearer,
        word=markdown.quoted(word.name),
        nearest=markdown.quoted(data.shown.names[word.near[0]]),
    )


def begins_small(data: Data) -> str | None:
    """The film begins with all words in one spot."""
    spread = data.places.std(1).max(1)
    share = spread[0] / spread[-1]
    if share > 0.5:
        return None
    said = _(
        "At first all words lie in one spot, {share} as wide as at the end; {read} words later they fill the plane."
    )
    return said.format(share=percent(share), read=number(float(data.film.words_read[-1]), ",.0f"))


def answers(data: Data) -> str | None:
    """The analogy as a sentence."""
    a, b, c = map(markdown.plain, data.chosen.analogy)
    said = _("{a} is to {b} as {c} is to **{answer}**, says {model}: cosine {cosine} with the sum.")
    return said.format(
        a=a,
        b=b,
        c=c,
        answer=markdown.plain(data.answer.names[0]),
        model=data.chosen.model,
        cosine=number(float(data.answer.cosines[0]), ".3f"),
    )


def given_is_nearer(data: Data) -> str | None:
    """One of the question's own words is the nearest of all."""
    if not data.answer.given[0]:
        return None
    return _(
        "Of all words, {first} is nearer still ({cosine}), but it was given: leaving out the question's own words does "
        "much of the work.",
        first=markdown.quoted(data.answer.all_names[0]),
        cosine=number(float(data.answer.all_cosines[0]), ".3f"),
    )


def twice(data: Data) -> str | None:
    """The question's words are not three different ones."""
    a, b, c = data.chosen.analogy
    if len({a, b, c}) == 3:
        return None
    if a == b:
        return _(
            "a and b are both {a}: the sum is c itself, and the answer the nearest word to {c}.",
            a=markdown.quoted(a),
            c=markdown.quoted(c),
        )
    if a == c:
        return _(
            "a and c are both {a}: the sum is b itself, and the answer the nearest word to {b}.",
            a=markdown.quoted(a),
            b=markdown.quoted(b),
        )
    return _(
        "b and c are both {b}: the sum is 2b − a, which leads away from {a}.",
        a=markdown.quoted(a),
        b=markdown.quoted(b),
    )


def often_fails(data: Data) -> str | None:
    """How many analogies of the table come out right."""
    tallies = data.tallies()
    if not (count := sum(tally.count for tally in tallies)):
        return None
    right, near = total(tallies, "first"), total(tallies, "without")
    said = _(
        "The famous sum finds {right} of {count:,} analogies; {near} come out without taking a away, by mere nearness "
        "to b and c."
    )
    return said.format(right=percent(right), count=count, near=percent(near))


def total(tallies: list[Tally], field: str) -> float:
    """A share over all analogies of all relations."""
    return sum(getattr(each, field) * each.count for each in tallies) / sum(each.count for each in tallies)


def at_the_end(claim: Claim) -> Claim:
    """A claim about finished vectors is silent while the film stands before its end."""
    return wraps(claim)(lambda data: claim(data) if data.finished else None)


ON_A_PLANE = (
    *map(at_the_end, (its_kind, nearest_words, together, scattered)),
    other_spelling,
    some_only,
    *map(at_the_end, (plane_keeps, nearer_in_the_plane)),
)
CLAIMS: dict[str, tuple[Claim, ...]] = {
    MAP: ON_A_PLANE,
    FILM: (begins_small, *ON_A_PLANE),
    ANALOGIES: (answers, given_is_nearer, twice, often_fails),
}
HINTS = {
    MAP: (
        Hint(
            N_("Click a word; then choose *Film*."),
            where(lambda data: data.chosen.side == WORDS and data.film, to(view=FILM)),
            lambda before, after: not after.no_film,
        ),
        Hint(N_("Click a word."), within),
    ),
    FILM: (Hint(N_("Press ▶."), within),),
    ANALOGIES: (Hint(N_("Type three words of your own."), first(first="king", second="queen", third="man")),),
}


def title(data: Data) -> str:
    """The picture's title."""
    chosen, count = data.chosen, len(data.shown.names)
    values = {"model": chosen.model, "side": chosen.side, "count": count}
    if chosen.plane == TSNE:
        return _(
            "{model}, {side}: the {count:,} most frequent by t-SNE, which keeps neighbours and little else", **values
        )
    one, two = (f"{100 * share:.0f}%" for share in data.share[:2])
    values |= {"size": data.every.vectors.shape[1], "one": one, "two": two}
    if chosen.view == FILM:
        said = _(
            "The training of {model}, {side}: {count:,} × {size} numbers on two axes ({one} + {two} of the variance)"
        )
    else:
        said = _("{model}, {side}: {count:,} × {size} numbers on two axes ({one} + {two} of the variance)")
    return said.format(**values)


_COLOURS = N_(
    "The colours are sixteen categories made by hand, laid over the vectors afterwards. Lines go to the 10 nearest by "
    "*all* numbers."
)
NOTICE = {
    MAP: (
        N_(
            "**t-SNE keeps neighbours and little else:** how large a cluster is and how far it is from the next says "
            "nothing."
        ),
        _COLOURS,
    ),
    FILM: (
        N_("**The axes stand still:** they are those of the finished vectors, and so are the nearest words."),
        _COLOURS,
    ),
    ANALOGIES: (
        N_("The bars count every analogy of the table, not a few that work."),
        N_(
            "**The arrows** lie in the one plane through the three words, in which the sum lies too. Other words stand "
            "off that plane: point at one to see how far."
        ),
    ),
}
MATHS = (
    N_(
        "PCA: the axes are the eigenvectors of the covariance with the largest eigenvalues, the shares in the "
        "title are theirs of the trace."
    ),
    N_("A cosine is that of whole vectors, u·v / |u||v|, not of what the plane keeps of them."),
)
