"""The pictures and words of the page "Context extension"."""

from __future__ import annotations

import numpy as np
import pandas as pd
import streamlit as st

from tlmviz.analysis.positions.context_extension import (
    RECOMPUTED,
    STORED,
    TURNED,
    frequency_ratios,
    inside_and_beyond,
)
from tlmviz.errors import Error
from tlmviz.figures.positions import context_extension as figures
from tlmviz.layers.scaling import scaled_rope
from tlmviz.ui import compute, frame, long_text

from . import compute as extension_state
from .compute import DYNAMIC, GROWN, PLAIN, SCHEMES, Ids

FOLLOWING = (DYNAMIC, GROWN)  # the text: at its end they may lie on NTK-aware

_POINTS = (
    "Right of the orange line the unscaled model meets angles it never saw. The slow planes, shaded at the right, are to "
    "blame: within the training length they never finished a turn.",
    "Position interpolation puts every angle back into the known range, but slows the fast planes too, so neighbours are "
    "harder to tell apart: it costs most *within* the training length, and needs fine-tuning.",
    "NTK-aware leaves the fastest plane alone. YaRN leaves alone what turns often, interpolates what turns less than once, and "
    "sharpens the softmax: *NTK-by-parts* is YaRN without that.",
    "*Dynamic NTK* changes nothing until the training length is full, then a little more with every token; with rotated keys "
    "in the cache it goes wrong.",
)
EQUATION = (
    r"\begin{aligned} \text{own: } & \theta_j = b^{-2j/d} \qquad \text{PI: } \theta'_j = \theta_j / s \qquad "
    r"\text{NTK-aware: } b' = b\, s^{d/(d-2)} \qquad \text{dynamic: the same with } s = \max(1, \tfrac{t}{L}) \\ "
    r"\text{YaRN: } & \theta'_j = (1 - \gamma_j)\, \tfrac{\theta_j}{s} + \gamma_j\, \theta_j,\quad "
    r"\gamma_j = \mathrm{clip}\Big(\tfrac{r_j - \beta_\text{slow}}{\beta_\text{fast} - \beta_\text{slow}}, 0, 1\Big),\quad "
    r"r_j = \tfrac{L\,\theta_j}{2\pi},\qquad (q, k) \to (0.1 \ln s + 1)\,(q, k) \end{aligned}"
)
SOURCE = (
    "Decoder-Only Transformers in Einstein Notation, section 8; PI: Chen et al. 2023; NTK-aware and dynamic: bloc97, emozilla "
    "2023; YaRN: Peng et al. 2023 with β_fast 32, β_slow 1. The notes call θ(t/α) “YaRN-style”: that is position "
    "interpolation. YaRN treats each frequency band by itself and scales the logits by (0.1 ln s + 1)², which is folded into "
    "cos and sin here, as in the paper, so attention itself is unchanged. The released code draws the ramp over the plane's "
    "number instead of its turns r: both are offered."
)
WAYS = {
    RECOMPUTED: "all keys made anew under the new scale: right, at the cost of reading everything again",
    TURNED: "the cache holds keys before rotation; they are turned anew whenever they are read",
    STORED: "the cache holds keys as the old scale turned them; queries come with the new one",
}


def points(name: str) -> tuple[str, ...]:
    """What to notice; a model with a window never meets a distance it did not see in training."""
    window = compute.model(name).config.attention.window
    if window is None:
        return _POINTS
    first = f"This model sees a window of {window} tokens, so no distance is new to it: nothing needs repair, scaling only costs."
    return first, *_POINTS[1:]


