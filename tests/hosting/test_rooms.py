"""Rooms: what they count, for whom, for how long, and what a file that is locked, gone or shared by two processes makes
of it."""

import re
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tlmviz.errors import Error
from tlmviz.hosting import rooms
from tlmviz.hosting.rooms import ALPHABET, DAY, FILE, HOUR, NoRoom, RoomBusy, Rooms

ROOT = Path(__file__).resolve().parents[2]


class Clock:
    """A clock that is set by hand."""

    now = 1e9

    def __call__(self):
        return self.now


@pytest.fixture
def clock():
    return Clock()


@pytest.fixture
def found(tmp_path, clock):
    made = Rooms(tmp_path / FILE, clock)
    yield made
    made.close()


@pytest.fixture(scope="module")
def kept(tmp_path_factory):
    """One file for all examples of a property; each opens a room of its own."""
    made = Rooms(tmp_path_factory.mktemp("rooms") / FILE, Clock())
    yield made
    made.close()


VISITS = st.tuples(st.just("visit"), st.integers(0, 4), st.integers(1, 6))
GIVEN = st.tuples(st.just("answer"), st.integers(0, 4), st.integers(1, 6), st.integers(0, 3), st.integers(1, 2))
AGAIN = st.tuples(st.just("vote_again"), st.integers(1, 6))


@given(st.lists(VISITS | GIVEN | AGAIN, max_size=40))
def test_counts_are_those_of_a_plain_reading_and_never_exceed_the_visitors(kept, events):
    """Against sets of who did what: everybody is where they came furthest, and the first answer counts in each vote."""
    opened = kept.open_room("a lesson")
    furthest, first, again = {}, {}, set()
    for kind, who, *rest in events:
        if kind == "vote_again":
            kept.vote_again(opened.code, opened.secret, who)
            again |= {who} & {at for _, at, _ in first}
            continue
        step, *answer = rest
        getattr(kept, kind)(opened.code, f"visitor {who}", step, *answer)
        furthest[who] = max(furthest.get(who, 0), step)
        if answer and answer[1] <= 1 + (step in again):
            first.setdefault((who, step, answer[1]), answer[0])
    counts = kept.counts(opened.code, opened.secret)
    assert counts.visitors == len(furthest)
    for step in range(1, 7):
        assert counts.here.get(step, 0) == sum(at == step for at in furthest.values())
        assert counts.passed(step) == sum(at > step for at in furthest.values())
        votes = [[first[key] for key in first if key[1:] == (step, vote)] for vote in (1, 2)]
        plain = tuple({each: told.count(each) for each in set(told)} for told in votes[: 1 + (step in again)])
        assert counts.votes.get(step, ({},)) == plain
        for who in range(5):
            standing = kept.standing(opened.code, step, f"visitor {who}")
            assert (standing.vote, standing.votes) == (len(plain), plain)
            assert standing.voted == ((who, step, standing.vote) in first)
        for answered in counts.answered(step):
            assert answered <= counts.here.get(step, 0) + counts.passed(step) <= counts.visitors
    with sqlite3.connect(kept.path) as file:
        assert not file.execute("SELECT * FROM tally WHERE count < 0").fetchall()
    kept.end(opened.code, opened.secret)


@given(st.lists(VISITS | GIVEN | AGAIN, max_size=20), st.integers(2, 3))
def test_twice_the_same_is_once(kept, events, times):
    once, often = kept.open_room("a lesson"), kept.open_room("a lesson")
    for repeat, room in ((1, once), (times, often)):
        for kind, who, *rest in events:
            for _ in range(repeat):
                if kind == "vote_again":
                    kept.vote_again(room.code, room.secret, who)
                else:
                    getattr(kept, kind)(room.code, str(who), *rest)
    assert kept.counts(*vars(once).values()) == kept.counts(*vars(often).values())
    for room in (once, often):
        kept.end(room.code, room.secret)


