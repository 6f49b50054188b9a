"""Rooms of a class: how many visitors of a tour are at which step and how they answered, as counts, for a day.

What is stored, in one SQLite file that all app processes of a machine share, is this and nothing else:

- of a room: its code, the tour's name, when it ends, a hash of the teacher's secret, a random key, and which of its questions are
  revealed;
- counts: for each step, how many visitors came to it and not further; for each question, how many gave each answer;
- marks, so that nobody counts twice: for each step that a visitor came to and each question that a visitor answered, a hash
  (BLAKE2b under the room's key) of the visitor's id with that step. The id is a random number that the browser tab made up and
  keeps; it is not stored. A mark says neither what was answered nor when, and two marks of one visitor have nothing in common.

No name, no address, no cookie and no time of a visit is stored. A tab that is reloaded has its number still and counts once; a
new tab, or another browser, is a new visitor. Everything of a room is deleted when it is ended, or by the first call behind its
day.
"""

from __future__ import annotations

import contextlib
import functools
import hashlib
import hmac
import os
import secrets
import sqlite3
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from tlmviz.errors import Error

from .buckets import Buckets

FOLDER = "TLMVIZ_ROOMS"  # names the folder that app processes share: `tlmviz serve` sets it
FILE = "rooms.sqlite"
ALPHABET = "34679CDFHJKMNPRTWX"  # none that looks like another one, and no vowels: codes are no words
LETTERS = 6
HOUR, DAY = 60 * 60.0, 24 * 60 * 60.0  # seconds; a room lasts a day
MOST_ROOMS = 200
# Rooms that an address may open in an hour, and codes that are none; a school may share one address.
OPENED, WRONG = 20, 100
MOST_VISITORS = 2000  # of one room
STEPS, ANSWERS = 20, 10  # that a tour and a question may have
PATIENCE = 1.0  # seconds that a call waits for others
HERE = -1  # in place of an answer: the visitors who came to a step and not further
TABLES = (
    """CREATE TABLE IF NOT EXISTS room (code TEXT PRIMARY KEY, tour TEXT NOT NULL, secret BLOB NOT NULL, key BLOB NOT NULL,
    ends REAL NOT NULL, revealed INTEGER NOT NULL DEFAULT 0) WITHOUT ROWID""",
    """CREATE TABLE IF NOT EXISTS tally (code TEXT, step INTEGER, answer INTEGER, count INTEGER NOT NULL,
    PRIMARY KEY (code, step, answer)) WITHOUT ROWID""",
    # In the order of the hashes: the order in which visitors came is not kept either.
    "CREATE TABLE IF NOT EXISTS mark (code TEXT, mark BLOB, PRIMARY KEY (code, mark)) WITHOUT ROWID",
)


class NoRoom(Error):
    """A room that has ended or never was, or a code or secret that does not fit."""


class RoomBusy(Error):
    """The file of the rooms cannot be read or written now, or holds as much as it may."""


@dataclass(frozen=True)
class Opened:
    """A new room: the code for everybody, and the secret of its teacher, which is shown this once."""

    code: str
    secret: str


@dataclass(frozen=True)
class Counts:
    """What a teacher sees. Steps count from 1, answers from 0; what nobody did is not there."""

    tour: str
    ends: float  # seconds since 1970
    here: Mapping[int, int]  # step -> visitors who came to it and not further
    answers: Mapping[int, Mapping[int, int]]  # step -> answer -> visitors
    revealed: frozenset[int]

    @property
    def visitors(self) -> int:
        """Everybody who came."""
        return sum(self.here.values())

    def passed(self, step: int) -> int:
        """Visitors who came further than a step."""
        return sum(count for at, count in self.here.items() if at > step)

    def answered(self, step: int) -> int:
        """Visitors who answered the question of a step."""
        return sum(self.answers.get(step, {}).values())


@dataclass(frozen=True)
class _Room:
    code: str
    tour: str
    secret: bytes
    key: bytes
    ends: float
    revealed: int

    def mark(self, visitor: str, step: int, what: str) -> bytes:
        text = f"{visitor} {step} {what}".encode()
        return hashlib.blake2b(text, key=self.key, digest_size=16).digest()


