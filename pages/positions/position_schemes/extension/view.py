"""Draws the part Context extension: losses and frequencies of each scheme, and a change of scale with a full cache."""

from __future__ import annotations

import time

import numpy as np
import streamlit as st

from tlmviz.analysis.positions.context_extension import RECOMPUTED, Switch
from tlmviz.figures.positions import context_extension as figures
from tlmviz.ui import confirm_long_run, frame, markdown
from tlmviz.ui.language import _

from .. import view as shared
from . import claims
from .data import AFTER, Data
from .state import DYNAMIC, GROWN, PLAIN, SCHEMES, Extension

DASHED = (DYNAMIC, GROWN)  # they follow the text: at its end they may lie on NTK-aware
PATIENCE = 0.8  # seconds without a new curve
LAST_TOKENS = 14  # before the change of scale that are quoted
EQUATION = (
    r"\begin{aligned} \text{own: } & \theta_j = b^{-2j/d} \qquad \text{PI: } \theta'_j = \theta_j / s \qquad "
    r"\text{NTK-aware: } b' = b\, s^{d/(d-2)} \qquad \text{dynamic: the same with } s = \max(1, \tfrac{t}{L}) \\ "
    r"\text{YaRN: } & \theta'_j = (1 - \gamma_j)\, \tfrac{\theta_j}{s} + \gamma_j\, \theta_j,\quad "
    r"\gamma_j = \mathrm{clip}\Big(\tfrac{r_j - \beta_\text{slow}}{\beta_\text{fast} - \beta_\text{slow}}, 0, "
    r"1\Big),\quad r_j = \tfrac{L\,\theta_j}{2\pi},\qquad (q, k) \to (0.1 \ln s + 1)\,(q, k) \end{aligned}",
    "Decoder-Only Transformers in Einstein Notation, section 8; PI: Chen et al. 2023; NTK-aware and dynamic: bloc97, "
    "emozilla 2023; YaRN: Peng et al. 2023 with β_fast 32, β_slow 1. It treats each frequency band by itself and "
    "scales the logits by (0.1 ln s + 1)², which is folded into "
    "cos and sin here, as in the paper, so attention itself is unchanged. The released code draws the ramp over the "
    "plane's number instead of its turns r: both are offered.",
    "The notes call θ(t/α) “YaRN-style”: that is position interpolation.",
)


def controls(model: str) -> Extension:
    """Draw the controls of the text, its length, the schemes and the scale; what they say."""
    source, times, scale, last = st.columns([0.32, 0.27, 0.27, 0.14], vertical_alignment="center")
    reading = shared.text(source)
    Extension.times.draw(times, format_func=lambda times: _("read {times} × training length", times=f"{times:g}"))
    Extension.scale.draw(scale)
    Extension.difference.draw(frame.more(last))
    Extension.schemes.draw()
    return Extension.of_session(model=model, reading=reading)


def accepted(data: Data) -> bool:
    """Whether a reading is quick, or was asked for although it takes minutes: a sentence says how many, with a
    button."""
    model, read, schemes = data.chosen.model, len(data.ids), data.chosen.compared
    said = _(
        "{model} would read {read} tokens under {count} schemes, which takes {{time}} on a CPU; stories-rope shows the "
        "same in seconds.",
        model=model,
        read=f"{read:,}",
        count=len(schemes),
    )
    if read <= data.context:
        said += " " + _(
            "Nothing would lie beyond its {context} tokens: paste a longer text.", context=f"{data.context:,}"
        )
    seconds = confirm_long_run.reading_time(data.lm, read * len(schemes))
    return confirm_long_run.accepted(("context extension", model, read, schemes), seconds, said, _("Read anyway"))


def picture(data: Data) -> None:
    """Loss along the text, and beside it what each scheme does to the frequencies."""
    left, right = st.columns([0.62, 0.38], gap="small")
    with right:
        figure = figures.frequencies(
            data.ratios, data.wavelengths, data.context, frame.theme(), colors=_colors(), dashed=DASHED
        )
        alt = _("Each RoPE plane's frequency under every scheme, relative to its own")
        frame.chart(figure, key="xfreq", alt=alt)
    with left:
        _losses(data)
    st.caption(claims.about(data))


def _colors() -> dict[str, str]:
    """Each scheme's colour, the same in both charts."""
    return figures.palette(list(SCHEMES), frame.theme(), PLAIN)


def _losses(data: Data) -> None:
    """Every scheme's losses, one after the other, so that others get their turn; those there are, are drawn
    meanwhile."""
    place, spinner = st.empty(), st.empty()
    losses: dict[str, np.ndarray] = {}
    drawn_at, schemes = time.monotonic(), data.chosen.compared
    for count, scheme in enumerate(schemes, 1):
        said = _(
            "Reading {read} tokens: {scheme} ({count} of {all}) …",
            read=f"{len(data.ids):,}",
            scheme=scheme,
            count=count,
            all=len(schemes),
        )
        with spinner, st.spinner(said, show_time=True):
            losses[scheme] = data.loss(scheme)
        if count == len(schemes) or time.monotonic() - drawn_at > PATIENCE:
            _draw(data, losses, place)
            drawn_at = time.monotonic()
    spinner.empty()


