"""A lecture hall: `python benchmarks/hall.py`. 200 simulated students at `tlmviz serve`, loopback only, ten minutes.

Each student is a browser tab without a browser: a websocket that opens a page by its link, and every ten seconds moves
a slider, flips a switch, chooses in a menu, types a letter, or opens another page, all pages alike. A press lasts until
the server says that its script has finished. With --kill one app process is killed in the middle; its students come
back by their links. Behind it, twenty press at once.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import random
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from streamlit.proto.WidgetStates_pb2 import WidgetState
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed, InvalidStatus

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from pages import ALL
from tlmviz.hosting.server import free_port, is_ready

EVERY = 10.0  # seconds between two presses of one student
MOVES = 0.1  # the share of presses that open another page
BAR = 0.8  # seconds: what 95 of 100 presses should take at most
SLOW = 60.0  # seconds behind which a press counts as an error
LETTERS = "etaoinshrdlu "
SMALL = 65536  # bytes: a control, and what says that a script has finished, are smaller


@dataclass
class Press:
    """One press: when it began, how long it took, what it was, on which page."""

    at: float
    seconds: float
    kind: str
    page: str


@dataclass
class Record:
    """What all students met."""

    presses: list[Press] = field(default_factory=list)
    errors: Counter[str] = field(default_factory=Counter)
    returns: int = 0  # students who came back by their link

    def times(self, since: float = 0.0) -> list[float]:
        return sorted(press.seconds for press in self.presses if press.at >= since)


@dataclass
class Control:
    """A widget of a page that a student can press, and the fragment that runs when it is."""

    kind: str
    proto: object
    fragment: str

    def press(self, chance: random.Random) -> WidgetState:
        """Another value of it."""
        state = WidgetState(id=self.proto.id)
        if self.kind == "text_input":
            state.string_value = self.proto.default + " " + "".join(chance.choices(LETTERS, k=3))
        elif self.kind == "checkbox":
            state.bool_value = not self.proto.default
        elif self.kind == "slider" and self.proto.options:
            state.string_array_value.data.append(chance.choice(list(self.proto.options)))
        elif self.kind == "slider":
            steps = int((self.proto.max - self.proto.min) / (self.proto.step or 1))
            at = self.proto.min + (self.proto.step or 1) * chance.randint(0, max(0, steps))
            state.double_array_value.data.append(min(at, self.proto.max))
        else:
            state.string_value = chance.choice(list(self.proto.options))
        return state


CONTROLS = ("text_input", "checkbox", "slider", "selectbox")


class Student:
    """One tab: the page it shows, and the controls that page has."""

    def __init__(self, port: int, number: int, record: Record) -> None:
        self.port, self.record, self.chance = port, record, random.Random(number)
        self.cookie, self.socket, self.page = f"student{number}", None, ""
        self.controls: list[Control] = []
        self.seen: list[Control] = []  # since the last press
        self.query = ""  # what a browser's address would hold behind "?"

    async def enter(self) -> ClientConnection:
        """The websocket; a new one where the last was closed."""
        if self.socket is None:
            self.socket = await connect(
                f"ws://localhost:{self.port}/_stcore/stream",
                subprotocols=["streamlit"],
                max_size=None,
                additional_headers={"Cookie": f"tlmviz={self.cookie}; tlmviz_machine={self.cookie}"},
                compression=None,
            )
        return self.socket

    async def open(self, page: str) -> None:
        """Open a page by its link and look at its controls."""
        message = BackMsg()
        message.rerun_script.page_name = page
        self.page, self.controls, self.query = page, [], ""
        await self._run(message, "open")

    async def press(self, stay: bool = False) -> None:
        """Press something, or go to another page, unless the student is to `stay`."""
        usable = [each for each in self.controls if each.kind != "selectbox" or len(each.proto.options) > 1]
        if stay and not usable:
            return
        if not usable or (not stay and self.chance.random() < MOVES):
            await self.open(self.chance.choice(ALL).path)
            return
        control = self.chance.choice(usable)
        message = BackMsg()
        message.rerun_script.page_name = self.page
        message.rerun_script.fragment_id = control.fragment
        message.rerun_script.widget_states.widgets.append(control.press(self.chance))
        await self._run(message, control.kind, control.fragment)

    async def leave(self) -> None:
        """Close the tab."""
        if self.socket is not None:
            await self.socket.close()
            self.socket = None

    async def type(self, text: str) -> None:
        """Type into the page's first text box."""
        control = next(each for each in self.controls if each.kind == "text_input")
        message = BackMsg()
        message.rerun_script.fragment_id = control.fragment
        state = message.rerun_script.widget_states.widgets.add()
        state.id, state.string_value = control.proto.id, text
        await self._run(message, "type", control.fragment)

    async def _run(self, message: BackMsg, kind: str, fragment: str = "") -> None:
        message.rerun_script.query_string = self.query
        began, self.seen = time.monotonic(), []
        try:
            async with asyncio.timeout(SLOW):
                socket = await self.enter()
                await socket.send(message.SerializeToString())
                whole = await self._finish(socket)
        except TimeoutError:
            self.record.errors["not finished in time"] += 1
        except (ConnectionClosed, InvalidStatus, OSError):
            self.socket = None
            self.record.errors["press lost with its process"] += 1
            self.record.returns += 1
            page, self.controls = self.page, []
            await asyncio.sleep(1)
            await self.open(page)
        else:
            self.record.presses.append(Press(began, time.monotonic() - began, kind, self.page))
            others = [] if whole else [each for each in self.controls if each.fragment != fragment]
            self.controls = others + self.seen

    async def _finish(self, socket: ClientConnection) -> bool:
        """Read until the script has finished; whether it was the whole page's, not a fragment's."""
        while True:
            data = await socket.recv()
            if len(data) > SMALL:
                continue
            reply = ForwardMsg()
            reply.ParseFromString(data)
            kind = reply.WhichOneof("type")
            if kind == "delta":
                self._see(reply)
            elif kind == "page_info_changed":
                self.query = reply.page_info_changed.query_string
            elif kind == "script_finished" and reply.script_finished in (0, 3):
                return reply.script_finished == 0

    def _see(self, reply: ForwardMsg) -> None:
        """Keep what can be pressed, and count what should never be shown."""
        element = reply.delta.new_element
        kind = element.WhichOneof("type")
        if kind in CONTROLS:
            proto = getattr(element, kind)
            if not proto.disabled:
                self.seen.append(Control(kind, proto, reply.delta.fragment_id))
        elif kind == "exception":
            shown = element.exception
            self.record.errors[f"{shown.type} on {self.page}: {shown.message[:200]}"] += 1