def normal(code: str) -> str:
    """A code as rooms have it: small letters and blanks are accepted. Raises NoRoom for what is no code."""
    found = "".join(code.split()).replace("-", "").upper()
    if len(found) != LETTERS or set(found) - set(ALPHABET):
        raise NoRoom(
            f"“{code[:20]}” is no room code: a code has {LETTERS} letters and digits, as {ALPHABET[5:8]}{ALPHABET[:3]}; the "
            "teacher's screen shows it."
        )
    return found


class Rooms:
    """The rooms in one file, which several processes may have open. `clock` gives seconds since 1970.

    Every call takes well below a millisecond, and waits PATIENCE for others at most. Raises NoRoom and RoomBusy in words for
    visitors. How many rooms an `address` opens, and how many codes it guesses, is counted in this process and kept nowhere.
    """

    def __init__(self, path: Path, clock: Callable[[], float] = time.time) -> None:
        self.path, self.clock = path, clock
        self._lock = threading.Lock()
        self._connection: sqlite3.Connection | None = None
        self._file = 0  # the inode that is open
        self._opened, self._wrong = Buckets(OPENED, HOUR), Buckets(WRONG, HOUR)

    def open_room(self, tour: str, address: str = "") -> Opened:
        """Open a room on a tour. Raises RoomBusy where MOST_ROOMS are open, or an address has opened OPENED within an hour.

        Where as many are open, one that nobody joined within an hour gives way.
        """
        if address and self._opened[address].empty:
            raise RoomBusy(
                f"{OPENED} rooms were opened from your address within an hour, as many as may be; try again in some minutes."
            )
        with self._transaction() as connection:
            if connection.execute("SELECT count(*) FROM room").fetchone()[0] >= MOST_ROOMS:
                _delete(connection, self._unjoined(connection))
            if connection.execute("SELECT count(*) FROM room").fetchone()[0] >= MOST_ROOMS:
                raise RoomBusy(
                    f"{MOST_ROOMS} rooms are open, as many as this server keeps; try again when one has ended: each does after a "
                    "day."
                )
            code = ""
            while not code or connection.execute("SELECT 1 FROM room WHERE code = ?", (code,)).fetchone():
                code = "".join(secrets.choice(ALPHABET) for _ in range(LETTERS))
            secret = secrets.token_urlsafe(24)
            row = (code, tour, _hashed(secret), secrets.token_bytes(32), self.clock() + DAY)
            connection.execute("INSERT INTO room VALUES (?, ?, ?, ?, ?, 0)", row)
        if address:
            self._opened[address].wait()
        return Opened(code, secret)

    def tour(self, code: str, address: str = "") -> str:
        """The tour that a room is on. Raises RoomBusy where an address has asked for WRONG rooms that are none within an hour."""
        with self._guessed(code, address), self._transaction(writes=False) as connection:
            return self._room(connection, code).tour

    def visit(self, code: str, visitor: str, step: int) -> None:
        """Count that a visitor, a random text, came to a step. To come again, or to go back, changes nothing."""
        with self._transaction() as connection:
            self._visit(connection, self._room(connection, code), visitor, step)

    def answer(self, code: str, visitor: str, step: int, answer: int) -> None:
        """Count a visitor's answer to the question of a step: the first one, others change nothing."""
        if not 0 <= answer < ANSWERS:
            raise Error(f"There is no answer {answer}; answers are counted from 0 to {ANSWERS - 1}.")
        with self._transaction() as connection:
            room = self._room(connection, code)
            self._visit(connection, room, visitor, step)
            if _is_new(connection, room, room.mark(visitor, step, "answered")):
                _add(connection, code=room.code, step=step, answer=answer, count=1)

    def counts(self, code: str, secret: str, address: str = "") -> Counts:
        """What the room has counted, for who has the teacher's secret. Raises RoomBusy as `tour`."""
        with self._guessed(code, address), self._transaction(writes=False) as connection:
            room = self._owned(connection, code, secret)
            rows = connection.execute(
                "SELECT step, answer, count FROM tally WHERE code = ? AND count > 0", (room.code,)
            ).fetchall()
        answers: dict[int, dict[int, int]] = {}
        for step, answer, count in rows:
            if answer != HERE:
                answers.setdefault(step, {})[answer] = count
        here = {step: count for step, answer, count in rows if answer == HERE}
        revealed = frozenset(step for step in range(1, STEPS + 1) if room.revealed >> step & 1)
        return Counts(room.tour, room.ends, here, answers, revealed)

    def answers(self, code: str, step: int) -> dict[int, int]:
        """How the room answered one question, answer -> visitors: for who has answered it."""
        with self._transaction(writes=False) as connection:
            room = self._room(connection, code)
            return dict(
                connection.execute(
                    "SELECT answer, count FROM tally WHERE code = ? AND step = ? AND answer != ?",
                    (room.code, step, HERE),
                ).fetchall()
            )

    def reveal(self, code: str, secret: str, steps: frozenset[int]) -> None:
        """Let the teacher's screens show how these questions, and no others, were answered."""
        with self._transaction() as connection:
            room = self._owned(connection, code, secret)
            bits = sum(1 << step for step in steps if 1 <= step <= STEPS)
            connection.execute("UPDATE room SET revealed = ? WHERE code = ?", (bits, room.code))

    def end(self, code: str, secret: str) -> None:
        """Delete a room and all that it counted."""
        with self._transaction() as connection:
            _delete(connection, [self._owned(connection, code, secret).code])

    # --- below: with the file open ------------------------------------------------------------------

    @contextlib.contextmanager
    def _guessed(self, code: str, address: str) -> Iterator[None]:
        """Count that an address asks for a room that is none, by what could be a code."""
        normal(code)
        if address and self._wrong[address].empty:
            raise RoomBusy(
                f"{WRONG} room codes that are none came from your address within an hour; try again in some minutes."
            )
        try:
            yield
        except NoRoom:
            if address:
                self._wrong[address].wait()
            raise

    def _unjoined(self, connection: sqlite3.Connection) -> list[str]:
        """The room that has waited longest for its first visitor, if that is an hour."""
        rows = connection.execute(
            "SELECT code FROM room WHERE ends <= ? AND NOT EXISTS (SELECT 1 FROM mark WHERE mark.code = room.code) "
            "ORDER BY ends LIMIT 1",
            (self.clock() + DAY - HOUR,),
        ).fetchall()
        return [code for (code,) in rows]

    def _room(self, connection: sqlite3.Connection, code: str) -> _Room:
        code = normal(code)
        row = connection.execute(
            "SELECT code, tour, secret, key, ends, revealed FROM room WHERE code = ?", (code,)
        ).fetchone()
        if row is None:
            raise NoRoom(
                f"There is no room {code}: it has ended, as every room does after a day, or its code is another one."
            )
        return _Room(*row)

    def _owned(self, connection: sqlite3.Connection, code: str, secret: str) -> _Room:
        room = self._room(connection, code)
        if not hmac.compare_digest(_hashed(secret), room.secret):
            raise NoRoom(
                f"This is not the teacher's link of room {room.code}: its secret is another one. Take the link that was shown "
                "when the room was opened."
            )
        return room

    def _visit(self, connection: sqlite3.Connection, room: _Room, visitor: str, step: int) -> None:
        if not 1 <= step <= STEPS:
            raise Error(f"There is no step {step}; rooms count steps from 1 to {STEPS}.")
        marks = {room.mark(visitor, each, "came"): each for each in range(1, STEPS + 1)}
        asked = ",".join("?" * len(marks))
        known = connection.execute(
            f"SELECT mark FROM mark WHERE code = ? AND mark IN ({asked})", (room.code, *marks)
        ).fetchall()
        before = max((marks[mark] for (mark,) in known), default=0)
        if step <= before:
            return
        if not before:
            [here] = connection.execute(
                "SELECT coalesce(sum(count), 0) FROM tally WHERE code = ? AND answer = ?", (room.code, HERE)
            ).fetchone()
            if here >= MOST_VISITORS:
                raise RoomBusy(
                    f"Room {room.code} counts {MOST_VISITORS} visitors at most, and they are here."
                )
        _is_new(connection, room, room.mark(visitor, step, "came"))
        _add(connection, code=room.code, step=step, answer=HERE, count=1)
        if before:
            _add(connection, code=room.code, step=before, answer=HERE, count=-1)

    @contextlib.contextmanager
    def _transaction(self, writes: bool = True) -> Iterator[sqlite3.Connection]:
        """The open file, in a transaction that is kept whole or not at all."""
        if not self._lock.acquire(timeout=PATIENCE):
            raise _not_now("others are using it")
        try:
            connection = self._open()
            self._forget_the_old(connection)
            connection.execute("BEGIN IMMEDIATE" if writes else "BEGIN")
            yield connection
            connection.execute("COMMIT")
        except (sqlite3.Error, OSError) as error:
            self.close()  # which also takes back what was begun
            raise _not_now(str(error)) from error
        finally:
            if self._connection is not None and self._connection.in_transaction:
                self._connection.execute("ROLLBACK")
            self._lock.release()

    def _open(self) -> sqlite3.Connection:
        """The connection, made anew where the file is gone or another one."""
        if self._connection is not None:
            with contextlib.suppress(OSError):
                if self.path.stat().st_ino == self._file:
                    return self._connection
            self.close()
        connection = sqlite3.connect(
            self.path, timeout=PATIENCE, isolation_level=None, check_same_thread=False
        )
        try:
            for setting in ("journal_mode = WAL", "synchronous = NORMAL", "secure_delete = ON"):
                connection.execute(f"PRAGMA {setting}")
            for table in TABLES:
                connection.execute(table)
        except BaseException:
            connection.close()
            raise
        self._connection, self._file = connection, self.path.stat().st_ino
        return connection

    def _forget_the_old(self, connection: sqlite3.Connection) -> None:
        now = self.clock()
        if connection.execute("SELECT 1 FROM room WHERE ends <= ?", (now,)).fetchone():
            connection.execute("BEGIN IMMEDIATE")
            old = connection.execute("SELECT code FROM room WHERE ends <= ?", (now,)).fetchall()
            _delete(connection, [code for (code,) in old])
            connection.execute("COMMIT")

    def close(self) -> None:
        """Close the file; the next call opens it again."""
        if self._connection is not None:
            self._connection.close()
            self._connection = None