def _draw(data: Data, losses: dict[str, np.ndarray], place) -> None:
    change = data.chosen.difference
    title = _("Change of the loss against unscaled") if change else _("Loss along the text")
    figure = figures.loss_lines(
        losses,
        data.context,
        frame.theme(),
        width=data.smoothing,
        colors=_colors(),
        title=title,
        dotted=PLAIN,
        dashed=DASHED,
        change=change,
    )
    with place:  # a key names one chart of a run, and while curves are missing this is another chart
        key = "xloss" if len(losses) == len(data.chosen.compared) else f"xloss-{len(losses)}"
        frame.chart(figure, key=key, alt=_("{title}, one line per scheme", title=title))


def table(data: Data) -> None:
    """Losses and frequencies of every scheme in numbers."""
    first, second = _("Loss, first {context} tokens", context=f"{data.context:,}"), _("Loss beyond")
    within, beyond = _("Change within"), _("Change beyond")
    against = _("Against the unscaled model, in nats per token; below 0 is better")
    helps = {
        first: _("Mean nats per token within the training length"),
        within: against,
        second: _("Mean nats per token beyond the training length"),
        beyond: against,
        _("Fastest plane ×"): _("Its frequency over its own"),
        _("Slowest plane ×"): _("Its frequency over its own, at the end of the text"),
        _("Scores ×"): _("YaRN's 1/t = (0.1 ln s + 1)²"),
    }
    plain, rows = data.means[PLAIN], []
    for scheme, (inside, later) in data.means.items():
        positions = data.positions(scheme)
        ratio = positions.frequencies(len(data.ids)) / positions.unscaled()
        fast, slow, scores = float(ratio[0]), float(ratio[-1]), positions.attention_factor**2
        values = inside, inside - plain[0], later, later - plain[1], fast, slow, scores
        rows.append({_("Scheme"): scheme, **dict(zip(helps, values))})
    frame.table(rows, dict.fromkeys(helps, ".3f") | {within: "+.3f", beyond: "+.3f"}, helps)


def switch_controls(data: Data) -> Extension:
    """The scheme that is switched to and after how many tokens; what all controls say now."""
    scheme, after, _room = st.columns([0.24, 0.3, 0.46], vertical_alignment="center")
    Extension.switch_to.draw(scheme)
    Extension.share.draw(after, format_func=lambda share: _("after {share} of training length", share=f"{share:.0%}"))
    return Extension.of_session(model=data.chosen.model, reading=data.chosen.reading)


def switch(data: Data, result: Switch) -> None:
    """A scale that changes while the cache is full: three ways to go on, their loss, and what the model writes."""
    st.markdown(claims.about_switch(data, result))
    left, right = st.columns([0.56, 0.44])
    with left:
        figure = figures.loss_lines(
            result.losses,
            data.at,
            frame.theme(),
            width=min(32, len(data.around_switch) - data.at),
            colors=figures.palette(list(result.losses), frame.theme(), RECOMPUTED),
            title=_("Loss after the change"),
            start=data.at - 1,
            mark="",
            dotted=RECOMPUTED,
            height=330,
        )
        alt = _("Loss after the change of scale, with three kinds of cache")
        frame.chart(figure, key="xswitch", alt=alt)
    with right:
        last = data.lm.tokenizer.decode(list(data.ids[: data.at][-LAST_TOKENS:]))
        st.caption(
            _("What {model} writes after … *{last}*", model=data.chosen.model, last=markdown.plain(last).strip())
        )
        for way, losses in result.losses.items():
            said = _("**{way}** · loss {loss}", way=way, loss=f"{losses.mean():.3f}")
            if way != RECOMPUTED:
                said += _(", KL to recomputed {nats} nats", nats=f"{result.divergence[way].mean():.4f}")
            st.markdown(f":small[{said}]", help=_(claims.WAYS[way]))
            st.code(result.texts[way].strip() or _("(the story ends here)"), language=None, wrap_lines=True)
    words, formulas = claims.why_rotated()
    frame.caption(words, maths=formulas)


def snippet(data: Data) -> str:
    """The curves and the change of scale with the public API."""
    chosen, (imports, text) = data.chosen, data.chosen.reading.snippet
    return f"""\
import tlmviz
from tlmviz.analysis.positions.context_extension import inside_and_beyond, losses, switch
{imports}from tlmviz.figures import LIGHT
from tlmviz.figures.positions import context_extension as figures
from tlmviz.layers.scaling import scaled_rope

lm = tlmviz.load({chosen.model!r})
{text}
ids = lm.tokenizer.encode(text, bos=True)[:{len(data.ids)}]
curves = {{"Unscaled": losses(lm, ids)}}
for name in {[scheme for scheme in chosen.schemes if scheme != GROWN]!r}:
    curves[name] = losses(lm, ids, scaled_rope(lm.config, name, {chosen.scale!r}))  # stands in for the model's own RoPE
for name, loss in curves.items():
    print(name, inside_and_beyond(loss, lm.config.context))  # nats per token
scaled = scaled_rope(lm.config, {chosen.switch_to!r}, {chosen.scale!r})
after = switch(lm, ids[:{data.at + AFTER}], {data.at}, scaled)  # the scale changes after {data.at} tokens
print({{way: loss.mean() for way, loss in after.losses.items()}}, after.texts)
colors = figures.palette(list(curves), LIGHT, "Unscaled")
figures.loss_lines(
    curves, lm.config.context, LIGHT, width={data.smoothing}, colors=colors, title="Loss along the text",
    dotted="Unscaled"
).show()
"""
