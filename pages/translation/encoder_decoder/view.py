"""Draws the page Encoder & decoder: three maps, the shifted target, the leak, and where K and V come from."""

from __future__ import annotations

from dataclasses import replace

import streamlit as st

from tlmviz.figures import readable
from tlmviz.figures.translation.cross_flow import cross_flow
from tlmviz.figures.translation.shifted_target import shifted_target
from tlmviz.figures.translation.token_map import beside, token_map
from tlmviz.ui import frame, inputs, link, reading, translation
from tlmviz.ui.language import N_, _

from .claims import NAMES, TITLES, free_running, keys_and_values, mean_losses, sizes
from .data import Data
from .state import LEARNED, MASKED, REMOVED, ROTATED, Decoding

CROSS = N_("Cross: all of the source (probability)"), N_("Cross, with RoPE on (t, u) (probability)")
EQUATION = (
    r"\hat y=[\langle\text{start}\rangle,\,y_1,\dots,y_{T-1}],\qquad "
    r"K=W_K M,\quad V=W_V M,\quad Q=W_Q x,\qquad C=\mathrm{softmax}\!\left(\frac{QK^\top}{\sqrt{D}}\right)V",
    "LLM notes, section 7; Transformer with PyTorch, section 2.2. M is the memory, the last encoder layer's output. "
    "This tokenizer's end-of-text token serves as the start token too.",
    "The notes say that K and V “must be the same thing”: both come from the same memory M, through matrices of their "
    "own. A pre-norm model normalises the last layer's output once more.",
)


def controls(model: str) -> Decoding | None:
    """Draw the controls; what they say. None without texts that can be read, which a sentence says."""
    mt = translation.model(model)
    if mt.config.kind != "encoder-decoder":
        _offer_transformer(model)
        return None
    pair = translation.pair_boxes(model)
    with frame.after_picture():
        decoder, *heads, token = st.columns([0.5, 0.12, 0.12, 0.26], vertical_alignment="center")
    asked = Decoding(model=model, pair=pair, head=(0, 0))
    kind = Decoding.kind.draw(decoder, options=Data(asked).kinds)
    if pair is None:
        return None
    link.open_on(f"masks:{model}:{kind}", lambda: Data(replace(asked, kind=kind)).telling_head)
    head = inputs.head_menus(mt.config.decoder_layers, mt.config.n_heads, heads)
    link.FIELDS["head"].share()
    targets = pair.targets
    at = Decoding.token.draw(
        token,
        options=range(1, len(targets) + 1),
        unchosen=min(Decoding.token.get(), len(targets)),
        format_func=lambda each: _("{step} · predict {token}", step=each, token=readable(targets[each - 1])),
    )
    return Decoding.of_session(model=model, pair=pair, head=head, kind=kind, token=at)


def _offer_transformer(model: str) -> None:
    """For a recurrent model: why this page cannot show it, and a button that opens a Transformer."""
    st.info(
        _(
            "{model} is recurrent: it has no self-attention to mask. This page needs a Transformer that translates.",
            model=model,
        )
    )
    if others := list(translation.transformers()):
        label = _("Show {model}", model=others[0])
        if st.button(label, key="other", on_click=_open, args=(others[0],), icon=":material/arrow_forward:"):
            st.rerun()  # all of the page: its model is chosen above


def _open(model: str) -> None:
    st.session_state["mt"] = model


def wait(data: Data) -> None:
    """Says that the copies read, where the picture will stand, while they do."""
    with st.spinner(_("Reading with and without the mask …"), show_time=True):
        data.maps  # noqa: B018


