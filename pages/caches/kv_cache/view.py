"""Draws the part Steps of the page KV cache, and the controls of a generation."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import streamlit as st

from tlmviz.analysis.caches import decode_steps
from tlmviz.errors import BadText
from tlmviz.ui import compute, engine, frame, inputs, link, live, menu
from tlmviz.ui.language import _

from . import claims
from .costs import costs
from .data import Data
from .state import COST, SIDE_BY_SIDE, STEPS, Cache

READER = Path(__file__).parent / "reader.js"
PICTURE = live.Picture(__file__, "decode", at=Cache.at)
LONGEST = 96  # positions drawn, the last ones: more would not fit into what a page sends
EQUATION = (
    r"\begin{bmatrix} QK^\top & - \\ q_{T+1}K^\top & q_{T+1}k_{T+1}^\top \end{bmatrix},\qquad "
    r"y_{T+1} = \sum_{i \le T+1} \frac{\exp(q_{T+1} k_i^\top)}{\sum_{j \le T+1} \exp(q_{T+1} k_j^\top)}\, v_i",
    "Transformer with PyTorch, section 3.1, Eq. 34–37 (scaling by 1/√d left out, as there). The mask hides the new "
    "column, so no old query ever meets a new key: Q need not be kept.",
    "For latent attention Eq. 42 keeps the "
    "query's side as well; by the same argument it is never read again, and only c_KV and k^R are kept (Eq. 69).",
)
_DECODE = """\
import tlmviz
from tlmviz.analysis.caches import cost, decode_steps

lm = tlmviz.load({model!r})
done = decode_steps.decode(
    lm, lm.encode({text!r}),
    tokens={tokens}, layer={layer}, head={head}, temperature={temperature}, seed={seed},
)
"""


def controls(model: str) -> Cache | None:
    """Draw the controls; what they say. None, with a sentence, when the text leaves nothing to show."""
    lm = compute.model(model)
    text = inputs.text_box(lm, **({} if Cache.temperature.get() else engine.pause(model)))
    left, *places, right = st.columns([0.4, 0.16, 0.16, 0.28], vertical_alignment="center")
    view = Cache.view.draw(left)
    head = (0, 0)
    if view == STEPS:
        if text is not None:
            link.open_on(f"kv:{model}", lambda: compute.previous_head(model, text))
        head = inputs.head_menus(lm.config.n_layers, lm.config.n_heads, places)
        link.FIELDS["head"].share()
    if view in (STEPS, COST):
        more = frame.more(right)
        for field in (Cache.tokens, Cache.temperature, Cache.seed):
            field.draw(more)
    else:
        menu.unread()
    chosen = Cache.of_session(model=model, text=text or "", head=head)
    if text is None:
        return None
    return chosen if view == SIDE_BY_SIDE else _fitting(chosen)


def _fitting(chosen: Cache) -> Cache | None:
    """As many tokens as fit behind the text; a sentence says what does not fit. None if none does."""
    lm = compute.model(chosen.model)
    prompt = len(lm.encode(chosen.text))
    try:
        decode_steps.check_room(lm.config, prompt, chosen.tokens)
    except BadText as error:
        limit, said = decode_steps.room(lm.config, prompt), frame.worded(error)
        st.warning(_("{why} Shown: {limit}.", why=said, limit=limit) if limit else said)
        return replace(chosen, tokens=limit) if limit else None
    return chosen


def wait(data: Data) -> None:
    """Says that the model writes, where the picture will stand, while it does."""
    with st.spinner(_("{model} writes …", model=data.chosen.model), show_time=True):
        data.done  # noqa: B018


def generated(data: Data) -> None:
    """What was written."""
    st.caption(claims.generated(data))


def picture(data: Data) -> None:
    """The map, the cached rows and the bytes, walked in the browser."""
    done = data.done
    first = max(0, len(done.tokens) - LONGEST)
    header = {
        "engine": _engine(data.chosen, done.latent),
        "title": claims.title(data, LONGEST),
        "prompt": done.prompt,
        "tokens": done.tokens,
        "first": first,
        "windows": list(done.windows),
        "layer": done.layer,
        "latent": done.latent,
        "each": done.bytes_per_token_per_layer,
        "used": done.occupied_bytes.tolist(),
        "allocated": done.reserved_bytes.tolist(),
        "measured": True,
        "flops": data.flops,
        "chances": done.probabilities.tolist(),
    }
    arrays = {"weights": done.weights[first:, first:], "q": done.q[first:], "k": done.k[first:]}
    PICTURE.show(header, arrays if done.latent else arrays | {"v": done.v[first:]})


def _engine(chosen: Cache, latent: int | None) -> dict[str, Any] | None:
    """What the browser makes pictures of further texts by; None where the server does: a draw is its own."""
    if chosen.temperature or latent:
        return None
    own = costs(compute.model(chosen.model).config)
    return engine.offer(chosen.model, chosen.text, READER, head=chosen.head, tokens=Cache.tokens.get(), costs=own)


def decoding_code(chosen: Cache) -> str:
    """The lines that make the generation."""
    layer, head = chosen.head
    return _DECODE.format(
        model=chosen.model,
        text=chosen.text,
        tokens=chosen.tokens,
        layer=layer,
        head=head,
        temperature=chosen.temperature,
        seed=chosen.seed,
    )


def snippet(data: Data) -> str:
    """The picture of the steps with the public API."""
    return (
        decoding_code(data.chosen)
        + """\
print(done.occupied_bytes, done.reserved_bytes)  # bytes after the prompt and after each token
flops = [
    tuple(cost.step_flops(lm.config, done.prompt + step, cached).total for cached in (True, False))
    for step in range(done.steps + 1)
]
print("operations with the cache and without:", flops)
"""
    )
