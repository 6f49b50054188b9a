"""Model zoo: one small model per choice of positions, attention and norm, all else equal, with the noise of seeds."""

import streamlit as st

from pages.models.model_zoo import compute, controls, examples, view, words
from tlmviz.errors import Error
from tlmviz.ui import frame


def show_table() -> None:
    """Charts and table of the zoo."""
    table = compute.table()
    noise = compute.noise(table)
    table = compute.judged(table, noise)
    # Charts with names of choices at their side need their width.
    with frame.wide("zoowide", 540):
        view.quality(table, noise)
    with frame.wide("zoocostswide", 860):
        view.costs(table)
    frame.what_to_notice(*words.notice(table, noise), maths=words.notice_maths(noise))
    view.numbers(table)
    frame.copy_as_python(words.SNIPPET)


@frame.fragment
def show_card() -> None:
    """The card of one model."""
    st.markdown("## Model cards")
    view.card(controls.choose())


frame.heading("Model zoo", words.CLAIM, examples.examples)  # it reads no text
for part in (show_table, show_card):  # what is missing for one does not keep the other back
    try:
        part()
    except Error as error:
        st.info(str(error))
