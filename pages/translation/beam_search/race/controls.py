"""What is chosen in the picture of the view "Race": the step that is shown, and a translation token by token."""

from __future__ import annotations

from hashlib import sha256

import streamlit as st

from tlmviz.ui import link

from ..controls import Choice

KEY = "beamrace"
MOST = 400  # tokens, or a step: what a link may say
_SEQUENCE = "_race_sequence"  # session: number of the picture's last message
_ORIGIN = "_race_origin"  # session: the sentence that the tokens translate


def _ids(text: str) -> tuple[int, ...]:
    parse = link.whole(0, 10**8)
    return tuple(parse(part) for part in text.split(".")[:MOST])


STEP = link.Field("bstep", -1, link.whole(0, MOST))  # -1: the end
OWN = link.Field("bown", (), _ids, lambda ids: ".".join(map(str, ids)))


def origin(choice: Choice) -> str:
    """A name of the sentence and its model: tokens chosen for another one say nothing."""
    return sha256(repr((choice.model, choice.text, choice.options.prefix)).encode()).hexdigest()[:16]


def own(choice: Choice) -> tuple[int, ...]:
    """The tokens chosen by hand, behind a forced beginning; none beyond the end of a text."""
    name, mt = origin(choice), choice.mt
    if st.session_state.setdefault(_ORIGIN, name) != name:
        st.session_state[_ORIGIN] = name
        OWN.keep(())
    tokens, longest = OWN.get(), mt.longest(choice.text)
    if any(token >= mt.tokenizer.vocab_size for token in tokens):
        tokens = ()
    ends = [place + 1 for place, token in enumerate(tokens) if token in mt.tokenizer.ends]
    tokens = tokens[: min([longest, *ends])]
    prefix = choice.options.prefix
    OWN.keep(tokens if tokens[: len(prefix)] == prefix else ())
    return OWN.get() or prefix


def sequence() -> int:
    """Number of the last message of the picture."""
    return st.session_state.get(_SEQUENCE, 0)


def keep() -> None:
    """Callback of the picture: another step is shown, or a token was chosen or taken back."""
    message = (st.session_state.get(KEY) or {}).get("race")
    if not message or message["origin"] != st.session_state.get(_ORIGIN):
        return
    st.session_state[_SEQUENCE] = int(message["seq"])
    STEP.keep(int(message["step"]))
    OWN.keep(tuple(int(token) for token in message["own"])[:MOST])
