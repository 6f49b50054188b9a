"""Draws the page Head atlas: all heads over two statistics with their table, or one head with its passages."""

from __future__ import annotations

from dataclasses import replace
from typing import Any
from urllib.parse import urlencode

import numpy as np
import streamlit as st

from tlmviz.analysis.workbench.survey import STATISTICS
from tlmviz.analysis.workbench.survey.finding import COLUMNS
from tlmviz.checkpoints.folders import AT
from tlmviz.figures import readable
from tlmviz.ui import frame, handoff, inputs, link, live, markdown
from tlmviz.ui.language import N_, _, ngettext

from .claims import without, written
from .data import Data
from .state import ALL, NAMES, ONE, OPENED, Atlas, another_passage

EVERYBODY = live.Picture(__file__, "atlas", open=OPENED, sort=Atlas.sort)
SINGLE = live.Picture(__file__, "atlas-one", "head.js", top=Atlas.top, pin=Atlas.pin)
SNIPPET = 60  # characters of a passage in the list
SHORT = {  # of the columns, above the table's and in menus
    "layer": N_("layer"),
    "head": N_("head"),
    "entropy": N_("entropy"),
    "peak": N_("peak"),
    "sink": N_("sink"),
    "self": N_("self"),
    "previous": N_("previous"),
    "distance": N_("distance"),
    "induction": N_("induction"),
}
BESIDE = {  # of the statistics, beside a strip of all heads
    "entropy": N_("entropy (bits)"),
    "peak": N_("largest weight"),
    "sink": N_("first token"),
    "self": N_("the token itself"),
    "previous": N_("previous token"),
    "distance": N_("distance (tokens)"),
    "induction": N_("induction"),
}
HELPS = {
    "layer": N_("The head's layer, from 0."),
    "head": N_("The head's number within its layer, from 0."),
    "entropy": N_("How many tokens share its attention: 0 bits are one token, 5 bits about 32."),
    "peak": N_("Its largest weight in a row."),
    "sink": N_("Its weight on the first token, where heads look that have nothing to look at."),
    "self": N_("Its weight on the token that looks."),
    "previous": N_("Its weight on the token just before."),
    "distance": N_("How far back it looks, in tokens."),
    "induction": N_("Its weight on tokens that followed an earlier copy of the token that looks, where there is one."),
}
EQUATIONS = {
    ALL: (
        r"\text{previous}=\frac1{|R|}\sum_{t\in R}p_{t,t-1},\qquad "
        r"\text{induction}=\frac1{|R'|}\sum_{t\in R'}\ \sum_{s\le t:\ x_{s-1}=x_t}p_{t,s}",
        "Induction and previous-token heads: Olsson et al. 2022 (“In-context Learning and Induction Heads”); sinks: "
        "Xiao et al. 2023; maps recomputed from q, k and the log-sum-exp: Dao et al. 2022.",
    ),
    ONE: (
        r"\text{share of bin }b=\frac{\sum_{t}\sum_{s:\,t-s\in b}p_{t,s}}{\sum_t\sum_s p_{t,s}}",
        "Clark et al. 2019 (“What Does BERT Look At?”) average heads over a corpus in this way.",
    ),
}


def controls() -> Atlas | None:
    """Draw the controls; what they say. None, with a sentence, where there is no survey. The page has no menu of
    models: which survey it opens on follows the one that is chosen elsewhere."""
    model = st.session_state["model"]
    asked = Data(Atlas.of_session(model=model, survey="", head=(0, 0), statistic=STATISTICS[0]))
    names, wanted = asked.names, asked.chosen.wanted
    if not names:
        st.info(
            _(
                "There is no survey here yet: run `tlmviz survey MODEL CORPUS --out DIR`, and start the app with "
                "`TLMVIZ_SURVEYS=DIR`."
            )
        )
        return None

    def named(survey: str) -> str:
        if names[survey]:
            return _("Training: {name}", name=survey.removesuffix(AT))
        return _("Survey: {name}", name=survey)

    if wanted is not None and wanted not in names:
        st.warning(
            _(
                "There is no survey “{name}” here; another one is shown. There are: {names}.",
                name=markdown.plain(wanted[:60]),
                names=", ".join(map(named, list(names)[:8])),
            )
        )
    with frame.after_picture(pairs=False, name="what"):
        left, right, *places = st.columns([0.25, 0.21, 0.27, 0.27], vertical_alignment="center")
        survey = Atlas.wanted.draw(right, list(names), asked.start, format_func=named)
        asked, given = Data(replace(asked.chosen, survey=survey)), {"model": model, "survey": survey}
        if names[survey]:
            given |= {"view": ALL, "survey": f"{survey}{_step(asked, left)}"}
        elif Atlas.view.draw(left) == ONE:
            return _one(asked, places, given)
        Atlas.x.draw(places[0], format_func=lambda column: f"→ {_(NAMES[column])}")
        Atlas.y.draw(places[1], format_func=lambda column: f"↑ {_(NAMES[column])}")
    Atlas.query.draw()
    return Atlas.of_session(head=(0, 0), statistic=STATISTICS[0], **given)


