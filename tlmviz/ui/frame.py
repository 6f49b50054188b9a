"""The frame every page shares, top to bottom: claim, picture, what to notice, badges, equation, code."""

from __future__ import annotations

import contextlib
import functools
import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextvars import ContextVar
from typing import TYPE_CHECKING, Any, Protocol

import plotly.graph_objects as go
import streamlit as st
from streamlit.delta_generator import DeltaGenerator
from streamlit.errors import StreamlitDuplicateElementKey
from streamlit.runtime.scriptrunner import get_script_run_ctx

from tlmviz import figures, kernels
from tlmviz.errors import Error, NoNetwork
from tlmviz.facades.language_model import LanguageModel
from tlmviz.facades.translator import Translator
from tlmviz.figures.written import MISSING, number
from tlmviz.hosting import ahead, metrics
from tlmviz.hosting.vendored import plotly_for
from tlmviz.tracing.trace_file import TraceFile

from . import address, engine, glossary, language, markdown, reading, texts
from .claims import Claim, first, holding
from .components import said_by
from .components.below import PAINTED
from .components.chart import chart as plotly_chart
from .components.page_script import page_script
from .components.scripts import EVERYONE
from .state import State, arrive

if TYPE_CHECKING:
    import pandas as pd

    from tlmviz.checks import Check

    from .hints import Hint

