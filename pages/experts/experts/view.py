"""Draws the page Experts: controls, the picture of a pass, and what each view has below it."""

from __future__ import annotations

from dataclasses import replace

import streamlit as st

from tlmviz.figures.experts import changes
from tlmviz.figures.theme import THEMES
from tlmviz.ui import compute, frame, inputs, live, reading
from tlmviz.ui.language import _

from . import claims
from .data import FACTORS, Data
from .state import CAPACITY, COST, LOAD, MIXED, MUTING, REMOVED, ROUTING, TRAINING, Change, Experts

PICTURE = live.Picture(
    __file__,
    "routing",
    token=Experts.token,
    layer=Experts.layer,
    show=Experts.shown,
    muted=Experts.muted,
    forced=Experts.forced,
)
TYPES = {"chosen": "uint16", "plain": "uint16", "kept": "uint8"}
_SECTION = "Decoder-Only Transformers in Einstein Notation, section 6.3"
EQUATIONS = {
    ROUTING: (
        r"s_{t,i} = \sigma(\mathbf{u}_t \cdot \mathbf{e}_i), \qquad \mathcal{C}_t = \mathrm{top}k_i\,(s_{t,i} + b_i), "
        r"\qquad g_{t,i} = \frac{s_{t,i}}{\sum_{j \in \mathcal{C}_t} s_{t,j}}\ (i \in \mathcal{C}_t), \qquad"
        r" \mathbf{h}_t = \mathrm{FFN}^{\mathrm{shared}}(\mathbf{u}_t) + \sum_{i \in \mathcal{C}_t} g_{t,i}\,"
        r" \mathrm{FFN}_i(\mathbf{u}_t)",
        f"{_SECTION}; DeepSeek-AI, DeepSeek-V3 (2024), Eq. 12–16. e: a row of "
        "the router for each expert, b: the bias. Mixtral and Qwen take a softmax in place of σ and have no bias.",
        "Section 6.3 writes G = H W_gate + b and mixes with softmax over the chosen of G: the bias would enter the "
        "weights. In DeepSeek-V3 it stays out of them.",
    ),
    LOAD: (
        r"f_i = \frac{1}{T} \sum_t \mathbf{1}[\,i \in \mathcal{C}_t\,], \qquad \sum_i f_i = k, \qquad \text{even: } "
        r"f_i = k / E",
        f"Fedus, Zoph and Shazeer, Switch Transformers (2021), Eq. 5, for k choices; {_SECTION}.",
    ),
    MUTING: (
        r"\tilde{\mathcal{C}}_t = \mathrm{top}k_{\,i \notin \mathcal{M}}\,(s_{t,i} + b_i), \qquad"
        r" \Delta = \frac{1}{T-1} \sum_t \log \frac{P(w_{t+1} \mid w_{\le t})}{\tilde{P}(w_{t+1} \mid w_{\le t})}",
        f"{_SECTION}. M: the muted experts; a tilde marks the changed pass.",
    ),
    CAPACITY: (
        r"C = \left\lceil \mathrm{factor} \cdot \frac{T\,k}{E} \right\rceil",
        "Fedus, Zoph and Shazeer, Switch Transformers (2021), section 2.2. T tokens with k choices each over E "
        "experts.",
    ),
    TRAINING: (
        r"b_i \leftarrow b_i + \gamma\, \mathrm{sign}(\bar{c} - c_i), \qquad"
        r" \mathcal{L}_{\mathrm{aux}} = \alpha\, E \sum_i f_i P_i",
        "DeepSeek-AI, DeepSeek-V3 (2024), section 2.1.2; Fedus, Zoph and Shazeer, Switch Transformers (2021), Eq. 4. "
        "c: tokens of an expert in the step, f: its share of the choices, P: its mean share of the scores.",
    ),
    COST: (
        r"N_{\mathrm{active}} = N - L_{\mathrm{experts}}\,(E - k)\, 3\, d_{\mathrm{model}}\, d_{\mathrm{expert}}",
        f"Three matrices for each expert: gate, up and down (SwiGLU). {_SECTION}.",
    ),
}


def controls(model: str) -> Experts | None:
    """Draw the text, the view and its controls; None while there is nothing to read."""
    lm = compute.model(model)
    text = inputs.text_box(lm)
    if text is None:
        return None
    view, part = Experts.view.draw(), lm.config.experts
    options = [
        (layer, expert)
        for layer in range(lm.config.n_layers)
        if lm.config.has_experts(layer)
        for expert in range(part.count)
    ]
    if view == MUTING:
        left, middle, right = st.columns([0.3, 0.3, 0.4], vertical_alignment="center")
        Experts.muted.draw(left, options=options)
        Experts.forced.draw(middle, options=options)
        Experts.bias.draw(right, disabled=not part.bias)
    if view == CAPACITY:
        Experts.factor.draw(st.columns([0.36, 0.64])[0])
    return Experts.of_session(model=model, text=text)


def refused(data: Data) -> None:
    """Why the picture shows another routing than the one that was chosen."""
    if data.refused:
        st.warning(_("{why} The picture shows the routing as trained.", why=frame.worded(data.refused)))


