"""The examples of the page Serving: links to what stands out, and texts to start from."""

from __future__ import annotations

from tlmviz.ui import gallery, inputs
from tlmviz.ui.gallery import Card

CARDS = (
    Card(
        "Six requests, one memory",
        "Three prompts begin alike: they share pages until each writes its own word.",
        {},
        "Pages of memory in the colours of requests, with their timelines below",
    ),
    Card(
        "Too little memory",
        "With 10 pages there are six preemptions: pages are given back, and tokens computed again, to the same texts.",
        {"vpages": "10"},
        "A small memory of pages and timelines with preempted requests",
    ),
    Card(
        "Nothing shared",
        "The same six requests without prefix sharing: 304 tokens are computed in place of 212.",
        {"vshare": "Off"},
        "Pages of memory without stripes",
    ),
    Card(
        "The slowest decides",
        "Static batching takes 82 steps for what continuous batching does in 42: all wait for the longest row.",
        {"vpol": "Static"},
        "Pages of memory under static batching, and timelines with idle rows",
    ),
)


def examples() -> None:
    """Cards, and texts to start from."""
    gallery.menu(__file__, CARDS, inputs.example_texts)
