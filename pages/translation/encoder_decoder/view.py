"""The parts of the page "Encoder & decoder": three maps, the shifted target, the leak, and where K and V come from."""

from __future__ import annotations

import streamlit as st

from tlmviz.figures.translation.cross_flow import cross_flow
from tlmviz.figures.translation.shifted_target import shifted_target
from tlmviz.figures.translation.token_map import token_map
from tlmviz.ui import frame, inputs
from tlmviz.ui import translation as translation_state
from tlmviz.ui.translation import Read

from . import compute as masks_state
from .compute import LEARNED, MASKED, REMOVED

POINTS = (
    "**Encoder: no mask.** Each source token looks both ways. **Decoder: causal mask.** The crossed cells are the future; where "
    "the mask is gone, the future begins beyond the dots. **Cross: no mask.** The source is all there from the beginning.",
    "**Shifted by one.** What must be predicted at a position is read at the next one. One look ahead, and the answer is there.",
    "**Mask removed:** the model never learned to use the future, so seeing it mostly hurts. **Trained on without the mask**, a "
    "copy looks one ahead, where the answer is: next to no loss, and nothing to say when it must write on its own.",
    "**K and V** are made from the memory by two matrices, once per source; only Q changes with each written token.",
)
EQUATION = (
    r"\hat y=[\langle\text{start}\rangle,\,y_1,\dots,y_{T-1}],\qquad "
    r"K=W_K M,\quad V=W_V M,\quad Q=W_Q x,\qquad C=\mathrm{softmax}\!\left(\frac{QK^\top}{\sqrt{D}}\right)V"
)
SOURCE = (
    "LLM notes, section 7; Transformer with PyTorch, section 2.2. The notes say that K and V “must be the same thing”: both "
    "come from the same memory M, through matrices of their own. They take M as the last encoder layer's output; a pre-norm "
    "model normalises it once more. This tokenizer's end-of-text token serves as the start token too."
)


def lead_to_a_transformer(name: str) -> None:
    """A sentence and a way on for who has chosen a recurrent model."""
    st.info(
        f"{name} is recurrent: it has no self-attention to mask. This page needs a Transformer that translates."
    )
    others = masks_state.transformers()
    if others:
        st.button(f"Show {others[0]}", on_click=_choose, args=(others[0],), icon=":material/arrow_forward:")


def _choose(name: str) -> None:
    st.session_state["mt"] = name


def mask_menu(name: str, place) -> str:
    """Whose decoder the middle map shows."""
    kinds = masks_state.kinds(name)
    if st.session_state.get("edmask", MASKED) not in kinds:
        st.session_state["edmask"] = MASKED
    return place.segmented_control(
        "Decoder",
        kinds,
        default=MASKED,
        key="edmask",
        bind="query-params",
        required=True,
        label_visibility="collapsed",
    )


def three_maps(read: Read, kind: str, head: tuple[int, int], chosen: int) -> None:
    """The encoder's, the decoder's and the cross map of one layer and head."""
    maps, (layer, at) = masks_state.maps(read, kind), head
    source, given, theme = read.source, read.given, frame.theme()
    low = min(layer, len(maps.encoder) - 1)
    mask = "causal" if kind == MASKED else "missing"
    title = {MASKED: "causal", REMOVED: "mask removed", LEARNED: "trained without"}[kind]
    parts = (
        (
            "encoder",
            token_map(
                maps.encoder[low, at], source, source, theme, title="Encoder: bidirectional (probability)"
            ),
        ),
        (
            "decoder",
            token_map(
                maps.decoder[layer, at],
                given,
                given,
                theme,
                title=f"Decoder: {title} (probability)",
                chosen=chosen,
                mask=mask,
            ),
        ),
        (
            "cross",
            token_map(
                maps.cross[layer, at],
                given,
                source,
                theme,
                title="Cross: all of the source (probability)",
                chosen=chosen,
            ),
        ),
    )
    for place, (name, figure) in zip(st.columns(3), parts):
        with place:
            frame.chart(
                figure, key=f"ed-{name}", alt=f"Attention map of the {name}, layer {layer}, head {at}"
            )


