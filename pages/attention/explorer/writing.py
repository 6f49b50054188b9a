"""Writing on: the text grows by the model's own tokens, what it was before can be had back, and one text is kept beside it."""

from __future__ import annotations

from dataclasses import dataclass, replace

import streamlit as st

from tlmviz.figures import readable
from tlmviz.trace import Trace
from tlmviz.ui import link

from . import words
from .controls import Choice, kept

BARS = "predictions"  # the key of the bars, which say what was clicked in them
KEPT: link.Field[str] = link.Field("kept", "", link.up_to(4000))
WORD: link.Field[int | None] = link.Field("word", None, link.whole(0, 10**9))  # the token that is attributed
_STEPS = "_written"  # session: texts as (before, after) of every token that was written, the latest last
_REMARK = "_written_remark"  # session: what is to be said of the token written last


@dataclass(frozen=True)
class Step:
    """One token written: the text before and after it."""

    before: str
    after: str


def steps(text: str) -> list[Step]:
    """The tokens that led to this text without anybody typing between them, the first first."""
    chain: list[Step] = []
    for step in reversed(st.session_state.get(_STEPS, [])):
        if step.after != (chain[-1].before if chain else text):
            break
        chain.append(step)
    return chain[::-1]


def remark() -> str:
    """What is to be said of the token that was written last; empty mostly."""
    return st.session_state.get(_REMARK, "")


def followed(choice: Choice) -> None:
    """What was asked for in the bars, done: the callback of their component."""
    sent = (st.session_state.get(BARS) or {}).get("asked") or {}
    action = ACTIONS.get(sent.get("act", ""))
    if action is not None:
        action(choice, sent)


def appended(choice: Choice, token: int) -> tuple[str, str]:
    """The text up to the shown query with one token behind it, and a sentence where that is read as other tokens."""
    lm, ids = choice.lm, choice.trace.ids[: choice.query + 1]
    whole = choice.query == len(choice.trace) - 1
    base = choice.text if whole else lm.tokenizer.decode(ids)
    text = base + lm.tokenizer.decode([token], continues=True)
    exact = lm.tokenizer.encode(text, bos=True) == [*ids, token]
    name = lm.tokenizer.name(token).strip()
    said = words.cut_anew(name)
    return text, "" if exact else said


def _write(choice: Choice, sent: dict) -> None:
    token = sent.get("token")
    lm = choice.lm
    if not isinstance(token, int) or not 0 <= token < lm.config.vocab_size or token in lm.tokenizer.ends:
        return
    text, said = appended(choice, token)
    if len(lm.tokenizer.encode(text, bos=True)) > lm.config.context or "\ufffd" in text:
        return
    st.session_state[_STEPS] = [*steps(choice.text), Step(choice.text, text)]
    st.session_state[_REMARK] = said
    _show(text)


def _undo(choice: Choice, sent: dict) -> None:
    chain = steps(choice.text)
    if chain:
        st.session_state[_STEPS] = chain[:-1]
        _show(chain[-1].before)


def _restart(choice: Choice, sent: dict) -> None:
    chain = steps(choice.text)
    if chain:
        st.session_state[_STEPS] = []
        _show(chain[0].before)


def _keep(choice: Choice, sent: dict) -> None:
    KEPT.set(choice.text)


def _pin(choice: Choice, sent: dict) -> None:
    token = sent.get("token")
    WORD.set(None if token == WORD.get() or not isinstance(token, int) else token)


ACTIONS = {"write": _write, "undo": _undo, "restart": _restart, "keep": _keep, "pin": _pin}


def swap() -> None:
    """Go on from the kept text, and keep the one that was shown."""
    choice, other = kept(), KEPT.get()
    if choice is not None and other:
        KEPT.set(choice.text)
        _show(other)


def drop() -> None:
    """Keep no text any more."""
    KEPT.set("")


def _show(text: str) -> None:
    """Make a text the one that is read; the predictions follow its last token."""
    st.session_state["text"] = text
    link.remember(replace(link.view(), query=None, key=None))
    link.share()


@dataclass(frozen=True)
class Branch:
    """One of two texts: what only it says, and the log-probability of that, in nats and per token."""

    rest: str
    tokens: int
    logp: float


def branches(trace: Trace, other: Trace) -> tuple[str, list[Branch]]:
    """What two texts of one model have in common, and what each goes on with."""
    common = 0
    while common < min(len(trace), len(other)) and trace.ids[common] == other.ids[common]:
        common += 1
    parts = []
    for one in (trace, other):
        losses = one.loss_per_token()[max(0, common - 1) :]
        parts.append(Branch("".join(one.tokens[common:]), len(losses), -float(losses.sum())))
    shared = "".join(readable(token) if token.startswith("<|") else token for token in trace.tokens[:common])
    return shared, parts
