"""Encoder & decoder: the three attentions of a translating Transformer, the shifted target, and the mask that keeps it honest."""

import streamlit as st

from pages.translation.encoder_decoder import compute as masks_state
from pages.translation.encoder_decoder import view as masks_parts
from tlmviz.errors import BadText
from tlmviz.ui import frame, inputs, link
from tlmviz.ui import translation as translation_state


@frame.fragment
def shown(name: str) -> None:
    """The sentence and its translation, three maps, the leak, and where K and V come from."""
    mt = translation_state.model(name)
    left, right = st.columns(2)
    with left:
        text = translation_state.sentence_box(mt)
    if text is None:
        return
    try:
        with st.spinner("Translating …", show_time=True):
            read = masks_state.translation_box(name, text, right)
    except BadText as error:
        st.warning(str(error))
        return
    decoder, layer, head, token = st.columns([0.46, 0.13, 0.13, 0.28], vertical_alignment="center")
    kind = masks_parts.mask_menu(name, decoder)
    chosen_head = inputs.head_menus(mt.config.decoder_layers, mt.config.n_heads, (layer, head))
    chosen = inputs.token_menu(token, "Target token", read.wanted, "predict", "edtok", 2)
    masks_parts.three_maps(read, kind, chosen_head, chosen)
    frame.what_to_notice(*masks_parts.POINTS)
    masks_parts.leak(read, chosen)
    masks_parts.keys_and_values(read, chosen_head, chosen)
    frame.badges(masks_state.checks(read))
    frame.equation(masks_parts.EQUATION, masks_parts.SOURCE)
    frame.copy_as_python(masks_parts.snippet(read, kind, chosen_head))
    link.share()


masks_parts.heading()
chosen_model = st.session_state["mt"]
if translation_state.model(chosen_model).config.kind == "encoder-decoder":
    shown(chosen_model)
else:
    masks_parts.lead_to_a_transformer(chosen_model)
