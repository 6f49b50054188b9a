"""The part FP8: steps of training with products in 8 bits, under scales from past steps."""

import streamlit as st

from tlmviz.errors import BadText
from tlmviz.ui import frame
from tlmviz.ui.language import _

from . import claims, view


def show(model: str) -> None:
    """Sixteen steps in 8 bits beside the same in FP32."""
    with frame.picture_first():
        try:
            with st.spinner(_("Taking steps of training in 8 bits …"), show_time=True):
                shown = view.controls(model)
                if shown is None:
                    return
                frame.claim(claims.CLAIMS, shown)
        except BadText as error:
            st.warning(frame.worded(error))
            return
        view.picture(shown)
    frame.next_step(claims.HINTS, shown)
    frame.claims(claims.CLAIMS, shown, more=claims.notice(), maths=claims.maths())
    frame.equation(*view.EQUATION)
    frame.copy_as_python(view.snippet(shown))
