"""The state of the page Chat: a conversation, whose words are looked for, and from which tokens."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

from tlmviz.analysis.attention.roles import PARTIES
from tlmviz.ui import address, link, state
from tlmviz.ui.language import N_

Turns = tuple[tuple[str, str], ...]  # (role, content) each
OPENING: Turns = (
    ("system", "You are a parrot. You answer in one short sentence."),
    ("user", "My dog is called Max. What is the name of my dog?"),
    ("assistant", "The name of your dog is Max."),
    ("user", "And who are you?"),
)
SPEAKERS = ("system", "user", "assistant")
LONGEST = 3000  # characters of a conversation that go into a link
MOST = 24  # turns
LAST, REPLIES, ALL = SOURCES = ("last token", "assistant's tokens", "all tokens")  # where attention comes from


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
    texts = isinstance(given, list) and len(given) == 2 and all(isinstance(part, str) for part in given)
    return texts and given[0] in SPEAKERS


def written(turns: Turns) -> str:
    """Turns as `read` reads them."""
    return json.dumps(turns, ensure_ascii=False, separators=(",", ":"))


@dataclass
class _Talk(state.Control):
    """A conversation; one that no link can hold is left out of the address."""

    def put(self, value: Any = None) -> None:
        if len(self.write(self.get())) <= LONGEST:
            super().put(value)
        else:
            address.put(self.key, "", default=True)


class Chat(state.State):
    """A conversation with a model, whose words are looked for, from which tokens, and what the attention view shows."""

    model: str
    view: link.View
    role = state.menu(
        N_("Attention that goes to"),
        PARTIES,
        key="role",
        segments=True,
        help=N_("sink: the first token, on which many heads rest; template: what the chat template adds."),
    )
    source = state.menu(
        N_("from"), SOURCES, key="from", help=N_("The last token is the one after which the model answers.")
    )
    turns: Any = _Talk("chat", OPENING, read, written, ends=((("user", "hi"),), OPENING[:2]))


def say(role: str, content: str) -> None:
    """Add a turn; the oldest turns but the system prompt go where there are too many."""
    said = [*Chat.turns.get(), (role, content)]
    while len(said) > MOST:
        del said[1 if said[0][0] == "system" else 0]
    Chat.turns.set(tuple(said))


def undo() -> None:
    """Take back the last turn that is not the system prompt."""
    said = Chat.turns.get()
    if len(said) > 1:
        Chat.turns.set(said[:-1])


def start_over() -> None:
    """Only the system prompt, and the first question."""
    Chat.turns.set(OPENING[:2])


def system() -> str:
    """The system prompt; empty without one."""
    return next((content for role, content in Chat.turns.get() if role == "system"), "")


def set_system(text: str) -> None:
    """Another system prompt, or none. A conversation without any turn starts over."""
    rest = tuple(turn for turn in Chat.turns.get() if turn[0] != "system")
    Chat.turns.set((("system", text), *rest) if text else rest or OPENING[1:2])
