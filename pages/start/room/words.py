"""The words of the page Classroom."""

from __future__ import annotations

CLAIM = "One code opens a tour for a whole class, and the wall shows how it goes."
NOTICE = (
    "Counts are kept: how many came to a step, how many gave an answer; and marks that name nobody, so that none counts twice. "
    "No names, no accounts, no addresses. A room ends after a day, and all of this with it.",
    "“Here” are those who came to a step and not further, also those who have closed their tab since. A new tab counts as a new "
    "visitor, a reloaded one does not.",
    "The first answer counts. A student sees how the room answered after answering; the wall shows it when you reveal it.",
)
TEACHER = "For a teacher"
TEACHER_HOW = "Choose a tour and open a room. You get a code for your students, and a page for the wall that shows their counts."
OPEN = "Open a room"
STUDENT = "For a student"
STUDENT_HOW = "Type the code on the wall, or scan the square beside it."
CODE = "Room code"
ON_WALL = "Show the code large"
ON_WALL_HELP = "For the whole wall, so that it can be scanned from the last row. The steps come back when you switch it off."
YOUR_LINK = "Your link"
YOUR_LINK_SAYS = (
    "The address of this page is your link: who has it sees the counts, reveals answers and ends the room. Keep it, and show the "
    "wall in full screen (F11) so that nobody reads it there."
)
WALL = "The wall without menus"
END = "End the room"
END_SAYS = (
    "The room ends for everybody, and its counts are deleted now. The students' tours go on without it."
)
END_NOW = "End it and delete the counts"
ENDED = "The room is ended, and its counts are deleted."
REVEAL, HIDE = "Reveal", "Hide"
REVEAL_ALL, HIDE_ALL = "Reveal all", "Hide all"
LOCAL = (
    "This page was opened as {host}, which no other machine reaches. Open it by the name or address under which students reach "
    "this server, and the link below follows."
)
ADDRESS = "Students open"
SCAN = "The link {link} as a square to scan"
VISITORS = "in the room"
NOTHING = "No answer yet"


def tour(steps: int, questions: int, minutes: int) -> str:
    """How long a tour is."""
    return f"{steps} steps, {questions} questions, about {minutes} minutes. It asks:"


def begin(title: str) -> str:
    """The way into a room."""
    return f"Begin “{title}”"


def ends(when: str) -> str:
    """Until when a room lasts."""
    return f"Ends {when}"


def here(visitors: int) -> str:
    """Who came to a step and not further."""
    return f"{visitors} here"


def further(visitors: int) -> str:
    """Who came further than a step."""
    return f"{visitors} further"


def answered(answers: int) -> str:
    """How many gave an answer to a question that is not revealed."""
    return NOTHING if not answers else f"{answers} answer{'s' * (answers > 1)}"
