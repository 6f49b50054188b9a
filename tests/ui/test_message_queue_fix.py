"""What waits to be sent when a fragment runs again: every part has the container around it."""

import pytest
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from streamlit.runtime.forward_msg_queue import ForwardMsgQueue

from tlmviz.ui import message_queue_fix


def part(path: list[int], fragment: str, block: bool = True) -> ForwardMsg:
    message = ForwardMsg()
    message.metadata.delta_path.extend(path)
    message.delta.fragment_id = fragment
    if block:
        message.delta.add_block.vertical.SetInParent()
    else:
        message.delta.new_element.markdown.body = "said"
    return message


def waiting() -> ForwardMsgQueue:
    """A fragment with another one in it, drawn and not sent."""
    queue = ForwardMsgQueue()
    for path, fragment in (([0, 3], "outer"), ([0, 3, 0], "outer"), ([0, 3, 0, 0], "inner")):
        queue.enqueue(part(path, fragment))
    return queue


def orphans(queue: ForwardMsgQueue) -> list[tuple[int, ...]]:
    """Parts whose container is not sent before them."""
    there, found = {(0,)}, []
    for message in queue.flush():
        path = tuple(message.metadata.delta_path)
        if path[:-1] not in there:
            found.append(path)
        there.add(path)
    return found


@pytest.fixture
def kept(monkeypatch):
    monkeypatch.setattr(ForwardMsgQueue, "clear", ForwardMsgQueue.clear)  # as it was, after the test
    message_queue_fix.keep()


def test_an_inner_fragment_comes_with_its_container(kept):
    queue = waiting()
    queue.clear(retain_lifecycle_msgs=True, fragment_ids_this_run=["outer"])
    assert orphans(queue) == []


def test_without_it_streamlit_leaves_the_inner_one_alone(monkeypatch):
    """When this fails, Streamlit has mended it, and `unsent` can go."""
    monkeypatch.setattr(ForwardMsgQueue, "clear", message_queue_fix._clear)
    queue = waiting()
    queue.clear(retain_lifecycle_msgs=True, fragment_ids_this_run=["outer"])
    assert orphans(queue) == [(0, 3, 0, 0)]


def test_what_the_new_run_sends_is_put_into_no_part_of_it(kept):
    queue = ForwardMsgQueue()
    queue.enqueue(part([0, 0], "outer", block=False))
    queue.clear(retain_lifecycle_msgs=True, fragment_ids_this_run=["outer"])
    queue.enqueue(part([0, 0], "outer", block=False))
    assert len(queue) == 2


@pytest.mark.parametrize("retained", [False, True])
def test_a_run_of_the_whole_page_still_drops_what_is_left(kept, retained):
    queue = waiting()
    queue.clear(retain_lifecycle_msgs=retained)
    assert queue.is_empty()
    queue.enqueue(part([0, 3], "outer"))
    assert len(queue.flush()) == 1 and queue.is_empty()
