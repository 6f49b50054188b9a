"""What a link reproduces: every value that is in the URL without being a widget's own.

A `Field` is one value with its key, its default, and how it is read from a link and written into one. A page's own are
declared as its state (`ui.state`), each a field with a widget; those that all pages share are here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from typing import Any, Generic, TypeVar, cast

import streamlit as st
from streamlit.errors import StreamlitAPIException
from streamlit.runtime.scriptrunner import get_script_run_ctx

from . import address
from .components import said_by

Value = TypeVar("Value")
SLOT = address.SLOT  # begins the session's names of all that follows from a link, and is forgotten with it
STAGES = ("dot", "scaled", "masked", "softmax")
ORDERS = ("position", "entropy", "previous", "induction", "sink", "distance")
MODES = ("map", "arcs")


@dataclass(frozen=True)
class Field(Generic[Value]):
    """One value of the link. `parse` reads it and raises ValueError for what it cannot read; `write` is its inverse.

    The value lives in the session; a link is read once, when the session first asks, and again after `follow_history`.
    The default stays out of links.
    """

    key: str
    default: Value
    parse: Callable[[str], Value]
    write: Callable[[Value], str] = str

    @property
    def _slot(self) -> str:
        return f"{SLOT}{self.key}"

    def get(self) -> Value:
        """This session's value: what was set last, or at first what the link says; nonsense there is the default."""
        if self._slot not in st.session_state:
            value, said = self.default, address.given()
            if self.key in said:
                with suppress(ValueError, IndexError, OverflowError):
                    value = self.parse(said[self.key])
            st.session_state[self._slot] = value
        return cast(Value, st.session_state[self._slot])

    def keep(self, value: Value) -> None:
        """Make a value this session's, without touching the browser's address."""
        st.session_state[self._slot] = value

    def share(self, hide: bool = False) -> None:
        """Show this session's value in the URL; a default, or one to `hide`, is taken out of it.

        The browser takes 12 ms to change its address, so what is there already is not written again.
        """
        value = self.get()
        text = "" if hide or value == self.default else self.write(value)
        if address.owned():
            address.put(self.key, self.write(value) if self.key in address.ENTRY else text, not text)
        elif not text:
            st.query_params.pop(self.key, None)
        elif st.query_params.get(self.key) != text:
            st.query_params[self.key] = text

    def set(self, value: Value) -> None:
        """`keep` a value and `share` it."""
        self.keep(value)
        self.share()


navigated = address.navigated


def follow_history() -> None:
    """Let what the address says count, and not what the session holds, where the browser went to another link.

    Called before the page draws. A value that the link does not name is its default.
    """
    if navigated():
        for name in [name for name in st.session_state if str(name).startswith(SLOT)]:
            del st.session_state[name]
        _read_whole_address()


def _read_whole_address() -> None:
    """Take the whole address as the link. Streamlit leaves out what widgets of the page before were bound to, and so
    forgets the text of the page that is gone to."""
    context = get_script_run_ctx()
    if context is None:
        return
    with context.session_state.query_params() as params:
        params.set_initial_query_params(context.query_string)


def whole(least: int, most: int) -> Callable[[str], int]:
    """Reads a whole number and clips it to [least, most]; raises ValueError for anything but up to nine plain
    digits."""

    def parse(text: str) -> int:
        if not (text.isascii() and text.isdigit() and len(text) < 10):
            raise ValueError(text)
        return min(max(int(text), least), most)

    return parse


def real(least: float, most: float) -> Callable[[str], float]:
    """Reads a number and clips it to [least, most]; raises ValueError for anything else, NaN included."""

    def parse(text: str) -> float:
        value = float(text)
        if value != value:
            raise ValueError(text)
        return min(max(value, least), most)

    return parse


def choice(options: Sequence[str]) -> Callable[[str], str]:
    """Reads one of some words; raises ValueError for any other."""

    def parse(text: str) -> str:
        if text not in options:
            raise ValueError(text)
        return text

    return parse


