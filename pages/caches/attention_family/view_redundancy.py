"""The page "The attention family": how alike heads are, and what is lost without them or with shared keys and values."""

from __future__ import annotations

import numpy as np
import streamlit as st

from tlmviz.analysis.caches.similarity import SIMILARITIES, most_alike
from tlmviz.errors import UnknownName
from tlmviz.figures.caches import redundancy as figures
from tlmviz.ui import compute, frame

from . import compute as family_state

ORDERS = {"By single effect": "single", "Greedy": "greedy"}
PAIRS = 6


def panel(name: str, text: str) -> None:
    """Similarity beside pruning, then sharing."""
    lm = compute.model(name)
    if len(compute.trace(name, text)) < 2:
        st.info("This text has one token, which predicts nothing; type at least one more.")
        return
    tokens = family_state.ids(name, text)
    whole = len(compute.trace(name, text))
    like, order, how = st.columns([0.3, 0.32, 0.38], vertical_alignment="center")
    which = like.selectbox(
        "Similarity", list(SIMILARITIES), key="sim", bind="query-params", label_visibility="collapsed"
    )
    pruning = order.segmented_control(
        "Order of pruning",
        list(ORDERS),
        default="By single effect",
        key="prn",
        bind="query-params",
        required=True,
        label_visibility="collapsed",
        help="Greedy tries all remaining heads at every step: better, and much slower",
    )
    muting = how.segmented_control(
        "Replace output by",
        ["zero", "mean"],
        default="zero",
        key="how",
        bind="query-params",
        required=True,
        label_visibility="collapsed",
        format_func="mute to {}".format,
        help="mean: the head's average output over this text, later positions included.",
    )
    left, right = st.columns([0.42, 0.58])
    with left:
        similarity(name, text, which)
    with right:
        prune(name, text, tokens, ORDERS[pruning], muting)
    read = f"the first {len(tokens)} of {whole:,} tokens" if whole > len(tokens) else f"{whole} tokens"
    st.caption(
        f"Real passes of {name} with these heads silent, on this text ({read}), which also chose the order, and on the app's "
        f"{len(family_state.others(name, text))} other examples, which did not. Nothing is retrained."
    )
    try:
        share(name, text, tokens, which)
    except UnknownName as error:
        st.info(str(error))
    kinds = {"single": 'pruning_order(lm, ids, "single"', "greedy": 'pruning_order(lm, ids, "greedy"'}
    frame.copy_as_python(
        "import tlmviz\nfrom tlmviz.analysis.caches import redundancy\n"
        "from tlmviz.analysis.caches.similarity import SIMILARITIES\n\n"
        f"lm = tlmviz.load({name!r})\ntrace = lm.trace({text!r})\nids = trace.ids[:{family_state.READ}]\n"
        f"similarity = SIMILARITIES[{which!r}](trace)  # [L * H, L * H]\n"
        f"order = redundancy.{kinds[ORDERS[pruning]]}, {muting!r})  # (layer, head), least missed first\n"
        f"losses = redundancy.prune(lm, ids, order, {muting!r})\n"
        + (
            "merges = redundancy.sharing_order(lm, similarity)\nshared = redundancy.share(lm, ids, merges)\n"
            if lm.config.attention.latent_dim is None and lm.config.n_kv_heads > 1
            else ""
        )
    )


def similarity(name: str, text: str, which: str) -> None:
    """Every head against every other."""
    config = compute.model(name).config
    values = family_state.similarity(name, text, which)
    best = most_alike(values, PAIRS)
    figure = figures.similarity(
        values.numpy(), config.n_layers, [pair[:2] for pair in best], which, frame.theme()
    )
    frame.chart(figure, key="alike", alt=f"{which} of every two heads")
    named = [
        f"{_label(a, config.n_heads)} and {_label(b, config.n_heads)} ({value:.2f})"
        for a, b, value in best[:3]
    ]
    st.caption(
        f"Most alike, circled: {', '.join(named)}."
        if named
        else "This text is too short to compare heads on."
    )


def prune(name: str, text: str, tokens: tuple[int, ...], order: str, how: str) -> None:
    """Each head's own effect, and the loss as they are ablated one by one."""
    theme = frame.theme()
    effects = family_state.effects(name, tokens, how)
    figure = figures.effects(effects, theme, 44 + 34 * len(effects))
    frame.chart(figure, key="effects", alt="Change of loss with each head muted")
    heads = family_state.pruning_order(name, tokens, order, how)
    random = family_state.pruning_order(name, tokens, "random", how)
    found = family_state.pruned(name, text, tokens, heads, how)
    lines = {
        "this text": _change(found.here),
        "other texts": _change(found.elsewhere),
        "other texts, drawn order (seed 0)": _change(
            family_state.pruned(name, text, tokens, random, how).elsewhere
        ),
    }
    words = [
        "no head muted",
        *(f"{step} muted, last {layer}.{head}" for step, (layer, head) in enumerate(heads, start=1)),
    ]
    title = "Heads muted one by one (Δ loss, nats per token)"
    figure = figures.steps(
        lines, words, theme, title=title, x="heads muted", height=300, marks=_spare(found.elsewhere)
    )
    frame.chart(figure, key="prune", alt="Loss against the number of heads muted")


def _change(loss: tuple[float, ...]) -> np.ndarray:
    return np.array(loss) - loss[0]


def _spare(loss: tuple[float, ...]) -> dict[int, str]:
    """The last step whose loss is at most 0.1 nats above that of all heads."""
    fine = [step for step, value in enumerate(loss) if value <= loss[0] + 0.1]
    return {fine[-1]: f"{fine[-1]} heads cost 0.1 nats"} if fine and fine[-1] else {}


def share(name: str, text: str, tokens: tuple[int, ...], which: str) -> None:
    """Keys and values of the most similar heads merged. Raises UnknownName where there are none to merge."""
    found = family_state.shared(name, text, tokens, which)
    config, theme = compute.model(name).config, frame.theme()
    left, right = st.columns([0.42, 0.58])
    labels = [f"layer {layer}, key/value heads {a} and {b}" for layer, a, b in found.pairs]
    with left:
        change = np.array(list(found.pairs.values()))
        frame.chart(
            figures.pairs(np.array(found.alike), change, labels, which, theme),
            key="kvpairs",
            alt="Pairs merged alone",
        )
        rank = _correlation(np.array(found.alike), change)
        if rank is not None:
            st.caption(f"Correlation of similarity and change of loss over {len(labels)} pairs: {rank:+.2f}.")
    with right:
        layers, groups = config.n_layers, config.n_kv_heads
        words = [f"{layers * groups} key/value heads"]
        for layer, a, b in found.order:
            words.append(f"{layers * groups - len(words)} left: layer {layer}, {b} joins {a}")
        lines = {"this text": _change(found.losses.here), "other texts": _change(found.losses.elsewhere)}
        figure = figures.steps(
            lines,
            words,
            theme,
            title="Key/value heads merged one by one (Δ loss, nats per token)",
            height=320,
            x=f"merges, until each of {layers} layers has one head",
        )
        frame.chart(figure, key="merge", alt="Loss against the number of merged key/value heads")


def _correlation(x: np.ndarray, y: np.ndarray) -> float | None:
    fine = np.isfinite(x) & np.isfinite(y)
    if fine.sum() < 3 or np.ptp(x[fine]) == 0 or np.ptp(y[fine]) == 0:
        return None
    return float(np.corrcoef(x[fine], y[fine])[0, 1])


def _label(head: int, heads: int) -> str:
    return f"{head // heads}.{head % heads}"