def maps(data: Data) -> None:
    """The encoder's, the decoder's and the cross map of one layer and head."""
    pair, (layer, head), theme, shown = data.pair, data.chosen.head, frame.theme(), data.maps
    source, given, token = pair.source, pair.decoder_inputs, data.token
    encoder_layer = min(layer, len(shown.encoder) - 1)  # it may have fewer layers than the decoder
    kind = data.chosen.kind
    figures = {
        "encoder": token_map(
            shown.encoder[encoder_layer, head],
            source,
            source,
            theme,
            title=_("Encoder: bidirectional (probability)"),
            bar=False,
        ),
        "decoder": token_map(
            shown.decoder[layer, head],
            given,
            given,
            theme,
            title=_("Decoder: {mask} (probability)", mask=_(TITLES[kind])),
            chosen=token,
            mask="causal" if data.chosen.masked else "missing",
            bar=False,
        ),
        "cross": token_map(
            shown.cross[layer, head], given, source, theme, title=_(CROSS[kind == ROTATED]), chosen=token
        ),
    }
    for place, (name, figure) in zip(st.columns(beside(len(figures))), figures.items()):
        alt = _("Attention map of the {part}, L{layer}H{head}", part=name, layer=layer, head=head)
        with place:
            frame.chart(figure, key=f"ed-{name}", alt=alt)


def leak(data: Data) -> None:
    """The shifted target with the loss of every token, and what the copies write on their own."""
    pair = data.pair
    losses = {_(NAMES[kind]): loss for kind, loss in data.losses.items()}
    figure = shifted_target(pair.decoder_inputs, pair.targets, losses, data.token, frame.theme())
    with frame.wide("wide-shift", 620):
        alt = _("What the decoder reads, what it must predict, and the loss of each token")
        frame.chart(figure, key="edshift", alt=alt)
    st.markdown(mean_losses(data))
    st.markdown(free_running(data))


def parts(data: Data) -> None:
    """Where cross-attention's parts come from, with sizes from this pass."""
    pair = data.pair
    figure = cross_flow(
        pair.source, pair.decoder_inputs, data.cross, data.token, data.shapes, frame.theme(), plain=not reading.maths()
    )
    with frame.wide("wide-flow", 620):
        alt = _("Queries come from the decoder, keys and values from the encoder's memory")
        frame.chart(figure, key="edflow", alt=alt)
    frame.caption(keys_and_values(data), maths=sizes(data))


def snippet(data: Data) -> str:
    """The three maps and the losses with the public API."""
    pair, (layer, head), kind = data.pair, data.chosen.head, data.chosen.kind
    if pair.translation == translation.own_translation(pair.model, pair.text):
        target = "mt.search(text).hypotheses()[0].tokens  # the model's own"
    else:
        target = f"[*mt.encode_target({pair.mt.text(pair.translation)!r}), mt.tokenizer.end_of_text]"
    unmasking = {
        MASKED: "",
        REMOVED: "mt = masks.unmasked(mt)  # the same weights, no causal mask\n",
        ROTATED: "mt = masks.rotated(mt)  # the same weights, RoPE on (t, u) in cross-attention\n",
        LEARNED: f"mt = masks.unmasked(mt, masks.unmasked_weights({pair.model!r}, mt.network))  # trained on without "
        f"the mask\n",
    }[kind]
    mark = "causal" if data.chosen.masked else "missing"
    return f"""\
import tlmviz
from tlmviz.analysis.translation import masks
from tlmviz.figures import LIGHT
from tlmviz.figures.translation.shifted_target import shifted_target
from tlmviz.figures.translation.token_map import token_map

mt = tlmviz.load({pair.model!r})
text = {pair.text!r}
translation = {target}
{unmasking}maps = masks.read(mt, text, list(translation))
encoder = maps.encoder[{min(layer, pair.mt.config.encoder_layers - 1)}, {head}]
decoder, cross = maps.decoder[{layer}, {head}], maps.cross[{layer}, {head}]
print(decoder.round(2))
print(-maps.logp)  # nats of each predicted token
source, target = ([mt.tokenizer.name(i) for i in part] for part in (mt.encode(text), translation))
given = ["⟨start⟩", *target[:-1]]
token_map(encoder, source, source, LIGHT, title="Encoder: bidirectional (probability)").show()
token_map(decoder, given, given, LIGHT, title="Decoder (probability)", chosen={data.token}, mask={mark!r}).show()
token_map(cross, given, source, LIGHT, title="Cross: all of the source (probability)", chosen={data.token}).show()
shifted_target(given, target, {{{NAMES[kind]!r}: -maps.logp}}, {data.token}, LIGHT).show()
"""