def losses(name: str, ids: Ids, schemes: list[str], scale: float, change: bool, places) -> None:
    """Loss along the text, and beside it what each scheme does to the frequencies."""
    theme, config = frame.theme(), compute.model(name).config
    colors = figures.palette(list(SCHEMES), theme, PLAIN)
    left, right = places
    with right:
        every = frequency_ratios(config, scale, len(ids))
        ratios = {scheme: every[scheme] for scheme in schemes if scheme in every}
        waves = 2 * np.pi / scaled_rope(config, PLAIN).unscaled().numpy()
        figure = figures.frequencies(ratios, waves, config.context, theme, colors=colors, dashed=FOLLOWING)
        frame.chart(
            figure, key="xfreq", alt="Each RoPE plane's frequency under every scheme, relative to its own"
        )
    with left:
        title, place = "Change of the loss against unscaled" if change else "Loss along the text", st.empty()

        def draw(found: dict[str, np.ndarray]) -> None:
            figure = figures.loss_lines(
                found,
                config.context,
                theme,
                width=smoothing(config.context),
                colors=colors,
                title=title,
                dotted=PLAIN,
                dashed=FOLLOWING,
                change=change,
            )
            with place:  # a key names one chart of a run, and while curves are missing this is another chart
                key = "xloss" if len(found) == len(schemes) else f"xloss-{len(found)}"
                frame.chart(figure, key=key, alt=f"{title}, one line per scheme")

        found = extension_state.curves(name, ids, schemes, scale, draw)
        draw(found)
    _table(name, found, scale, len(ids))


def about(name: str, ids: Ids, read: Ids) -> str:
    """Where the text comes from, and how much of it is read."""
    context = compute.model(name).config.context
    if len(read) <= context:
        return (
            f":orange[This text has {len(ids):,} tokens, within the training length of {context:,}: nothing lies beyond it. "
            "Paste a longer one.]"
        )
    part = f"{len(read):,} of {len(ids):,} tokens" if len(read) < len(ids) else f"{len(ids):,} tokens"
    if st.session_state["xsrc"] == long_text.SAMPLE:
        return (
            f"{part} of stories that stories-rope wrote beforehand. A model's words are easy to predict: on real stories every "
            "loss is higher."
        )
    return f"{part} of your text."


