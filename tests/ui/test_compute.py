"""The one thread that model computation runs on, in order of arrival."""

import functools
import threading
from types import SimpleNamespace

import pytest
import torch

from tlmviz.ui import compute, progress
from tlmviz.ui.work_queue import Line


def test_one_computation_runs_at_a_time():
    inside, most = [], []

    def work() -> None:
        inside.append(1)
        most.append(len(inside))
        inside.pop()

    threads = [threading.Thread(target=lambda: [compute.run_in_worker(work) for _ in range(50)]) for _ in range(8)]
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


def test_whose_work_it_is_and_whether_it_takes_long_is_told_to_the_line(monkeypatch):
    told = []
    monkeypatch.setattr(
        compute, "worker", lambda: SimpleNamespace(submit=lambda run, *given, deep: told.append((*given, deep)))
    )
    monkeypatch.setattr(compute, "get_script_run_ctx", lambda **_: SimpleNamespace(session_id="a"))
    compute.submit(bool)
    compute.submit(bool, compute.SHORT + 1)
    compute.submit(bool, compute.DEEP + 1)
    compute.submit(bool, long=True)
    progress.begin(lambda tell: None)
    long, deep = ("a", True, False), ("a", True, True)
    assert told == [("a", False, False), long, deep, long, long]


def test_work_that_took_seconds_leaves_a_thread_to_others_the_next_time(monkeypatch):
    line, hold = Line(2), threading.Event()
    monkeypatch.setattr(compute, "worker", lambda: line)
    monkeypatch.setattr(compute, "SECONDS", -1.0)
    hold.set()

    def work() -> None:
        hold.wait(60)

    first = compute.submit(work)
    assert first not in line.long
    first.result(60)
    hold.clear()
    again = compute.submit(functools.partial(work))
    assert compute.submit(lambda: 7).result(60) == 7 and again in line.long
    hold.set()
    again.result(60)


def test_an_error_reaches_the_one_who_asked_and_nobody_else():
    def fail() -> None:
        raise RuntimeError("mine")

    with pytest.raises(RuntimeError, match="mine"):
        compute.run_in_worker(fail)
    assert compute.run_in_worker(lambda: 1) == 1


@pytest.mark.parametrize("length, threads", [(0, 1), (compute.SHORT, 1), (compute.SHORT + 1, compute.CORES)])
def test_long_texts_get_every_core(length, threads):
    assert compute.run_in_worker(torch.get_num_threads, length) == threads


def test_a_model_that_the_worker_asks_for_first_can_have_gradients():
    compute.model.clear()
    lm = compute.run_in_worker(lambda: compute.model("zoo-rope"))
    assert not any(weight.is_inference() for weight in lm.network.parameters())
    logits = lm.network(torch.tensor([lm.encode("Tom ran.")]))  # what is kept of it, too
    assert not logits.is_inference()