async def attend(student: Student, begin: float, end: float) -> None:
    """One student's lecture: comes at `begin`, presses every ten seconds or so, leaves at `end`."""
    await asyncio.sleep(max(0.0, begin - time.monotonic()))
    await student.open(student.chance.choice(ALL).path)
    due = time.monotonic() + student.chance.uniform(0, EVERY)
    while due < end:
        await asyncio.sleep(max(0.0, due - time.monotonic()))
        await student.press()
        due = max(due + EVERY, time.monotonic())
    await student.leave()


async def together(port: int, users: int, rounds: int) -> Record:
    """So many who type at the same moment, again and again, in the explorer."""
    record = Record()
    students = [Student(port, 10_000 + number, record) for number in range(users)]
    await asyncio.gather(*(student.open("explorer") for student in students))
    record.presses.clear()
    for turn in range(rounds):
        await asyncio.gather(
            *(
                student.type(f"Lily had a red ball and {number} times {turn} she lost it")
                for number, student in enumerate(students)
            )
        )
    await asyncio.gather(*(student.leave() for student in students))
    return record


def proportional(process: int) -> float:
    """Memory of a process in MB, what it shares divided among those who share it."""
    for line in Path(f"/proc/{process}/smaps_rollup").read_text().splitlines():
        if line.startswith("Pss:"):
            return int(line.split()[1]) / 1e3
    return 0.0


def children(parent: int) -> list[int]:
    """The processes that `tlmviz serve` has started, app processes first."""
    found = Path(f"/proc/{parent}/task/{parent}/children").read_text().split()
    return [int(each) for each in found]


def summary(times: list[float]) -> str:
    """Median, 95th and 99th percentile, the longest."""
    at = [times[min(len(times) - 1, int(share * len(times)))] for share in (0.5, 0.95, 0.99)]
    median, p95, p99, longest = (f"{each * 1e3:.0f}" for each in (*at, times[-1]))
    return f"median {median} ms, p95 {p95}, p99 {p99}, longest {longest} ({len(times)} presses)"


async def lecture(
    port: int, server: int, students: int, minutes: float, kill: bool
) -> tuple[Record, list[float], float]:
    """The lecture: what was met, memory in MB every half minute, CPU seconds of the server."""
    record, memory = Record(), []
    began = time.monotonic()
    arrivals = min(60.0, minutes * 15)
    end = began + arrivals + minutes * 60
    lessons = [
        asyncio.create_task(attend(Student(port, number, record), began + arrivals * number / students, end))
        for number in range(students)
    ]
    spent = cpu(server)
    killed = not kill
    while time.monotonic() < end:
        await asyncio.sleep(min(30.0, minutes * 6))
        memory.append(sum(map(proportional, children(server))))
        if not killed and time.monotonic() - began > arrivals + minutes * 30:
            os.kill(children(server)[0], signal.SIGKILL)
            killed = True
    await asyncio.gather(*lessons)
    return record, memory, cpu(server) - spent