def smoothing(context: int) -> int:
    """Tokens of a running mean: a fifth of the training length."""
    return max(1, context // 5)


def _table(name: str, found: dict[str, np.ndarray], scale: float, length: int) -> None:
    config, rows = compute.model(name).config, []
    plain = inside_and_beyond(found[PLAIN], config.context)
    for scheme, loss in found.items():
        inside, beyond = inside_and_beyond(loss, config.context)
        positions = scaled_rope(config, DYNAMIC if scheme == GROWN else scheme, scale)
        ratio = positions.frequencies(length) / positions.unscaled()
        rows.append(
            {
                "Scheme": scheme,
                "Within": inside,
                "Change within": inside - plain[0],
                "Beyond": beyond,
                "Change beyond": beyond - plain[1],
                "Fastest plane": float(ratio[0]),
                "Slowest plane": float(ratio[-1]),
                "Scores": positions.attention_factor**2,
            }
        )
    number, context = st.column_config.NumberColumn, config.context
    st.dataframe(
        pd.DataFrame(rows),
        hide_index=True,
        height="content",
        column_config={
            "Within": number(
                f"Loss to {context:,}", format="%.3f", help="Mean nats per token within the training length"
            ),
            "Change within": number(format="%+.3f", help="Against the unscaled model"),
            "Beyond": number(
                "Loss beyond", format="%.3f", help="Mean nats per token beyond the training length"
            ),
            "Change beyond": number(format="%+.3f", help="Against the unscaled model"),
            "Fastest plane": number("Fastest plane ×", format="%.3f", help="Its frequency over its own"),
            "Slowest plane": number(
                "Slowest plane ×", format="%.3f", help="Its frequency over its own, at the end of the text"
            ),
            "Scores": number("Scores ×", format="%.3f", help="YaRN's 1/t = (0.1 ln s + 1)²"),
        },
    )


@frame.fragment
def switch(name: str, ids: Ids, scale: float) -> None:
    """A scale that changes while the cache is full: three ways to go on, their loss, and what the model writes."""
    st.markdown("## The scale changes while the cache is full")
    *places, note = st.columns([0.24, 0.24, 0.52], vertical_alignment="center")
    if len(ids) < 4:
        st.info("A change in the middle needs four tokens or more; give a longer text.")
        return
    scheme, at = extension_state.switch_menu(name, len(ids), places)
    part = ids[: at + extension_state.AFTER]
    note.caption(
        f"{at:,} tokens are read with the model's own RoPE, everything after with {scheme}, s = {scale:g}."
    )
    with st.spinner("Reading the tokens in three ways …", show_time=True):
        try:
            found = extension_state.switched(name, part, at, scheme, scale)
        except Error as error:
            st.error(str(error))
            return
    theme, ways = frame.theme(), list(found.losses)
    colors = figures.palette(ways, theme, RECOMPUTED)
    left, right = st.columns([0.56, 0.44])
    with left:
        figure = figures.loss_lines(
            found.losses,
            at,
            theme,
            width=min(32, len(part) - at),
            colors=colors,
            title="Loss after the change",
            start=at - 1,
            mark="",
            dotted=RECOMPUTED,
            height=330,
        )
        frame.chart(figure, key="xswitch", alt="Loss after the change of scale, with three kinds of cache")
    with right:
        st.caption(f"What {name} writes after … *{_end(name, part[:at])}*")
        for way in ways:
            loss, divergence = found.losses[way].mean(), found.divergence[way].mean()
            words = f"loss {loss:.3f}" + (
                "" if way == RECOMPUTED else f", KL to recomputed {divergence:.4f} nats"
            )
            st.markdown(f":small[**{way}** · {words}]", help=WAYS[way])
            st.code(found.texts[way].strip() or "(the story ends here)", language=None, wrap_lines=True)
    st.caption(
        "A score of a rotated key needs θ·(t − s); a key turned by the old θ and a query by the new one meet at θ′t − θs, which "
        "grows with the place in the text. Unrotated keys follow the new scale exactly in the first layer; deeper ones "
        "were made from states read under the old scale, so a small difference stays. Decoder-Only Transformers in Einstein "
        "Notation, sections 4.2 and 8."
    )


def _end(name: str, ids: Ids) -> str:
    words = compute.model(name).tokenizer.decode(list(ids[-14:])).replace("\n", " ").strip()
    return words.replace("*", "∗").replace("`", "ˋ").replace("[", "\\[")


_SNIPPET = """\
import tlmviz
from tlmviz.analysis.positions.context_extension import inside_and_beyond, losses, switch
{imports}from tlmviz.figures import LIGHT
from tlmviz.figures.positions import context_extension as figures
from tlmviz.layers.scaling import scaled_rope

lm = tlmviz.load({name!r})
{text}
ids = [lm.tokenizer.end_of_text, *lm.tokenizer.encode(text)][:{length}]
curves = {{"Unscaled": losses(lm, ids)}}
for name in {schemes!r}:
    curves[name] = losses(lm, ids, scaled_rope(lm.config, name, {scale!r}))  # stands in for the model's own RoPE
for name, loss in curves.items():
    print(name, inside_and_beyond(loss, lm.config.context))  # nats per token
done = switch(lm, ids[:{stop}], {at}, scaled_rope(lm.config, {scheme!r}, {scale!r}))  # the scale changes after {at} tokens
print({{way: loss.mean() for way, loss in done.losses.items()}}, done.texts)
colors = figures.palette(list(curves), LIGHT, "Unscaled")
figures.loss_lines(
    curves, lm.config.context, LIGHT, width={width}, colors=colors, title="Loss along the text", dotted="Unscaled"
).show()
"""


def snippet(name: str, text: str, ids: Ids, schemes: list[str], scale: float) -> str:
    """Code that reproduces the curves and the switch."""
    imports, given = long_text.text_lines(text, st.session_state["xsrc"])
    context = compute.model(name).config.context
    at = min(int(st.session_state.get("xat", 1.0) * context), len(ids) - 1)
    return _SNIPPET.format(
        imports=imports,
        name=name,
        text=given,
        length=len(ids),
        schemes=[scheme for scheme in schemes if scheme not in (PLAIN, GROWN)],
        scale=scale,
        at=at,
        stop=at + extension_state.AFTER,
        scheme=st.session_state.get("xsw", "NTK-aware"),
        width=smoothing(context),
    )
