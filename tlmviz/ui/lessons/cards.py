"""Draws the lessons as cards: title, what is learnt, a link to begin; the browser adds where one was left."""

from __future__ import annotations

from html import escape

import streamlit as st

from ..components import lesson as component
from ..language import _
from . import runner
from .table import LESSONS

STYLE = """<style>
.lessons { display: grid; grid-template-columns: repeat(auto-fill, minmax(17rem, 1fr)); gap: 0.8rem; }
.lessons article { border: 1px solid rgba(128, 140, 155, 0.4); border-radius: 0.4rem; padding: 0.7rem 0.9rem;
  display: flex;
  flex-direction: column; gap: 0.35rem; }
.lessons h3 { font-size: 1.02rem; margin: 0; padding: 0; }
.lessons p { margin: 0; font-size: 0.92rem; flex: 1; }
.lessons small { opacity: 0.75; }
.lessons a { color: inherit; text-decoration: none; border: 1px solid rgba(128, 140, 155, 0.6); border-radius: 0.4rem;
  padding: 0.25rem 0.8rem; display: inline-block; margin-right: 0.4rem; }
.lessons a:is(:hover, :focus-visible) { border-color: #e8890c; }
.lessons a.first { background: #1f5fa8; border-color: #1f5fa8; color: #fff; }
</style>"""


def lessons() -> None:
    """All lessons, in the order in which they are taken."""
    cards = "".join(
        f'<article data-lesson="{name}"><h3>{number}. {escape(_(lesson.title))}</h3><p>{escape(_(lesson.says))}</p>'
        f"<small>{escape(_('about five minutes'))}</small>"
        f'<div><a class="first" data-card="step" href="{escape(runner.to(name))}">'
        f"{escape(_('Begin'))}</a></div></article>"
        for number, (name, lesson) in enumerate(LESSONS.items(), 1)
    )
    st.html(f'{STYLE}<div class="lessons">{cards}</div>')
    component.resume()
