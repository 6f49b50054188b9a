"""What a link reproduces: model, text, head, pins and switches, kept in the URL and across pages.

Widgets bind themselves (`bind="query-params"`). What is chosen inside the attention view has no
widget; `View` carries it, as one short query parameter per field.
"""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass, fields, replace
from typing import Any

import streamlit as st
from streamlit.errors import StreamlitAPIException

from tlmviz.errors import BadText
from tlmviz.language_model import LanguageModel

EXAMPLES = {
    "A lost ball": "Once upon a time there was a little girl named Lily. Lily had a red ball. One day, Lily lost the red ball.",
    "Two friends": 'Tom and Anna were friends. Tom gave Anna a cake because Anna was sad. Anna said, "Thank you, Tom."',
    "Repeats": "The cat saw a bird. The dog saw a bird. The cat saw a bird. The dog saw a",
    "Names": "Zumi met Kavo at the big tree. Zumi waved and Kavo smiled. Then Zumi and",
    "A short line": "The sun was hot, so the boy went to the",
}
DEFAULT_TEXT = EXAMPLES["A lost ball"]
STAGES = ("dot", "scaled", "masked", "softmax")
ORDERS = ("position", "entropy", "previous", "induction", "sink", "distance")


@dataclass(frozen=True)
class View:
    """What the attention view shows; every field is a query parameter."""

    head: tuple[int, int] = (0, 0)  # layer, head
    query: int | None = None
    key: int | None = None
    stage: str = "softmax"
    log: bool = False
    mode: str = "map"
    order: str = "position"
    overlay: tuple[tuple[int, int], ...] = ()

    @classmethod
    def received(cls, sent: Mapping[str, Any]) -> View:
        """A view from the state that the attention view sends."""
        values = {name: sent[name] for name in ("query", "key", "stage", "log", "mode", "order")}
        overlay = tuple((int(layer), int(head)) for layer, head in sent["overlay"])
        return cls(head=(int(sent["layer"]), int(sent["head"])), overlay=overlay, **values)

    def sent(self) -> dict[str, Any]:
        """This view as the state that the attention view reads."""
        values = asdict(self)
        layer, head = values.pop("head")
        return {**values, "layer": layer, "head": head, "overlay": [list(pair) for pair in self.overlay]}

    def fitted(self, layers: int, heads: int, tokens: int) -> View:
        """The same view with everything this model and text do not have left out."""

        def exists(head: tuple[int, int]) -> bool:
            return 0 <= head[0] < layers and 0 <= head[1] < heads

        query = self.query if self.query is not None and 0 <= self.query < tokens else None
        key = self.key if query is not None and self.key is not None and 0 <= self.key < tokens else None
        return replace(
            self,
            head=self.head if exists(self.head) else (0, 0),
            query=query,
            key=key,
            stage=self.stage if self.stage in STAGES else "softmax",
            mode=self.mode if self.mode in ("map", "arcs") else "map",
            order=self.order if self.order in ORDERS else "position",
            overlay=tuple(head for head in self.overlay if exists(head)),
        )


def view() -> View:
    """This session's view: what was chosen last, or on the first run what the URL says."""
    if "_view" not in st.session_state:
        params = {
            field.name: st.query_params[field.name] for field in fields(View) if field.name in st.query_params
        }
        st.session_state["_view"] = _parse(params)
    return st.session_state["_view"]


def remember(chosen: View) -> None:
    """Keep a view for the session; `share` shows it in the URL."""
    st.session_state["_view"] = chosen


def share() -> None:
    """Show this session's view in the URL; defaults stay out of it.

    The browser takes 12 ms to change its address, so a page calls this when its picture is on the way.
    """
    default = asdict(View())
    for name, value in asdict(view()).items():
        text = "" if value == default[name] else _write(value)
        if text:
            if st.query_params.get(name) != text:
                st.query_params[name] = text
        elif name in st.query_params:
            del st.query_params[name]


def model_menu(models: Mapping[str, str], key: str, default: str, help: str) -> str:
    """A sidebar's menu of models, the default first. One in the URL that does not exist is named in a sentence."""
    names = sorted(models, key=lambda name: (name != default, name))
    asked = st.query_params.get(key)
    if asked is not None and asked not in names:
        st.session_state["_unknown_model"] = asked
    chosen = st.sidebar.selectbox("Model", names, key=key, bind="query-params", help=help)
    unknown = st.session_state.pop("_unknown_model", None)
    if unknown is not None:
        st.warning(
            f"There is no model “{unknown[:60]}” here; {chosen} is shown instead. The menu at the left lists all."
        )
    st.sidebar.caption(models[chosen])
    return chosen


def keep(*keys: str) -> None:
    """Hold on to what widgets of other pages were set to: Streamlit forgets a widget that a page does not draw.

    Called behind the page. A widget that was drawn may not be set any more, and need not.
    """
    for key in keys:
        if key in st.session_state:
            with suppress(StreamlitAPIException):
                st.session_state[key] = st.session_state[key]


def text_box(lm: LanguageModel) -> str | None:
    """The text that every page reads, updated at each pause in typing; None when there is nothing to read yet.

    A text beyond the context is shown in full in the box and read up to the limit, which a sentence says.
    """
    typed = st.text_input(
        "Text", DEFAULT_TEXT, key="text", live="150ms", bind="query-params", label_visibility="collapsed"
    )
    try:
        lm.encode(typed or "")
    except BadText as error:
        if not typed:
            st.info(str(error))
            return None
        part, tokens = lm.fit(typed)
        limit = lm.config.context
        st.warning(
            f"This text has {tokens:,} tokens and {lm.name} reads {limit:,}: the first {limit:,} are shown."
        )
        return part
    return typed


def examples() -> None:
    """Texts to start from. They stand outside the live fragment: typing need not send them again."""
    with st.popover("Examples", width="stretch"):
        for label, example in EXAMPLES.items():
            st.button(
                label, key=f"example-{label}", help=example, on_click=_use, args=(example,), width="stretch"
            )


def origin(name: str) -> str:
    """Names who decides what the attention view shows: it changes when the server does, not the browser."""
    return f"{name}:{st.session_state.get('_picked', 0)}"


def _use(example: str) -> None:
    st.session_state["text"] = example
    st.session_state["_picked"] = st.session_state.get("_picked", 0) + 1
    remember(replace(view(), query=None, key=None))  # pins belong to the text they were set in
    share()


def _write(value: Any) -> str:
    if isinstance(value, tuple):
        pairs = [value] if value and not isinstance(value[0], (tuple, list)) else value
        return ",".join(f"{layer}.{head}" for layer, head in pairs)
    return str(int(value)) if isinstance(value, (bool, int)) else "" if value is None else str(value)


def _parse(params: dict[str, str]) -> View:
    """A view from query parameters; what cannot be read keeps its default."""
    values: dict[str, Any] = {}
    for name, text in params.items():
        try:
            if name == "head":
                values[name] = _pairs(text)[0]
            elif name == "overlay":
                values[name] = _pairs(text)[:8]
            elif name in ("query", "key"):
                values[name] = int(text)
            elif name == "log":
                values[name] = text == "1"
            else:
                values[name] = text
        except (ValueError, IndexError):
            continue
    return View(**values)


def _pairs(text: str) -> tuple[tuple[int, int], ...]:
    return tuple(
        (int(layer), int(head)) for layer, _, head in (part.partition(".") for part in text.split(","))
    )