def up_to(characters: int) -> Callable[[str], str]:
    """Reads a text, cut to so many characters."""
    return lambda text: text[:characters]


def pairs(text: str) -> tuple[tuple[int, int], ...]:
    """Reads pairs of whole numbers such as 5.0,3.2; raises ValueError for anything else."""
    return tuple((int(first), int(second)) for first, _, second in (part.partition(".") for part in text.split(",")))


def write_pairs(values: Sequence[tuple[int, int]]) -> str:
    """Pairs of whole numbers as `pairs` reads them."""
    return ",".join(f"{first}.{second}" for first, second in values)


# --- the view that all pages share ------------------------------------------------------------------


@dataclass(frozen=True)
class View:
    """What the attention view shows; layer, head and pinned token follow the user across pages."""

    head: tuple[int, int] = (0, 0)  # layer, head
    query: int | None = None
    key: int | None = None
    stage: str = "softmax"
    log: bool = False
    mode: str = "map"
    order: str = "position"
    overlay: tuple[tuple[int, int], ...] = ()
    find: str = ""  # which heads the overview shows: "5.3", "induction > 0.4"
    mute: tuple[tuple[int, int], ...] = ()  # heads without their output

    @classmethod
    def received(cls, sent: Mapping[str, Any]) -> View:
        """A view from the state that the attention view sends. Raises LookupError, TypeError, ValueError or
        OverflowError for what is none."""
        values: dict[str, Any] = {name: str(sent[name]) for name in ("stage", "mode", "order", "find")}
        values |= {name: None if sent[name] is None else int(sent[name]) for name in ("query", "key")}
        overlay, mute = (tuple((int(layer), int(head)) for layer, head in sent[name]) for name in ("overlay", "mute"))
        head = int(sent["layer"]), int(sent["head"])
        return cls(head=head, log=bool(sent["log"]), overlay=overlay, mute=mute, **values)

    def sent(self) -> dict[str, Any]:
        """This view as the state that the attention view reads."""
        values = asdict(self)
        layer, head = values.pop("head")
        several = {name: [list(pair) for pair in values[name]] for name in ("overlay", "mute")}
        return {**values, "layer": layer, "head": head, **several}

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
            overlay=tuple(head for head in self.overlay if exists(head)),
            mute=tuple(head for head in self.mute if exists(head)),
        )


# In a session: the head, and the pinned query and key, that a page chose by itself, and for which page and model.
_SUGGESTED, _SUGGESTED_PIN, _OPENED = f"{SLOT}suggested_head", f"{SLOT}suggested_pin", f"{SLOT}opened"
_ARRIVED = "_arrived"  # session: that another page was shown before


def _field(name: str, parse: Callable[[str], Any], write: Callable[[Any], str] = str) -> Field[Any]:
    return Field(name, getattr(View(), name), parse, write)


FIELDS: dict[str, Field[Any]] = {
    # None until somebody, or a page, has chosen one: head 0.0 may be chosen too.
    "head": Field("head", None, lambda text: pairs(text)[0], lambda head: write_pairs([head])),
    "query": _field("query", int),
    "key": _field("key", int),
    "stage": _field("stage", choice(STAGES)),
    "log": _field("log", lambda text: text == "1", lambda log: str(int(log))),
    "mode": _field("mode", choice(MODES)),
    "order": _field("order", choice(ORDERS)),
    "overlay": _field("overlay", lambda text: pairs(text)[:8], write_pairs),
    "find": _field("find", up_to(40)),
    "mute": _field("mute", lambda text: tuple(sorted(set(pairs(text)))), write_pairs),
}


def view() -> View:
    """This session's view: what was chosen last, or on the first run what the URL says."""
    chosen = {name: field.get() for name, field in FIELDS.items()}
    return View(**chosen | {"head": chosen["head"] or View.head})


def remember(view: View) -> None:
    """Keep a view for the session; `share` shows it in the URL."""
    for name, field in FIELDS.items():
        value = getattr(view, name)
        if name == "head" and value == View.head and field.get() is None:
            continue  # still the one that stands where none was chosen
        field.keep(value)


