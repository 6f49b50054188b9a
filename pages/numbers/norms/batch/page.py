"""The parts Norms and Convolution: over which numbers a mean is taken, and what a norm therefore forgets."""

from tlmviz.ui import below, frame

from . import claims, data, view
from .state import Maps


def tokens(model: str) -> None:
    """A batch of the model's own activations."""
    with frame.picture_first():
        reading = view.controls(model)
        if reading is None:
            return
        shown = data.of_text(reading)
        frame.claim(claims.CLAIMS, shown)
        view.picture(shown)
    frame.next_step(claims.HINTS, shown)
    frame.claims(claims.CLAIMS, shown, more=claims.notice(shown.chosen), maths=claims.maths(shown.chosen))
    below.when_painted("beneath-norms", lambda: view.beneath(reading))
    frame.equation(*view.EQUATION)
    below.copy_as_python("norms-python", view.snippet(reading))


def maps(model: str) -> None:
    """Digits after a convolution; no model reads them."""
    shown = data.of_digits(Maps.of_session())
    frame.claim(claims.CLAIMS, shown)
    view.maps(shown)
    frame.next_step(claims.HINTS_OF_MAPS, shown)
    frame.claims(claims.CLAIMS, shown, more=claims.notice(shown.chosen), maths=claims.maths(shown.chosen))
    frame.measured(data.checks_of_maps)
    frame.equation(*view.EQUATION_MAPS)
    below.copy_as_python("maps-python", view.SNIPPET)
