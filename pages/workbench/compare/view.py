"""Draws the page Compare: controls, two runs side by side, and what each head costs in few bits."""

from __future__ import annotations

from functools import partial

import numpy as np
import streamlit as st

from tlmviz.facades.language_model import LanguageModel
from tlmviz.ui import compute as shared
from tlmviz.ui import frame, handoff, inputs, live, state
from tlmviz.ui.handoff import EXPLORER, Onward
from tlmviz.ui.language import N_, _
from tlmviz.ui.progress import LOOK, Work

from . import claims
from .data import Data
from .state import MODELS, PROMPTS, Compare

PICTURE = live.Picture(__file__, "compare", head=Compare.head, pin=Compare.pin)
TEN = 10  # heads that are named
AT_ONCE = 64  # heads that are measured unasked
ASKED = "cmpcost"  # session: the switch that asks for the others
COSTS = {  # columns of the table: format, help
    N_("Head"): ("", N_("Layer and key/value head; with MLA, the latent that all heads of the layer share.")),
    N_("KL (nats)"): (".2e", N_("Mean KL along the text when only this head’s keys and values are rounded.")),
    N_("Outlier"): (".1f", N_("Largest |k| of the loudest channel, beside that of the median channel.")),
    N_("16 bits"): ("", N_("Whether the KL exceeds the limit.")),
}


EQUATION = (
    r"\Delta_{ij}=P^B_{\beta(i)\beta(j)}-P^A_{\alpha(i)\alpha(j)},\qquad "
    r"\text{moved}=\frac1n\sum_i\tfrac12\sum_j|\Delta_{ij}|,\qquad \mathrm{KL}(p^A\Vert p^B)=\sum_w "
    r"p^A_w\log\frac{p^A_w}{p^B_w}",
    "Edit distance: Levenshtein 1966. α and β are the positions of the aligned tokens in both texts; the sum over j "
    "has one more cell for all tokens without a partner.",
)


def controls(model: str) -> Compare | None:
    """Draw the controls; what they say. None, with a sentence, where there is no text."""
    with frame.after_picture(pairs=False):
        left, right, last = st.columns([0.5, 0.3, 0.2], vertical_alignment="center")
        view = Compare.view.draw(left)
    lm, given, text = shared.model(model), {}, ""
    if view == PROMPTS:
        for box, place in zip((Compare.a, Compare.b), st.columns(2)):
            box.draw(place)
    else:
        if view == MODELS:
            given["other"] = _model_menu(lm, right)
        else:
            Compare.bits.draw(right)
        text = inputs.text_box(lm)
    state.reset_button(Compare, last)
    chosen = Compare.of_session(model=model, text=text or "", **given)
    return None if text is None else chosen


def _model_menu(lm: LanguageModel, place) -> str:
    """The other model. While nobody chose one that fits, the first other one of as many layers and heads."""
    names = list(shared.models())
    shape = lm.config.n_layers, lm.config.n_heads
    fits = [name for name, config in shared.configs().items() if (config.n_layers, config.n_heads) == shape]
    if Compare.other.get() == Compare.other.default and Compare.other.default not in fits:
        Compare.other.set(next((name for name in fits if name != lm.name), lm.name))
    return Compare.other.draw(place, names)


def wait(data: Data) -> None:
    """Shows how far the comparison is, where the picture will stand."""
    data.found  # noqa: B018


def picture(data: Data) -> bool:
    """Tokens, differences of all heads and of one, cosines and predictions; False where nothing differs."""
    if data.cut:
        st.warning(claims.cut(data))
    if data.same:
        return False
    found, comparison = data.found, data.comparison
    alignment, most = comparison.alignment, max(1e-9, float(np.abs(found.small).max(initial=0)))
    one, two = comparison.weights(*data.head)
    pairs = {pair: number for number, pair in enumerate(zip(alignment.a.tolist(), alignment.b.tolist()))}
    header = {
        "title": claims.title(data),
        "columns": [
            {
                "a": None if i is None else comparison.a.tokens[i],
                "b": None if j is None else comparison.b.tokens[j],
                "pair": pairs.get((i, j)),
            }
            for i, j in alignment.columns(len(comparison.a), len(comparison.b))
        ],
        "layers": comparison.a.n_layers,
        "heads": comparison.a.n_heads,
        "side": found.small.shape[-1],
        "most": most,
        "head": data.head,
        "pin": data.furthest,
        "ten": comparison.moved(TEN)[["layer", "head"]].to_numpy().tolist(),
        "guesses": found.guesses,
        "apart": found.apart is not None,
    }
    arrays = {
        "maps": (np.rint(127 * found.small / most) + 128).astype(np.uint8),
        "moved": comparison.heads.moved.to_numpy(np.float32),
        "a": one,
        "b": two,
        "cosines": np.zeros(0, np.float32) if found.cosines is None else found.cosines,
        "kl": comparison.kl,
    }
    PICTURE.show(header, arrays)
    return True