# The picture belongs above the fold: Streamlit's own margins would push it down by a third of a laptop screen.
_COMPACT = """<style>
.stMainBlockContainer { padding: 0.7rem 1.6rem 3rem; }
.stMainBlockContainer h1 { padding: 0 2.4rem 0.2rem 0; }
.stMainBlockContainer h1 .stMarkdownColoredText { font-weight: 400; }
[data-testid="stHeader"] { background: transparent; height: 2.4rem; min-height: 0; pointer-events: none; }
[data-testid="stHeader"] * { pointer-events: none; }
[data-testid="stHeader"] :is(button, a, button *, a *) { pointer-events: auto; }
[data-testid="stSidebarHeader"] { height: 2.2rem; margin-bottom: 0; }
[data-testid="stSidebarUserContent"] { padding-top: 0.3rem; }
.st-key-top { row-gap: 0.3rem; margin: -0.05rem 0 -0.4rem; }
.st-key-top > * { flex: none; width: auto; max-width: 100%; }
.st-key-top > :has([role="combobox"]) { flex: 0 1 20rem; }
.st-key-top > :has(.st-key-at_step) { width: 11rem; padding: 0.5rem 1rem 0; }
.st-key-top [role="group"]:has(> [role="combobox"]), .st-key-top [role="combobox"] { height: 2.1rem; }
.st-key-top button { min-height: 2.1rem; padding-block: 0.2rem; }
.st-key-top > :has(.st-key-examples), .st-key-top > .st-key-examples { margin-left: auto; }
.st-key-top :is([data-testid="stButtonGroup"], [data-testid="stCheckbox"] > label) { display: flex;
  align-items: center; }
.st-key-top [data-testid="stWidgetLabel"] { margin: 0 0.5rem 0 0; }
.st-key-top [data-testid="stCheckbox"] > label > div { margin: 0 0.5rem 0 0; }
[data-testid="stLayoutWrapper"]:has(> :is(.st-key-scripts, [class*="st-key-address-"])) { display: none; }
html[data-ahead] :is(.st-key-claim, .st-key-predictions, .st-key-closer),
html[data-ahead] :is(.st-key-of-text, [class*="st-key-beneath-"]) { opacity: 0.45; }
.st-key-claim p { font-size: 1.06rem; margin-bottom: 0.2rem; }
.stMainBlockContainer .katex-display { overflow: auto hidden; padding: 0.2rem 0 0.5rem; scrollbar-width: thin; }
.stPlotlyChart { position: relative; }
.stPlotlyChart:has(> .saves) { margin-top: 0.7rem; }
.stPlotlyChart > .saves { position: absolute; top: -1.6rem; right: 0; line-height: 1; opacity: 0.8; }
.stPlotlyChart > .saves button { padding: 3px 8px !important; line-height: 1.4; }
.js-plotly-plot .modebar-container { top: -0.9rem !important; }
.js-plotly-plot .modebar { right: 4.5rem !important; }
.js-plotly-plot .tlmviz-lit text { font-weight: 700 !important; text-decoration: underline; }
[data-testid="stCaptionContainer"], [data-testid="stExpander"] summary, .stMarkdown blockquote,
.stSpinner [role="status"] + span { opacity: 0.87; }
.stMarkdown blockquote, .stMarkdown blockquote p { color: inherit; }
.stPlotlyChart:focus-visible, .stPlotlyChart [tabindex]:focus-visible { outline: 2px solid currentColor;
  outline-offset: 2px; }
::highlight(tlmviz-word) { text-decoration: underline dotted; }
.st-key-top input[role="combobox"] { text-overflow: ellipsis; }
html[data-alone] :is([data-testid="stSidebar"], [data-testid="stExpandSidebarButton"], [data-testid="stHeader"]),
html[data-alone] .stMainBlockContainer :has(> [data-tlmviz-kept]) > :not([data-tlmviz-kept]) { display: none; }
html[data-alone] .stApp .stMainBlockContainer { padding: 0.6rem 0.8rem; }
@media (max-width: 640px) {
  .st-key-top > :has([role="combobox"]) { flex: 1 1 12rem; max-width: calc(100% - 7rem); }
  [data-testid="stButtonGroup"] [role="radiogroup"] { flex-wrap: wrap; overflow: visible; }
  .stMainBlockContainer { padding: 2.6rem 0.9rem 3rem; }
  [class*="-pairs"] > * > [data-testid="stHorizontalBlock"] > [data-testid="stColumn"] {
    min-width: calc(50% - 0.5rem); flex: 1 1 calc(50% - 0.5rem);
  }
  .stMainBlockContainer h1 { padding-right: 0; }
  .st-key-top { column-gap: 0.25rem; }
  .st-key-top :is([data-testid="stButtonGroup"] [data-testid="stWidgetLabel"], [data-testid="stTooltipIcon"]) {
    display: none; }
  .st-key-examples button { padding-inline: 0.5rem; }
  .stMarkdown :is(td, th) { padding: 0.3rem 0.4rem !important; font-size: 0.82rem; }
  [data-testid="stLayoutWrapper"]:has(> .st-key-split), .st-key-split { display: contents; }
  .st-key-picture-first :has(> [class*="st-key-after-picture"]) { order: 1; }
  .stColumn:has(> * > .st-key-_layer, > * > .st-key-_head, > * > .st-key-_token) { min-width: 28%; flex: 1 1 28%; }
}
</style>"""
# In a frame of another page (`?embed=true`) there is the page itself: title, controls, picture and what is below it.
_EMBEDDED = """<style>
[data-testid="stSidebar"], [data-testid="stExpandSidebarButton"], .st-key-examples, .st-key-top { display: none; }
.stMainBlockContainer, .stApp .stMainBlockContainer { padding: 0.6rem 0.8rem 1rem; }
</style>"""
ZOOM = ["zoomIn2d", "zoomOut2d", "resetScale2d"]  # for charts that are dragged
# Where this run's title and its examples stand; the page may be drawn without the app around it.
_TOP: ContextVar[tuple[DeltaGenerator, DeltaGenerator] | None] = ContextVar("top", default=None)
_SHARED: ContextVar[DeltaGenerator | None] = ContextVar("shared", default=None)
MARGINS = 27, 304  # pixels that a page's content is narrower than a phone, and than a window with the sidebar
# A shade at the sides at which more is to be scrolled to: the two of the first line are part of what scrolls, and cover
# those of the second where it ends.
_SHADES = (
    "{{ background: linear-gradient(90deg, {page} 40%, transparent) 0 / 48px 100% no-repeat local,"
    " linear-gradient(270deg, {page} 40%, transparent) 100% / 48px 100% no-repeat local,"
    " linear-gradient(90deg, {shade}, transparent) 0 / 14px 100% no-repeat scroll,"
    " linear-gradient(270deg, {shade}, transparent) 100% / 14px 100% no-repeat scroll; }}"
)


def theme() -> figures.Theme:
    """The colours of the browser's theme."""
    return figures.DARK if st.context.theme.type == "dark" else figures.LIGHT


def _shades() -> str:
    """The CSS declarations of a part that scrolls sideways, in the colours of the theme."""
    colors = theme()
    return _SHADES.format(page=colors.page, shade=figures.faded(colors.muted, 0.5))


@functools.cache
def _everyone() -> str:
    """The style for less motion, fingers and paper, which views have in their shadow roots."""
    return EVERYONE.read_text(encoding="utf-8")


def above(key: str) -> DeltaGenerator:
    """The row below the title, drawn before the page draws anything: the model, the reading level, and later the
    examples."""
    title = st.container()
    row = st.container(key=key, horizontal=True, vertical_alignment="center", gap="small")
    _TOP.set((title, row))
    return row


