"""The part Two MLAs: a latent array beside DeepSeek's latent attention."""

from __future__ import annotations

from tlmviz.ui import compute, frame, inputs
from tlmviz.ui.language import _

from . import claims, data, view


def show() -> None:
    """Both pictures, then the table."""
    text = inputs.text_box(compute.model(data.DEEPSEEK))
    if text is None:
        return
    shown = data.compute(text)
    frame.claim(claims.CLAIMS, shown)
    view.pictures(shown)
    frame.next_step(claims.HINTS, shown)
    frame.what_to_notice(*map(_, claims.NOTICE), maths=[_(claims.MATHS)])
    view.table(shown)
    for equation in view.EQUATIONS:
        frame.equation(*equation)
    frame.copy_as_python(view.snippet(shown))
