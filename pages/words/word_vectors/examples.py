"""The examples of the page Word vectors: links to what stands out in each part, and texts to start from."""

from __future__ import annotations

from tlmviz.ui import gallery, inputs
from tlmviz.ui.gallery import Card

from .pairs.state import EXAMPLES, Pairs
from .state import FASTTEXT, STEP, TRAINING, Part
from .step.state import TREE, Step

CARDS = (
    Card(
        "They never meet, and are alike",
        "“cat” and “dog” are never in one window, yet the same words stand around both: their rows agree by a cosine "
        "of 0.97.",
        {},
        "A text with a window in it, and a matrix of counts in which two rows look the same",
    ),
    Card(
        "Half of the small words are gone",
        "At t = 0.001 “the” stays 15 times in 100. What is left stands closer together, and windows reach further.",
        Pairs.link(threshold=1e-3),
        "A text with words struck through",
    ),
    Card(
        "The arrow of one pair",
        "“girl” stood beside “little”: the step leads from what was expected to what was there.",
        Part.link(part=STEP),
        "A plane of words as discs, with an arrow from their centre to the word girl",
    ),
    Card(
        "A probability is a path",
        "The product of all turns. The last three for “mother” are left, left, right, as in a textbook's small tree.",
        Part.link(part=STEP) | Step.link(method=TREE, context="mother"),
        "A tree of nodes as wide as their probability with one path in orange",
    ),
    Card(
        "Colours find each other",
        "Twenty seconds on short stories, and “blue” is among the nearest to “red”: nobody said that they are colours.",
        Part.link(part=TRAINING),
        "Words in a plane, those nearest to red in orange, beside a falling loss",
    ),
    Card(
        "A typo finds its word",
        "“beautifull” is in no vocabulary, and the nearest word is “beautiful”: most n-grams are the same.",
        Part.link(part=FASTTEXT),
        "Runs of letters under a misspelled word, and bars of its neighbours",
    ),
)


def examples() -> None:
    """Cards, and texts to start from."""
    gallery.menu(__file__, CARDS, lambda: inputs.text_buttons(EXAMPLES, "wexample", _use))


def _use(text: str) -> None:
    Pairs.text.set(text)
    Pairs.at.set(None)