class Entry(Protocol):
    """What SECTIONS of `pages` says of a page."""

    folder: str
    title: str
    claim: str


def heading(page: Entry, examples: Callable[[], None], *states: type[State], **values: str) -> None:
    """The page's title, its one-sentence claim, whose holes are filled by `values`, and its examples, on as little
    height as possible.

    Its `states` take what the link says, and what cannot be shown of it gets a sentence.
    """
    shades = f".stMainBlockContainer .katex-display {_shades()}\n"
    shades += f'.stApp [data-testid="stBaseButton-primary"] {{ color: {theme().page}; }}\n'
    shades += (
        f".stApp .stCode .token.keyword {{ color: {theme().accent}; }}\n"  # Streamlit's own is too dark on a dark page
    )
    st.html(_COMPACT.replace("</style>", f"{shades}{_everyone()}</style>"))
    if st.context.is_embedded:
        st.html(_EMBEDDED)
    with st.container(key="scripts"):
        page_script(theme().name, glossary.definitions(), language.LANGUAGE.get())
    place, row = _TOP.get() or (st.container(), st.container())
    place.markdown(f"# {language._(page.title)} :small[:gray[{language._(page.claim, **values)}]]")
    with row:
        examples()
    if unread := arrive(*states):
        named = ", ".join(f"{label}: “{text[:40]}”" for label, text in list(unread.items())[:3])
        said = language._(
            "The link asks for what cannot be shown here ({named}); the nearest that can is shown.", named=named
        )
        st.warning(markdown.sentence(said))


def split_on_phones() -> DeltaGenerator:
    """Controls side by side within `picture_first`; on a phone each stands alone, and those of `after_picture` come
    later."""
    return st.container(key="split", horizontal=True, vertical_alignment="center", gap="small")


def saying_errors(work: Callable[..., None]) -> Callable[..., None]:
    """The same function; where it raises a tlmviz Error, its sentence is shown in its place."""

    @functools.wraps(work)
    def guarded(*args: Any) -> None:
        try:
            work(*args)
        except NoNetwork as error:  # nothing went wrong: there is nothing to show
            st.info(worded(error))
        except Error as error:
            st.error(worded(error))

    return guarded


def worded(error: Error) -> str:
    """An error's sentence in the visitor's language, with its values, as Markdown."""
    said = language._(error.message, **error.values) if error.message else str(error)
    return markdown.sentence(said)


def fragment(work: Callable[..., None], every: float | None = None, writes: bool = True) -> Callable[..., None]:
    """A Streamlit fragment that shows an Error's sentence: in its own reruns no `try` of the page is around it.

    With `every` it also runs again after so many seconds, by itself. Its reruns are measured as presses on its page. It
    `writes` the address at its end, but where that is the browser's own.
    """
    return st.fragment(_measured(saying_errors(work), writes), run_every=every)


def _measured(work: Callable[..., None], writes: bool) -> Callable[..., None]:
    """The same function; where it is all that runs, the time it takes is one press."""
    name = work.__qualname__.replace(".", "-").replace("<", "").replace(">", "")

    @functools.wraps(work)
    def timed(*args: Any) -> None:
        language.choose()
        context = get_script_run_ctx()
        alone = context is not None and context.fragment_ids_this_run
        page = st.session_state.get(address.OWNER, "")
        press = metrics.PRESSES.labels(page).time() if alone else contextlib.nullcontext()
        with address.written_by(name) if writes else contextlib.nullcontext(), press:
            try:
                work(*args)
            except StreamlitDuplicateElementKey:
                # A run of the whole page that ended on its way left this fragment at two places, and both were pressed.
                if not alone:
                    raise
                st.rerun()

    return timed


def chart(
    figure: go.Figure, *, key: str, alt: str, select: str | None = None, on_select: Callable[[], None] | None = None
) -> None:
    """A Plotly figure in its own colours, with a description for screen readers and the menu *Save*.

    `select`, "points" or "box", makes it answer to clicks or dragged boxes: `on_select` is called, and `clicked` or
    `dragged` tells what was selected. A figure that has not changed is not drawn anew.
    """
    config = {
        "displaylogo": False,
        "displayModeBar": figure.layout.dragmode in ("pan", "zoom"),
        "modeBarButtons": [ZOOM],
    }
    script = plotly_for({trace.type for trace in figure.data})
    if not st.session_state.get(PAINTED):  # a chart below a live picture has time
        ahead.opens_on_a_chart(st.context.url, script)
    lang = language.LANGUAGE.get()
    plotly_chart(figure, script, key=key, alt=alt, config=config, lang=lang, select=select, on_select=on_select)


