"""The inputs that pages share: the text, its examples, and the menus of layers, heads and tokens."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import streamlit as st

from tlmviz.checkpoints.folders import AT, installed_models, opened_models, steps_of, uploaded_models
from tlmviz.errors import BadText
from tlmviz.facades.language_model import LanguageModel
from tlmviz.figures import placed
from tlmviz.hosting import limits
from tlmviz.tokens import END_OF_TEXT
from tlmviz.tracing.trace import Trace
from tlmviz.tracing.trace_file import TraceFile

from . import compute, frame, link, markdown, state, texts
from .language import N_

EXAMPLES = texts.EXAMPLES
DEFAULT_TEXT = EXAMPLES["A lost ball"]
TEXT: state.Control = state.text(  # of every page that reads one
    N_("Text"), DEFAULT_TEXT, key="text", more={"live": "150ms", "label_visibility": "collapsed"}
)
# Of models, as they follow in the menu.
GROUPS = ("opened", "story model", "installed", "zoo", "translation", "uploaded")
REPLACEMENTS = ("zero", "mean")  # what may stand in for the output of a muted head
HOW: state.Menu = state.menu(N_("Replace output by"), REPLACEMENTS, key="how", segments=True, help=texts.HOW_HELP)


def model_menu(place: Any, models: Mapping[str, str], key: str, default: str) -> str:
    """A menu of models in groups, each with its size, in a `place`; in the session and in the link, as `key`, is the
    name alone.

    Of a model whose weights were kept while it learned the step is chosen beside it, and the name is `model@step`. One
    in the URL that does not exist is named in a sentence.
    """
    groups = _groups(models)
    names = sorted(models, key=lambda name: (GROUPS.index(groups[name]), name != default, name))
    if default not in names or groups[names[0]] == GROUPS[0]:
        default = names[0]
    linked = st.query_params.get(key)
    if key not in st.session_state or link.arrived() or link.navigated():
        st.session_state[key] = linked or (default if link.navigated() else st.session_state.get(key))
    asked = str(st.session_state[key] or "")
    name = asked if asked in names else asked.partition(AT)[0]
    name, step = (name, asked) if name in names else (default, default)
    st.session_state[f"_{key}"] = name
    place.selectbox(
        "Model",
        names,
        key=f"_{key}",
        format_func=lambda name: f"{name} · {compute.size(name)} · {groups[name]}",
        on_change=lambda: st.session_state.update({key: st.session_state[f"_{key}"]}),
        label_visibility="collapsed",
    )
    chosen = st.session_state[key] = _at_step(place, name, step, key)
    if linked is not None and linked != chosen and linked not in names:
        st.warning(markdown.sentence(texts.no_model(linked[:60], chosen)))
    link.Field(key, default, str).set(chosen)
    return chosen


def _at_step(place: Any, name: str, asked: str, key: str) -> str:
    """A slider over the steps of its training at which a model was kept, if there are any. Returns its name at the
    step."""
    kept = steps_of(name)
    if not kept:
        return name
    names = [*(f"{name}{AT}{step}" for step in kept), name]
    st.session_state[f"_{key}_step"] = asked if asked in names else name
    with place.container(key="at_step"):
        st.select_slider(
            texts.STEP,
            names,
            key=f"_{key}_step",
            format_func=lambda each: texts.at_step(each.partition(AT)[2]),
            on_change=lambda: st.session_state.update({key: st.session_state[f"_{key}_step"]}),
            label_visibility="collapsed",
        )
    return str(st.session_state[f"_{key}_step"])


def _groups(models: Iterable[str]) -> dict[str, str]:
    """Which of GROUPS each model belongs to: where it came from, or how its name begins."""
    came = dict.fromkeys(uploaded_models(), "uploaded") | dict.fromkeys(installed_models(), "installed")
    came |= dict.fromkeys(opened_models(), "opened")
    begins = {"eng": "translation", "zoo": "zoo"}
    return {name: came.get(name) or begins.get(name.partition("-")[0], "story model") for name in models}


def shared(control: state.Control, place: Any = st, **widget: Any) -> Any:
    """Draw a control that several pages have, and say it in the address; returns its value."""
    value = control.draw(place, **widget)
    control.put(value)
    return value


def text_box(lm: LanguageModel | TraceFile, **widget: Any) -> str | None:
    """The text that every page reads, updated at each pause in typing; None when there is nothing to read yet.

    A file has one text, which is shown and cannot be changed. `widget` are options of the box.
    """
    return TEXT_BOXES[lm.task](lm, **widget)


def _fixed(lm: TraceFile, **_: Any) -> str:
    shown = lm.default_text.replace(END_OF_TEXT, "⟨start⟩")
    st.text_input("Text", shown, disabled=True, label_visibility="collapsed")
    st.caption(texts.fixed_text(markdown.plain(lm.name)))
    return lm.default_text


def _typed(lm: LanguageModel, **widget: Any) -> str | None:
    """The text that is typed; None when there is nothing to read yet.

    A text beyond the context is shown in full in the box and read up to the limit, which a sentence says.
    """
    typed = allowed(shared(TEXT, **widget) or "")
    try:
        lm.encode(typed)
    except BadText as error:
        if not typed:
            st.info(frame.worded(error))
            return None
        part, tokens = lm.fit(typed)
        limit = lm.config.context
        st.warning(texts.cut_tokens(tokens, lm.name, limit))
        return part
    return typed


def allowed(text: str) -> str:
    """As much of a text as the host lets anybody read; a sentence says where it is cut."""
    most = limits.current().characters
    if not most or len(text) <= most:
        return text
    st.warning(texts.cut_characters(len(text), most))
    return text[:most]


TEXT_BOXES: dict[str, Callable[..., str | None]] = {"language": _typed, "trace": _fixed}


def example_texts() -> None:
    """The texts to start from, beside one another."""
    text_buttons(EXAMPLES, "example", _use_example)


def text_buttons(
    texts: Mapping[str, str], key: str, use: Callable[[str], None], title: str = texts.TEXTS_TO_START
) -> None:
    """A button for each of the `texts`, by name, in rows; `use` is called with the one that is picked."""
    st.caption(title)
    with st.container(horizontal=True, gap="small"):
        for label, text in texts.items():
            st.button(label, key=f"{key}-{label}", help=markdown.plain(text), on_click=use, args=(text,))


def examples_picked() -> int:
    """How many examples this session has picked: a new number says that the server changed the text, not the user."""
    return int(st.session_state.get("_examples_picked", 0))


def _use_example(text: str) -> None:
    st.session_state["text"] = text
    TEXT.set(text)
    st.session_state["_examples_picked"] = examples_picked() + 1
    link.remember(replace(link.view(), query=None, key=None))  # pins belong to the text they were set in
    link.share()


@dataclass
class OpenedHead(state.Control):
    """The head that a live picture opens, which is from then on the one that all pages share; `then` is called after
    it."""

    key: str = ""
    default: Any = None
    parse: Callable[[str], Any] = lambda text: link.pairs(text)[0]
    write: Callable[[Any], str] = lambda head: link.write_pairs([head])
    then: Callable[[], None] = lambda: None

    def get(self) -> Any:
        """None: it is opened, and no longer to be."""
        return None

    def set(self, value: Any) -> None:
        """Open it."""
        if value is not None:
            link.choose_head(*value)
            self.then()


def head_menus(
    layers: int, heads: int, places: Sequence[Any], changed: Callable[[], None] = lambda: None
) -> tuple[int, int]:
    """Menus of layers and heads in two places, tied to the view that all pages share. Returns layer and head.

    `changed` is called where another one is chosen.
    """
    head = link.view().fitted(layers, heads, 1).head
    st.session_state["_layer"], st.session_state["_head"] = head
    for place, label, count in zip(places, ("Layer", "Head"), (layers, heads)):
        place.selectbox(
            label,
            range(count),
            key=f"_{label.lower()}",
            on_change=_keep_head,
            args=(changed,),
            format_func=f"{label} {{}}".format,
            label_visibility="collapsed",
        )
    return head


def head_and_token_menus(
    config: Any, tokens: list[str], start: int | None = None, places: Sequence[Any] | None = None
) -> tuple[int, int, int, Any]:
    """Menus of layers, heads and tokens, tied to the view that all pages share, and room beside them.

    While no token is pinned, `start` is chosen, the last one unless given. `places` are four columns of the page's own.

    Returns layer, head, position, and the empty place.
    """
    layer, head, token, room = places or st.columns([0.13, 0.13, 0.2, 0.54], vertical_alignment="center")
    chosen = head_menus(config.n_layers, config.n_heads, (layer, head))
    query = link.view().fitted(config.n_layers, config.n_heads, len(tokens)).query
    unpinned = len(tokens) - 1 if start is None else start
    st.session_state["_token"] = unpinned if query is None else query
    token.selectbox(
        "Token",
        range(len(tokens)),
        key="_token",
        on_change=_keep_token,
        label_visibility="collapsed",
        format_func=lambda position: placed(position, tokens[position]),
        help=texts.POSITION_HELP,
    )
    return *chosen, st.session_state["_token"], room.empty()


def replacement_menu(place: Any, **widget: Any) -> str:
    """What stands in for the output of muted heads, "zero" or "mean": one control, in the link as `how`, on every
    page."""
    how: str = shared(HOW, place, **widget)
    return how


def pinned(trace: Trace, view: link.View) -> tuple[int, int]:
    """The pinned (query, key); unpinned, the last query and the key it weighs most."""
    query = len(trace) - 1 if view.query is None else view.query
    if view.key is not None and view.key <= query:
        return query, view.key
    layer, head = view.head
    return query, int(trace.attention(layer, head, rows=slice(query, query + 1)).argmax())


def _keep_head(changed: Callable[[], None]) -> None:
    layer, head = map(_chosen, ("_layer", "_head"))
    if layer is not None and head is not None:
        link.choose_head(layer, head)
        changed()


def _keep_token() -> None:
    if (query := _chosen("_token")) is not None:
        link.remember(replace(link.view(), query=query))
        link.share()


def _chosen(key: str) -> int | None:
    """What a menu of numbers says; None where a tab says what the menu here no longer has, or the menu is gone."""
    chosen = st.session_state.get(key)
    return chosen if isinstance(chosen, int) else None
