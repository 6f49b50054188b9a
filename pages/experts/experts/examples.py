"""The examples of the page Experts: links to what stands out, and texts to start from."""

from __future__ import annotations

from tlmviz.ui import gallery, inputs
from tlmviz.ui.gallery import Card

from .state import CAPACITY, COST, MUTING, TRAINING, Experts

CARDS = (
    Card(
        "One that reads nouns",
        "Of this story expert 4 of layer 2 reads “time”, “girl”, “ball”, “day”, “Lily” and “red”; nothing told it to.",
        {},
        "Tokens as rows, experts of four layers as columns, with a blue frame around one expert's column",
    ),
    Card(
        "The bias decides",
        "29 of 112 choices are others than the router's scores alone would make (orange), and no weight feels it.",
        Experts.link(layer=2, token=26),
        "Tokens as rows, experts of four layers as columns, chosen ones filled, some of them framed in orange",
    ),
    Card(
        "One that is missed",
        "Mute expert 1 of layer 0, and the text costs 2.88 nats per token in place of 1.73.",
        Experts.link(view=MUTING, muted=((0, 1),)),
        "The experts that every token reaches when one of them is muted",
    ),
    Card(
        "Room for seven",
        "With room for an even load and no more, 53 of 224 choices find their expert full.",
        Experts.link(view=CAPACITY),
        "The experts that every token reaches, with those crossed out that were full",
    ),
    Card(
        "From two experts to all",
        "At worst one expert read every token, 4 times its even share; at the end the busiest read 1.35 times.",
        Experts.link(view=TRAINING),
        "Curves of the largest load, and maps of loads and biases with a slider through training",
    ),
    Card(
        "Half of it at work",
        "Of 2.3 million parameters a token meets 1.12 million.",
        Experts.link(view=COST),
        "Bars of active and total parameters, operations and losses of three models",
    ),
)


def examples() -> None:
    """Cards, and texts to start from."""
    gallery.menu(__file__, CARDS, inputs.example_texts)