def sent_by(key: str) -> dict[str, Any]:
    """What the attention view of this key sent last; empty before it did."""
    return said_by(key, "view")


def remember_sent(key: str) -> None:
    """Callback of the attention view of this key: what it sent becomes the session's view, and so the link."""
    try:
        view = View.received(sent_by(key))
    except (LookupError, TypeError, ValueError, OverflowError):
        return
    remember(view)


def share() -> None:
    """Show this session's view in the URL. A page calls this when its picture is on the way: it takes 12 ms."""
    for field in FIELDS.values():
        field.share()


def untouched(name: str) -> bool:
    """Whether a field of the view is neither in the link nor was ever set to anything but its default."""
    field, said = FIELDS[name], address.query() if address.owned() else st.query_params
    return field.key not in said and field.get() == field.default


def head_is_free() -> bool:
    """Whether nobody has chosen a head: none is in the link, or the one that a page suggested is still shown."""
    suggested = st.session_state.get(_SUGGESTED)
    return untouched("head") if suggested is None else FIELDS["head"].get() == suggested


def suggest_head(layer: int, head: int) -> None:
    """Show a head that is worth seeing, as if it had been chosen; another page may suggest another one."""
    choose_head(layer, head)
    st.session_state[_SUGGESTED] = layer, head


def open_on(origin: str, choose: Callable[[], tuple[int, int]]) -> None:
    """While nobody has chosen a head, show the one that `choose` gives; once for every `origin`, a page and what it
    shows."""
    if st.session_state.get(_OPENED) != origin and head_is_free():
        suggest_head(*choose())
        if pin_is_suggested():  # by another page, beside its own head
            FIELDS["query"].set(None)
            FIELDS["key"].set(None)
        st.session_state[_OPENED] = origin


def pin_is_free() -> bool:
    """Whether nobody has pinned anything: no pin is in the link, or the one that a page suggested is still shown."""
    return untouched("query") or pin_is_suggested()


def pin_is_suggested() -> bool:
    """Whether what is pinned is what a page suggested."""
    return st.session_state.get(_SUGGESTED_PIN) == (FIELDS["query"].get(), FIELDS["key"].get())


def suggest_row(layer: int, head: int, query: int, key: int) -> None:
    """Show a head with one cell pinned that is worth seeing, as if both had been chosen."""
    suggest_head(layer, head)
    FIELDS["query"].set(query)
    FIELDS["key"].set(key)
    st.session_state[_SUGGESTED_PIN] = query, key


def release_pin() -> None:
    """Take the pins off; the link follows when the view is shared next."""
    FIELDS["query"].keep(None)
    FIELDS["key"].keep(None)


def choose_head(layer: int, head: int) -> None:
    """Make a head the one that all pages show."""
    FIELDS["head"].set((layer, head))


def carry(page: str, shared: Iterable[str]) -> None:
    """Hand on what widgets that pages share are set to, when `page` is not the one that was shown before.

    Called before the page draws, with the widgets' keys. To Streamlit a widget on another page is another
    widget: it finds the value of one that came with the link again on the page after next, but not on the next.
    """
    st.session_state[_ARRIVED] = st.session_state.get("_carried_to") != page
    if not arrived():
        return
    st.session_state["_carried_to"] = page
    if navigated():  # what the address says counts
        return
    named = address.given()
    kept = {f"{SLOT}{key}": st.session_state[key] for key in shared if key in st.session_state and key not in named}
    st.session_state.update(kept)


def arrived() -> bool:
    """Whether this run is the first on its page, whose link counts then."""
    return bool(st.session_state.get(_ARRIVED))


def keep(*keys: str) -> None:
    """Hold on to what widgets of other pages were set to, which Streamlit forgets.

    Called behind the page. A widget that was drawn may not be set any more, and need not.
    """
    for key in keys:
        if key in st.session_state:
            with suppress(StreamlitAPIException):
                st.session_state[key] = st.session_state[key]
