"""Classroom: a teacher opens a tour for everybody, and sees how far the room is and how it answered."""

from pages.start.room import controls, view, words
from tlmviz.ui import frame

choice = controls.choose()
frame.heading("Classroom", view.claim(choice), lambda: None)
view.said()
counts = view.opened(choice)
if counts is not None:
    view.wall(choice, counts)
else:
    view.ways_in()
    frame.what_to_notice(*words.NOTICE)
