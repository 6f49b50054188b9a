"""The lightning indexer as a panel: what it scores and chooses, what sparse attention loses, and its rotation."""

from __future__ import annotations

import numpy as np
import streamlit as st
import torch

from tlmviz.analysis.kernels import indexer as analysis
from tlmviz.checks import Check, kernels_index
from tlmviz.errors import Error
from tlmviz.figures.kernels import indexer as figures
from tlmviz.layers.indexer import ROTATIONS, Indexers
from tlmviz.trace import Trace
from tlmviz.ui import compute, frame

TEACHER, INDEXER = "stories-rope", "stories-rope-indexer"
KS = tuple(2**i for i in range(11))  # 1 to 1,024
OUTLIERS = (1, 3, 10, 30, 100)
FORMATS = {"fp8_e4m3": "FP8 E4M3", "int8": "INT8", "int4": "INT4"}
CELLS = 128  # rows and columns of a picture; longer maps are pooled

SNIPPET = """\
import tlmviz
from tlmviz.analysis.kernels import indexer

lm, scorer = tlmviz.load({name!r}), indexer.load_indexer({indexer!r})
trace = indexer.trace_for_indexer(lm, lm.encode({text!r}))
print(indexer.index_scores(trace, scorer, layer={layer}))        # [T, T], later keys -inf
print(indexer.recall(trace, scorer)["indexer"][{layer}, {k} - 1])  # attention mass on {k} keys per query
print(indexer.sparse_losses(lm, trace.ids, {k}, scorer))          # nats per token
"""


def panel(name: str, text: str, layer: int, head: int, position: int) -> None:
    """Draw the panel for a model and a text; `layer` is where it opens, `position` the query whose choice is shown.

    The indexer scores for all heads of a layer together, so `head` changes nothing.
    """
    if name != TEACHER:
        st.info(
            f"The lightning indexer was distilled from {TEACHER}; choose {TEACHER} in the Model menu to see it work."
        )
        return
    _selection(name, text, layer, position)


@frame.fragment
def _selection(name: str, text: str, layer: int, position: int) -> None:
    """Everything, in the fragment of k and layer; what goes wrong inside a fragment must be caught there."""
    try:
        lm = compute.model(name)
        part, tokens = lm.fit(text)
        limit = lm.config.context
        if tokens > limit:
            st.caption(
                f"The indexer was distilled on {limit:,} tokens at most: the first {limit:,} of {tokens:,} are read."
            )
        _draw(name, part, layer, position)
    except Error as error:
        st.warning(str(error))


