"""Draws the page Attention explorer: its controls, the attention view and the predictions beside it."""

from __future__ import annotations

from functools import partial

import streamlit as st

from tlmviz import figures
from tlmviz.tracing.trace import Trace
from tlmviz.ui import compute as shared
from tlmviz.ui import deferred, engine, frame, inputs, link
from tlmviz.ui.components.attention_view import FOLDER, attention_view, build_payload
from tlmviz.ui.components.next_tokens import next_tokens as draw_bars
from tlmviz.ui.language import _

from . import claims, predictions, writing
from .data import Data
from .state import SAMPLING, Explorer

VIEW = "attention"  # the key of the attention view, under which it sends what the user chose in it
READER = FOLDER / "typing.js"
HEIGHT = 570  # pixels of the attention view
BESIDE = 510  # pixels of the bars beside it
_OPENED = f"{link.SLOT}opened_on"  # session: the model and example that a row was suggested for, and the text
EQUATION = (
    r"p_{ts} = \exp\!\Big(\tfrac{q_t \cdot k_s}{\sqrt{d_k}} + b_{ts} - \mathrm{lse}_t\Big),\qquad "
    r"\mathrm{lse}_t = \log \sum_{s \le t} \exp\!\Big(\tfrac{q_t \cdot k_s}{\sqrt{d_k}} + b_{ts}\Big)",
    "Scaled dot-product attention: Vaswani et al. 2017; Transformer with PyTorch, section 1.2, Eq. 4, and section "
    "2.1.2, Eq. 24–27. The maps are recomputed from q, k and each row's log-sum-exp; none is stored.",
)
MADE = {
    "language": "lm = tlmviz.load({model!r})\ntrace = lm.trace({text!r})",
    "trace": "trace = tlmviz.open({model!r})",
}


def controls(model: str) -> Explorer | None:
    """The text, with the session's view cut to what this model and text have; None when there is nothing to read
    yet."""
    text = inputs.text_box(shared.model(model), **engine.pause(model))
    if text is None:
        return None
    trace = shared.trace(model, text)
    _open_on_a_row_worth_seeing(model, text, trace)
    view = link.view().fitted(trace.n_layers, trace.n_heads, len(trace))
    link.share()
    return Explorer.of_session(model=model, text=text, view=view)


def _open_on_a_row_worth_seeing(model: str, text: str, trace: Trace) -> None:
    """While nobody has chosen a head or a pin, a session, a model or an example opens on the row that shows the most.

    Its pin belongs to that text: it goes when the user types on, so that the predictions follow the last token again.
    """
    origin = f"{model}:{inputs.examples_picked()}"
    opened_on, opened_with = st.session_state.get(_OPENED, ("", ""))
    if opened_on != origin and link.head_is_free() and not trace.crosses:
        row = shared.striking_row(model, text)
        if link.pin_is_free():
            link.suggest_row(row.layer, row.head, row.query, row.key)
        else:
            link.suggest_head(row.layer, row.head)
        st.session_state[_OPENED] = origin, text
    elif opened_on == origin and text != opened_with and link.pin_is_suggested():
        link.release_pin()


def attention(shown: Data) -> None:
    """All heads at once and one in detail; what the user chooses in it becomes the session's view."""
    model, text = shown.chosen.model, shown.chosen.text
    sent = {**shown.chosen.view.sent(), "seq": link.sent_by(VIEW).get("seq", 0)}
    payload = build_payload(
        shown.trace,
        sent,
        model=model,
        origin=f"{model}:{inputs.examples_picked()}",
        palette=figures.palette(),
        overview=shared.overview(model, text),
        picture=deferred.next_picture(),
        mutable=shown.lm.task == "language",
        written=predictions.written(shown),
        engine=engine.offer(model, text, READER, ("layer", "head", "query")),
    )
    attention_view(payload, key=VIEW, height=HEIGHT, on_change=partial(link.remember_sent, VIEW))


@frame.saying_errors
def next_tokens(shown: Data) -> None:
    """The most probable tokens after the pinned one, what sampling cuts off them, and what writes them."""
    help_ = _("Temperature, top-k, top-p, min-p and the seed")
    with st.popover(_("Sampling"), width="stretch", help=help_):
        for control in SAMPLING:
            control.draw()
    asked = partial(writing.followed, shown)
    draw_bars(predictions.bars(shown), text=shown.chosen.text, key=writing.BARS, height=BESIDE, on_asked=asked)


def branches(shown: Data) -> None:
    """The text that was kept and the one that is shown, and what the model says of what tells them apart."""
    kept, text = shown.chosen.kept, shown.chosen.text
    if not kept or kept == text or shown.lm.task != "language":
        return
    both, (here, there) = writing.branches(shown.trace, shared.trace(shown.chosen.model, kept))
    with st.container(border=True):
        said, swap, drop = st.columns([0.76, 0.14, 0.1], vertical_alignment="center")
        said.markdown(claims.branches(both, here, there))
        swap.button(_("Go on from the kept"), key="swap-branch", on_click=writing.swap, width="stretch")
        drop.button(_("Drop it"), key="drop-branch", on_click=writing.drop, width="stretch")


def snippet(shown: Data) -> str:
    """The map with the public API."""
    layer, head = shown.chosen.view.head
    made = MADE[shown.lm.task].format(model=shown.chosen.model, text=shown.chosen.text)
    return f"""\
import tlmviz

{made}
weights = trace.attention(layer={layer}, head={head})  # [T, T], computed when asked
print(trace.tokens)
print(weights)
print(trace.head_statistics())
"""
