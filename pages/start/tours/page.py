"""Tours: the guided walks there are, the time each takes, and where one was left."""

from pages import HOME
from pages.start.tours import words
from tlmviz.ui import frame
from tlmviz.ui.tours import cards

frame.heading("Tours", words.CLAIM, lambda: None)
cards.tours(HOME.rpartition("/")[2])
frame.what_to_notice(*words.NOTICE)