def test_codes_are_read_from_the_back_row_and_typed_as_one_likes(found):
    assert not set(ALPHABET) & set("0OQI1L2Z5S8BUVAEYG") and len(set(ALPHABET)) == len(ALPHABET)
    opened = found.open_room("a lesson")
    assert re.fullmatch(f"[{ALPHABET}]{{6}}", opened.code) and len(opened.secret) >= 32
    typed = f"  {opened.code[:3].lower()} {opened.code[3:]}\n"
    assert rooms.normal(typed) == opened.code and found.lesson(typed) == "a lesson"
    for wrong in ("", "K7", "K7FK7FK", "K7F-O0I", "ÄÖÜßéñ", "x" * 10_000, "'; --"):
        with pytest.raises(NoRoom, match=r"^“.*” is no room code: a code has 6 letters and digits") as error:
            found.lesson(wrong)
        assert len(str(error.value)) < 200
    assert found.open_room("a lesson").code != opened.code


def test_a_room_that_never_was_or_has_ended_and_another_secret_get_one_sentence(found):
    first, second = found.open_room("one"), found.open_room("two")
    with pytest.raises(NoRoom, match="not the teacher's link of room"):
        found.counts(first.code, second.secret)
    for steps in (found.end, lambda *room: found.reveal(*room, frozenset({1}))):
        with pytest.raises(NoRoom, match="its secret is another one"):
            steps(first.code, "é" * 32)
    found.visit(first.code, "v", 1)
    found.end(first.code, first.secret)
    for call in (
        lambda: found.lesson(first.code),
        lambda: found.visit(first.code, "v", 1),
        lambda: found.answer(first.code, "v", 1, 0),
        lambda: found.standing(first.code, 1),
        lambda: found.counts(first.code, first.secret),
        lambda: found.end(first.code, first.secret),
    ):
        with pytest.raises(NoRoom, match=f"^Room {first.code} has ended, as each does"):
            call()
    other = next(code for code in ("CDFHJK", "DFHJKM") if code not in (first.code, second.code))
    with pytest.raises(NoRoom, match=f"^There is no room {other}; look at its code"):
        found.lesson(other)
    assert found.lesson(second.code) == "two"


def test_no_step_or_answer_that_there_cannot_be(found):
    opened = found.open_room("a lesson")
    for step, answer in ((0, 0), (21, 0), (1, -1), (1, 40)):
        with pytest.raises(Error, match=r"There is no (step|answer)"):
            found.answer(opened.code, "v", step, answer)
    for step in (-1, 21):
        with pytest.raises(Error, match=f"There is no step {step}"):
            found.hold(opened.code, opened.secret, step)
    assert found.counts(opened.code, opened.secret).visitors == 0


def test_a_day_later_it_is_gone_from_the_file_too(found, clock, tmp_path):
    opened = found.open_room("a lesson")
    found.answer(opened.code, "v", 3, 1)
    assert found.counts(opened.code, opened.secret).ends == clock.now + DAY
    clock.now += DAY - 1
    assert found.counts(opened.code, opened.secret).visitors == 1
    clock.now += 1
    other = found.open_room("another")  # any call will do
    with pytest.raises(NoRoom, match="has ended"):
        found.counts(opened.code, opened.secret)
    with sqlite3.connect(tmp_path / FILE) as file:
        assert [row[0] for row in file.execute("SELECT code FROM room")] == [other.code]
        assert not file.execute("SELECT * FROM tally").fetchall()
        assert not file.execute("SELECT * FROM mark").fetchall()
        assert file.execute("SELECT * FROM ended").fetchall() == [(opened.code, clock.now)]
    clock.now += DAY  # another day later its code is forgotten as well
    with pytest.raises(NoRoom, match=f"There is no room {opened.code}"):
        found.lesson(opened.code)
    with sqlite3.connect(tmp_path / FILE) as file:
        assert [code for code, _ in file.execute("SELECT * FROM ended")] == [other.code]


def test_a_room_whose_day_is_over_for_long_was_not_ended_when_somebody_looks(found, clock):
    opened = found.open_room("a lesson")
    clock.now += 2 * DAY
    with pytest.raises(NoRoom, match=f"There is no room {opened.code}"):
        found.lesson(opened.code)


def test_so_many_codes_of_ended_rooms_are_kept_those_of_the_last(found, clock, monkeypatch):
    monkeypatch.setattr(rooms, "MOST_ENDED", 2)
    codes = []
    for _ in range(4):
        clock.now += 1
        opened = found.open_room("a lesson")
        found.end(opened.code, opened.secret)
        codes.append(opened.code)
    for code, said in zip(codes, ["There is no room"] * 2 + ["has ended"] * 2, strict=True):
        with pytest.raises(NoRoom, match=said):
            found.lesson(code)


