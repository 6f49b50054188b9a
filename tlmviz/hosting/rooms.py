"""Rooms of a class: how many visitors of a lesson are at which step and how they answered, as counts, for a day.

What is stored, in one SQLite file that all app processes of a machine share, is this and nothing else:

- of a room: its code, the lesson's name or the question that the teacher wrote for it, when it ends, a hash of the
  teacher's secret, a random key, which of its questions are revealed and which are voted on again, at which step it is
  held, and whether results wait until they are revealed;
- counts: for each step, how many visitors came to it and not further; for each vote on a question, how many gave each
  answer;
- marks, so that nobody counts twice: for each step that a visitor came to and each vote that a visitor took part in, a
  hash (BLAKE2b under the room's key) of the visitor's id with that step. The id is a random number that the browser tab
  made up and keeps; it is not stored. A mark says neither what was answered nor when, and two marks of one visitor have
  nothing in common;
- of a room that has ended: its code and when it ended, for a day, of the MOST_ENDED last ones;
- for an hour, under a hash of an address whose key the file has not: how many rooms it opened, how many codes it
  guessed.

No name, no address, no cookie and no time of a visit is stored. A tab that is reloaded has its number still and counts
once; a new tab, or another browser, is a new visitor. Everything else of a room is deleted when it is ended, or by the
first call behind its day.
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

from .addresses import SITE, counted

FOLDER = "TLMVIZ_ROOMS"  # names the folder that app processes share: `tlmviz serve` sets it
FILE = "rooms-4.sqlite"  # another name whenever TABLES change: files of older versions are left alone
ALPHABET = "34679CDFHJKMNPRTWX"  # none that looks like another one, and no vowels: codes are no words
LETTERS = 6
HOUR, DAY = 60 * 60.0, 24 * 60 * 60.0  # seconds; a room lasts a day
MOST_ROOMS = 200
MOST_ENDED = 1000  # codes of rooms that have ended, by which visitors are told so
SECRET = "STREAMLIT_SERVER_COOKIE_SECRET"  # which the app processes of `tlmviz serve` share
# Rooms that an address may open in an hour, and codes that are none; a school may share one address.
OPENED, WRONG = 20, 100
MOST_VISITORS = 2000  # of one room
MOST_TEXT = 4000  # characters of a lesson's name, or of a teacher's question with its link
STEPS, ANSWERS = 20, 40  # that a lesson and a question may have
PATIENCE = 1.0  # seconds that a call waits for others
HERE = -1  # in place of an answer, in vote 0: the visitors who came to a step and not further
VOTED = {1: "answered", 2: "answered again"}  # vote -> what its marks say
TABLES = (
    """CREATE TABLE IF NOT EXISTS room (code TEXT PRIMARY KEY, lesson TEXT NOT NULL, secret BLOB NOT NULL,
    key BLOB NOT NULL, ends REAL NOT NULL, revealed INTEGER NOT NULL DEFAULT 0, again INTEGER NOT NULL DEFAULT 0,
    held INTEGER NOT NULL DEFAULT 0, withheld INTEGER NOT NULL DEFAULT 0) WITHOUT ROWID""",
    """CREATE TABLE IF NOT EXISTS tally (code TEXT, step INTEGER, vote INTEGER, answer INTEGER, count INTEGER NOT NULL,
    PRIMARY KEY (code, step, vote, answer)) WITHOUT ROWID""",
    # In the order of the hashes: the order in which visitors came is not kept either.
    "CREATE TABLE IF NOT EXISTS mark (code TEXT, mark BLOB, PRIMARY KEY (code, mark)) WITHOUT ROWID",
    "CREATE TABLE IF NOT EXISTS ended (code TEXT PRIMARY KEY, at REAL NOT NULL) WITHOUT ROWID",
    """CREATE TABLE IF NOT EXISTS spent (who BLOB, what TEXT, count INTEGER NOT NULL, since REAL NOT NULL,
    PRIMARY KEY (who, what)) WITHOUT ROWID""",
)

KNOWN = "SELECT 1 FROM room WHERE code = :code UNION SELECT 1 FROM ended WHERE code = :code"


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

    lesson: str
    ends: float  # seconds since 1970
    here: Mapping[int, int]  # step -> visitors who came to it and not further
    votes: Mapping[int, tuple[Mapping[int, int], ...]]  # step -> of each vote on its question, answer -> visitors
    revealed: frozenset[int]
    held: int  # the step that nobody may go beyond; 0 where there is none
    withheld: bool  # whether visitors see how the room answered, and what is right, only when it is revealed

    @property
    def visitors(self) -> int:
        """Everybody who came."""
        return sum(self.here.values())

    def passed(self, step: int) -> int:
        """Visitors who came further than a step."""
        return sum(count for at, count in self.here.items() if at > step)

    def answered(self, step: int) -> tuple[int, ...]:
        """Visitors who took part in each vote on the question of a step."""
        return tuple(sum(vote.values()) for vote in self.votes.get(step, ({},)))


@dataclass(frozen=True)
class Standing:
    """How a room stands at one step, for one visitor: what may be seen, and what is asked. As it is, that of no
    room."""

    held: int = 0  # as in Counts
    shown: bool = True  # whether the votes, and what is right, may be seen by who has answered
    revealed: bool = False  # and on the wall
    vote: int = 1  # the one that is on
    voted: bool = False  # whether the visitor took part in it
    votes: tuple[Mapping[int, int], ...] = ({},)  # answer -> visitors of each vote; empty where not shown

    @property
    def again(self) -> bool:
        """Whether who has answered is asked once more."""
        return self.vote == 2 and not self.voted and not self.revealed

    def before(self, step: int) -> bool:
        """Whether the room is held before a step."""
        return 0 < self.held < step


@dataclass(frozen=True)
class _Room:
    code: str
    lesson: str
    secret: bytes
    key: bytes
    ends: float
    revealed: int  # bits, by the step
    again: int  # bits
    held: int
    withheld: int

    def vote(self, step: int) -> int:
        return 1 + (self.again >> step & 1)

    def mark(self, visitor: str, step: int, what: str) -> bytes:
        text = f"{visitor} {step} {what}".encode()
        return hashlib.blake2b(text, key=self.key, digest_size=16).digest()


def normal(code: str) -> str:
    """A code as rooms have it: small letters and blanks are accepted. Raises NoRoom for what is no code."""
    found = "".join(code.split()).replace("-", "").upper()
    if len(found) != LETTERS or set(found) - set(ALPHABET):
        raise NoRoom(
            f"“{code[:20]}” is no room code: a code has {LETTERS} letters and digits, as "
            f"{ALPHABET[5:8]}{ALPHABET[:3]}; the teacher's screen shows it."
        )
    return found


class Rooms:
    """The rooms in one file, which several processes may have open. `clock` gives seconds since 1970.

    Every call takes well below a millisecond, and waits PATIENCE for others at most. Raises NoRoom and RoomBusy in
    words for visitors. How many rooms an `address` opens, and how many codes it guesses, is counted for all processes
    together.
    """

    def __init__(self, path: Path, clock: Callable[[], float] = time.time) -> None:
        self.path, self.clock = path, clock
        self._lock = threading.Lock()
        self._connection: sqlite3.Connection | None = None
        self._file = 0  # the inode that is open
        self._key = os.environ.get(SECRET, "").encode()[:64] or secrets.token_bytes(32)

    def open_room(self, lesson: str, address: str = "") -> Opened:
        """Open a room on a lesson, or on what stands for one in MOST_TEXT characters.

        Raises RoomBusy where MOST_ROOMS are open, or an address has opened OPENED within an hour.

        Where as many are open, one that nobody joined within an hour gives way.
        """
        if len(lesson) > MOST_TEXT:
            raise Error("The question and its link are longer than a room keeps; shorten one of them.")
        with self._transaction() as connection:
            if self._spent(connection, address, "opened", OPENED):
                raise RoomBusy(
                    f"{OPENED} rooms were opened from your address within an hour, as many as may be; try again in an "
                    "hour."
                )
            if connection.execute("SELECT count(*) FROM room").fetchone()[0] >= MOST_ROOMS:
                self._end(connection, self._unjoined(connection))
            if connection.execute("SELECT count(*) FROM room").fetchone()[0] >= MOST_ROOMS:
                raise RoomBusy(
                    f"{MOST_ROOMS} rooms are open, as many as this server keeps; try again when one has ended: each "
                    "does after a day."
                )
            code = ""
            while not code or connection.execute(KNOWN, {"code": code}).fetchone():
                code = "".join(secrets.choice(ALPHABET) for _ in range(LETTERS))
            secret = secrets.token_urlsafe(24)
            row = (code, lesson, _hashed(secret), secrets.token_bytes(32), self.clock() + DAY)
            connection.execute("INSERT INTO room (code, lesson, secret, key, ends) VALUES (?, ?, ?, ?, ?)", row)
            self._spend(connection, address, "opened")
        return Opened(code, secret)

    def lesson(self, code: str, address: str = "") -> str:
        """What a room is on. Raises RoomBusy where an address has asked for WRONG rooms that are none within an
        hour."""
        with self._guessed(code, address) as connection:
            return self._room(connection, code).lesson

    def visit(self, code: str, visitor: str, step: int) -> None:
        """Count that a visitor, a random text, came to a step. To come again, or to go back, changes nothing."""
        with self._transaction() as connection:
            self._visit(connection, self._room(connection, code), visitor, step)

    def answer(self, code: str, visitor: str, step: int, answer: int, vote: int = 1) -> None:
        """Count a visitor's answer to the question of a step: the first one in each vote, others change nothing.

        Nor does one in a second vote that the teacher has not asked for.
        """
        if not 0 <= answer < ANSWERS:
            raise Error(f"There is no answer {answer}; answers are counted from 0 to {ANSWERS - 1}.")
        with self._transaction() as connection:
            room = self._room(connection, code)
            self._visit(connection, room, visitor, step)
            if vote <= room.vote(step) and _is_new(connection, room, room.mark(visitor, step, VOTED[vote])):
                _add(connection, code=room.code, step=step, vote=vote, answer=answer, count=1)

    def counts(self, code: str, secret: str, address: str = "") -> Counts:
        """What the room has counted, for who has the teacher's secret. Raises RoomBusy as `lesson`."""
        with self._guessed(code, address) as connection:
            room = self._owned(connection, code, secret)
            rows = connection.execute(
                "SELECT step, vote, answer, count FROM tally WHERE code = ? AND count > 0", (room.code,)
            ).fetchall()
        here = {step: count for step, _, answer, count in rows if answer == HERE}
        asked = {step for step, vote, *_ in rows if vote}
        votes = {step: _votes(room, step, [row[1:] for row in rows if row[0] == step]) for step in asked}
        revealed = frozenset(step for step in range(1, STEPS + 1) if room.revealed >> step & 1)
        return Counts(room.lesson, room.ends, here, votes, revealed, room.held, bool(room.withheld))

    def standing(self, code: str, step: int, visitor: str = "") -> Standing:
        """How a room stands at a step, for a visitor."""
        with self._transaction(writes=False) as connection:
            room = self._room(connection, code)
            vote, revealed = room.vote(step), bool(room.revealed >> step & 1)
            mark = room.mark(visitor, step, VOTED[vote])
            voted = connection.execute("SELECT 1 FROM mark WHERE code = ? AND mark = ?", (room.code, mark)).fetchone()
            shown = revealed or not room.withheld
            rows = connection.execute(
                "SELECT vote, answer, count FROM tally WHERE code = ? AND step = ? AND ?", (room.code, step, shown)
            ).fetchall()
        return Standing(room.held, shown, revealed, vote, voted is not None, _votes(room, step, rows))

    def reveal(self, code: str, secret: str, steps: frozenset[int]) -> None:
        """Show how these questions, and no others, were answered; of them those that somebody has answered."""
        with self._transaction() as connection:
            room = self._owned(connection, code, secret)
            bits = sum(1 << step for step in steps & _answered(connection, room))
            _set(connection, room, "revealed", bits)

    def vote_again(self, code: str, secret: str, step: int) -> None:
        """Ask a question that somebody has answered once more, and hide it until it is revealed. There is no third
        vote."""
        with self._transaction() as connection:
            room = self._owned(connection, code, secret)
            if room.vote(step) == 1 and step in _answered(connection, room):
                _set(connection, room, "again", room.again | 1 << step)
                _set(connection, room, "revealed", room.revealed & ~(1 << step))

    def hold(self, code: str, secret: str, step: int) -> None:
        """Let nobody go beyond a step; 0 lets go."""
        if not 0 <= step <= STEPS:
            raise _no_step(step)
        with self._transaction() as connection:
            _set(connection, self._owned(connection, code, secret), "held", step)

    def withhold(self, code: str, secret: str, on: bool) -> None:
        """Whether visitors see how the room answered, and what is right, only when it is revealed."""
        with self._transaction() as connection:
            _set(connection, self._owned(connection, code, secret), "withheld", int(on))

    def end(self, code: str, secret: str) -> None:
        """Delete a room and all that it counted; for a day its code says that it has ended."""
        with self._transaction() as connection:
            self._end(connection, [self._owned(connection, code, secret).code])

    # --- below: with the file open ------------------------------------------------------------------

    @contextlib.contextmanager
    def _guessed(self, code: str, address: str) -> Iterator[sqlite3.Connection]:
        """The open file, for an address that asks for a room by what could be a code; counts those that are none."""
        normal(code)
        try:
            with self._transaction(writes=False) as connection:
                if self._spent(connection, address, "guessed", WRONG):
                    raise RoomBusy(
                        f"{WRONG} room codes that are none came from your address within an hour; try again in an hour."
                    )
                yield connection
        except NoRoom:
            with self._transaction() as connection:
                self._spend(connection, address, "guessed")
            raise

    def _who(self, address: str) -> bytes:
        return hashlib.blake2b(counted(address, SITE).encode(), key=self._key, digest_size=16).digest()

    def _spent(self, connection: sqlite3.Connection, address: str, what: str, most: int) -> bool:
        """Whether an address has done something as often as it may within an hour."""
        found = connection.execute(
            "SELECT 1 FROM spent WHERE who = ? AND what = ? AND count >= ?", (self._who(address), what, most)
        )
        return found.fetchone() is not None

    def _spend(self, connection: sqlite3.Connection, address: str, what: str) -> None:
        if address:
            connection.execute(
                "INSERT INTO spent VALUES (?, ?, 1, ?) ON CONFLICT DO UPDATE SET count = count + 1",
                (self._who(address), what, self.clock()),
            )

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
        row = connection.execute("SELECT * FROM room WHERE code = ?", (code,)).fetchone()
        if row is not None:
            return _Room(*row)
        if connection.execute(KNOWN, {"code": code}).fetchone():
            raise NoRoom("Room {code} has ended, as each does after a day or when its teacher ends it.", code=code)
        raise NoRoom("There is no room {code}; look at its code on the teacher's screen again.", code=code)

    def _owned(self, connection: sqlite3.Connection, code: str, secret: str) -> _Room:
        room = self._room(connection, code)
        if not hmac.compare_digest(_hashed(secret), room.secret):
            raise NoRoom(
                f"This is not the teacher's link of room {room.code}: its secret is another one. Take the link that "
                "was shown when the room was opened."
            )
        return room

    def _visit(self, connection: sqlite3.Connection, room: _Room, visitor: str, step: int) -> None:
        if not 1 <= step <= STEPS:
            raise _no_step(step)
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
                raise RoomBusy(f"Room {room.code} counts {MOST_VISITORS} visitors at most, and they are here.")
        _is_new(connection, room, room.mark(visitor, step, "came"))
        _add(connection, code=room.code, step=step, vote=0, answer=HERE, count=1)
        if before:
            _add(connection, code=room.code, step=before, vote=0, answer=HERE, count=-1)

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
        connection = sqlite3.connect(self.path, timeout=PATIENCE, isolation_level=None, check_same_thread=False)
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
        """End the rooms whose day is over, and forget the codes that ended a day ago, and what was done an hour ago."""
        now = self.clock()
        times = {"now": now, "yesterday": now - DAY, "before": now - HOUR}
        old = ("room WHERE ends <= :now", "ended WHERE at <= :yesterday", "spent WHERE since <= :before")
        if connection.execute(" UNION ALL ".join(f"SELECT 1 FROM {each}" for each in old), times).fetchone():
            connection.execute("BEGIN IMMEDIATE")
            codes = connection.execute("SELECT code FROM room WHERE ends <= :now", times).fetchall()
            self._end(connection, [code for (code,) in codes])
            for each in old[1:]:
                connection.execute(f"DELETE FROM {each}", times)
            connection.execute("COMMIT")

    def _end(self, connection: sqlite3.Connection, codes: list[str]) -> None:
        """Delete rooms and keep their codes, of the MOST_ENDED that ended last."""
        for code in codes:
            connection.execute(
                "INSERT OR REPLACE INTO ended SELECT code, min(ends, ?) FROM room WHERE code = ?", (self.clock(), code)
            )
            for table in ("room", "tally", "mark"):
                connection.execute(f"DELETE FROM {table} WHERE code = ?", (code,))
        connection.execute(
            "DELETE FROM ended WHERE code NOT IN (SELECT code FROM ended ORDER BY at DESC LIMIT ?)", (MOST_ENDED,)
        )

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
        "INSERT INTO tally VALUES (:code, :step, :vote, :answer, :count) ON CONFLICT DO UPDATE SET count = count + "
        ":count",
        row,
    )


def _answered(connection: sqlite3.Connection, room: _Room) -> frozenset[int]:
    """The steps whose questions somebody has answered."""
    rows = connection.execute("SELECT step FROM tally WHERE code = ? AND vote > 0", (room.code,))
    return frozenset(step for (step,) in rows)


def _votes(room: _Room, step: int, rows: list[tuple[int, int, int]]) -> tuple[dict[int, int], ...]:
    """Rows (vote, answer, visitors) of a step as answer -> visitors, of each vote that the teacher has asked for."""
    return tuple(
        {answer: count for each, answer, count in rows if each == vote} for vote in range(1, room.vote(step) + 1)
    )


def _set(connection: sqlite3.Connection, room: _Room, column: str, value: int) -> None:
    connection.execute(f"UPDATE room SET {column} = ? WHERE code = ?", (value, room.code))


def _no_step(step: int) -> Error:
    return Error("There is no step {step}; rooms count steps from 1 to {most}.", step=step, most=STEPS)


def _not_now(why: str) -> RoomBusy:
    return RoomBusy(
        f"The rooms of this server cannot be reached now ({why}); the lesson goes on, and counts again when they can."
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
