"""Live pictures: a header and arrays go to the browser, and where the user leaves the picture comes back as fields of
the state.

Every message of the browser has a number, so that an answer that is under way does not undo what the user has done
since.
"""

from __future__ import annotations

import zlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import streamlit as st

from tlmviz import figures

from . import deferred, language
from .components import said_by
from .components.attention_view import pack
from .components.scripts import CANVAS, module, style
from .state import UNREADABLE, Control


class Picture:
    """The live picture of a page: the `view.js` beside the file that makes it, and the fields it holds, by the view's
    names.

    `file` is the maker's `__file__`, `name` the view's, in its key and its events; `entry` another file than view.js.
    """

    def __init__(self, file: str, name: str, entry: str = "view.js", **fields: Control):
        folder = Path(file).parent
        self.name, self.key, self.fields = name, f"{name}-view", fields
        css = (CANVAS / "live.css").read_text(encoding="utf-8") + style(folder)
        self._show = st.components.v2.component(f"tlmviz_{name}", css=css, js=module(folder, entry))
        # Session: of the message that came last. It outlives links: the browser counts on where Back or a card leads.
        self._number = f"_number_of_{name}"

    def show(self, header: Mapping[str, Any], arrays: Mapping[str, np.ndarray]) -> None:
        """Show it. `header` is plain data for the view: `title` names the picture in what is saved. `arrays` are
        NumPy's."""
        state = {name: field.get() for name, field in self.fields.items()}
        header = {"colors": figures.palette(), **header}
        run = {
            "content": zlib.crc32(pack(header, arrays)),  # a picture that is sent again is not taken for another
            "state": state,
            "seq": st.session_state.get(self._number, 0),
            "picture": deferred.next_picture(),
            "lang": language.LANGUAGE.get(),
        }
        self._show(key=self.key, data=pack({**header, **run}, arrays), on_left_change=self._keep)

    def _keep(self) -> None:
        """Callback: the user left the picture at these values. A value that no link can say is left as it was."""
        message = said_by(self.key, "left")
        if not isinstance(message.get("seq"), int):  # not from this picture
            return
        st.session_state[self._number] = message["seq"]
        for name, field in self.fields.items():
            if name not in message:
                continue
            value = message[name]
            try:
                field.set(field.default if value is None else field.parse(field.write(value)))
            except (*UNREADABLE, TypeError):
                continue
            if field.changed:
                field.changed()
