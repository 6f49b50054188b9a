"""The words of the page "From text to pairs": claim, what to notice, equations, captions, snippet."""

from __future__ import annotations

import numpy as np

from tlmviz.analysis.words.reading import row_cosines
from tlmviz.figures import number
from tlmviz.ui import inputs

from . import compute
from .controls import Choice

CLAIM = "A word is known by the words around it: slide the window, count the pairs."
NOTHING_LEFT = "Every word of this text was thrown out: press Throw for another try, or set t to off."
NOTICE = (
    "**Every word is the center once**, and makes a pair with each word in its window. These pairs are all that skip-gram, "
    "CBOW and GloVe ever learn from: nobody tells them what a word means.",
    "**The matrix grows** with each window: a row for the center, a column for each word around it. In the end it is symmetric, "
    "as each pair is met from both sides.",
)
NOTICE_MATHS = (
    "A window of $m$ words on each side makes $2mT-m(m+1)$ pairs of $T>m$ words. Windows go on across full stops, as they did "
    "in the models' training.",
)
EQUATION = (
    r"\log\mathcal L=\sum_{n=1}^{N}\ \sum_{-m\le j\le m,\ j\ne0}\log\Pr(w_{n+j}\mid w_n),\qquad "
    r"\Pr(w\text{ stays})=\min\!\Big(1,\sqrt{t/f(w)}\Big),\qquad \lVert e_i-e_j\rVert=\sqrt2\ \ (i\ne j)",
    "Mathematics in Modern NLP, sections 2.1–2.2, Eq. 2 and 5–8; subsampling: Mikolov et al. 2013, Distributed Representations "
    "of Words and Phrases, Eq. 5.",
    "The notes leave the first and the last word out as centers and count eight pairs (Eq. 6); with them there are ten, and "
    "every pair is met from both sides. In item 4 they call u and v “one for output and one for context”: u is the output's, "
    "which is the context word, v the center's.",
)
FREQUENT_WORDS_HEADING = "#### Frequent words are thrown out"
DISTANCES_HEADING = "#### From one-hot to trained vectors"
ONE_HOT_SAID = "One 1 in each row"
TRAINED_SAID = "Some words are nearer than others"
KEEP_ALT = "Probability that a word stays, by its share of the models' text"
HOT_VECTORS_TITLE = "One-hot vectors, a row each (0 or 1)"
DISTANCES_HOT_TITLE = "Distances of one-hot vectors"


def title(choice: Choice) -> str:
    """What the matrix counts."""
    counted = "1 / distance each" if choice.by_distance else "1 each"
    return f"Pairs of a window of {choice.window} on each side, counted ({counted})"


def notice(choice: Choice) -> tuple[str, ...]:
    """What to look for, with the two words of this text that are most alike without meeting."""
    found = compute.pair(choice)
    if found is None:
        return NOTICE
    one, other = (inputs.plain(compute.read(choice).vocabulary[at]) for at in found)
    cosine = row_cosines(compute.matrix(choice))[found]
    return (
        f"**“{one}” and “{other}” never meet** in a window here, yet their rows agree by a cosine of {number(cosine, '.2f')} "
        "(1 is the same direction): the same words stand around both. That is what trained vectors hold on to.",
        *NOTICE,
    )


def thrown(choice: Choice, keep: dict[str, float]) -> str:
    """What the curve means, with this text's most frequent word."""
    reading = compute.read(choice)
    word = reading.vocabulary[int(reading.counts.argmax())]
    own = f"“{inputs.plain(word)}” stays {number(100 * keep.get(word, 1.0), '.0f')} times in 100. "
    gone = int((~reading.kept).sum())
    said = (
        f"This throw (seed {choice.seed}) took {gone} of {len(reading.kept)} words out. "
        if choice.threshold
        else ""
    )
    return (
        f"{own}{said}How frequent a word is was counted in the text that the models learned from; words that it lacks are rare "
        "and stay. Thrown words leave no gap: the window closes over them."
    )


def distances(choice: Choice, found: compute.Distances) -> str:
    """The nearest two of the words that are compared, and those without a vector."""
    apart = found.trained + 9 * np.eye(len(found.words))
    i, j = np.unravel_index(int(apart.argmin()), apart.shape)
    one, other = inputs.plain(found.words[i]), inputs.plain(found.words[j])
    text = (
        f"All vectors are divided by their length. One-hot vectors are √2 = {np.sqrt(2):.3f} apart, every two of them: “{one}” "
        f"is as far from “{other}” as from anything else. The trained vectors of these two are {apart[i, j]:.3f} apart."
    )
    if found.unknown:
        named = ", ".join(f"“{inputs.plain(word[:30])}”" for word in found.unknown[:6])
        more = f" and {len(found.unknown) - 6} more" if len(found.unknown) > 6 else ""
        text += f" {choice.model} has no vector for {named}{more}; words-fasttext makes one from a word's letters."
    return text


def too_few(choice: Choice) -> str:
    """Why there is nothing to compare."""
    return (
        f"{choice.model} knows fewer than two different words of this text, so there are no distances to show; choose "
        "words-fasttext, which makes a vector for any word, or type everyday English words."
    )


def probability_stay_title(threshold: float) -> str:
    """What stands above the picture."""
    return f"Probability to stay, t = {threshold:g}"


def snippet(choice: Choice) -> str:
    """The pairs, the matrix and the distances with the public API."""
    return f"""\
import numpy as np
import tlmviz
from tlmviz.analysis.words import reading
from tlmviz.analysis.words.pairs import keep_probability

wv = tlmviz.load({choice.model!r})
words = {" ".join(choice.words)!r}.split()
keep = dict(zip(wv.vocabulary, keep_probability(wv.counts, {choice.threshold!r})))
text = reading.read(words, keep, seed={choice.seed})
pairs = text.pairs({choice.window})  # (center, context)
matrix = text.cooccurrence({choice.window}, by_distance={choice.by_distance})  # in the order of text.vocabulary
alike = reading.row_cosines(matrix)
known = [word for word in text.vocabulary if word in wv]
vectors = np.array([wv.vector(word).numpy() for word in known]).reshape(len(known), -1)
distances = reading.unit_distances(vectors)  # of one-hot vectors all are sqrt(2)
print(len(pairs), matrix.sum(), distances.round(2))
"""