def test_what_is_stored_names_no_visitor_and_no_secret_and_tells_no_answer_of_anybody(found, tmp_path):
    opened = found.open_room("a lesson")
    for visitor in ("0123456789abcdef" * 2, "fedcba9876543210" * 2):
        found.answer(opened.code, visitor, 2, 1)
    with sqlite3.connect(tmp_path / FILE) as file:
        tables = {name: file.execute(f"SELECT * FROM {name}").fetchall() for name in ("room", "tally", "mark")}
    assert tables["tally"] == [(opened.code, 2, 0, rooms.HERE, 2), (opened.code, 2, 1, 1, 2)]
    marks = [mark for _, mark in tables["mark"]]
    assert len(marks) == len(set(marks)) == 4 and all(len(mark) == 16 for mark in marks)
    found.close()
    stored = b"".join(path.read_bytes() for path in tmp_path.iterdir())
    assert opened.code.encode() in stored
    for hidden in (opened.secret, "0123456789abcdef", "fedcba9876543210"):
        assert hidden.encode() not in stored


def test_a_server_keeps_so_many_rooms_and_a_room_so_many_visitors(found, monkeypatch):
    monkeypatch.setattr(rooms, "MOST_ROOMS", 2)
    monkeypatch.setattr(rooms, "MOST_VISITORS", 2)
    first, _ = found.open_room("one"), found.open_room("two")
    with pytest.raises(RoomBusy, match=r"^2 rooms are open, as many as this server keeps"):
        found.open_room("three")
    for visitor in "ab":
        found.visit(first.code, visitor, 1)
    with pytest.raises(RoomBusy, match="counts 2 visitors at most"):
        found.answer(first.code, "c", 1, 0)
    found.answer(first.code, "a", 2, 0)  # who is in goes on
    assert found.counts(first.code, first.secret).here == {1: 1, 2: 1}


def test_where_all_are_open_one_that_nobody_joined_within_an_hour_gives_way(found, clock, monkeypatch):
    monkeypatch.setattr(rooms, "MOST_ROOMS", 2)
    joined, left = found.open_room("one"), found.open_room("two")
    found.visit(joined.code, "a", 1)
    clock.now += HOUR - 1
    with pytest.raises(RoomBusy, match="2 rooms are open"):
        found.open_room("three")
    clock.now += 1
    third = found.open_room("three")
    with pytest.raises(NoRoom):
        found.lesson(left.code)
    assert found.lesson(joined.code) == "one" and found.lesson(third.code) == "three"
    with pytest.raises(RoomBusy):  # the third has its hour yet
        found.open_room("four")


def test_an_address_opens_only_so_many_rooms_and_others_go_on(found, monkeypatch):
    for _ in range(rooms.OPENED):
        found.open_room("a lesson", "10.0.0.1")
    with pytest.raises(RoomBusy, match=f"^{rooms.OPENED} rooms were opened from your address within an hour"):
        found.open_room("a lesson", "10.0.0.1")
    found.open_room("a lesson", "10.0.0.2")


def test_all_processes_and_a_whole_site_count_together_and_for_an_hour(clock, tmp_path, monkeypatch):
    monkeypatch.setenv(rooms.SECRET, "of all processes")
    both = [Rooms(tmp_path / FILE, clock) for _ in range(2)]
    for number in range(rooms.OPENED):
        both[number % 2].open_room("a lesson", f"2001:db8:0:{number:x}::1")
    for number in range(rooms.WRONG):
        with pytest.raises(NoRoom):
            both[number % 2].counts(both[0].open_room("a lesson").code, "wrong", f"2001:db8:0:7:{number:x}::")
    for each in both:
        with pytest.raises(RoomBusy, match="rooms were opened from your address"):
            each.open_room("a lesson", "2001:db8:0:7:ffff::1")
        with pytest.raises(RoomBusy, match="codes that are none came from your address"):
            each.lesson("CDFHJK", "2001:db8:0:7:ffff::1")
        assert each.open_room("a lesson", "2001:db8:1:8::1")
    both[0].close()
    stored = (tmp_path / FILE).read_bytes() + (tmp_path / f"{FILE}-wal").read_bytes()
    assert b"2001:db8" not in stored and b"of all processes" not in stored
    clock.now += HOUR
    assert both[0].open_room("a lesson", "2001:db8:0:7::1")
    both[1].open_room("a lesson")
    with sqlite3.connect(tmp_path / FILE) as file:
        assert file.execute("SELECT count FROM spent").fetchall() == [(1,)]
    for each in both:
        each.close()


