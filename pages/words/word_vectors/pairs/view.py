"""Draws the part Text to pairs: the sliding window, what is thrown out, one-hot and trained vectors side by side."""

from __future__ import annotations

import numpy as np
import streamlit as st

from tlmviz.analysis.words.reading import most_frequent
from tlmviz.figures.words import pairs as figures
from tlmviz.ui import frame, live
from tlmviz.ui.language import N_, _

from .. import view as shared
from . import claims
from .data import Data
from .state import Pairs

SHOWN = 32  # words whose rows and columns are drawn
PICTURE = live.Picture(__file__, "pairs", at=Pairs.at)
EQUATION = (
    r"\log\mathcal L=\sum_{n=1}^{N}\ \sum_{-m\le j\le m,\ j\ne0}\log\Pr(w_{n+j}\mid w_n),\qquad "
    r"\Pr(w\text{ stays})=\min\!\Big(1,\sqrt{t/f(w)}\Big),\qquad \lVert e_i-e_j\rVert=\sqrt2\ \ (i\ne j)",
    "Mathematics in Modern NLP, sections 2.1–2.2, Eq. 2 and 5–8; subsampling: Mikolov et al. 2013, Distributed "
    "Representations of Words and Phrases, Eq. 5.",
    "The notes leave the first and the last word out as centers and count eight pairs (Eq. 6); with them there are "
    "ten, and every pair is met from both sides. In item 4 they call u and v “one for output and one for context”: u "
    "is the output's, which is the context word, v the center's.",
)


def controls() -> Pairs:
    """Draw the controls; what they say."""
    Pairs.text.draw()
    window, throw, more = st.columns([0.36, 0.46, 0.18], vertical_alignment="bottom")
    Pairs.window.draw(window)
    threshold = Pairs.threshold.draw(throw)
    with frame.more(more):
        Pairs.counting.draw()
        Pairs.model.draw()
        st.button(_("Throw"), on_click=_throw, disabled=not threshold, help=_("Throw again, with another seed"))
    return Pairs.of_session()


def _throw() -> None:
    Pairs.seed.set((Pairs.seed.get() + 1) % 10_000)


def readable(data: Data) -> bool:
    """Whether there is a window to slide; a sentence says what to type."""
    return shared.readable(lambda: data.words)


def picture(data: Data) -> bool:
    """The text with its window, and the matrix that grows while the window slides; nothing without a word."""
    if not data.kept:
        return False
    reading = data.reading
    row = {word: number for number, word in enumerate(reading.vocabulary)}
    header = {
        "title": claims.title(data),
        "words": list(reading.words),
        "vocabulary": list(reading.vocabulary),
        "drawn": [row[word] for word in most_frequent(data.kept, SHOWN)],
        "window": data.chosen.window,
        "byDistance": data.chosen.by_distance,
        "place": data.place,
    }
    arrays: dict[str, np.ndarray] = {
        "ids": reading.ids.astype(np.uint16),
        "kept": reading.kept.astype(np.uint8),
        "keep": reading.keep.astype(np.float32),
    }
    PICTURE.show(header, arrays)
    return True


def below(data: Data) -> None:
    """How likely words stay in the text, by how frequent they are; one-hot vectors, their distances and those of
    trained ones."""
    theme, shares = frame.theme(), data.shares
    said = N_("Frequent words are thrown out: probability to stay, t = {t}")
    if not data.chosen.threshold:
        said = N_("Nothing is thrown out; when the model was trained: probability to stay, t = {t}")
    title = _(said, t=f"{data.usual:g}")
    curve = figures.keep_curve(list(shares), list(shares.values()), data.usual, theme, title=title)
    frame.chart(curve, key="keep", alt=_("Probability that a word stays, by its share of the models' text"))
    found = data.distances
    if len(found.words) < 2:
        said = _(
            "{model} knows fewer than two different words of this text, so there are no distances to show; choose "
            "words-fasttext, which makes a vector for any word, or type everyday English words.",
            model=data.chosen.model,
        )
        st.info(said)
        return
    named = _("Distances, {model}", model=data.chosen.model)
    parts = {
        _("One 1 in each row"): figures.one_hot_map(
            found.words, theme, title=_("One-hot vectors, a row each (0 or 1)")
        ),
        _("Every distance is √2"): figures.distance_map(
            found.one_hot, found.words, theme, title=_("Distances of one-hot vectors")
        ),
        _("Some words are nearer than others"): figures.distance_map(found.trained, found.words, theme, title=named),
    }
    for place, (alt, figure) in zip(st.columns(3), parts.items()):
        with place:
            frame.chart(figure, key=f"hot{list(parts).index(alt)}", alt=alt)


def snippet(data: Data) -> str:
    """The pairs, the matrix and the distances with the public API."""
    chosen = data.chosen
    return f"""\
import numpy as np
import tlmviz
from tlmviz.analysis.words import reading
from tlmviz.analysis.words.pairs import keep_probability

wv = tlmviz.load({chosen.model!r})
words = {" ".join(data.words)!r}.split()
keep = dict(zip(wv.vocabulary, keep_probability(wv.counts, {chosen.threshold!r})))
text = reading.read(words, keep, seed={chosen.seed if chosen.threshold else 0})
pairs = text.pairs({chosen.window})  # (center, context)
matrix = text.cooccurrence({chosen.window}, by_distance={chosen.by_distance})  # in the order of text.vocabulary
alike = reading.row_cosines(matrix)
known = [word for word in text.vocabulary if word in wv]
vectors = np.array([wv.vector(word).numpy() for word in known]).reshape(len(known), -1)
distances = reading.unit_distances(vectors)  # of one-hot vectors all are sqrt(2)
print(len(pairs), matrix.sum(), distances.round(2))
"""
