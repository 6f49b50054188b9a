"""Draws the page Projector: controls, the map or the film in the browser, and analogies with how often they fail."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import streamlit as st

from tlmviz.analysis.words.analogies import RELATIONS
from tlmviz.errors import Error
from tlmviz.figures import number
from tlmviz.figures.words import analogies as figures
from tlmviz.ui import frame, live, markdown
from tlmviz.ui import state as declared
from tlmviz.ui import words as word_models
from tlmviz.ui.components.attention_view import pack
from tlmviz.ui.components.scripts import component
from tlmviz.ui.language import N_, _

from . import claims
from .data import Data
from .state import ANALOGIES, CATEGORY, EMBEDDINGS, FILM, KIND, MAP, RANK, TSNE, UNEMBEDDINGS, WORDS, Projector

PICTURE = live.Picture(__file__, "projector", word=Projector.word, camera=Projector.camera, frame=Projector.frame)
_POINTS = component("tlmviz_projector_points", Path(__file__).parent, entry="sent.js")
WAYS = {"right": "first", "among 5": "five", "b + c alone": "without"}
COLUMNS = {
    "Right": N_("The right word is the nearest to b − a + c; a, b and c are left out of the search."),
    "Among 5": N_("The right word is among the five nearest."),
    "Median rank": N_("Half of the right words rank better than this among all words."),
    "b + c alone": N_("Right if a is not taken away: what mere nearness to b and c finds."),
    "Given word first": N_(
        "The nearest word of all is one of the three given: what the answer would be if they were not left out."
    ),
}
EQUATION_MAP = (
    r"y_i=\begin{bmatrix}a_1^\top\\a_2^\top\end{bmatrix}(v_i-\bar v),\qquad "
    r"\tfrac1N\sum_i(v_i-\bar v)(v_i-\bar v)^\top a_k=\lambda_k a_k,\qquad "
    r"\text{share}_k=\lambda_k\Big/\sum_j\lambda_j",
    "Principal component analysis (Pearson 1901; Hotelling 1933). t-SNE: van der Maaten and Hinton 2008.",
)
EQUATION_ANALOGY = (
    r"\hat d=\arg\max_{d\notin\{a,b,c\}}\cos\!\left(v_d,\;\frac{v_b}{|v_b|}-\frac{v_a}{|v_a|}+\frac{v_c}{|v_c|}\right)",
    "Mathematics in Modern NLP, section 2, Eq. 1; Mikolov et al. 2013, Levy and Goldberg 2014 (3CosAdd).",
    "Eq. 1 writes an equals sign. It is a search for the nearest word, with the three given words left out.",
)


def controls() -> Projector:
    """Draw the controls; what they say."""
    *places, last = st.columns([0.24, 0.24, 0.24, 0.16, 0.12], vertical_alignment="center")
    view = Projector.view.draw(places[0])
    model = Projector.model.draw(places[1], options=Data(Projector()).models)
    side = Projector.side.draw(places[2], options=Data(Projector(model=model)).sides)
    given = {"model": model, "side": side}
    if view == ANALOGIES:
        row = st.columns([0.2, 0.1, 0.2, 0.06, 0.2, 0.24], vertical_alignment="center")
        for field, place in zip((Projector.first, Projector.second, Projector.third), row[::2]):
            field.draw(place)
        for place, text in zip(row[1::2], (_("is to"), _("as"), _("is to …"))):
            place.markdown(text)
        return Projector.of_session(**given)
    of_words = side not in (EMBEDDINGS, UNEMBEDDINGS)
    Projector.word.draw(places[3], placeholder=_("Find a word") if of_words else _("Find a token"))
    with frame.more(last):
        if view == MAP:
            Projector.method.draw()
        colour = Projector.colour.draw(options=(CATEGORY, RANK) if of_words else (CATEGORY, KIND, RANK))
        declared.reset_button(Projector)
    return Projector.of_session(**given, colour=colour)


def filmed(shown: Data) -> bool:
    """Whether there is a film, or none is wanted; a sentence says why there is none."""
    if shown.no_film == "side":
        st.info(
            _("The film was kept of the words' own vectors, not of those as context words; choose “as read” above.")
        )
    elif shown.no_film:
        st.info(
            _(
                "{model} has no film: the word-vector models kept pictures of their training, the language models did "
                "not. Choose one of the words- models.",
                model=shown.chosen.model,
            )
        )
    return not shown.no_film


def wait(shown: Data) -> None:
    """Says that the points are laid out, where the picture will stand, while they are."""
    said = _("Laying out the vectors …")
    if shown.chosen.plane == TSNE:
        said = _(
            "t-SNE lays out {count:,} vectors: about half a minute on one core, once. Other pages go on meanwhile.",
            count=shown.count,
        )
    with st.spinner(said, show_time=True):
        shown.answer if shown.chosen.view == ANALOGIES else shown.places  # noqa: B018


def picture(shown: Data) -> None:
    """The points, and what is chosen among them; a word without a place is a sentence, and the points stay."""
    if isinstance(shown.found, Error):
        st.warning(markdown.plain(frame.worded(shown.found)))
    shown_groups, group_of = shown.grouped
    word, chosen = shown.word, shown.chosen
    arrays = {"places": shown.plane.places, "groups": group_of.astype(np.uint8)}
    if shown.near is not None:
        arrays |= {"near": shown.near[0].astype(np.uint16), "cosines": shown.near[1].astype(np.float32)}
    # What a word changes travels apart from the points, which are sent once: Streamlit sends equal bytes again as a
    # number.
    _POINTS(
        key="projector-points",
        data=pack({"space": chosen.space, "names": "\n".join(shown.shown.names)}, arrays),
        height=1,
    )
    header: dict[str, Any] = {
        "title": claims.title(shown),
        "space": chosen.space,
        "token": not chosen.of_words,
        "box": [round(value, 5) for value in shown.plane.box],
        "groups": [{"name": group.name, "light": group.light, "dark": group.dark} for group in shown_groups],
        "colour": chosen.colour,
        "large": chosen.colour == CATEGORY,
        "film": _film(shown) if chosen.view == FILM else None,
        "word": chosen.word,  # as it is asked for; what is found of it:
        "name": word.name if word else "",
        "row": word.row if word else -1,
        "place": word.place if word else None,
        "near": word.near if word else (),
        "cosines": [round(each, 6) for each in word.cosines] if word else (),
    }
    PICTURE.show(header, {})


def _film(shown: Data) -> dict[str, list]:
    """What is said of each frame, and the loss there, None where it was not measured."""
    read = [_("{read} words read", read=number(float(each), ",.0f")) for each in shown.film.words_read]
    return {"at": read, "losses": shown.losses}


def analogy(shown: Data) -> None:
    """The typed analogy: its parallelogram and the nearest words."""
    result, theme = shown.answer, frame.theme()
    left, right = st.columns([0.58, 0.42])
    with left:
        figure = figures.parallelogram(
            [*shown.chosen.analogy, "b − a + c"],
            result.corners,
            result.names[:6],
            result.places[:6],
            result.off[:6],
            theme,
            title=_("The plane through the three words (unit vectors)"),
        )
        alt = _("Two parallel arrows, and the words nearest to the end of the second")
        frame.chart(figure, key="wpplane", alt=alt)
    with right:
        title = _("Nearest to b − a + c (cosine)")
        figure = figures.answers(result.all_names, result.all_cosines, theme, title=title, given=result.given)
        frame.chart(figure, key="wpanswers", alt=_("Bars of the cosines of the nearest words"))


def counted(shown: Data) -> None:
    """How often analogies come out right: all word models side by side, and every relation of the chosen one."""
    st.markdown(_("#### How often it fails"))
    with st.spinner(_("Counting every analogy of the table …"), show_time=True):
        own = shown.tallies()
        models = {name: shown.tallies(name) for name in word_models.models()}
    if shown.chosen.model not in models:
        models = {shown.chosen.model: own, **models}
    shares = {
        name: {way: claims.total(tallies, field) for way, field in WAYS.items()}
        for name, tallies in models.items()
        if tallies
    }
    if shares:
        figure = figures.solved(shares, frame.theme(), title=_("Analogies that come out right (percent of all)"))
        frame.chart(figure, key="wpsolved", alt=_("Bars of the share of analogies solved by each model"))
    table = pd.DataFrame(
        {
            "Relation": [tally.relation for tally in own],
            "Analogies": [tally.count for tally in own],
            "Right": [100 * tally.first for tally in own],
            "Among 5": [100 * tally.five for tally in own],
            "Median rank": [tally.median for tally in own],
            "b + c alone": [100 * tally.without for tally in own],
            "Given word first": [100 * tally.given for tally in own],
        }
    )
    columns = {
        name: st.column_config.NumberColumn(format="%.0f" if name == "Median rank" else "%.1f%%", help=_(said))
        for name, said in COLUMNS.items()
    }
    st.dataframe(table, hide_index=True, column_config=columns)
    (a, b), (c, _d) = RELATIONS["he : she"][:2]
    said = _(
        "{model}, {side}: {count:,} analogies: every two pairs of a relation make one, such as “{a} is to {b} as {c} "
        "is to …”. Pairs with a word that the model does not have are left out."
    )
    values = {"model": markdown.plain(shown.chosen.model), "side": shown.chosen.side}
    frame.caption(said.format(**values, count=sum(tally.count for tally in own), a=a, b=b, c=c))


def snippet(shown: Data) -> str:
    """What is shown, with the public API."""
    chosen = shown.chosen
    if chosen.view == FILM:
        return (
            f"import tlmviz\n\nwv = tlmviz.load({chosen.model!r})\nfilm = wv.snapshots\n"
            "for read, places in zip(film.words_read, film.coordinates):  # [N, 16] on the finished vectors' main "
            "axes\n"
            '    print(f"{read:12,.0f} words read; spread {places.std():.3f}")\n'
            f"print(wv.vocabulary.index({chosen.word!r}) if {chosen.word!r} in wv else None)\n"
        )
    colours = {CATEGORY: "groups.by_category(names, CATEGORIES)", KIND: "groups.by_kind(names)"}
    tsne = chosen.method == TSNE
    place = (
        "places = tsne(vectors[:2000])  # half a minute\nnames = names[:2000]"
        if tsne
        else "axes = principal_axes(vectors)  # axes.share: of the variance\nplaces = axes.place(vectors)"
    )
    imports = f"""\