def further(data: Data) -> None:
    """The links to other pages."""
    handoff.links(_onward(data))


def _onward(data: Data) -> list[Onward]:
    """Where the case can be followed: both texts patched into each other, and the head in detail at the pinned
    token."""
    runs, (layer, head) = data.runs, data.head
    links = []
    if data.patches:
        texts = {"ptclean": runs.a, "ptcorr": runs.b}
        links.append(Onward(_("Patch what differs here"), "patch", {"model": runs.model, **texts}))
    if data.same or not len(data.comparison.kl):
        return links
    query = int(data.comparison.alignment.a[data.pin])
    key = int(data.comparison.a.attention(layer, head, rows=slice(query, query + 1)).argmax())
    look = {"model": runs.model, "text": runs.a, "head": f"{layer}.{head}", "query": str(query), "key": str(key)}
    name = f"L{layer}H{head}"
    return [
        *links,
        Onward(_("Why {head} looks there in A", head=name), "why", look),
        Onward(_("Open {head} in the explorer", head=name), EXPLORER, look),
    ]


def costs(data: Data) -> None:
    """Of keys and values in few bits: what each head costs, and which should stay in 16 bits."""
    if data.runs.rounded[0] != "cache":
        return
    trace = data.comparison.a
    asked = trace.n_layers * trace.n_heads > AT_ONCE
    if asked and not st.toggle(_("Measure every head, one pass each"), key=ASKED):
        return
    job = data.costs
    if asked and not job.future.done():
        _measuring(data)
        return
    rows = job.wait(_("Keeps one head after the other in few bits …"))
    limit = Compare.limit.draw()
    kept = [row for row in rows if row.kl > float(limit)]
    st.markdown(claims.stay(data, len(kept), len(rows)))
    names = [_(name) for name in COSTS]
    table = [
        dict(zip(names, (f"L{row.layer}H{row.head}", row.kl, row.outlier, row in kept)))
        for row in sorted(rows, key=lambda row: -row.kl)
    ]
    formats = {_(name): form for name, (form, _help) in COSTS.items() if form}
    frame.table(table, formats, {_(name): _(help_) for name, (_form, help_) in COSTS.items()}, height=320)


@partial(frame.fragment, every=LOOK)
def _measuring(data: Data) -> None:
    """How far it is, looked at again and again; the page runs again when it has ended."""
    job = data.costs if st.session_state.get(ASKED) else None
    if job is None or job.future.done():
        st.rerun()
        return
    bar, button = st.columns([0.84, 0.16], vertical_alignment="center")
    bar.progress(job.share, _("Keeps one head after the other in few bits …") + job.left)
    button.button(_("Cancel"), on_click=_cancel, args=(job,), key="cmpcancel")


def _cancel(job: Work) -> None:
    st.session_state[ASKED] = False
    job.stopped = True


def snippet(data: Data) -> str:
    """The comparison with the public API."""
    runs = data.runs
    if data.chosen.view == PROMPTS:
        code = f"""\
lm = tlmviz.load({runs.model!r})
found = tlmviz.compare(lm.trace({runs.a!r}), lm.trace({runs.b!r}))
"""
    elif runs.rounded:
        part, key = runs.rounded
        code = f"""\
from tlmviz.analysis.workbench import precisions

lm = tlmviz.load({runs.model!r})
ids = lm.encode({runs.a!r})
found = tlmviz.compare(lm.trace_ids(ids), precisions.{part}_rounded(lm, ids, {key!r}))
"""
    else:
        code = f"""\
a, b = tlmviz.load({runs.model!r}), tlmviz.load({runs.other!r})
found = tlmviz.compare(a.trace({runs.a!r}), b.trace({runs.a!r}))
"""
    return f"""\
import tlmviz

{code}moved = found.moved(10)
print(moved)  # the heads that moved most
first = moved.iloc[0]
print(found.difference(int(first.layer), int(first["head"])).round(2))  # weight in B - weight in A
print(found.kl.round(3))  # behind each aligned token, in nats
"""
