"""The examples of the page Text and image: links to pictures and questions that say something else each."""

from __future__ import annotations

from tlmviz.ui import gallery
from tlmviz.ui.gallery import Card

from .state import Scene

MISREAD = ("", "h182", "h139", "", "", "", "h343", "", "")
TAKEN = ("", "", "h229", "", "h206", "h247", "", "h300", "")

CARDS = (
    Card(
        "What is left of the 7",
        "To say “4”, a head looks at the cell that the question means, and not at the 7 that it names.",
        {},
        "A picture of digits with orange over the cell left of the 7",
    ),
    Card(
        "What is right of the 4",
        "The same picture, asked the other way round: now the same words look at the 7.",
        Scene.link(question="what is right of the 4"),
        "A picture of digits with orange over the cell right of the 4",
    ),
    Card(
        "Described digit by digit",
        "For the digit that it is about to name, a head looks at that digit's cell.",
        Scene.link(question="describe the picture"),
        "A picture of digits beside its description",
    ),
    Card(
        "Wrong: a 9 taken for a 2",
        "Asked where the 2 is, it finds two; asked to describe the picture, it names the 9 rightly.",
        Scene.link(grid=MISREAD, question="where is the 2"),
        "A picture of a 2, a 9 and a 3, and a sentence that says what is wrong",
    ),
    Card(
        "Patches look for a word",
        "Turned round: the patches of the 9 give the word “9” nearly all of their weight in this head, and are marked.",
        Scene.link(question="where is the 9", shown=(7, 0, 4, 4, 6)),
        "A picture of digits, the patches of the 9 outlined in blue",
    ),
    Card(
        "Wrong in both: a 9 taken for a 5",
        "Asked what is left of the 5, words and patches both find the 1 beside a 9; there is no 5.",
        Scene.link(grid=TAKEN, question="what is left of the 5"),
        "Two pictures of digits: an answer that is wrong, and a digit marked wrongly",
    ),
)


def examples() -> None:
    """Cards."""
    gallery.menu(__file__, CARDS)