def cpu(server: int) -> float:
    """CPU seconds of the server's processes so far."""
    ticks = 0
    for process in (server, *children(server)):
        fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
        ticks += int(fields[11]) + int(fields[12])
    return ticks / os.sysconf("SC_CLK_TCK")


def main() -> None:
    """Run the lecture and print one table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--students", type=int, default=200)
    parser.add_argument("--minutes", type=float, default=10)
    parser.add_argument("--processes", type=int, default=os.cpu_count())
    parser.add_argument("--kill", action="store_true", help="kill one app process in the middle")
    parser.add_argument("--installed", action="store_true", help="offer models that `tlmviz get` installed, too")
    parser.add_argument("--json", type=Path)
    parser.add_argument("--log", type=Path, default=Path(os.devnull), help="where what the server says is written")
    options = parser.parse_args()
    port = free_port()
    command = [sys.executable, "-m", "tlmviz", "serve", "--port", str(port)]
    command += ["--processes", str(options.processes), "--sessions", str(4 * options.students)]
    nothing = tempfile.TemporaryDirectory()
    environment = os.environ | ({} if options.installed else {"XDG_CACHE_HOME": nothing.name})
    with options.log.open("w") as log, nothing:
        server = subprocess.Popen([*command, "--requests", "0"], stderr=log, env=environment)
        rows = teach(server, port, options)
    for name, value in rows.items():
        print(f"{name:44}  {value}")
    if options.json:
        options.json.write_text(json.dumps(rows, indent=2, default=str) + "\n")


def teach(server: subprocess.Popen[bytes], port: int, options: argparse.Namespace) -> dict[str, object]:
    """The lecture and the twenty at a server that is ended behind them: the table's rows."""
    try:
        while not is_ready(f"http://localhost:{port}/"):
            time.sleep(0.2)
        began = time.monotonic()
        record, memory, spent = asyncio.run(lecture(port, server.pid, options.students, options.minutes, options.kill))
        rows = report(record, memory, began, options)
        rows["CPU seconds a press"] = f"{spent / max(1, len(record.presses)):.3f}"
        at_once = asyncio.run(together(port, 20, 15))
        rows["twenty at once (bar p95 500)"] = summary(at_once.times())
        rows["errors of the twenty"] = dict(at_once.errors) or "none"
        return rows
    finally:
        server.terminate()
        server.wait()


def report(record: Record, memory: list[float], began: float, options: argparse.Namespace) -> dict[str, object]:
    """The table's rows."""
    arrivals = min(60.0, options.minutes * 15)
    rows: dict[str, object] = {
        f"{options.students} students, {options.processes} processes (bar p95 1500)": summary(
            record.times(began + arrivals)
        ),
        "while they arrive": summary(sorted(press.seconds for press in record.presses if press.at < began + arrivals)),
    }
    for kind in sorted({press.kind for press in record.presses}):
        rows[f"  {kind}"] = summary(sorted(press.seconds for press in record.presses if press.kind == kind))
    by_page = {
        page: statistics.median(press.seconds for press in record.presses if press.page == page)
        for page in {press.page for press in record.presses}
    }
    slowest = sorted(by_page, key=by_page.get, reverse=True)[:8]
    rows["slowest pages, median ms"] = ", ".join(f"{page} {by_page[page] * 1e3:.0f}" for page in slowest)
    longest = sorted(record.presses, key=lambda press: press.seconds, reverse=True)[:12]
    rows["longest presses, s"] = ", ".join(
        f"{press.page} {press.kind} {press.seconds:.1f} at {press.at - began:.0f}" for press in longest
    )
    over = Counter(press.page for press in record.presses if press.seconds > BAR)
    rows[f"presses over {BAR} s, by page"] = ", ".join(f"{page} {n}" for page, n in over.most_common(12)) or "none"
    rows["errors"] = dict(record.errors) or "none"
    rows["came back by their link"] = record.returns
    marks = memory[:: max(1, len(memory) // 10)]
    rows["memory, MB, along the lecture"] = ", ".join(f"{mark:.0f}" for mark in (*marks, memory[-1]))
    return rows


if __name__ == "__main__":
    main()
