"""The state of the part Race: the step that is shown, and a translation token by token."""

from __future__ import annotations

from tlmviz.ui import link, state

MOST = 400  # tokens, or a step: what a link may say
END = -1  # the step when all searches are over
ORIGIN = f"{link.SLOT}race_origin"  # session: the sentence that the tokens translate, and the tokens


def _step(text: str) -> int:
    return END if text == str(END) else link.whole(0, MOST)(text)


def _ids(text: str) -> tuple[int, ...]:
    parse = link.whole(0, 10**8)
    return tuple(parse(part) for part in text.split(".")[:MOST]) if text else ()


class Race(state.State):
    """The step that is shown, and the tokens that the reader chose."""

    step = state.live("bstep", END, _step, ends=(1, MOST))
    own = state.live("bown", (), _ids, lambda ids: ".".join(map(str, ids)), ends=((5, 6),))
