"""A page's state: one frozen class, each field declared once.

    class Choice(State):
        stages = slider(N_("Stages p"), 1, 16, 4, key="plp")

`Choice.stages` is the declaration: its widget, range, label, help, default and key in links. `Choice.of_session()` is
what this session chose, a value that keys caches and fills a snippet's arguments; there `.stages` is a number.

A value lives in the session, under its key. Its widget shows it, the address says it (`ui.address`), and a link is read
once, when its page is gone to.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, Self, dataclass_transform

import streamlit as st

from . import address, link
from .language import N_, _

UNREADABLE = ValueError, IndexError, OverflowError
# How each of Streamlit's menus is told its value.
STARTS: dict[str, Callable[[Any, list[Any]], dict[str, Any]]] = {
    **dict.fromkeys(("selectbox", "radio"), lambda value, options: {"index": options.index(value)}),
    **dict.fromkeys(("segmented_control", "pills", "multiselect"), lambda value, options: {"default": value}),
    "select_slider": lambda value, options: {"value": value},
}
LONGEST = 100_000  # characters of a text in a link
IN_SIGHT = 4  # parts of a page
MORE = "_more"  # an option that shows the others


@dataclass
class Control:
    """A field of a page's state: its key and default, how a link spells it, and the widget that shows it, if one
    does."""

    key: str
    default: Any
    parse: Callable[[str], Any]  # clips; raises one of UNREADABLE for what it cannot read
    write: Callable[[Any], str] = str
    widget: str = ""  # of Streamlit
    label: str = ""
    help: str = ""
    fill: Mapping[str, Any] = field(default_factory=dict)  # what stands in the holes of `help`
    more: Mapping[str, Any] = field(default_factory=dict)  # for the widget
    changed: Callable[[], None] | None = None  # called when the user has changed it
    ends: tuple[Any, ...] = ()  # values that tests try
    said: bool = True  # whether the address says it; a link that does is read either way

    @property
    def _field(self) -> link.Field[Any]:
        return link.Field(self.key, self.default, self.parse, self.write)

    @property
    def kind(self) -> str:
        """What it is in the address."""
        return address.TYPED if self.widget.startswith("text_") else ""

    def get(self) -> Any:
        """This session's value, whether its widget has been drawn or not."""
        return self._field.get()

    def set(self, value: Any) -> None:
        """Make a value this session's."""
        self._field.keep(value)

    def take(self, text: str | None) -> str | None:
        """Take what a link says; the default where it says nothing. Returns a text that cannot be read, or had to be
        clipped."""
        value, unread = self.default, None
        if text is not None:
            try:
                value = self.parse(text)
                unread = None if self._same(value, text) else text
            except UNREADABLE:
                unread = text
        self.set(value)
        return unread

    def _same(self, value: Any, text: str) -> bool:
        """Whether a value is what a text says, and not the nearest that there is."""
        try:
            return self.write(value) == text or float(self.write(value)) == float(text)
        except ValueError:
            return not isinstance(value, (int, float)) or isinstance(value, bool)

    def put(self, value: Any = None) -> None:
        """Say its value in the address, or another `value` that is shown in its place."""
        if not self.said:
            return
        value = self.get() if value is None else value
        address.put(self.key, "" if value is None else self.write(value), value == self.default, self.kind)

    def draw(self, place: Any = st, unchosen: Any = None, **more: Any) -> Any:
        """Draw the widget and return its value. While that is None, which nobody chose, it shows what is `unchosen`."""
        value = unchosen if self.get() is None else self.get()
        return self._drawn(place, value, {"value": value}, _(self.label), **more)

    def _drawn(self, place: Any, value: Any, start: Mapping[str, Any], *words: Any, **more: Any) -> Any:
        """Draw the widget at a `value`; `start` is what makes a browser begin with it that opens the widget's popover
        later."""
        new = address.first_drawn(self.key) or self.key not in st.session_state
        if new or st.session_state[self.key] != value:  # not always: what was typed since this run began would be lost
            st.session_state[self.key] = value
            start = {}
        shared = {"help": _(self.help, **self.fill) or None, **start, **self.more, **more}
        return getattr(place, self.widget)(*words, key=self.key, on_change=self._keep, **shared)

    def _keep(self) -> None:
        self.set(st.session_state[self.key])
        if self.changed:
            self.changed()


@dataclass
class Menu(Control):
    """A menu of values, each with a label; what it offers may depend on the model or the text."""

    options: Sequence[Any] = ()
    show: Callable[[Any], str] = str

    def draw(  # type: ignore[override]  # what a menu offers comes before what it shows
        self, place: Any = st, options: Sequence[Any] = (), unchosen: Any = None, **more: Any
    ) -> Any:
        """Draw it with these `options`, or those it was declared with. What is not among them gives way to what is
        `unchosen`, the default, or the first, and is kept for when it can be shown again."""
        options = list(options) or self.options
        value = unchosen if unchosen in options and self.get() not in options else self.fitted(options)
        if "format_func" in more:  # labels that depend on something else: closed, it would keep those of the run before
            st.session_state.pop(self.key, None)
        more = {"format_func": lambda each: _(self.show(each)), **more}
        start = STARTS[self.widget](value, list(options))
        return self._drawn(place, value, start, _(self.label), options, **more)

    def fitted(self, options: Sequence[Any]) -> Any:
        """This session's value if it is among these options, else the default, else the first."""
        value = self.get()
        return value if value in options else self.default if self.default in options else options[0]


