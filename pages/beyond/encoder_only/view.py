"""Draws the page "Encoder-only": four parts, each with its picture first."""

from __future__ import annotations

import numpy as np
import streamlit as st

from tlmviz.figures.beyond.encoding import losses
from tlmviz.figures.translation.token_map import beside, token_map
from tlmviz.ui import below, frame, translation

from . import compute, controls, words
from .component import cls_payload, cls_view, hidden_payload, hidden_view
from .controls import Choice


def hidden(choice: Choice) -> None:
    """A text in which a click hides a token."""
    found, config = compute.hidden(choice.text), compute.model().config
    known = [i if i < config.cls else None for i in found.ids]
    place = compute.shown_place(choice.place, found)
    data = hidden_payload(
        found.of_truth(found.both),
        found.of_truth(found.causal),
        tokens=found.tokens,
        masked=[i == config.mask for i in found.ids],
        offers=[
            {
                "both": compute.offers(found.both, at, truth),
                "causal": compute.offers(found.causal, at, truth),
            }
            for at, truth in enumerate(known)
        ],
        place=place,
        picture=below.next_picture(),
    )
    hidden_view(data, key=controls.HIDDEN_KEY, on_change=controls.keep_place)
    st.caption(words.on_average(found))
    below.when_painted("beneath-hidden", lambda: _beneath(choice))


def cls(choice: Choice) -> None:
    """Two texts, what [CLS] says of them, and what it reads."""
    row, watched = compute.cls_row(choice.text, choice.second), compute.trace(choice.text, choice.second)
    data = cls_payload(
        row,
        tokens=watched.tokens,
        first=watched.ids.index(compute.model().config.sep),
        layer=choice.layer,
        head=choice.head,
        verdicts=words.verdicts(compute.judge(choice.text, choice.second)),
        picture=below.next_picture(),
    )
    cls_view(data, key=controls.CLS_KEY, on_change=controls.keep_head)
    st.caption(words.blind(compute.judge(choice.text, choice.second, causal=True)))
    below.when_painted("beneath-cls", lambda: _beneath(choice))


def masks(choice: Choice) -> None:
    """One head's map with and without a causal mask on the same weights, and what the mask costs each hidden token."""
    theme, found = frame.theme(), compute.hidden(choice.text)
    for place, causal in zip(st.columns(beside(2)), (False, True)):
        watched = compute.trace(choice.text, None, causal)
        figure = token_map(
            watched.attention(choice.layer, choice.head).numpy(),
            watched.tokens,
            watched.tokens,
            theme,
            title=words.CAUSAL_MASK_TITLE if causal else words.TRAINED_BOTH_TITLE,
            mask="causal" if causal else "none",
            bar=causal,
        )
        with place:
            frame.chart(figure, key=f"enc-{causal}", alt=words.mask_alt(choice.layer, choice.head, causal))
    asked = found.asked
    figure = losses(
        [found.tokens[at] for at in asked],
        -np.log2(np.maximum(found.of_truth(found.both)[asked], 1e-12)),
        -np.log2(np.maximum(found.of_truth(found.causal)[asked], 1e-12)),
        theme,
    )
    with frame.wide("wide-losses", 620):
        frame.chart(
            figure,
            key="enc-losses",
            alt=words.ENC_LOSSES_ALT,
        )
    st.markdown(words.on_average(found))
    _beneath(choice)


def kinds(choice: Choice) -> None:
    """One sentence in an encoder, a decoder and a model with both, and Table 3."""
    theme, text, layer, head = frame.theme(), choice.text, choice.layer, choice.head
    maps = compute.both_maps(text)
    mt = translation.model(compute.BOTH)
    own = translation.SentencePair(compute.BOTH, text, translation.own_translation(compute.BOTH, text))
    alone, decoder = compute.trace(text), compute.shared.trace(compute.DECODER, text)
    own_layer, own_head = min(layer, len(maps.decoder) - 1), min(head, mt.config.n_heads - 1)
    rows = (
        (
            ("Encoder-only: both sides", alone.attention(layer, head), alone.tokens, alone.tokens, "none"),
            (
                "Decoder-only: the left",
                decoder.attention(layer, head),
                decoder.tokens,
                decoder.tokens,
                "causal",
            ),
        ),
        (
            ("Both · encoder", maps.encoder[own_layer, own_head], own.source, own.source, "none"),
            (
                "Both · decoder",
                maps.decoder[own_layer, own_head],
                own.decoder_inputs,
                own.decoder_inputs,
                "causal",
            ),
            ("Both · cross", maps.cross[own_layer, own_head], own.decoder_inputs, own.source, "none"),
        ),
    )
    for number, row in enumerate(rows):
        for at, (place, (title, weights, queries, keys, mask)) in enumerate(
            zip(st.columns(beside(len(row))), row)
        ):
            last = at == len(row) - 1
            figure = token_map(
                np.asarray(weights),
                queries,
                keys,
                theme,
                title=f"{title} (probability)",
                mask=mask,
                bar=last,
                height=310,
            )
            with place:
                frame.chart(figure, key=f"enc-kind-{number}-{at}", alt=words.kinds_alt(title))
    st.markdown(words.table(compute.answers(text)))
    _beneath(choice)


def _beneath(choice: Choice) -> None:
    frame.what_to_notice(*words.NOTICE[choice.part], maths=words.NOTICE_MATHS)
    frame.badges(compute.checks(choice.text, choice.second or None))
    for equation in words.EQUATIONS:
        frame.equation(*equation)
    frame.copy_as_python(words.snippet(choice))
