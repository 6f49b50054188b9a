"""The part Context extension: RoPE's frequencies scaled so that a trained model reads beyond its training length,
live."""

import streamlit as st

from tlmviz.facades.language_model import LanguageModel
from tlmviz.facades.translator import Translator
from tlmviz.tracing.trace_file import TraceFile
from tlmviz.ui import deferred, frame, rope, texts
from tlmviz.ui.language import _

from . import claims, data, view


@frame.fragment
def extended(model: str) -> None:
    """Text, scale and schemes; loss beside frequencies; what follows from a change of scale."""
    with frame.picture_first():
        with frame.after_picture():
            shown = data.compute(view.controls(model))
        if not view.accepted(shown):
            return
        place = st.container()
        view.picture(shown)
        with place:  # it needs all curves, which are drawn as they come
            frame.claim(claims.CLAIMS, shown)
    frame.next_step(claims.HINTS, shown)
    deferred.when_painted("beneath-extension", lambda: _beneath(shown), seen=False)


def _beneath(shown: data.Data) -> None:
    frame.claims(claims.CLAIMS, shown, more=claims.NOTICE, maths=claims.MATHS)
    view.table(shown)
    switched(shown)


@frame.fragment
def switched(shown: data.Data) -> None:
    """A change of scale with a full cache; identities, equation and code."""
    st.markdown(_("## The scale changes while the cache is full"))
    shown = data.compute(view.switch_controls(shown))
    with st.spinner(_("Reading the tokens in three ways …"), show_time=True):
        result = shown.switch
    if result is None:
        st.info(_("A change in the middle needs four tokens or more; give a longer text."))
    else:
        view.switch(shown, result)
    frame.measured(lambda: shown.checks)
    frame.equation(*view.EQUATION)
    frame.copy_as_python(view.snippet(shown))


@frame.saying_errors
def show(model: LanguageModel | Translator | TraceFile) -> None:
    """The part, or for a model without one RoPE of its own the way to one that has it."""
    if isinstance(model, TraceFile):
        st.info(texts.needs_network(_("Context extension"), model.name, "Attention explorer"))
        return
    config = model.config
    if config.positions.kind == "rope" and config.one_rope and config.positions.scaling == "none":
        extended(model.name)
    else:
        rope.offer_rope_models(model.name)