from tlmviz.analysis.words.categories import CATEGORIES
from tlmviz.analysis.words.projection import {"tsne" if tsne else "principal_axes"}
from tlmviz.figures import LIGHT{"" if chosen.of_words else ", readable"}
from tlmviz.figures.words import groups, points"""
    return (
        f"import tlmviz\n{imports}\n\n{_vectors(chosen)}\n{place}\n"
        f"colours = {colours.get(chosen.colour, 'groups.by_rank(names)')}\n"
        f"points.scatter(places, names, *colours, LIGHT, title={f'{chosen.model}, {chosen.side}'!r}).show()\n"
    )


def _vectors(chosen: Projector) -> str:
    if chosen.of_words:
        part = "space" if chosen.side == WORDS else "context_vectors"
        return f"wv = tlmviz.load({chosen.model!r})\nnames, vectors = wv.vocabulary, wv.{part}  # [V, C]"
    layer = "head" if chosen.side == UNEMBEDDINGS else "token_emb"
    return (
        f"lm = tlmviz.load({chosen.model!r})\nvectors = lm.network.{layer}.weight.detach().float()  # [V, C]\n"
        "names = [readable(lm.tokenizer.name(i), spaced=True) for i in range(len(vectors))]"
    )


def snippet_analogy(shown: Data) -> str:
    """The analogy and the count of all, with the public API."""
    chosen, (a, b, c) = shown.chosen, shown.analogy
    if chosen.side == WORDS:
        asked = f"print(wv.analogy({a!r}, {b!r}, {c!r}, 10))  # the nearest words and their cosines\n"
    else:
        spelled = ", ".join(f"find({word!r})" for word in (a, b, c))
        asked = (
            "find = {name: row for row, name in reversed(list(enumerate(names)))}.get\n"
            if chosen.of_words
            else "rows = {name: row for row, name in reversed(list(enumerate(names)))}\n"
            "find = lambda word: rows.get('␣' + word, rows.get(word))\n"
        )
        asked += (
            f"rows_given = [{spelled}]\nnear = nearness.cosines(nearness.analogy_vector(*vectors[rows_given]), "
            "vectors)\nnear[rows_given] = -2\nbest = near.topk(10)\n"
            "print([(names[row], round(float(near[row]), 3)) for row in best.indices.tolist()])\n"
        )
    imports = ["from tlmviz.analysis.words import analogies, nearness"]
    if not chosen.of_words:
        imports.append("from tlmviz.figures import readable")
    count = "print(analogies.tally(vectors, {name: row for row, name in enumerate(names)}.get))  # every relation\n"
    head = "import tlmviz\n" + "\n".join(imports)
    return f"{head}\n\n{_vectors(chosen)}\n{asked}{count if chosen.of_words else ''}"
