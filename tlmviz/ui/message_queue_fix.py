"""What a browser has not been sent yet stays to be sent when a fragment runs again.

Streamlit (1.67) then drops what that fragment has left in the queue, and keeps what its inner fragments have: their
first part comes without the container around it, and the browser stops with "Bad delta path index". A key that is typed
while a page still arrives meets just that. What is kept is drawn over a moment later by the run that follows.
"""

from __future__ import annotations

from streamlit.runtime.forward_msg_queue import ForwardMsgQueue

_clear = ForwardMsgQueue.clear


def keep() -> None:
    """Let the queues of this process keep it."""
    ForwardMsgQueue.clear = _kept  # type: ignore[method-assign]


def _kept(
    self: ForwardMsgQueue, retain_lifecycle_msgs: bool = False, fragment_ids_this_run: list[str] | None = None
) -> None:
    if not retain_lifecycle_msgs or fragment_ids_this_run is None:
        _clear(self, retain_lifecycle_msgs, fragment_ids_this_run)
    else:
        self._delta_index_map = {}  # what the new run sends comes after this, and into no part of it
