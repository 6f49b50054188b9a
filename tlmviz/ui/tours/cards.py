"""Draws the tours as cards: title, what is learnt, steps and minutes, and a link to begin or to go on."""

from __future__ import annotations

from html import escape

import streamlit as st

from ..components import spotlight
from . import bar, room
from .parts import Tour
from .table import TOURS

STYLE = """<style>
.tours { display: grid; grid-template-columns: repeat(auto-fill, minmax(17rem, 1fr)); gap: 0.8rem; }
.tours article { border: 1px solid rgba(128, 140, 155, 0.4); border-radius: 0.4rem; padding: 0.7rem 0.9rem; display: flex;
  flex-direction: column; gap: 0.35rem; }
.tours h3 { font-size: 1.02rem; margin: 0; padding: 0; }
.tours p { margin: 0; font-size: 0.92rem; flex: 1; }
.tours small { opacity: 0.75; }
.tours a { color: inherit; text-decoration: none; border: 1px solid rgba(128, 140, 155, 0.6); border-radius: 0.4rem;
  padding: 0.25rem 0.8rem; display: inline-block; margin-right: 0.4rem; }
.tours a:is(:hover, :focus-visible) { border-color: #e8890c; }
.tours a.first { background: #1f5fa8; border-color: #1f5fa8; color: #fff; }
</style>"""


def tours(home: str) -> None:
    """All tours; one that was begun in this session can be gone on with where it was left."""
    begun = bar.begun()
    cards = "".join(_card(tour, begun.get(tour.name), home) for tour in TOURS.values())
    st.html(f'{STYLE}<div class="tours">{cards}</div>')
    spotlight.resume()


def _card(tour: Tour, left: tuple[int, tuple[int | None, ...]] | None, home: str) -> str:
    links = [("Begin" if left is None else "From the beginning", bar.step_address(tour, 1, home))]
    if left is not None:
        number, told = left
        links.insert(
            0, (f"Go on at step {number}", bar.step_address(tour, number, home, told, room.code_of(tour)))
        )
    written = "".join(
        f'<a data-card="step" class="{"" if place else "first"}" href="{escape(href)}">{escape(text)}</a>'
        for place, (text, href) in enumerate(links)
    )
    asked = sum(step.question is not None for step in tour.steps)
    begun = "" if left is None else " data-begun"
    return (
        f'<article data-tour="{tour.name}"{begun}><h3>{escape(tour.title)}</h3><p>{escape(tour.says)}</p>'
        f"<small>{len(tour.steps)} steps, {asked} questions, about {tour.minutes} minutes{_score(tour, left)}</small>"
        f"<div>{written}</div></article>"
    )


def _score(tour: Tour, left: tuple[int, tuple[int | None, ...]] | None) -> str:
    """How many of the questions that were answered were answered rightly."""
    number, told = left or (1, ())
    right, given = bar.score(tour, told)
    if not given:
        return ""
    done = "done, " if number == len(tour.steps) else ""
    return f" · <b>{done}{right} of {given} right</b>"