def _draw(name: str, text: str, layer: int, position: int) -> None:
    """Controls, maps, one query's choice, recall and losses, checks, the rotation and the words."""
    indexers()  # refused before any control is drawn
    trace, theme = traced(name, text), frame.theme()
    position = min(max(position, 0), len(trace) - 1)
    left, right = st.columns(2)
    asked = left.select_slider(
        "k, keys per query",
        KS,
        8,
        key="ik",
        bind="query-params",
        help="Every query of every layer attends to the k keys with the highest index scores, all heads to the same ones.",
    )
    layers = list(range(trace.n_layers))
    layer = right.segmented_control(
        "Layer",
        layers,
        default=layer if layer in layers else 0,
        key="ilayer",
        bind="query-params",
        required=True,
    )
    k = min(asked, len(trace))
    if k < asked:
        st.caption(
            f"This text has {len(trace)} tokens: {asked} keys are all of them, which is dense attention."
        )
    index, true, chosen, cell = maps(name, text, layer, k)
    limit = float(np.nanquantile(np.concatenate((index, true)), 0.95))
    pictures = (
        (index, "Index scores, softmax (probability)", limit, "probability"),
        (true, f"Attention, mean of {trace.n_heads} heads (probability)", limit, "probability"),
        (chosen, f"Chosen: {k} keys per query", 1.0, "chosen"),
    )
    for number, (column, (values, title, end, what)) in enumerate(zip(st.columns(3), pictures)):
        with column:
            figure = figures.weight_map(values, cell, title, theme, limit=end, position=position, what=what)
            frame.chart(figure, key=f"indexer-map-{number}", alt=f"{title}, queries by keys, layer {layer}")
    weights, picked = row(name, text, layer, k, position)
    figure = figures.chosen_row(trace.tokens[: position + 1], weights, picked, theme)
    frame.chart(figure, key="indexer-row", alt="One query's attention with the chosen keys marked")
    left, right = st.columns(2)
    curves = recall(name, text)
    with left:
        means = {how: curve.mean(0) for how, curve in curves.items()}
        figure = figures.recall_curves(means, curves["indexer"][layer], layer, k, theme)
        frame.chart(
            figure, key="indexer-recall", alt="Covered attention mass against the number of keys per query"
        )
    with right:
        figure = figures.losses(losses(name, text, k), k, theme)
        frame.chart(figure, key="indexer-loss", alt="Loss of dense and of sparse attention")
    st.caption(
        "Mean over all queries; one with at most k keys has recall 1. *Best possible* takes the k keys with the most attention "
        "mass, *random* is the expected recall and one seeded draw for the loss. Mass is not loss: what one head needs can be "
        "little of the average, and this model never learned to attend to few keys (DeepSeek-V3.2 does, in a second stage)."
    )
    frame.badges(checks(name, text, layer))
    _rotation(name, text, layer, k)
    frame.equation(
        r"\begin{gathered} I_{ts} = \sum_{j=1}^{H_I} w_{tj}\,\mathrm{ReLU}\big(q^I_{tj} \cdot k^I_s\big) \\ "
        r"(Uq)\cdot(Uk) = q\cdot k \\ "
        r"\min\ \mathrm{KL}\Big(\tfrac{1}{H}\textstyle\sum_h p^{(h)}_t \,\Big\|\, \mathrm{softmax}(I_t)\Big) \end{gathered}",
        "Lightning indexer: Transformer with PyTorch, section 3.5, Eq. 70 and 71; distilled as in DeepSeek-V3.2. The notes leave "
        "out what the model needs besides: a normalised key, RoPE on part of q and k, and the training.",
    )
    frame.copy_as_python(SNIPPET.format(name=name, indexer=INDEXER, text=text, layer=layer, k=k))


@frame.fragment
def _rotation(name: str, text: str, layer: int, k: int) -> None:
    """U on the indexer's q and k: their values before and after, and the error of scores in few bits."""
    st.markdown(f"**Rotation before rounding** · layer {layer}")
    left, middle, right = st.columns(3)
    kind = left.segmented_control(
        "Rotation U", ROTATIONS, default="hadamard", key="iu", bind="query-params", required=True
    )
    format = middle.segmented_control(
        "Stored as",
        list(FORMATS),
        default="fp8_e4m3",
        format_func=FORMATS.get,
        key="ifmt",
        bind="query-params",
        required=True,
        help="One scale per vector of q and k, from its largest number.",
    )
    outlier = right.select_slider(
        "Outlier (simulated)",
        OUTLIERS,
        1,
        key="iout",
        bind="query-params",
        format_func="× {}".format,
        help="One dimension of k multiplied and of q divided by this: no score changes, but peaks appear as in large models.",
    )
    measured = precision(name, text, layer, k, format, kind, outlier)
    before, after, dim = measured["before"], measured["after"], indexers().config.head_dim
    for column, part in zip(st.columns(2), ("q", "k")):
        with column:
            values = (getattr(side, part).numpy() for side in (before, after))
            figure = figures.value_histograms(*values, f"the indexer's {part}", frame.theme())
            frame.chart(
                figure, key=f"indexer-values-{part}", alt=f"Histogram of {part} before and after the rotation"
            )
    st.markdown(
        f"| {FORMATS[format]} | score error | choices kept | peak of q | of k |\n| --- | --- | --- | --- | --- |\n"
        + "\n".join(
            f"| {label} | {side.error:.3%} | {side.agreement:.2%} | {side.peak_q:.2f} | {side.peak_k:.2f} |"
            for label, side in (("as trained", before), ("after U", after))
        )
    )
    st.caption(
        "Score error: RMS of the change over RMS of the scores. Choices kept: share of the k chosen keys that stay chosen. Peak: "
        f"largest number of a vector over its RMS, 1 for a flat one and √{dim} = {dim**0.5:.1f} for all in one place. The step "
        "of an integer format is set by the largest number of the vector, so outliers hurt it and U, which spreads them, helps. "
        "FP8's step follows each number: it bears outliers without U, and large ones spread over all dimensions can even cost it."
    )


