"""The examples of the page Projector: links to what stands out."""

from __future__ import annotations

from tlmviz.ui import gallery
from tlmviz.ui.gallery import Card

from .state import ANALOGIES, FILM, Projector

CARDS = (
    Card(
        "Numbers find numbers",
        "“six” and “ten” are among the ten words nearest to “five”: nobody told the model what a number is.",
        {},
        "Points in a plane, sixteen categories in colours, lines from one word to ten others",
    ),
    Card(
        "Mother is not mom",
        "“father” and “sister” are among the ten nearest to “mother”, “mom” is not: it stands in other texts.",
        Projector.link(word="mother"),
        "Lines from mother to ten words, mom far away on the other side",
    ),
    Card(
        "How it came about",
        "The thousand most frequent words begin in one spot and spread as the model reads; press play.",
        Projector.link(view=FILM),
        "Points in a plane with a slider for how far the training was",
    ),
    Card(
        "Boy to girl as he to she",
        "The sum finds “she”. But of all 1,692 analogies no model here gets two thirds right.",
        Projector.link(view=ANALOGIES),
        "Two parallel arrows between four words, and bars of the nearest words",
    ),
    Card(
        "Cats and dogs in a language model",
        "The embedding of “dog” in stories-rope has “cat” among its ten nearest: a by-product of predicting the next "
        "token.",
        Projector.link(model="stories-rope", word="␣dog"),
        "Points in a plane, lines from the token dog to ten others",
    ),
)


def examples() -> None:
    """The cards."""
    gallery.menu(__file__, CARDS)
