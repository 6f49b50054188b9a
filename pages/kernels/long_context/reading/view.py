"""Draws the part Text: the text to read, coloured, beside the map of a head.

The browser computes a pinned query's row itself, from q, k and lse of the head, which are sent once. Where it cannot,
or they are too much to send, the row comes from the server.
"""

from __future__ import annotations

from tlmviz.ui import live
from tlmviz.ui.components import said_by
from tlmviz.ui.components.attention_view import arithmetic
from tlmviz.ui.language import _

from ..data import Text
from ..view import snippet_start
from .data import Data
from .state import OPENED, PINNED, Reading

PICTURE = live.Picture(__file__, "reading", query=PINNED, head=OPENED, color=Reading.color)


def compute(found: Text) -> Data:
    """What is shown of a text."""
    return Data(found, Reading.of_session(), found.passage)


def _held() -> str:
    """The origin, a text and a head, of which the browser computes rows itself; empty when there is none."""
    return str(said_by(PICTURE.key, "left").get("holds", ""))


def picture(data: Data) -> None:
    """The text and the map."""
    (layer, head), model = data.found.head, data.found.chosen.model
    header = {
        "title": _(
            "{model}, L{layer}H{head}: “{word}” ({query}) reads",
            model=model,
            layer=layer,
            head=head,
            word=data.trace.tokens[data.query].strip(),
            query=data.query,
        ),
        "tokens": list(data.trace.tokens),
        "model": model,
        "layer": layer,
        "head": head,
        "query": data.query,
        "far": data.far,
        "context": data.passage.context,
        "origin": data.origin,
        **arithmetic(data.trace, layer, head),
    }
    exact = {} if _held() == data.origin else data.exact
    PICTURE.show(header, {"loss": data.loss, "row": data.row, "map": data.picture, **exact})


def snippet(data: Data) -> str:
    """The pinned query's row with the public API."""
    start, (layer, head), query = (snippet_start(data.found, "long_trace, loss_along"), data.found.head, data.query)
    return f"""\
{start}loss = loss_along(lm, trace).numpy()  # nats of each next token
row = trace.attention({layer}, {head}, rows=slice({query}, {query + 1}))[0]
for key in row.argsort(descending=True)[:8].tolist():
    print(f"{{row[key]:.4f}}  {query} -> {{key}}  {{trace.tokens[key]!r}}")
"""