@st.cache_resource(show_spinner=False)
def indexers() -> Indexers:
    """The bundled indexer. Raises what `load_indexer` does."""
    return analysis.load_indexer(INDEXER)


@st.cache_resource(max_entries=8, show_spinner=False)
def traced(name: str, text: str) -> Trace:
    """One pass with the attention's inputs kept, at most the model's context."""
    lm = compute.model(name)
    ids = lm.encode(text)
    return compute.run_in_worker(lambda: analysis.trace_for_indexer(lm, ids), compute.about(text))


@st.cache_data(max_entries=32, show_spinner=False)
def maps(name: str, text: str, layer: int, k: int) -> tuple[np.ndarray, np.ndarray, np.ndarray, float]:
    """Softmax of the index scores, true mass and chosen cells, [N, N] each with NaN where hidden; tokens per cell."""
    trace, scorer = traced(name, text), indexers()

    @torch.inference_mode()
    def work():
        index = analysis.index_scores(trace, scorer, layer).softmax(-1)
        chosen = analysis.choice(trace, scorer, layer, k).float()
        return [_pool(values) for values in (index, analysis.mass(trace, layer), chosen)]

    return *compute.run_in_worker(work, compute.about(text)), len(trace) / min(len(trace), CELLS)


@st.cache_data(max_entries=64, show_spinner=False)
def row(name: str, text: str, layer: int, k: int, position: int) -> tuple[np.ndarray, np.ndarray]:
    """One query's true mass on the keys it sees, and which of them are chosen, [position + 1] each."""
    trace, scorer, rows = traced(name, text), indexers(), slice(position, position + 1)

    @torch.inference_mode()
    def work():
        chosen = analysis.choice(trace, scorer, layer, k)[rows]
        return analysis.mass(trace, layer, rows)[0, : position + 1].numpy(), chosen[0, : position + 1].numpy()

    return compute.run_in_worker(work, compute.about(text))


@st.cache_data(max_entries=16, show_spinner=False)
def recall(name: str, text: str) -> dict[str, np.ndarray]:
    """`analysis.recall` as arrays, [L, T] each."""
    trace, scorer = traced(name, text), indexers()
    return compute.run_in_worker(
        lambda: {how: curve.numpy() for how, curve in analysis.recall(trace, scorer).items()},
        compute.about(text),
    )


@st.cache_data(max_entries=64, show_spinner=False)
def losses(name: str, text: str, k: int) -> dict[str, float]:
    """Dense and sparse losses in nats per token."""
    lm, trace, scorer = compute.model(name), traced(name, text), indexers()
    return compute.run_in_worker(
        lambda: analysis.sparse_losses(lm, trace.ids, k, scorer), compute.about(text)
    )


@st.cache_data(max_entries=64, show_spinner=False)
def checks(name: str, text: str, layer: int) -> list[Check]:
    """The indexer's identities on this text."""
    lm, trace, scorer = compute.model(name), traced(name, text), indexers()
    return compute.run_in_worker(
        lambda: [
            kernels_index.rotation_keeps_products(lm, trace, scorer, layer),
            kernels_index.every_key_is_dense(lm, trace, scorer),
            kernels_index.every_key_is_dense_loss(lm, trace, scorer),
        ],
        compute.about(text),
    )


@st.cache_resource(max_entries=32, show_spinner=False)
def precision(
    name: str, text: str, layer: int, k: int, format: str, kind: str, outlier: float
) -> dict[str, analysis.Precision]:
    """q and k before and after the rotation, and their error in a format."""
    trace, scorer = traced(name, text), indexers()
    return compute.run_in_worker(
        lambda: analysis.precision(trace, scorer, layer, k, format, kind, outlier), compute.about(text)
    )


def _pool(values: torch.Tensor) -> np.ndarray:
    """[T, T] to at most [CELLS, CELLS] by maximum; cells that hold no visible pair are NaN."""
    length = len(values)
    size = min(length, CELLS)
    pooled = torch.nn.functional.adaptive_max_pool2d(values[None], size)[0]
    start = torch.arange(size) * length // size
    stop = -(-(torch.arange(size) + 1) * length // size)
    return pooled.masked_fill(start[None] >= stop[:, None], torch.nan).numpy()
