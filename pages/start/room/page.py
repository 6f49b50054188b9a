"""Classroom: a teacher opens a lesson for everybody, and sees how far the room is and how it answered."""

from pages import IN
from pages.start.room import view
from pages.start.room.state import Room
from tlmviz.ui import frame


@frame.fragment
def room() -> None:
    """The two ways in, or of a teacher's link the wall."""
    chosen = Room.of_session()
    view.secret(chosen)
    view.said()
    counts = view.opened(chosen)
    if counts is not None:
        view.wall(chosen, counts)
    else:
        view.ways_in(chosen)
        frame.what_to_notice(*view.notice())


frame.heading(IN["start/room"], lambda: None, Room)
room()
