"""The words of the page FastText: claim, what to notice, equations, sentences, snippet."""

from __future__ import annotations

from tlmviz.figures import number

from .compute import Parts
from .controls import MODEL, Choice

CLAIM = "A vector made from letters: any word has one, also a misspelled one and one that does not exist."
NOTICE = (
    "**The word falls into n-grams**, all runs of 3 to 6 characters, with marks for its beginning and end. Each has a vector, "
    "and the word's is their mean. A word of the vocabulary has one vector more: its own, in the first row.",
    "**A typo keeps most of its n-grams**, so its vector stays near. A model of whole words can say nothing of it.",
    "**Red frames** are n-grams that stand in no word of the vocabulary: their vectors were never trained for them. Rows are "
    "shared by a hash, so even these are not random: they are trained for others.",
    "**Spelling is not meaning.** In the last chart, words at the upper left are near without a common n-gram; at the lower "
    "right are words that look alike and lie apart.",
)
NOTICE_MATHS = (
    "A share is p·v / (N |v|²), how far a part leads along the mean v of N parts. Shares sum to 1; one below 0 points "
    "the other way.",
)
EQUATION = (
    r"v_w=\frac1{|\mathcal G_w|}\sum_{g\in\mathcal G_w}z_g,\qquad u(w,c)=\sum_{g\in\mathcal G_w}z_g^\top v_c,\qquad "
    r"\text{share}_g=\frac{z_g^\top v_w}{|\mathcal G_w|\,|v_w|^2}",
    "Mathematics in Modern NLP, section 4.1, Eq. 17–18; Bojanowski et al. 2017.",
    "The notes give “where” the 3-grams wh, whe, her, ere, re: with the marks they are <wh, whe, her, ere, re>. Eq. 17 sums the "
    "n-grams; the model takes their mean, which points the same way.",
)
NOTHING = "words-negative can say nothing:"
NEIGHBOURS_ALT = "Bars of the cosines of the nearest words"
EVERY_WORD_TITLE = "Every word: alike in spelling, alike in vectors"
FTSPELLED_ALT = "Points of all words by n-grams in common and cosine"
FTPARTS_ALT = "Runs of letters under a word, each with its share of the vector"


def title(found: Parts, known: bool) -> str:
    """The title of the staircase."""
    kind = "in the vocabulary" if known else "not in the vocabulary"
    return f"“{found.word}” ({kind}): {len(found.parts)} parts and their shares (percent)"


def caption(found: Parts) -> str:
    """How many of the parts stand in words of the vocabulary."""
    parts = [standing for part, standing in zip(found.parts, found.standing) if not part.whole]
    trained = sum(standing > 0 for standing in parts)
    if not trained:
        return (
            f"None of its {len(parts)} n-grams stands in any word of the vocabulary: its neighbours are those of chance and of "
            "shared rows."
        )
    least = number(100 * trained / len(parts), ".0f")
    return f"{trained} of {len(parts)} n-grams ({least} %) stand in words of the vocabulary, and were trained there."


def snippet(choice: Choice) -> str:
    """Parts, shares and neighbours with the public API."""
    return f"""\
import torch
import tlmviz
from tlmviz.analysis.words.shares import shares

wv, word = tlmviz.load({MODEL!r}), {choice.word!r}
parts = wv.parts(word)  # text, row and vector of each
part_shares = shares(torch.stack([part.vector for part in parts]))
for part, share in zip(parts, part_shares.tolist()):
    print(f"{{part.text:10}} row {{part.row:6}}  {{100 * share:6.1f}} %")
near = wv.neighbours(word, 10)
print(near)
"""