def _step(asked: Data, place: Any) -> int:
    """The step of a training: the chosen one, else that of the session's model, else the last."""
    steps, model = asked.steps, asked.chosen.model
    at = model.removeprefix(asked.chosen.survey)
    own = int(at) if at != model and at.isdecimal() and int(at) in steps else steps[-1]
    return Atlas.step.draw(place, steps, own, format_func=lambda step: _("Step {step}", step=f"{step:,}"))


def _one(asked: Data, places: list, given: dict) -> Atlas:
    """The menus of a head and of its passages."""
    layers, heads = asked.found.settings["layers"], asked.found.settings["heads"]
    layer, head = link.view().head
    if not (0 <= layer < layers and 0 <= head < heads):
        st.warning(
            _(
                "There is no head L{layer}H{head} in this survey: it has {layers} layers of {heads} heads, counted "
                "from 0; the one with the most induction is shown.",
                layer=layer,
                head=head,
                layers=layers,
                heads=heads,
            )
        )
        link.choose_head(*asked.striking)
    else:
        link.open_on(f"atlas {asked.chosen.survey}", lambda: asked.striking)
    chosen = inputs.head_menus(layers, heads, places[0].columns(2), another_passage)
    link.FIELDS["head"].share()
    by = Atlas.by.draw(
        places[1],
        STATISTICS,
        Data(replace(asked.chosen, head=chosen)).stands_out,
        format_func=lambda name: _("Passages: most {name}", name=_(SHORT[name])),
    )
    return Atlas.of_session(head=chosen, statistic=by, **given)


def everybody(data: Data) -> None:
    """All heads, those that the query names lit."""
    if data.wrong:
        st.error(frame.worded(data.wrong))
    chosen, trained = data.chosen, data.trained
    model = chosen.survey if trained else data.found.settings["model"]
    x, y = (_(NAMES[column]) for column in (chosen.x, chosen.y))
    header = {
        "title": _("{model}: {y} over {x} of every head", model=model, x=x, y=y),
        "file": f"tlmviz-heads-{model}",
        "columns": COLUMNS,
        "names": {column: _(name) for column, name in NAMES.items()},
        "brief": {column: _(name) for column, name in SHORT.items()},
        "helps": {column: _(help) for column, help in HELPS.items()},
        "x": chosen.x,
        "y": chosen.y,
        "layers": data.found.settings["layers"],
        "spans": trained.spans if trained else {},
        "opens": trained is None,
    }
    values = data.heads[list(COLUMNS)].to_numpy(np.float32).T
    EVERYBODY.show(header, {"values": values, "lit": data.lit.astype(np.uint8)})
    _caption(data, without(data))


def single(data: Data) -> None:
    """One head: where it stands, how far it looks, its tokens, and its strongest passages."""
    chosen, settings = data.chosen, data.found.settings
    layer, head = chosen.head
    header = {
        "title": _(
            "{model}, L{layer}H{head}: {name} {value} over {corpus}",
            model=settings["model"],
            layer=layer,
            head=head,
            name=_(NAMES[chosen.statistic]),
            value=written(chosen.statistic, data.values[data.index]),
            corpus=settings["corpus"],
        ),
        "statistics": STATISTICS,
        "names": {name: _(shown) for name, shown in BESIDE.items()},
        "by": chosen.statistic,
        "index": data.index,
        "heads": settings["heads"],
        "bins": data.bins,
        "tokens": {role: data.ranked(role) for role in ("query", "key")},
        "tops": [[written(chosen.statistic, each.value), readable(each.text[:SNIPPET])] for each in data.tops],
        "shown": data.top,
        "passage": _passage(data),
    }
    weights = np.zeros((0, 0)) if data.read is None else data.read.weights
    arrays = {
        "values": data.heads[list(STATISTICS)].to_numpy(np.float32).T,
        "deciles": data.deciles,
        "shares": data.shares,
        "weights": np.rint(65535 * weights).astype(np.uint16),
    }
    SINGLE.show(header, arrays)
    _caption(data)


