"""Draws the part GloVe: ratios of two words, counts beside what the vectors make of them, the weights and the fit."""

from __future__ import annotations

import numpy as np
import streamlit as st

from tlmviz.analysis.words import glove
from tlmviz.figures.words import glove as figures
from tlmviz.ui import frame
from tlmviz.ui.language import N_, _

from .. import view as shared
from . import claims
from .data import MODEL, Data
from .state import OWN, Ratio

EQUATION = (
    r"J=\tfrac12\sum_{i,j} f(X_{ij})\,\big(w_i^\top\tilde w_j+b_i+\tilde b_j-\log X_{ij}\big)^2,\qquad "
    r"f(x)=\min\!\big(1,(x/x_{\max})^{\alpha}\big),\qquad f(0)=0",
    "Mathematics in Modern NLP, section 4.2, Eq. 19–21; Pennington et al. 2014, Eq. 8 and 9.",
    "The notes call the counts P and leave out the biases; the model has both, as in the paper. With counts, X is how "
    "often two words met; with probabilities log P would lack the frequency of the words, which the biases take up.",
)
COLUMNS = {  # format, help
    N_("Xᵢ"): (".3g", N_("How often the probe met word i, each meeting weighed 1 / distance.")),
    N_("Xⱼ"): (".3g", N_("How often the probe met word j.")),
    N_("P(k|i)"): (".3%", N_("The share of all that stands near word i.")),
    N_("P(k|j)"): (".3%", N_("The share of all that stands near word j.")),
    N_("Ratio"): (".3g", ""),
    N_("Fitted"): (".3g", N_("The ratio that the model's vectors and biases give.")),
}
FIT = {
    N_("Count X"): "",
    N_("Cells"): ",d",
    N_("Share of the weight"): ".1%",
    N_("Error in log X"): ".2f",
    N_("Mean error"): ".2f",
}


def controls() -> Ratio:
    """Draw the controls; what they say."""
    one, two, three = st.columns([0.18, 0.18, 0.64])
    for place, field in zip((one, two, three), (Ratio.first, Ratio.second, Ratio.probes)):
        field.draw(place)
    source, text = st.columns([0.27, 0.73], vertical_alignment="center")
    if Ratio.source.draw(source) == OWN:
        Ratio.text.draw(text)
    return Ratio.of_session()


def readable(data: Data) -> bool:
    """Whether there is something to count; a sentence says what to type."""
    return shared.readable(lambda: data.own)


def refused(data: Data) -> None:
    """What was not read, and what is shown in its place."""
    if data.read.refused:
        st.warning(claims.refused(data))


def ratios(data: Data) -> None:
    """The ratio of each probe as a bar, and the table of the paper."""
    found, (left, right) = data.ratios, st.columns([0.56, 0.44])
    with left:
        figure = figures.ratio_bars(
            data.probes,
            found.ratios,
            data.fitted,
            frame.theme(),
            title=claims.title(data),
            names=(data.first, data.second),
        )
        frame.chart(figure, key="ratios", alt=_("Ratios of the probabilities of each probe near the two words"))
    columns = [*found.counts, *found.probabilities, found.ratios, *([] if data.fitted is None else [data.fitted])]
    rows = [
        {_("Probe k"): probe, **dict(zip(map(_, COLUMNS), map(float, values)))}
        for probe, *values in zip(data.probes, *columns)
    ]
    with right:
        formats = {_(name): form for name, (form, _help) in COLUMNS.items()}
        frame.table(rows, formats, {_(name): _(said) for name, (_form, said) in COLUMNS.items() if said})


def maps(data: Data) -> None:
    """The counts among these words, and what the vectors make of them."""
    rows = data.rows(*data.all_words)
    counts = data.meetings.cells(rows, rows)
    theme, most = frame.theme(), max(1.0, float(counts.max()))
    left, right = st.columns(2)
    with left:
        figure = figures.count_map(
            counts, data.all_words, theme, title=_("X, counted (meetings, each 1 / distance)"), most=most
        )
        frame.chart(figure, key="counted", alt=_("How often each two of these words met"))
    with right:
        if data.own is not None:
            said = _(
                "{model} was fitted to its own text's counts and not to yours: there is nothing to compare.",
                model=MODEL,
            )
            st.info(said)
            return
        values = np.exp(glove.fitted(data.wv, rows, rows))
        title = f"exp(w·w̃ + b + b̃), {MODEL}"
        figure = figures.count_map(values, data.all_words, theme, title=title, most=most)
        frame.chart(figure, key="fitted", alt=_("The counts that the vectors stand for"))


def fit(data: Data) -> None:
    """The weight of a count, and the fit of every count of the model's text."""
    theme, config, cells = frame.theme(), data.wv.config, data.fit
    left, right = st.columns(2)
    with left:
        names = [f"{word} – {probe}" for word in (data.first, data.second) for probe in data.probes]
        figure = figures.weight_curve(
            config.x_max,
            config.alpha,
            data.ratios.counts.ravel().tolist(),
            names,
            theme,
            title=_("Weight f(x); points: the pairs above"),
        )
        frame.chart(figure, key="weight", alt=_("The weight of a count, rising to 1"))
    with right:
        title = _("All {count} counts and their fit", count=f"{len(cells.log_x):,}")
        figure = figures.fit_density(cells.log_x, cells.value, cells.weight, theme, title=title)
        frame.chart(
            figure, key="density", alt=_("Counted against fitted values, near the diagonal where the fit is good")
        )
    rows = [dict(zip(map(_, FIT), row)) for row in data.errors]
    frame.table(rows, {_(name): form for name, form in FIT.items() if form})
    frame.caption(claims.fit(data))


def snippet(data: Data) -> str:
    """The ratios and the fit with the public API."""
    counts, after = (
        """\
meetings = wv.meetings  # of the 1,500 most frequent words
row = {word: number for number, word in enumerate(wv.vocabulary[: meetings.size])}
""",
        """\
fitted = np.exp(glove.fitted_log_ratios(wv, i, j, probes)) * meetings.totals[j] / meetings.totals[i]
fit = glove.fit(wv, meetings)
print(fitted, fit.error())
""",
    )
    if data.own is not None:
        counts, after = (
            f"""\
words = {" ".join(data.own)!r}.split()
row = {{word: number for number, word in enumerate(dict.fromkeys(words))}}
meetings = glove.count_meetings(np.array([row[word] for word in words]), wv.config.window, len(row))
""",
            "",
        )
    return f"""\
import numpy as np
import tlmviz
from tlmviz.analysis.words import glove

wv = tlmviz.load({MODEL!r})
{counts}i, j = row[{data.first!r}], row[{data.second!r}]
probes = [row[word] for word in {" ".join(data.probes)!r}.split()]
table = glove.ratios(meetings, i, j, probes)
print(table.counts, table.probabilities, table.ratios)
{after}"""
