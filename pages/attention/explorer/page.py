"""Attention explorer: every head of a trained model on the user's text, live."""

import streamlit as st

from pages.attention.explorer import panels
from tlmviz import figures
from tlmviz.errors import Error
from tlmviz.figures import predictions
from tlmviz.ui import compute, frame, inputs, link
from tlmviz.ui.components.attention_view import attention_view, build_payload

SNIPPET = """\
import tlmviz

lm = tlmviz.load({name!r})
trace = lm.trace({text!r})
weights = trace.attention(layer={layer}, head={head})  # [T, T], computed when asked
print(trace.tokens)
print(weights)
print(trace.head_statistics())
"""


def remember_view() -> None:
    """What the attention view sent becomes the session's view and the link."""
    sent = (st.session_state.get("attention") or {}).get("view")
    if sent:
        link.remember(link.View.received(sent))


@frame.fragment
def explore(name: str) -> None:
    """Text, overview, detail and predictions; everything below follows from them."""
    lm = compute.model(name)
    text = inputs.text_box(lm)
    if text is None:
        return
    trace = compute.trace(name, text)
    shown = link.view().fitted(trace.n_layers, trace.n_heads, len(trace))
    picture, beside = st.columns([0.77, 0.23], gap="small")
    closer = (
        st.container()
    )  # every place is in the page before it waits: an event meanwhile must find the page whole
    with picture:
        sent = (st.session_state.get("attention") or {}).get("view") or {}
        echo = {**shown.sent(), "seq": sent.get("seq", 0)}
        payload = build_payload(
            trace,
            echo,
            model=name,
            origin=f"{name}:{inputs.examples_picked()}",
            palette=figures.palette(),
            overview=compute.overview(name, text),
        )
        attention_view(payload, key="attention", height=530, on_change=remember_view)
    frame.let_the_picture_paint()
    with beside:
        _predictions(lm, trace, shown)
    with closer:
        _look_closer(name, text, shown)
    link.share()


def _look_closer(name: str, text: str, shown) -> None:
    """The chosen panel, the measured identities, and the code."""
    panel = st.segmented_control(
        "Look closer",
        list(panels.PANELS),
        default="Why this weight",
        key="panel",
        bind="query-params",
        required=True,
        label_visibility="collapsed",
    )
    panels.PANELS[panel](name, text, shown)
    layer, head = shown.head
    frame.badges(compute.checks(name, text, quick=True))
    frame.copy_as_python(SNIPPET.format(name=name, text=text, layer=layer, head=head))


def _predictions(lm, trace, shown) -> None:
    position = len(trace) - 1 if shown.query is None else shown.query
    temperature = st.slider("Temperature", 0.0, 2.0, 1.0, 0.05, key="temp", bind="query-params")
    top = trace.probabilities(position, temperature).topk(10)
    figure = predictions.top_tokens(
        [lm.tokenizer.name(i) for i in top.indices.tolist()],
        top.values.numpy(),
        trace.tokens[position],
        frame.theme(),
        455,
    )
    frame.chart(figure, key="predictions", alt="The ten most probable next tokens with their probabilities")


def words() -> None:
    """What does not depend on the text stands outside the fragment, so that typing does not send it again."""
    frame.what_to_notice(
        "Heads differ: order the overview by *Previous token* to find those that look back one token, by *Entropy* to "
        "tell sharp heads from those that average over everything.",
        "Type a phrase twice, or take the example *Repeats*, and order by *Induction*: these heads look at what followed the "
        "phrase the first time, and the prediction follows them.",
        "A head that puts its weight on ⟨start⟩ rests there: order by *Attention sink* to see which do on your text.",
        "Click a cell or a token to pin it; the predictions then show what the model expects after that token.",
    )
    frame.equation(
        r"p_{ts} = \exp\!\Big(\tfrac{q_t \cdot k_s}{\sqrt{d_k}} + b_{ts} - \mathrm{lse}_t\Big),\qquad "
        r"\mathrm{lse}_t = \log \sum_{s \le t} \exp\!\Big(\tfrac{q_t \cdot k_s}{\sqrt{d_k}} + b_{ts}\Big)",
        "Scaled dot-product attention: Transformer with PyTorch, section 1.2, Eq. 4, and section 2.1.2, Eq. 24–27. "
        "The maps are recomputed from q, k and each row's log-sum-exp; none is stored.",
    )


frame.heading("Attention explorer", "What every head of a really trained model attends to, as you type.")
try:
    live, below = st.container(), st.container()
    with live:
        explore(st.session_state["model"])
    with below:
        words()
except Error as error:
    st.error(str(error))