def _passage(data: Data) -> dict | None:
    """What the view knows of a passage; `link` opens it in the explorer, without the pin."""
    passage = data.passage
    if passage is None:
        return None
    where = passage.source
    if passage.start:
        where = _("{source}, from token {start} on", source=passage.source, start=passage.start)
    if data.read is None:
        return {"tokens": [passage.text], "row": 0, "link": "", "where": where}
    layer, head = data.chosen.head
    asked = {"model": data.found.settings["model"], "text": passage.text, "head": f"{layer}.{head}"}
    tokens = data.read.trace.tokens
    return {"tokens": tokens, "row": data.read.row, "link": "./?" + urlencode(asked), "where": where}


def open_elsewhere(data: Data) -> None:
    """A link from a training to how its heads got there."""
    if data.trained is None:
        return
    run, step = data.found.settings["model"], data.trained.step
    handoff.links([handoff.Onward(_("This training, step by step"), "learning", {"lnrun": run, "lnstep": str(step)})])


def _caption(data: Data, more: str | None = None) -> None:
    frame.caption(" ".join([_summary(data), *_remarks(data), *filter(None, [more])]))


def _summary(data: Data) -> str:
    """What is shown, and of how much text."""
    found, count = int(data.lit.sum()), len(data.heads)
    if data.trained:
        heads = (
            _("{found} of {count} heads", found=found, count=count)
            if data.searched
            else _("all {count} heads", count=count)
        )
        return _(
            "{model} at step {step}: {heads}, over the texts that were measured while it learned.",
            model=data.found.settings["model"],
            step=f"{data.trained.step:,}",
            heads=heads,
        )
    shown = {
        "model": data.found.settings["model"],
        "corpus": data.found.settings["corpus"],
        "count": count,
        "found": found,
        "passages": f"{len(data.found.passages):,}",
        "tokens": f"{data.tokens:,}",
    }
    if data.chosen.view == ALL and data.searched:
        return _("{model}: {found} of {count} heads, over {passages} passages of {corpus}, {tokens} tokens.", **shown)
    return _("{model}: all {count} heads, over {passages} passages of {corpus}, {tokens} tokens.", **shown)


def _remarks(data: Data) -> list[str]:
    """What to know of a survey: that it is unfinished, or of a model that is not here."""
    settings, said = data.found.settings, []
    if data.trained:
        return said
    if missing := data.found.missing:
        total = -(-settings["documents"] // settings["shard"])
        said.append(
            ngettext(
                "This survey was interrupted: {n} of its {total} shards is missing; shown is what there is.",
                "This survey was interrupted: {n} of its {total} shards are missing; shown is what there is.",
                missing,
                total=total,
            )
        )
    if data.reader is None:
        said.append(
            _(
                "This survey is of {of}. The model of this survey is not here, so its passages are shown without "
                "attention; `tlmviz get` or `tlmviz run PATH` adds it.",
                of=settings["model"],
            )
        )
    return said


def snippet(data: Data) -> str:
    """The same with the public API."""
    chosen = data.chosen
    if data.trained:
        return f"""\
import tlmviz
from tlmviz.analysis.workbench.survey import find
from tlmviz.checkpoints.folders import run_folders

table = tlmviz.monitoring.read(run_folders()[{data.found.settings["model"]!r}]).heads
heads = table[table.step == {data.trained.step}].reset_index(drop=True)
heads = heads[find(heads, {chosen.query!r})]
print(heads.sort_values({chosen.y!r}, ascending=False)[["layer", "head", {chosen.x!r}, {chosen.y!r}]])
"""
    opened = f"""\
from tlmviz.analysis.workbench.survey import Survey, find
from tlmviz.checkpoints.folders import survey_folders

survey = Survey.open(survey_folders()[{chosen.survey!r}])
"""
    if chosen.view == ALL:
        return f"""\
{opened}heads = survey.heads[find(survey.heads, {chosen.query!r})]
print(heads.sort_values({chosen.y!r}, ascending=False)[["layer", "head", {chosen.x!r}, {chosen.y!r}]])
"""
    layer, head = chosen.head
    return f"""\
import tlmviz
{opened}tops = survey.tops.query("layer == {layer} and head == {head} and statistic == {chosen.statistic!r}")
best = tops.iloc[{chosen.top}]
text = survey.passages.text[best.passage]

lm = tlmviz.load(survey.settings["model"])
trace = lm.trace(text)
row = trace.row_statistics()[{chosen.statistic!r}][{layer}, {head}, 1:].nan_to_num(-1).argmax().item() + 1
print(best.value, trace.tokens[row], trace.attention({layer}, {head})[row].topk(3))
"""