def clicked(key: str, count: int = 1) -> tuple[int, ...]:
    """The first `count` whole numbers of the point that was just clicked in the chart `key`, its `customdata`, or of a
    row.

    Empty where none was clicked, or where a tab says what is no such point.
    """
    said = said_by(key, "selection")
    try:
        carried = said["points"][0]["customdata"] if "points" in said else said["rows"]
        numbers = tuple(map(int, (carried if isinstance(carried, list) else [carried])[:count]))
    except (LookupError, TypeError, ValueError, OverflowError):
        return ()
    return numbers if len(numbers) == count and min(numbers) >= 0 else ()


def dragged(key: str) -> tuple[list[float], list[float]] | None:
    """The ends in x and in y of the box that was dragged last in the chart `key`; None as `clicked` is empty."""
    try:
        box = said_by(key, "selection")["box"][-1]
        x, y = ([float(end) for end in box[axis][:2]] for axis in "xy")
    except (LookupError, TypeError, ValueError, OverflowError):
        return None
    return (x, y) if len(x) == len(y) == 2 and all(map(math.isfinite, x + y)) else None


def more(place: DeltaGenerator | None = None) -> DeltaGenerator:
    """Where controls go that a first look can do without: behind a button *More*, or, at the reading level Maths, in
    sight."""
    if reading.maths():
        return after_picture(name="more")
    return (place or st).popover(language._("More"), key="more", width="stretch")


def picture_first() -> DeltaGenerator:
    """A container of controls and their picture: on a phone those inside `after_picture` come below the picture. A part
    has that of its page's `shared_controls`, where there are some."""
    return _SHARED.get() or st.container(key="picture-first")


@contextlib.contextmanager
def shared_controls() -> Iterator[DeltaGenerator]:
    """The container of `picture_first` for the controls that the parts of a page share; the part is drawn within the
    block."""
    place = picture_first()
    token = _SHARED.set(place)
    try:
        yield place
    finally:
        _SHARED.reset(token)


def after_picture(pairs: bool = True, name: str = "", **layout: Any) -> DeltaGenerator:
    """The controls within `picture_first` that a first look at the picture can do without: on a phone `pairs` stand in
    a row.

    Several on one page have names.
    """
    return st.container(key="-".join(filter(None, ("after-picture", name, "pairs" if pairs else ""))), **layout)


def table(
    rows: pd.DataFrame | Iterable[Mapping[str, Any]],
    formats: Mapping[str, str | Callable[[float], str]],
    helps: Mapping[str, str] | None = None,
    columns: Mapping[str, Any] | None = None,
    **options: Any,
) -> None:
    """Rows of named values as a table that sorts by value and writes numbers as all else on a page: "−" for minus, "–"
    for none.

    `formats` gives columns a format of Python's or a function that writes them, `helps` a sentence that their heads
    show, and `columns` settings of Streamlit's, whose own formats win and write a hyphen for minus.
    """
    import pandas as pd

    data = rows if isinstance(rows, pd.DataFrame) else pd.DataFrame(list(rows))
    written = {
        name: functools.partial(number, spec=spec) if isinstance(spec, str) else spec
        for name, spec in formats.items()
        if name in data
    }
    heads = {name: st.column_config.Column(help=text) for name, text in (helps or {}).items() if name in data}
    st.dataframe(
        data.style.format(written, na_rep=MISSING),
        hide_index=True,
        placeholder=MISSING,
        column_config=heads | dict(columns or {}),
        **{"height": "content"} | options,
    )


def wide(key: str, width: int = 900) -> DeltaGenerator:
    """A container for a picture that needs `width` pixels: where there are fewer it scrolls sideways, and says so.

    What scrolls cuts off what stands out of it: a chart's buttons stand above the chart, so it begins as much higher.
    """
    alone, beside = (width + margin for margin in MARGINS)
    st.html(f"""<style>
.st-key-{key} {{ overflow-x: auto; scrollbar-width: thin; padding-top: 0.9rem; margin-top: -0.9rem; }}
.st-key-{key} {_shades()}
.st-key-{key} > div {{ min-width: {width}px; }}
.st-key-{key}::before {{ display: none; position: sticky; left: 0; content: "Swipe sideways to see all of it →";
  font-size: 0.8rem; color: {theme().muted}; }}
@media (max-width: {alone}px), (pointer: coarse) and (max-width: {beside}px) {{ .st-key-{key}::before {{
  display: block; }} }}
</style>""")
    return st.container(key=key)


