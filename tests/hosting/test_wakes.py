"""The server's event loop: all that threads hand over runs, and one byte wakes it for much."""

import asyncio
import threading
from collections.abc import Coroutine
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from tlmviz.hosting import wakes

CALLS = 2000
THREADS = 4


def run(loop: asyncio.AbstractEventLoop, work: Coroutine[Any, Any, Any]) -> Any:
    """Run a loop to its end in a thread of its own: where a browser was started this one has a loop already."""
    try:
        with ThreadPoolExecutor(1) as thread:
            return thread.submit(loop.run_until_complete, asyncio.wait_for(work, 60)).result()
    finally:
        loop.close()


def test_all_that_is_handed_over_runs_in_order_behind_few_bytes():
    loop = asyncio.new_event_loop()
    written, write = [], loop._write_to_self
    loop._write_to_self = lambda: written.append(1) or write()
    wakes.once(loop)
    ran: list[tuple[int, int]] = []

    def hand_over(thread: int) -> None:
        for call in range(CALLS):
            loop.call_soon_threadsafe(ran.append, (thread, call))

    async def watch() -> None:
        threads = [threading.Thread(target=hand_over, args=(number,)) for number in range(THREADS)]
        for thread in threads:
            thread.start()
        await asyncio.to_thread(lambda: [thread.join() for thread in threads])
        await asyncio.sleep(0)  # what was handed over last

    run(loop, watch())
    for thread in range(THREADS):
        assert [call for each, call in ran if each == thread] == list(range(CALLS))
    assert 0 < len(written) < THREADS * CALLS


def test_a_loop_that_waits_is_woken_each_time():
    """A callback that comes when all before it ran, again and again: none is lost."""
    loop = asyncio.new_event_loop()
    wakes.once(loop)
    turns = 200

    def play(ball: asyncio.Queue[int], back: threading.Semaphore) -> None:
        for turn in range(turns):
            back.acquire()
            loop.call_soon_threadsafe(ball.put_nowait, turn)

    async def watch() -> list[int]:
        ball, back = asyncio.Queue(), threading.Semaphore(0)
        thread = threading.Thread(target=play, args=(ball, back))
        thread.start()
        got = []
        for _ in range(turns):
            back.release()
            got.append(await ball.get())
        thread.join()
        return got

    assert run(loop, watch()) == list(range(turns))
