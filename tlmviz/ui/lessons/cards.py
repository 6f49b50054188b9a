"""Draws the lessons as cards: title, what is learnt, a link to begin; the browser adds where one was left."""

from __future__ import annotations

from html import escape

import streamlit as st

from ..components import spotlight
from ..language import _
from ..tours.cards import STYLE
from . import runner
from .table import LESSONS


def lessons() -> None:
    """All lessons, in the order in which they are taken."""
    cards = "".join(
        f'<article data-tour="lesson-{name}"><h3>{number}. {escape(_(lesson.title))}</h3><p>{escape(_(lesson.says))}</p>'
        f"<small>{escape(_('about five minutes'))}</small>"
        f'<div><a class="first" data-card="step" href="{escape(runner.to(name))}">{escape(_("Begin"))}</a></div></article>'
        for number, (name, lesson) in enumerate(LESSONS.items(), 1)
    )
    st.html(f'{STYLE}<div class="tours">{cards}</div>')
    spotlight.resume()