def leak(read: Read, chosen: int) -> None:
    """The shifted target with the loss of every token, and what the copies write on their own."""
    kinds = masks_state.kinds(read.name)
    losses = {masks_state.NAMES[kind]: -masks_state.maps(read, kind).logp for kind in kinds}
    figure = shifted_target(read.given, read.wanted, losses, chosen, frame.theme())
    frame.chart(
        figure, key="edshift", alt="What the decoder reads, what it must predict, and the loss of each token"
    )
    sums = " · ".join(f"{name} **{values.mean():.3f}**" for name, values in losses.items())
    st.markdown(f"Mean loss in nats per token: {sums}")
    st.markdown(
        "\n".join(
            f"- Writing on its own, {masks_state.NAMES[kind]}: **{_shown(masks_state.written(read.name, read.text, kind))}**"
            + ("  (the same: token by token there is no future to hide)" if kind == REMOVED else "")
            for kind in kinds
        )
    )
    if LEARNED not in kinds:
        st.caption(
            f"No copy of {read.name} was trained on without the mask; `tlmviz.training.unmasked` makes one."
        )


def keys_and_values(read: Read, head: tuple[int, int], chosen: int) -> None:
    """Where cross-attention's parts come from, with sizes from this pass."""
    layer, at = head
    weights, sizes = masks_state.maps(read, MASKED).cross[layer, at, chosen], masks_state.shapes(read)
    figure = cross_flow(read.source, read.given, weights, chosen, sizes, frame.theme())
    frame.chart(
        figure, key="edflow", alt="Queries come from the decoder, keys and values from the encoder's memory"
    )
    heads, source, size = sizes["k"]
    st.caption(
        f"Sizes of this pass: M is [S, C], K and V are [H, S, D], Q is [H, T, D]. Layer {layer} keeps {heads} × {source} × "
        f"{size} numbers each for K and V, computed once; per written token only Q is new. Lines: weights of layer {layer}, "
        f"head {at}, the largest to “{read.source[int(weights.argmax())].strip()}” ({weights.max():.4f})."
    )


def snippet(read: Read, kind: str, head: tuple[int, int]) -> str:
    """Code that reproduces the three maps and the losses."""
    own = read.translation == translation_state.own_translation(read.name, read.text)
    layer, at = head
    target = (
        "mt.search(text).hypotheses()[0].tokens  # the model's own"
        if own
        else (f"[*mt.encode_target({read.mt.text(read.translation)!r}), mt.tokenizer.end_of_text]")
    )
    copy = {
        MASKED: "",
        REMOVED: "mt = masks.unmasked(mt)  # the same weights, no causal mask\n",
        LEARNED: f"mt = masks.unmasked(mt, masks.unmasked_weights({read.name!r}, mt.network))  # trained on without the mask\n",
    }[kind]
    return (
        f"import tlmviz\nfrom tlmviz.analysis.translation import masks\n\nmt = tlmviz.load({read.name!r})\ntext = {read.text!r}\n"
        f"translation = {target}\n{copy}maps = masks.read(mt, text, list(translation))\n"
        f"encoder, decoder, cross = maps.encoder[{min(layer, read.mt.config.encoder_layers - 1)}, {at}], "
        f"maps.decoder[{layer}, {at}], maps.cross[{layer}, {at}]\n"
        "print(decoder.round(2))\nprint(-maps.logp)  # nats of each predicted token\n"
    )


def _shown(text: str) -> str:
    """A translation as plain text inside Markdown."""
    return f"“{inputs.plain(text)}”" if text else "(nothing)"


def heading() -> None:
    """Title, claim and examples."""
    frame.heading(
        "Encoder & decoder",
        "Three attentions, three masks; and what leaks when one is missing.",
        translation_state.examples,
    )