def _hashed(secret: str) -> bytes:
    return hashlib.sha256(secret.encode()).digest()


def _is_new(connection: sqlite3.Connection, room: _Room, mark: bytes) -> bool:
    """Set a mark; False where it was set before."""
    return connection.execute("INSERT OR IGNORE INTO mark VALUES (?, ?)", (room.code, mark)).rowcount == 1


def _add(connection: sqlite3.Connection, **row: str | int) -> None:
    connection.execute(
        "INSERT INTO tally VALUES (:code, :step, :answer, :count) ON CONFLICT DO UPDATE SET count = count + :count",
        row,
    )


def _delete(connection: sqlite3.Connection, codes: list[str]) -> None:
    for table in ("room", "tally", "mark"):
        connection.executemany(f"DELETE FROM {table} WHERE code = ?", [(code,) for code in codes])


def _not_now(why: str) -> RoomBusy:
    return RoomBusy(
        f"The rooms of this server cannot be reached now ({why}); the tour goes on, and counts again when they can."
    )


@functools.cache
def _of(folder: str) -> Rooms:
    return Rooms(Path(folder) / FILE)


@functools.cache
def _own_folder() -> tempfile.TemporaryDirectory[str]:
    """The folder of an app that shares its rooms with no other process; removed when the process ends."""
    return tempfile.TemporaryDirectory(prefix="tlmviz-rooms-")


def rooms() -> Rooms:
    """The rooms of this server: in the folder that FOLDER names, else in a folder of this process."""
    return _of(os.environ.get(FOLDER) or _own_folder().name)
