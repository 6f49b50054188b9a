"""The one thread that model computation runs on, in order of arrival."""

import functools
import threading

import pytest
import torch

from tlmviz.ui import compute


def test_one_computation_runs_at_a_time():
    inside, most = [], []

    def work() -> None:
        inside.append(1)
        most.append(len(inside))
        inside.pop()

    threads = [
        threading.Thread(target=lambda: [compute.run_in_worker(work) for _ in range(50)]) for _ in range(8)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(most) == 400 and max(most) == 1


def test_computations_run_in_order_of_arrival():
    hold, order = threading.Event(), []
    first = compute.worker().submit(hold.wait)
    later = [compute.worker().submit(functools.partial(order.append, number)) for number in range(6)]
    assert not any(future.done() for future in later)
    hold.set()
    for future in (first, *later):
        future.result()
    assert order == list(range(6))


def test_an_error_reaches_the_one_who_asked_and_nobody_else():
    def fail() -> None:
        raise RuntimeError("mine")

    with pytest.raises(RuntimeError, match="mine"):
        compute.run_in_worker(fail)
    assert compute.run_in_worker(lambda: 1) == 1


@pytest.mark.parametrize("length, threads", [(0, 1), (compute.SHORT, 1), (compute.SHORT + 1, compute.CORES)])
def test_long_texts_get_every_core(length, threads):
    assert compute.run_in_worker(torch.get_num_threads, length) == threads
