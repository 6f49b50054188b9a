"""Position schemes: models that differ in their positions alone, side by side on the same text."""

import streamlit as st

from pages.positions.position_schemes import compute as schemes_state
from pages.positions.position_schemes import view as schemes_parts
from tlmviz.ui import frame, link

# Six pictures side by side need about 800 px: a phone scrolls them sideways.
_WIDE = (
    "<style>.st-key-schemeswide { overflow-x: auto; } .st-key-schemeswide > div { min-width: 800px; }</style>"
)


@frame.fragment
def compared() -> None:
    """View, head and text; the picture of every scheme, numbers, and what trained heads do."""
    view, (layer, head), text, about = schemes_state.controls()
    if text is None:
        return
    ids = schemes_state.encoded(text)
    about.caption(schemes_parts.about(text, ids, view))
    schemes_parts.picture(view, ids, layer, head)
    frame.what_to_notice(*schemes_parts.points(view))
    schemes_parts.table(ids)
    schemes_parts.heads(ids)
    frame.badges(schemes_state.checks(ids))
    frame.equation(schemes_parts.EQUATION, schemes_parts.SOURCE)
    frame.copy_as_python(schemes_parts.snippet(text, ids, layer, head))
    link.share()


st.html(_WIDE)
frame.heading("Position schemes", "Same model, same training, six ways to say where a token stands.")
compared()