def test_an_address_guesses_only_so_many_codes_and_others_go_on(found):
    opened = found.open_room("a lesson")
    other = next(code for code in ("CDFHJK", "DFHJKM") if code != opened.code)
    asks = lambda: found.lesson(other, "10.0.0.1"), lambda: found.counts(opened.code, "wrong", "10.0.0.1")  # noqa: E731
    for guess in range(rooms.WRONG):
        # A right code costs nothing, nor does what is no code.
        assert found.lesson(opened.code, "10.0.0.1") == "a lesson"
        with pytest.raises(NoRoom):
            found.lesson("nonsense", "10.0.0.1")
        with pytest.raises(NoRoom):
            asks[guess % 2]()
    for ask in (*asks, lambda: found.lesson(opened.code, "10.0.0.1")):
        with pytest.raises(RoomBusy, match="codes that are none came from your address"):
            ask()
    assert found.lesson(opened.code, "10.0.0.2") == "a lesson"


def test_what_is_revealed_is_of_the_room_and_was_answered_by_somebody(found):
    opened = found.open_room("a lesson")
    for step in (2, 3, 20):
        found.answer(opened.code, "v", step, 0)
    found.reveal(opened.code, opened.secret, frozenset({1, 2, 20, 99}))
    assert found.counts(opened.code, opened.secret).revealed == {2, 20}
    found.reveal(opened.code, opened.secret, frozenset())
    assert not found.counts(opened.code, opened.secret).revealed


def test_results_that_wait_are_given_to_nobody_before_they_are_revealed(found):
    opened = found.open_room("a lesson")
    found.answer(opened.code, "v", 1, 2)
    found.answer(opened.code, "v", 2, 0)
    assert found.standing(opened.code, 1, "v") == rooms.Standing(voted=True, votes=({2: 1},))
    found.withhold(opened.code, opened.secret, True)
    assert found.standing(opened.code, 1, "v") == rooms.Standing(shown=False, voted=True)
    found.reveal(opened.code, opened.secret, frozenset({1}))
    assert found.standing(opened.code, 1, "v").votes == ({2: 1},) and not found.standing(opened.code, 2).shown
    counts = found.counts(opened.code, opened.secret)
    assert counts.withheld and counts.votes == {1: ({2: 1},), 2: ({0: 1},)}
    found.withhold(opened.code, opened.secret, False)
    assert found.standing(opened.code, 2).shown and not found.counts(opened.code, opened.secret).withheld


def test_a_second_vote_is_asked_for_once_hides_the_first_and_keeps_it(found):
    opened = found.open_room("a lesson")
    found.vote_again(opened.code, opened.secret, 1)  # which nobody has answered
    assert found.standing(opened.code, 1).vote == 1
    for visitor, answer in (("a", 0), ("b", 1)):
        found.answer(opened.code, visitor, 1, answer)
    found.answer(opened.code, "a", 1, 1, 2)  # not yet asked for
    found.reveal(opened.code, opened.secret, frozenset({1}))
    found.vote_again(opened.code, opened.secret, 1)
    assert found.standing(opened.code, 1, "a").again and not found.counts(opened.code, opened.secret).revealed
    for answer in (1, 0):
        found.answer(opened.code, "a", 1, answer, 2)
    found.answer(opened.code, "late", 1, 1, 2)
    assert not found.standing(opened.code, 1, "a").again and found.standing(opened.code, 1, "b").again
    found.reveal(opened.code, opened.secret, frozenset({1}))
    found.vote_again(opened.code, opened.secret, 1)  # of a screen that has not seen it: no third vote
    counts = found.counts(opened.code, opened.secret)
    assert counts.revealed == {1} and counts.votes == {1: ({0: 1, 1: 1}, {1: 2})}
    assert counts.answered(1) == (2, 2) and counts.answered(2) == (0,)
    assert not found.standing(opened.code, 1, "b").again  # it is revealed


