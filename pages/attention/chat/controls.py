"""The controls of the page Chat: a conversation typed turn by turn, and whose words are looked for, as one Choice."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace

import numpy as np
import streamlit as st

from tlmviz.analysis.attention.roles import PARTIES
from tlmviz.chat import Conversation
from tlmviz.language_model import LanguageModel
from tlmviz.trace import Trace
from tlmviz.ui import compute as shared
from tlmviz.ui import frame, link

from . import compute
from .compute import ALL, LAST, REPLIES, Turns

OPENING: Turns = (
    ("system", "You are a parrot. You answer in one short sentence."),
    ("user", "My dog is called Max. What is the name of my dog?"),
    ("assistant", "The name of your dog is Max."),
    ("user", "And who are you?"),
)
SPEAKERS = ("system", "user", "assistant")
LONGEST = 3000  # characters of a conversation that go into a link
MOST = 24  # turns
SOURCES = (LAST, REPLIES, ALL)
_OPENED = f"{link.SLOT}opened_talk"  # session: the model and role that a head was suggested for
VIEW = "conversation"  # the key of the attention view


def read(text: str) -> Turns:
    """Turns from a link. Raises ValueError for anything else than a list of pairs of role and content."""
    try:
        given = json.loads(text)
    except RecursionError as error:  # brackets within brackets, thousands of them
        raise ValueError(text) from error
    if not isinstance(given, list) or not 0 < len(given) <= MOST or not all(map(_is_turn, given)):
        raise ValueError(text)
    return tuple((role, content) for role, content in given)


def _is_turn(given: object) -> bool:
    """Whether a part of a link is a pair of a speaker and a text."""
    return (
        isinstance(given, list)
        and len(given) == 2
        and all(isinstance(part, str) for part in given)
        and given[0] in SPEAKERS
    )


def written(turns: Turns) -> str:
    """Turns as `read` reads them; nothing where a link cannot hold them."""
    text = json.dumps(turns, ensure_ascii=False, separators=(",", ":"))
    return text if len(text) <= LONGEST else ""


TURNS: link.Field[Turns] = link.Field("chat", OPENING, read, written)


@dataclass(frozen=True)
class Choice:
    """A conversation, whose words are looked for, from which tokens, and the head that is shown."""

    model: str
    turns: Turns
    role: str
    source: str
    view: link.View

    @property
    def lm(self) -> LanguageModel:
        """The model that reads the conversation."""
        return shared.model(self.model)

    @property
    def conversation(self) -> Conversation:
        """The conversation in the model's template."""
        return compute.conversation(self.model, self.turns)

    @property
    def trace(self) -> Trace:
        """The pass over the conversation."""
        return compute.trace(self.model, self.turns)


def turns() -> Turns:
    """This session's conversation."""
    return TURNS.get()


def choose(model: str) -> Choice:
    """Whose words are looked for and from where, with the session's head cut to what the model has."""
    left, right = st.columns([0.66, 0.34])
    role = left.segmented_control(
        "Attention that goes to",
        PARTIES,
        default=PARTIES[0],
        key="role",
        bind="query-params",
        required=True,
        help="sink: the first token, on which many heads rest; template: what the chat template adds.",
    )
    source = right.selectbox(
        "from",
        SOURCES,
        key="from",
        bind="query-params",
        help="The last token is the one after which the model answers.",
    )
    choice = Choice(model, turns(), role, source, link.view())
    trace = choice.trace
    return replace(choice, view=link.view().fitted(trace.n_layers, trace.n_heads, len(trace)))


def open_on(choice: Choice, shares: dict[str, np.ndarray]) -> Choice:
    """While nobody has chosen a head, the one that reads the chosen role most; the choice with it."""
    origin = f"{choice.model}:{choice.role}"
    if not link.head_is_free() or st.session_state.get(_OPENED) == origin:
        return choice
    st.session_state[_OPENED] = origin
    layer, head = divmod(int(shares[choice.role].argmax()), shares[choice.role].shape[1])
    link.suggest_head(layer, head)
    return replace(choice, view=replace(choice.view, head=(layer, head)))


def say(role: str, content: str) -> None:
    """Add a turn; the oldest turns but the system prompt go where there are too many."""
    said = [*turns(), (role, content)]
    while len(said) > MOST:
        del said[1 if said[0][0] == "system" else 0]
    TURNS.set(tuple(said))


def undo() -> None:
    """Take back the last turn that is not the system prompt."""
    said = turns()
    if len(said) > 1:
        TURNS.set(said[:-1])


def start_over() -> None:
    """Only the system prompt, and the first question."""
    TURNS.set(OPENING[:2])


def set_system() -> None:
    """Callback of the box of the system prompt."""
    text = st.session_state["_system"].strip()
    rest = tuple(turn for turn in turns() if turn[0] != "system")
    TURNS.set((("system", text), *rest) if text else rest)


def system() -> str:
    """The system prompt; empty without one."""
    return next((content for role, content in turns() if role == "system"), "")


def head_clicked() -> None:
    """Open the head whose cell was clicked."""
    points = frame.selection("role-heads").get("points")
    if points:
        link.choose_head(*map(int, points[0]["customdata"][:2]))