def claim(claims: Sequence[Claim], data: Any) -> None:
    """The first claim that holds, above the picture. The page's others stand below, by `claims`."""
    with st.container(key="claim"):
        st.markdown(first(claims, data))


def next_step(hints: Iterable[Hint], data: Any) -> None:
    """What the reader can do now, below the picture: the first that can be done; nothing where none can."""
    said = next((hint.said for hint in hints if hint.done(data) is not None), None)
    if said:
        with st.container(key="next-step"):
            st.markdown(f"→ {language._(said)}")


def claims(claims: Sequence[Claim], data: Any, *, more: Iterable[str] = (), maths: Iterable[str] = ()) -> None:
    """All claims that hold but the first, and below them what holds of the picture's parts in any state, as it is
    declared."""
    said = list(holding(claims, data).values())[1:]
    what_to_notice(*said, *map(language._, more), maths=list(map(language._, maths)))


def what_to_notice(*plain: str, maths: Iterable[str] = ()) -> None:
    """What to look for in the picture, as short bullets; those of `maths` at that reading level only."""
    points = (*plain, *(maths if reading.maths() else ()))
    if points:
        st.markdown("\n".join(f"- {point}" for point in points))


def caption(plain: str = "", *, maths: str = "") -> None:
    """Small text below a picture; `maths` is added at that reading level only."""
    text = "  \n".join(part for part in (plain, maths if reading.maths() else "") if part)
    if text:
        st.caption(text)


def badges(checks: Iterable[Check]) -> None:
    """Measured identities in one line, which names those that fail; opened, it lists each error and its tolerance."""
    every = list(checks)
    if not every:
        return
    failed = [check.name for check in every if not check.passed]
    held, color, sign = len(every) - len(failed), "red" if failed else "green", "✗" if failed else "✓"
    if len(every) == 1:
        said = f"{every[0].name}: {'does not hold' if failed else 'holds'}"
    else:
        said = f"{held} of {len(every)} identities hold" + (f"; not: {', '.join(failed)}" if failed else "")
    with st.expander(f":{color}[{sign} {said}]", type="compact"):
        st.markdown("\n".join([texts.MEASURED_NOW, *map(_badge, every)]))


def measured(measure: Callable[[], Iterable[Check]]) -> None:
    """The badges of identities that are measured now; where that takes a while, a sentence says so."""
    with st.spinner(texts.MEASURING, show_time=True):
        checks = list(measure())
    badges(checks)


def timed(said: str, again: Callable[[], None]) -> None:
    """What was measured on this server, and beside it the button that measures it `again`."""
    with st.container(horizontal=True, vertical_alignment="center"):
        st.caption(said)
        st.button(language._("Measure again"), key="measure", on_click=again, type="tertiary")


def _badge(check: Check) -> str:
    """One identity as a bullet: name, error, tolerance, and what holds."""
    color, sign = ("green", "✓") if check.passed else ("red", "✗")
    error, most = number(check.error, ".1e"), number(check.tolerance, ".0e")
    return f"- :{color}-badge[{sign} {check.name} · {error} ≤ {most}] {check.claim}"


def equation(latex: str, source: str, slips: str = "") -> None:
    """A formula and where it comes from, at the reading level Maths; `slips`, where the lecture notes differ, are
    folded."""
    if not reading.maths():
        return
    st.latex(latex)
    st.caption(source)
    if slips:
        with st.expander(texts.SLIPS, type="compact"):
            st.caption(slips)


def copy_as_python(code: str) -> None:
    """A snippet that reproduces the figure with the public API."""
    with st.expander("Copy as Python"):
        st.code(code, language="python")


def model_status(model: LanguageModel | Translator | TraceFile) -> None:
    """What the loaded model is, and where it runs if it does."""
    st.caption(model.sizes + RUNS.get(model.task, _runs)(model))
    if engine.can_read(model.name):
        st.caption(texts.FOLLOWS_TYPING[model.task])


def _runs(model: LanguageModel | Translator) -> str:
    """The kernel backend and the device."""
    weight = next(model.network.parameters())
    backend = {"torch": "torch reference", "triton": "Triton"}[kernels.backend_for(weight)]
    return f"  \nBackend: {backend} · device: {weight.device}"


RUNS: dict[str, Callable[..., str]] = {"trace": lambda file: ""}  # a file runs nowhere