@dataclass
class Several(Menu):
    """A menu of which any number of values is chosen."""

    def fitted(self, options: Sequence[Any]) -> Any:
        """Those of this session's values that are among these options."""
        return [value for value in self.get() if value in options]

    def draw(  # type: ignore[override]  # and some of it, perhaps nothing, is always chosen
        self, place: Any = st, options: Sequence[Any] = (), **more: Any
    ) -> Any:
        """As a menu; returns a tuple."""
        return tuple(super().draw(place, options, **more))

    def set(self, value: Any) -> None:
        """Make values this session's, in the order of the options."""
        super().set(tuple(each for each in self.options if each in value))


@dataclass
class Parts(Menu):
    """The menu of a page's parts: of more than IN_SIGHT the first, the one that is open, and MORE, which shows all of
    them."""

    def draw(self, place: Any = st, options: Sequence[Any] = (), **more: Any) -> Any:  # type: ignore[override]
        """As a menu."""
        options = list(options) or list(self.options)
        if len(options) > IN_SIGHT and not st.session_state.get(self._all):
            first, shown = options[: IN_SIGHT - 1], self.fitted(options)
            options = [*(each for each in options if each in first or each == shown), MORE]
        return super().draw(place, options, **more)

    @property
    def kind(self) -> str:
        """A part."""
        return address.PART

    @property
    def _all(self) -> str:
        return f"{self.key}-all"  # in the session: whether all of them are shown

    def _keep(self) -> None:
        if st.session_state[self.key] == MORE:
            st.session_state[self._all] = True
        else:
            super()._keep()


@dataclass_transform(kw_only_default=True, frozen_default=True)
class State:
    """The base of every page's state. What is annotated and no control (`model`) is given to `of_session`."""

    controls: ClassVar[dict[str, Control]]

    def __init_subclass__(cls) -> None:
        cls.controls = {name: value for name, value in vars(cls).items() if isinstance(value, Control)}
        cls.__annotations__ = cls.__dict__.get("__annotations__", {}) | dict.fromkeys(cls.controls, "Any")
        for name, control in cls.controls.items():
            setattr(cls, name, control.default)
        dataclass(frozen=True, kw_only=True)(cls)
        for name, control in cls.controls.items():  # on the class the declaration, on an instance its value
            setattr(cls, name, control)

    @classmethod
    def take(cls, said: Mapping[str, str], everything: bool) -> dict[str, str]:
        """Take what a link says, and the default of what it does not name if it says `everything`.

        Returns what it says and cannot be shown: label -> text.
        """
        unread: dict[str, str] = {}
        for control in cls.controls.values():
            if control.key in said or everything:
                left = control.take(said.get(control.key))
                if left is not None:
                    unread[_(control.label) or control.key] = left
        return unread

    @classmethod
    def of_session(cls, **given: Any) -> Self:
        """What this session chose, said in the address; `given` are what no control holds, and what dependent menus
        show."""
        values = {name: control.get() for name, control in cls.controls.items()} | given
        for name, control in cls.controls.items():
            control.put(values[name])
        return cls(**values)

    @classmethod
    def reset(cls) -> None:
        """Callback: every field at its default."""
        for control in cls.controls.values():
            control.set(control.default)

    @classmethod
    def link(cls, **values: Any) -> dict[str, str]:
        """The parameters of a link to these values, as a card has them."""
        return {cls.controls[name].key: cls.controls[name].write(value) for name, value in values.items()}

    def arguments(self, *names: str) -> str:
        """These fields as a call's arguments, in a snippet."""
        return ", ".join(f"{name}={getattr(self, name)!r}" for name in names)


def arrive(*states: type[State]) -> dict[str, str]:
    """Let the link of a page count for its `states`, where it was gone to by one. Returns as `State.take`.

    Where Back or a card led, a field that is not named has its default; a page gone to by the menu is as it was left.
    """
    if not states or not address.counts("/".join(states[0].__module__.split(".")[1:3])):
        return {}
    said, unread = address.given(), dict[str, str]()
    for state in states:
        unread |= state.take(said, everything=address.navigated())
    return unread


def between(least: float, most: float) -> Callable[[str], Any]:
    """Reads a number of the type of `least` and clips it; raises ValueError for what is none, or has no end."""
    kind = type(least)

    def parse(text: str) -> Any:
        value = float(text)
        if value != value or abs(value) == float("inf"):
            raise ValueError(text)
        return kind(min(max(value, least), most))

    return parse


def slider(label: str, least: Any, most: Any, default: Any, *, key: str, step: Any = None, **rest: Any) -> Any:
    """A slider over numbers of the type of `least`; `rest` are fields of Control."""
    return _numbers("slider", label, least, most, default, key, step, rest)