def rows(data: Data) -> None:
    """Tokens x experts of a pass."""
    layers, change, view = data.layers, data.change, data.chosen.view

    def places(experts: tuple[tuple[int, int], ...]) -> list[list[int]]:
        return [[layers.index(layer), expert] for layer, expert in experts]

    header = {
        "title": _("{model}: the experts that each token reaches", model=data.chosen.model),
        "tokens": data.tokens[: data.count],
        "layers": layers,
        "experts": data.experts.count,
        "chosen": data.experts.chosen,
        "biased": data.experts.bias and change.bias != REMOVED,
        "off": data.experts.bias and change.bias == REMOVED,
        "compared": change.nothing,
        "muted": places(change.muted),
        "forced": places(change.forced),
        "clicks": view == MUTING,
        "taste": places(((data.taste.layer, data.taste.expert),)) if view == ROUTING and data.taste else [],
        "maths": reading.maths(),
        "at": [data.layer, data.token],
        "warm": {name: theme.warm for name, theme in THEMES.items()},
    }
    PICTURE.show(header, {name: each.astype(TYPES.get(name, "float32")) for name, each in data.arrays.items()})
    if said := claims.cut(data):
        st.caption(said)


def losses(data: Data) -> None:
    """The loss of each token, every expert muted alone, and what follows: on longer texts or of many experts only when
    the user asks for it."""
    if len(data.tokens) > 1:
        data = _muted_alone(data)
    frame.claims(claims.CLAIMS[MUTING], data, more=claims.NOTICE[MUTING], maths=claims.MATHS[MUTING])


def _muted_alone(data: Data) -> Data:
    """Draws the losses; returns the data with what was asked for."""
    if not data.change.nothing:
        figure = changes.losses(data.tokens, data.loss(Change()), data.loss(), frame.theme(), what=_("changed"))
        frame.chart(figure, key="xlosses", alt=_("Loss of each token as trained and with the routing changed"))
    if data.is_long:
        every = Experts.every.draw(help=_("{passes} passes over the text", passes=data.passes))
        data = replace(data, chosen=replace(data.chosen, every=every))
        Experts.every.put()
    with st.spinner(_("{count} passes …", count=data.passes), show_time=True):
        change = data.each_muted
    if change is None:
        return data
    title = _("Change of the mean loss with one expert muted, against the model as trained (nats per token)")
    figure = changes.change_map(change, data.layers, frame.theme(), title=title)
    alt = _("Change of the mean loss for each expert of each layer, muted alone")
    frame.chart(figure, key="xmutemap", alt=alt)
    return data


def factors(data: Data) -> None:
    """Dropped choices and the loss by capacity factor."""
    if len(data.tokens) < 2:
        return
    with st.spinner(_("{count} passes …", count=len(FACTORS)), show_time=True):
        shares, losses = data.by_factor
    unlimited = float(data.loss(Change()).mean())
    figure = changes.capacity_curve(FACTORS, shares, losses, unlimited, data.chosen.factor, frame.theme())
    frame.chart(figure, key="xcapcurve", alt=_("Dropped choices and loss of the text by capacity factor"))


_START = """\
import tlmviz
from tlmviz.analysis.experts import edits{more}

lm = tlmviz.load({model!r})
text = {text!r}
"""


def _start(data: Data, more: str = "") -> str:
    return _START.format(model=data.chosen.model, text=data.chosen.text, more=more)


def snippet_of_routing(data: Data) -> str:
    """The pass with the public API."""
    return f"""{_start(data, ", routing as measures")}trace = lm.trace(text)
for layer in trace.expert_layers:
    routing = trace.routing(layer)
    print(layer, routing.scores.shape, routing.bias)  # [T, E] before the bias, [E]
    print(routing.chosen[-1], routing.weights[-1])  # of the last token: experts and what they weigh, [T, k]
    print("choices that the bias changes:", measures.changed_by_bias(routing, lm.config.experts).float().mean())
    print("weights if the bias entered them:", measures.mixing_readings(trace, layer).with_bias[-1])
"""


def snippet_of_capacity(data: Data) -> str:
    """A pass whose experts have little room with the public API."""
    return f"""{_start(data)}trace = lm.trace(text, edit=edits.limit_capacity(lm.config, {data.change.factor}))
dropped = [int((trace.routing(layer).weights == 0).sum()) for layer in trace.expert_layers]
print("dropped choices by layer:", dropped)
print("nats per token:", lm.trace(text).loss_per_token().mean(), trace.loss_per_token().mean())
"""


def snippet_of_muting(data: Data) -> str:
    """A changed pass with the public API."""
    change = data.change
    parts = [
        f"edits.mute_experts(lm.config, {list(change.muted)})",
        f"edits.force_experts(lm.config, {list(change.forced)})",
    ]
    parts += {REMOVED: ["edits.without_bias(lm.config)"], MIXED: ["edits.bias_in_the_mix(lm.config)"]}.get(
        change.bias, []
    )
    return f"""{_start(data)}
from tlmviz.analysis.attention.interventions import combine

changed = combine({", ".join(parts)})
before, after = lm.trace(text), lm.trace(text, edit=changed)  # pairs above are (layer, expert)
change = (after.loss_per_token() - before.loss_per_token()).mean()
print("nats per token:", before.loss_per_token().mean(), after.loss_per_token().mean(), change)
"""
