"""Pointer network: points set by hand, the attention over them as rays, and the hull it draws beside the exact one."""

from pages.words.pointer_hull import controls, examples, view, words
from tlmviz.ui import frame


@frame.fragment
def show() -> None:
    """The points and what the network makes of them."""
    view.show(controls.choose())


frame.heading("Pointer network", words.CLAIM, examples.examples)
show()
