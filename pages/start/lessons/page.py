"""Lessons: the list of them, or the one that the link names, over the whole window."""

import streamlit as st

from pages import IN
from tlmviz.ui import frame, markdown, texts
from tlmviz.ui.components import lesson
from tlmviz.ui.language import _
from tlmviz.ui.lessons import asked, cards, room, runner

runner.read_link()
frame.heading(IN["start/lessons"], lambda: None)
name, wall = runner.LESSON.get(), bool(room.WALL.get())
on, said = room.here(name)
taken, code = on or asked.named(name), room.ROOM.get() if on else ""
absent = runner.absent(taken.lesson) if taken else None
if taken and absent is None:
    given = runner.SENTENCE.get(), runner.SCENE.get(), runner.asked()
    lesson.lesson(runner.payload(taken.lesson, *given, alone=taken.alone, room=code, wall=wall, said=said))
    if code:
        room.attend(wall)
else:
    if said:
        st.warning(markdown.sentence(said))
    if absent is not None:
        st.info(frame.worded(absent))
    elif name:
        st.warning(texts.no_lesson(markdown.plain(name)))
    cards.lessons()
    frame.what_to_notice(
        _("Every answer is measured on a model, not written down beforehand."),
        _("Where it can, a lesson reads a sentence of your own, and says so where it cannot."),
        _("Leave a lesson anywhere: its address holds the scene and your answers, and this browser offers to go on."),
    )
