"""The examples of the page GloVe: links to pairs of words that probes tell apart."""

from __future__ import annotations

from tlmviz.ui import gallery
from tlmviz.ui.gallery import Card

from .controls import OWN

CARDS = (
    Card(
        "Hot or cold",
        "“sun” stands 29 times as often near “hot” as near “cold”, “snow” never; “weather” fits both: its ratio is near 1.",
        {},
        "Bars up for sun, summer and coffee, down for wind, winter and snow, none for weather",
    ),
    Card(
        "To eat or to drink",
        "“food” and “soup” are eaten, “tea”, “water” and “coffee” drunk, and “to” tells nothing: ratio 1.2.",
        {"gwi": "eat", "gwj": "drink", "gprobes": "food soup to i water tea wine coffee"},
        "Bars up for food and soup, down for drinks, almost none for to and i",
    ),
    Card(
        "Who the stories are about",
        "“tim” is the boy and “lily” the girl, as “he” and “she” are; “named” stands near both.",
        {"gwi": "boy", "gwj": "girl", "gprobes": "he his tim named little she her lily"},
        "Bars up for he, his and tim, down for she, her and lily",
    ),
    Card(
        "The paper's words, on a text of your own",
        "Ice and steam: “solid” tells for ice, “gas” and “hot” for steam, “water” for neither. Counted in six sentences.",
        {"gsource": OWN, "gwi": "ice", "gwj": "steam", "gprobes": "solid cold water gas hot"},
        "Bars up for solid and cold, down for gas and hot",
    ),
)


def examples() -> None:
    """The cards."""
    gallery.menu(__file__, CARDS)
