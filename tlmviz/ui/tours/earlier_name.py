"""The tour "How a head finds the earlier Anna": induction, from the guess back to the head one layer below, and without it."""

from __future__ import annotations

from tlmviz.analysis.attention.attribution import attribute_logit
from tlmviz.analysis.attention.interventions import mute_heads
from tlmviz.figures.written import number

from .. import compute
from .measures import largest, likeliest, looked_at, nearest, story, story_trace, token
from .parts import Measured, Question, Step, Tour

TEXT = "Tom met Anna at the park. Anna was happy. Tom met"
LAST, FIRST_ANNA, SECOND_ANNA, FIRST_MET = 13, 3, 8, 2  # positions in it
FINDER, ONE_BACK = (5, 0), (4, 2)  # heads
WRITERS = ((5, 0), (3, 3), (5, 5), (5, 3))
LOWER = ("L4H2", "L3H0", "L2H5", "L4H0")


def _key_of() -> Measured:
    """Which of some heads below gives most to the score through what it wrote into the key."""
    lm = story()
    found = compute.run_in_worker(lambda: lm.explain(TEXT, *FINDER, query=LAST, key=FIRST_ANNA))
    columns = [float(found.scores[:, found.names.index(name)].sum()) for name in LOWER]
    said = ", ".join(f"{name} {number(share, '+.2f')}" for name, share in zip(LOWER, columns))
    return Measured(largest(columns), f"of the score {number(found.score, '.2f')}, {said}.")


def _writer() -> Measured:
    """Which of some heads adds most to the logit of Anna."""
    lm, trace = story(), story_trace(TEXT)
    found = compute.run_in_worker(lambda: attribute_logit(lm, trace, LAST, token(" Anna")))
    parts = [float(found.heads[head]) for head in WRITERS]
    said = ", ".join(f"{a}.{b} {number(part, '+.2f')}" for (a, b), part in zip(WRITERS, parts))
    return Measured(largest(parts), f"of the logit {number(found.logit, '.2f')}, head {said}.")


def _without() -> Measured:
    """What is left of the probability of Anna without the head: hardly less, half, a fifth."""
    lm, anna = story(), token(" Anna")
    before = float(story_trace(TEXT).probabilities()[anna])
    muted = compute.run_in_worker(lambda: lm.trace(TEXT, edit=mute_heads([FINDER])).probabilities())
    after = float(muted[anna])
    said = f"“Anna” falls from {number(before, '.1%')} to {number(after, '.1%')}."
    return Measured(nearest(after / before, (1.0, 0.5, 0.2)), said)


def _second() -> Measured:
    """Whether the second Anna gets more weight than the first, about as much, or less than half."""
    row = story_trace(TEXT).attention(*FINDER, rows=slice(LAST, LAST + 1))[0]
    first, second = float(row[FIRST_ANNA]), float(row[SECOND_ANNA])
    said = f"the first has {number(first, '.0%')} of the weight, the second {number(second, '.0%')}."
    return Measured(0 if second > 1.1 * first else 2 if second < 0.5 * first else 1, said)


TOUR = Tour(
    "earlier-anna",
    "How a head finds the earlier Anna",
    "A name was said once; the model says it again. Which head finds it, how does it know where to look, and what if it is "
    "gone?",
    (
        Step(
            "explorer",
            "A sentence that begins again",
            "Tom met Anna, and now the text says “Tom met” once more. The bars are what the model expects next.",
            ".st-key-predictions",
            {"text": TEXT, "head": "5.0", "query": str(LAST)},
            Question(
                "Which of these is likeliest after “Tom met”?",
                ("Anna", "a", "Ben", "the"),
                likeliest(TEXT, (" Anna", " a", " Ben", " the")),
            ),
        ),
        Step(
            "explorer",
            "One head of thirty-six",
            "Each small map is a head: a row for every word that looks, a column for every word that is looked at. The large "
            "map "
            "is head 0 of layer 5, and the framed row is the last word.",
            ".st-key-attention",
            {"text": TEXT, "head": "5.0", "query": str(LAST)},
            Question(
                "Where does the last “met” look, in this head?",
                ("the first “met”", "the first “Anna”", "“park”", "“happy”"),
                looked_at(
                    TEXT,
                    FINDER,
                    LAST,
                    {
                        "the first “met”": FIRST_MET,
                        "the first “Anna”": FIRST_ANNA,
                        "“park”": 6,
                        "“happy”": 10,
                    },
                ),
            ),
        ),
        Step(
            "explorer",
            "What followed last time",
            "The arc ends at the word that stood after the first “met”. The head does not look for Anna: it looks for "
            "whatever "
            "came after an earlier “met”.",
            ".st-key-attention",
            {"text": TEXT, "head": "5.0", "query": str(LAST), "key": str(FIRST_ANNA), "mode": "arcs"},
            Question(
                "There are two Annas. Does the second, after a full stop, get as much?",
                ("more", "about as much", "less than half"),
                _second,
            ),
        ),
        Step(
            "explorer",
            "One layer below",
            "How can a word be known by the word before it? Head 2 of layer 4 reads one place back, at every word: here the "
            "row of the "
            "first “Anna” is framed.",
            ".st-key-attention",
            {"text": TEXT, "head": "4.2", "query": str(FIRST_ANNA)},
            Question(
                "Which word does “Anna” read in this head?",
                ("“Tom”", "“met”", "itself"),
                looked_at(TEXT, ONE_BACK, FIRST_ANNA, {"“Tom”": 1, "“met”": FIRST_MET, "itself": FIRST_ANNA}),
            ),
        ),
        Step(
            "why",
            "What the key is made of",
            "The one score, between the last “met” and “Anna”, taken apart: a row for every source of the query, a column for "
            "every "
            "source of the key. All cells add up to it.",
            ".st-key-why-view",
            {"text": TEXT, "head": "5.0", "query": str(LAST), "key": str(FIRST_ANNA)},
            Question(
                "Of these four heads, whose column gives the score most?",
                ("L4H2, one back", "L3H0", "L2H5", "L4H0"),
                _key_of,
            ),
        ),
        Step(
            "inside_block",
            "What it brings back",
            "The head does not point at Anna, it fetches her: its weights mix the values of the words it reads. This is what "
            "each "
            "head of the layer then writes at the last word.",
            ".st-key-heads",
            {"text": TEXT, "head": "5.0", "query": str(LAST), "step": "per head"},
        ),
        Step(
            "explorer",
            "Who says Anna",
            "The bars on the small maps are what each head adds to the logit of “Anna”. A logit is a sum, so that every head's "
            "part can "
            "be told.",
            ".st-key-attention",
            {"text": TEXT, "head": "5.0", "query": str(LAST), "word": "774"},
            Question("Which of these heads adds most?", ("5.0", "3.3", "5.5", "5.3"), _writer),
        ),
        Step(
            "explorer",
            "Without it",
            "Now head 0 of layer 5 is muted: its output is set to zero and the rest of the model runs as before. The panel "
            "compares "
            "the predictions.",
            ".st-key-closer",
            {
                "text": TEXT,
                "head": "5.0",
                "query": str(LAST),
                "mute": "5.0",
                "panel": "Mute heads",
            },
            Question(
                "What is left of the probability of “Anna”?",
                ("nearly all of it", "half", "about a fifth"),
                _without,
            ),
        ),
    ),
)
