"""The queue that lets one model computation run at a time, in order of arrival."""

import threading

import pytest

from tlmviz.ui.compute import Queue


def test_one_holder_at_a_time():
    queue, inside, most = Queue(), [], []
    start = threading.Barrier(8)

    def work() -> None:
        start.wait()
        for _ in range(50):
            with queue.turn():
                inside.append(1)
                most.append(len(inside))
                inside.pop()

    threads = [threading.Thread(target=work) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(most) == 400 and max(most) == 1


def test_turns_come_in_order_of_arrival():
    queue, order = Queue(), []
    threads = []

    def work(number: int) -> None:
        with queue.turn():
            order.append(number)

    with queue.turn():
        for number in range(6):
            threads.append(threading.Thread(target=work, args=(number,)))
            threads[-1].start()
            while len(queue._waiting) <= number:  # until this one has its ticket
                pass
    for thread in threads:
        thread.join()
    assert order == list(range(6))


def test_an_error_passes_the_turn_on():
    queue = Queue()
    with pytest.raises(RuntimeError), queue.turn():
        raise RuntimeError
    with queue.turn():
        pass