def test_a_room_is_held_at_one_step_until_the_teacher_lets_go(found):
    opened = found.open_room("a lesson")
    assert not found.standing(opened.code, 1).before(20)
    found.hold(opened.code, opened.secret, 3)
    standing = found.standing(opened.code, 5)
    assert standing.before(4) and not standing.before(3)
    assert found.counts(opened.code, opened.secret).held == 3
    found.hold(opened.code, opened.secret, 0)
    assert not found.standing(opened.code, 5).before(5)


def test_only_the_teacher_decides(found):
    opened = found.open_room("a lesson")
    for call, what in ((found.hold, 1), (found.withhold, True), (found.vote_again, 1)):
        with pytest.raises(NoRoom, match="its secret is another one"):
            call(opened.code, "another", what)


def test_a_file_of_an_older_version_is_left_alone(found, tmp_path):
    with sqlite3.connect(tmp_path / "rooms.sqlite") as old:
        old.execute("CREATE TABLE room (code TEXT PRIMARY KEY, lesson TEXT)")
        old.execute("INSERT INTO room VALUES ('CDFHJK', 'a lesson')")
    opened = found.open_room("another")
    found.answer(opened.code, "v", 1, 0)
    assert found.counts(opened.code, opened.secret).answered(1) == (1,)


def test_a_locked_file_is_one_sentence_and_nothing_is_lost(found, tmp_path, monkeypatch):
    monkeypatch.setattr(rooms, "PATIENCE", 0.01)
    opened = found.open_room("a lesson")
    found.close()  # opened again with less patience
    with sqlite3.connect(tmp_path / FILE, isolation_level=None) as other:
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(RoomBusy, match=r"cannot be reached now \(database is locked\); the lesson goes on"):
            found.visit(opened.code, "v", 1)
        assert found.lesson(opened.code) == "a lesson"  # readers need not wait
        other.execute("ROLLBACK")
    found.visit(opened.code, "v", 1)
    assert found.counts(opened.code, opened.secret).visitors == 1
    with found._lock, pytest.raises(RoomBusy, match="others are using it"):
        found.lesson(opened.code)


def test_a_file_that_is_gone_or_no_file_of_rooms_is_one_sentence(found, tmp_path):
    opened = found.open_room("a lesson")
    for path in tmp_path.iterdir():
        path.unlink()
    with pytest.raises(NoRoom, match="There is no room"):
        found.visit(opened.code, "v", 1)
    assert found.lesson(found.open_room("new").code) == "new"
    found.close()
    (tmp_path / FILE).write_bytes(b"no database at all, " * 100)
    with pytest.raises(RoomBusy, match="file is not a database"):
        found.open_room("a lesson")
    with pytest.raises(RoomBusy, match="unable to open database file"):
        Rooms(tmp_path / "nowhere" / FILE).open_room("a lesson")


def test_two_processes_count_into_one_file(found, tmp_path):
    """The same 40 visitors in both, at the same time: each counts once, at the last step, with one answer for each
    question."""
    opened = found.open_room("a lesson")
    program = f"""
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from tlmviz.hosting.rooms import Rooms
rooms = Rooms(Path({str(tmp_path / FILE)!r}), lambda: {found.clock()})
sys.stdin.readline()
def walk(visitor):
    for step in range(1, 6):
        rooms.visit({opened.code!r}, str(visitor), step)
        rooms.answer({opened.code!r}, str(visitor), step, visitor % 3)
with ThreadPoolExecutor(8) as threads:
    list(threads.map(walk, range(40)))
"""
    both = [subprocess.Popen([sys.executable, "-c", program], stdin=subprocess.PIPE, cwd=ROOT) for _ in range(2)]
    for process in both:
        process.stdin.write(b"go\n")
        process.stdin.flush()
    for process in both:
        process.stdin.close()
        assert process.wait() == 0
    counts = found.counts(opened.code, opened.secret)
    assert counts.here == {5: 40}
    assert counts.votes == {step: ({0: 14, 1: 13, 2: 13},) for step in range(1, 6)}


def test_the_folder_is_the_one_that_the_environment_names_else_one_of_its_own(tmp_path, monkeypatch):
    monkeypatch.setenv(rooms.FOLDER, str(tmp_path))
    assert rooms.rooms().path == tmp_path / FILE and rooms.rooms() is rooms.rooms()
    monkeypatch.delenv(rooms.FOLDER)
    own = rooms.rooms()
    assert own.path.parent.is_dir() and own.path.parent != tmp_path and own is rooms.rooms()
