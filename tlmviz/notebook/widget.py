"""A trace as a widget (anywidget) in Jupyter, VS Code and Colab: the kernel answers what the user chooses with exact
tiles."""

from __future__ import annotations

from typing import Any

import anywidget
import traitlets

from tlmviz import figures
from tlmviz.tracing.trace import Trace
from tlmviz.ui.components.attention_view import FOLDER, build_payload, encode_overview, with_height
from tlmviz.ui.components.scripts import module

from .parts import HEIGHT, css, start


class AttentionWidget(anywidget.AnyWidget):
    """The attention view of one trace. `view` is what the user chose last: layer, head, query, key and more.

    Raises BadShape for cross attention.
    """

    _esm = module(FOLDER, "widget.js")
    data = traitlets.Bytes().tag(sync=True)
    css = traitlets.Unicode().tag(sync=True)
    notes = traitlets.List(traitlets.Unicode()).tag(sync=True)
    view = traitlets.Dict().tag(sync=True)

    def __init__(self, trace: Trace, state: dict[str, Any] | None = None, height: int = HEIGHT):
        self._trace = trace
        self._height = height
        self._overview = None if trace.crosses else encode_overview(trace)
        super().__init__(
            data=self._payload(state or ({} if trace.crosses else start(trace))), css=css(), notes=trace.remarks
        )

    @traitlets.observe("view")
    def _answer(self, change: Any) -> None:
        self.data = self._payload(change["new"])

    def _payload(self, state: dict[str, Any]) -> bytes:
        payload = build_payload(
            self._trace,
            state,
            model=self._trace.model,
            origin="notebook",
            palette=figures.palette(),
            overview=self._overview,
            over_image=True,
        )
        return with_height(payload, self._height)
