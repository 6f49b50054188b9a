"""Tours: the guided walks there are, the time each takes, and where one was left."""

from pages import HOME
from tlmviz.ui import frame
from tlmviz.ui.language import _
from tlmviz.ui.tours import cards

frame.heading(
    _("Tours"),
    _(
        "Guided walks through the pages: each step opens a page, lights one place, and mostly asks what you expect."
    ),
    lambda: None,
)
cards.tours(HOME.rpartition("/")[2])
frame.what_to_notice(
    _("Every step is a page as it is: type another text, choose another head, and go on when you like."),
    _("Where a step asks, the place that it lights is blurred until you answer: say first what you expect."),
    _("Answers are measured on the models when you give yours; nothing is written down beforehand."),
    _(
        "Leave a tour anywhere. Its address holds the step and your answers, and this page offers to go on with it, in this "
        "browser also on another day."
    ),
)
