"""Writing on: the text grows by the model's own tokens, what it was before can be had back, and one text is kept beside
it."""

from __future__ import annotations

from dataclasses import dataclass, replace

import streamlit as st

from tlmviz.figures import readable
from tlmviz.tracing.trace import Trace
from tlmviz.ui import inputs, link
from tlmviz.ui.components import said_by

from .claims import cut_anew
from .data import Data
from .state import Explorer

BARS = "predictions"  # the key of the bars, which say what was clicked in them
_SHOWN = "_explored"  # session: what the picture shows
_STEPS = "_written"  # session: texts as (before, after) of every token that was written, the latest last
_REMARK = "_written_remark"  # session: what is to be said of the token written last


@dataclass(frozen=True)
class Step:
    """One token written: the text before and after it."""

    before: str
    after: str


def keep(shown: Data | None) -> None:
    """Remember what the picture shows, for what stands below it in a fragment of its own."""
    st.session_state[_SHOWN] = shown


def kept() -> Data | None:
    """What the picture shows; None while there is nothing to read."""
    shown: Data | None = st.session_state.get(_SHOWN)
    return shown


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


def followed(shown: Data) -> None:
    """What was asked for in the bars, done: the callback of their component."""
    asked = said_by(BARS, "asked")
    action = ACTIONS.get(str(asked.get("act", "")))
    if action is not None:
        action(shown, asked)


def appended(shown: Data, token: int) -> tuple[str, str]:
    """The text up to the shown query with one token behind it, and a sentence where that is read as other tokens."""
    lm, ids = shown.lm, shown.trace.ids[: shown.query + 1]
    whole = shown.query == len(shown.trace) - 1
    base = shown.chosen.text if whole else lm.tokenizer.decode(ids)
    text = base + lm.tokenizer.decode([token], continues=True)
    exact = lm.tokenizer.encode(text, bos=True) == [*ids, token]
    name = lm.tokenizer.name(token).strip()
    said = cut_anew(name)
    return text, "" if exact else said


def _write(shown: Data, sent: dict) -> None:
    token = sent.get("token")
    lm = shown.lm
    if not isinstance(token, int) or not 0 <= token < lm.config.vocab_size or token in lm.tokenizer.ends:
        return
    text, said = appended(shown, token)
    if len(lm.tokenizer.encode(text, bos=True)) > lm.config.context or "\ufffd" in text:
        return
    st.session_state[_STEPS] = [*steps(shown.chosen.text), Step(shown.chosen.text, text)]
    st.session_state[_REMARK] = said
    _show(text)


def _undo(shown: Data, sent: dict) -> None:
    chain = steps(shown.chosen.text)
    if chain:
        st.session_state[_STEPS] = chain[:-1]
        _show(chain[-1].before)


def _restart(shown: Data, sent: dict) -> None:
    chain = steps(shown.chosen.text)
    if chain:
        st.session_state[_STEPS] = []
        _show(chain[0].before)


def _keep(shown: Data, sent: dict) -> None:
    Explorer.kept.set(shown.chosen.text)


def _pin(shown: Data, sent: dict) -> None:
    token = sent.get("token")
    Explorer.word.set(None if token == Explorer.word.get() or not isinstance(token, int) else token)


ACTIONS = {"write": _write, "undo": _undo, "restart": _restart, "keep": _keep, "pin": _pin}


def swap() -> None:
    """Go on from the kept text, and keep the one that was shown."""
    shown, other = kept(), Explorer.kept.get()
    if shown is not None and other:
        Explorer.kept.set(shown.chosen.text)
        _show(other)


def drop() -> None:
    """Keep no text any more."""
    Explorer.kept.set("")


def _show(text: str) -> None:
    """Make a text the one that is read; the predictions follow its last token."""
    inputs.TEXT.set(text)
    link.remember(replace(link.view(), query=None, key=None))


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