def number(label: str, least: Any, most: Any, default: Any, *, key: str, step: Any = None, **rest: Any) -> Any:
    """A box for a number of the type of `least`; `rest` are fields of Control."""
    return _numbers("number_input", label, least, most, default, key, step, rest)


def _numbers(
    widget: str, label: str, least: Any, most: Any, default: Any, key: str, step: Any, rest: dict[str, Any]
) -> Control:
    more = {"min_value": least, "max_value": most, "step": step, **rest.pop("more", {})}
    parse = between(least, most)
    return Control(key, default, parse, widget=widget, label=label, more=more, **{"ends": (least, most)} | rest)


def toggle(label: str, default: bool = False, *, key: str, **rest: Any) -> Any:
    """On or off."""
    known = {"true": True, "1": True, "false": False, "0": False}
    return Control(
        key,
        default,
        lambda text: _known(known, text.lower()),
        lambda on: str(on).lower(),
        "toggle",
        label,
        **{"ends": (False, True)} | rest,
    )


def text(label: str, default: str | None, *, key: str, height: int = 0, longest: int = LONGEST, **rest: Any) -> Any:
    """A line of text, or, with a `height` in pixels, several. What it means is read by the page's data, in sentences
    where it cannot be."""
    widget, more = ("text_area", {"height": height}) if height else ("text_input", {})
    more = {**more, **rest.pop("more", {})}
    return Control(key, default, link.up_to(longest), widget=widget, label=label, more=more, **rest)


def menu(
    label: str,
    options: Mapping[Any, str] | Sequence[Any] = (),
    *,
    key: str,
    default: Any = None,
    spelled: Mapping[Any, str] | None = None,
    parse: Callable[[str], Any] | None = None,
    show: Callable[[Any], str] | None = None,
    segments: bool = False,
    widget: str = "",
    help: str = "",
    changed: Callable[[], None] | None = None,
    cls: type[Menu] = Menu,
    **more: Any,
) -> Any:
    """A menu of values: with labels, as they are, or (`parse`) of what is given when it is drawn; `more` is for the
    `widget`.

    `spelled` is what links call a value where that is not the value itself: labels come and go, links stay.
    """
    labels = options if isinstance(options, Mapping) else {}
    values = tuple(options)
    start = default if default is not None or not values else values[0]
    spell = {value: (spelled or {}).get(value, str(value)) for value in values}
    known = {text: value for value, text in spell.items()}
    return cls(
        key,
        start,
        parse or (lambda text: _known(known, text)),
        lambda value: spell.get(value, str(value)),
        widget=widget or ("segmented_control" if segments else "selectbox"),
        label=label,
        help=help,
        changed=changed,
        more=({"required": True} if segments else {}) | more,
        ends=values,
        options=values,
        show=show or (lambda value: labels.get(value, str(value))),
    )


def parts(label: str, options: Mapping[Any, str] | Sequence[Any], *, key: str, **rest: Any) -> Any:
    """The parts of a page; `rest` as for `menu`."""
    labels = {each: options[each] if isinstance(options, Mapping) else str(each) for each in options}
    show = {**labels, MORE: N_("More …")}.__getitem__
    return menu(label, options, key=key, cls=Parts, show=show, segments=True, label_visibility="collapsed", **rest)


def several(
    label: str,
    options: Mapping[Any, str] | Sequence[Any],
    *,
    key: str,
    default: Sequence[Any] = (),
    spelled: Mapping[Any, str] | None = None,
    widget: str = "pills",
    help: str = "",
    **more: Any,
) -> Any:
    """Any of some values, as a tuple in the order of the options. A link spells them with commas, or repeats its
    key."""
    labels = options if isinstance(options, Mapping) else {}
    values = tuple(options)
    spell = {value: (spelled or {}).get(value, str(value)) for value in values}
    known = {text: value for value, text in spell.items()}

    def parse(text: str) -> tuple[Any, ...]:
        chosen = {_known(known, part) for part in text.split(",") if part}
        return tuple(value for value in values if value in chosen)

    return Several(
        key,
        tuple(default),
        parse,
        lambda chosen: ",".join(spell[value] for value in chosen),
        widget=widget,
        label=label,
        help=help,
        more=({"selection_mode": "multi"} if widget == "pills" else {}) | more,
        ends=((), values),
        options=values,
        show=lambda value: labels.get(value, str(value)),
    )


def live(
    key: str,
    default: Any,
    parse: Callable[[str], Any],
    write: Callable[[Any], str] = str,
    ends: Iterable[Any] = (),
    said: bool = True,
) -> Any:
    """A value that a live picture holds: no widget shows it, the picture tells it (`ui.live`). Unless `said`, no
    address does."""
    return Control(key, default, parse, write, ends=tuple(ends), said=said)


def _known(table: Mapping[str, Any], text: str) -> Any:
    if text not in table:
        raise ValueError(text)
    return table[text]


def reset_button(state: type[State], place: Any = st) -> None:
    """A button that sets every field of a page to its default."""
    place.button(_("Reset"), key="reset", on_click=state.reset, type="tertiary")
