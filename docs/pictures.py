"""The pictures in docs/: one of every page of `pages.SECTIONS`, at its defaults in light, unless VIEWS says
otherwise."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from pages import Page

LILY = "Once upon a time there was a little girl named Lily. Lily had a red ball. One day, Lily lost the red ball."
REPEATS = "The cat saw a bird. The dog saw a bird. The cat saw a bird. The dog saw a"
TWICE = "He is a good man, a good father, a good friend and a good neighbour."


@dataclass(frozen=True)
class Picture:
    """One picture of a page: its file in docs/, the link's parameters, colour scheme and size in pixels."""

    file: str
    query: tuple[tuple[str, str], ...] = ()
    scheme: Literal["light", "dark"] = "light"
    width: int = 1280
    height: int = 800


def view(
    file: str, scheme: Literal["light", "dark"] = "light", width: int = 1280, height: int = 800, **query: str
) -> Picture:
    """A picture whose link has these parameters."""
    return Picture(f"{file}.png", tuple(query.items()), scheme, width, height)


VIEWS: dict[str, tuple[Picture, ...]] = {
    "start/lessons": (view("lessons-light", lesson="looking", scene="2", told="0.10"),),
    "attention/explorer": (
        view("explorer-light"),
        view("explorer-dark", "dark", text=REPEATS, head="5.0", query="23", key="17", mode="arcs", order="induction"),
        view("explorer-phone", width=390, height=844, text=LILY, head="4.2"),
    ),
    "attention/inside_block": (view("inside_block-light", text=LILY, head="4.2", step="softmax"),),
    "attention/chat": (view("chat-light", model="smollm2-135m"),),
    "positions/rope_planes": (view("rope_planes-light", text=LILY, head="4.2", query="24", key="16"),),
    "caches/kv_cache": (view("kv_cache-light", text=REPEATS, model="zoo-rope", ktok="12"),),
    "caches/serving": (view("serving-dark", "dark"),),
    "translation/beam_search": (view("beam_search-light", english="I am cold."),),
    "translation/alignment": (
        view("alignment-dark", "dark"),
        view("alignment-coverage-light", aview="With and without coverage", arep=TWICE),
    ),
    "streams/mhc": (view("mhc-light", sview="Matrices", stok="4"),),
    "kernels/flash_attention": (view("flash_attention-light", text=LILY, part="Tiles", head="4.2"),),
    "kernels/long_context": (view("long_context-dark", "dark", lview="Masks", ltok="1024"),),
}


def pictures(page: Page) -> tuple[Picture, ...]:
    """The pictures of a page, the one that stands for it first."""
    return VIEWS.get(page.folder, (Picture(f"{page.path}-light.png"),))
