"""Lesson 14, "Small numbers": numbers in 8 bits, the scale that one large number spoils, FP8, and a sum that gets
stuck."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from tlmviz.figures.written import number, percent

from ..language import N_, _
from .measures import little
from .parts import Behind, Choose, Drag, End, Lesson, Picture, Reply, Scene, choose, guessed
from .pictures import DOES, INK, LOOK, NOTE, SOFT, bar, bars, stepped, steps, strip
from .rounding import ADDED, MATRIX, MODEL, NEAR, STORY, TOP, Found, measure

UP = 26  # where the line of the sum ends


def words(m: Found, home: Found) -> dict[str, str]:
    """What stands for the names in the sentences."""
    moved = m.coarse
    return {
        "word": m.best,
        "count": f"{m.count / 1e6:.1f}",
        "sure": percent(m.sure),
        "eight": percent(m.eight),
        "top": str(TOP),
        "row": str(len(m.row)),
        "loud": _two(m.loud),
        "step": _two(m.step),
        "added": str(ADDED),
        "stuck": f"{m.sums[-1]:.0f}",
        "half": _two(max(map(abs, m.kept["narrow"]))),
        "is": _two(m.row[moved]),
        "was": _two(m.kept["fp8"][moved]),
        "other": _two(m.kept["one"][moved]),
        **{f"right_{how}": percent(share) for how, share in m.right.items()},
        **{how: little(m.lost(how)) for how in m.kept},
    }


def _two(value: float) -> str:
    return number(value, ".2f")


def plot(m: Found, home: Found) -> list[Scene]:
    """The scenes, all on the lesson's own story."""
    return [scene(m) for scene in (_eight, _nearest, _scale, _lost, _saved, _four, _float, _kept, _sum)]


def _sure(m: Found, share: float) -> Picture:
    """The story, and how sure the model is."""
    told = bars(bar(m.best, share, INK, "answer"), share=0.4)
    return strip(m.tokens, blank=m.best, told=True, share=0.6), told


def _eight(m: Found) -> Scene:
    why = _("A quarter of the room, and the guess hardly moves: {sure} before, {eight} after. How can that be?")
    link = {"nfpart": "whole", "scper": "per channel", "scsides": "Weights alone", "model": MODEL, "text": STORY}
    return Scene(
        _(
            "A model is {sure} sure of “{word}”. Now the {count} million weights of its matrices go from 32 bits to "
            "**8**. How sure then? Drag."
        ),
        _sure(m, m.sure),
        Drag(
            _("How sure it will be, in per cent"),
            _("Cut to 8 bits"),
            100 * m.eight,
            guessed(why, _("More than that!"), _("Not more than {sure}.")),
        ),
        _sure(m, m.eight),
        _("A weight is a number that was learnt, a matrix is a table of weights. A bit is a 0 or a 1."),
        Behind("formats", link),
    )


def _grid(step: float) -> list[float]:
    """The steps near zero."""
    return [n * step for n in range(-int(NEAR), int(NEAR) + 1)]


def _nearest(m: Found) -> Scene:
    given, kept, step = m.weights

    def shown(dots: Sequence[float]) -> Picture:
        line = stepped("w", _("weights"), _grid(step), dots, "", LOOK)
        return (steps(-NEAR * step, NEAR * step, line, named=[(0, "0")]),)

    why = _("Midway it is half a step to either, here {far}. Further off, the other one would be nearer.")
    right = _("half a step")
    return Scene(
        _(
            "8 bits tell 256 steps apart, all alike wide. Every number goes to its nearest step. How far can it be "
            "moved, at most?"
        ),
        shown(given),
        choose(
            right,
            (right, _("Yes, half a step."), why),
            (_("one step"), _("No: then another would be nearer."), why),
            (_("two steps"), _("No: then it would jump over one."), why),
        ),
        shown(kept),
        _("Dots are some weights, lines are the steps, near zero."),
        Behind("formats", {"nfmt": "int8"}),
        words={"far": number(step / 2, ".4f")},
    )


def _scale(m: Found) -> Scene:
    def shown(ticks: Iterable[float]) -> Picture:
        dots = [*(m.row[n] for n in m.near), m.loud]
        ends = [(0, "0"), (m.loud, _two(m.loud))]
        return (steps(-0.6, 1.08 * m.loud, stepped("row", _("one row"), ticks, dots, "", LOOK), named=ends),)

    less, more, right = number(m.step / 10, ".3f"), number(m.step * 10, ".1f"), _two(m.step)
    verdict = _("No: then the last would be {end}.")
    why = _("{loud} / {top} ≈ {step}. What one step is worth is the row's **scale**, kept beside the row.")
    answers = (
        (less, verdict, _("The largest number would lie beyond it. ") + why, 0.1),
        (right, _("Yes, {step}."), why, 1),
        (more, verdict, _("Most steps would lie where no number is. ") + why, 10),
    )
    replies = [
        Reply(says, why, label == right, label=label, words={"end": number(times * m.loud, ".1f")})
        for label, says, why, times in answers
    ]
    return Scene(
        _(
            "At the last word, one matrix reads {row} numbers. The largest, {loud}, gets the last of {top} steps above "
            "zero. How much is one step?"
        ),
        shown(()),
        Choose(replies),
        shown(n * m.step for n in range(-15, TOP + 1)),
        _(
            "Not only weights are cut to 8 bits: the numbers that flow through the model, too. Those that are read "
            "together are a row. Dots are some of them."
        ),
        _product(),
    )


Drawn = tuple[str, str, Iterable[float], str]  # a line's name, label and steps, and how the row is kept


def _near(m: Found, *lines: Drawn, share: float = 1.0) -> Picture:
    """The row near zero, as it is kept, or as it is, and how much of it became 0."""
    edge = NEAR * m.step
    rows = []
    for name, label, ticks, how in lines:
        dots = [(m.kept[how] if how else m.row)[n] for n in m.near]
        says = _("{share} are 0", share=little(m.lost(how))) if how and len(lines) > 1 else ""
        rows.append(stepped(name, label, [each for each in ticks if abs(each) < edge], dots, says, LOOK))
    return (steps(-edge, edge, *rows, named=[(0, "0")], share=share),)


def _lost(m: Found) -> Scene:
    why = _(
        "{one}: all under half a step, {step} / 2. One large number sets the steps for {row}. Yet {right_each} of "
        "guesses are right; in 32 bits, {right_full}."
    )

    def shown(how: str) -> Picture:
        share = bars(bar(_("become 0"), m.lost(how) if how else None, LOOK, "lost"), share=0.4)
        return *_near(m, ("one", _("one row"), _grid(m.step), how), share=0.6), share

    return Scene(
        _(
            "Its other numbers are much smaller: here are some, near zero, with the steps. How many of the {row} "
            "**become 0**? Drag."
        ),
        shown(""),
        Drag(
            _("How many become 0, in per cent"),
            _("Round them"),
            100 * m.lost("one"),
            guessed(why, _("More than that."), _("Not quite so many.")),
        ),
        shown("one"),
        behind=_product(scper="per channel"),
    )


def _saved(m: Found) -> Scene:
    right = _("a scale for each 32")
    price = _("Only 32 numbers keep wide steps. The price: more scales. With them {right_parts} of guesses are right.")
    each_32 = _(" A scale for each 32: {block}. ") + price
    told = (
        (
            "narrow",
            _("steps half as wide"),
            _("Better: {narrow}."),
            _("But {loud} is too large then, and cut to {half}.") + each_32,
        ),
        ("block", right, _("Yes: {block}, not {one}."), price),
        (
            "all",
            _("one scale for all rows"),
            _("Worse: {all}."),
            _("Other rows have larger numbers: wider steps.") + each_32,
        ),
    )

    def shown(after: bool) -> Picture:
        names = _("half as wide"), _("for each 32"), _("for all rows")
        rows = []
        for name, (how, *_said) in zip(names, told):
            rows.append(bar(name, m.lost(how) if after else None, DOES if how == "block" else SOFT, how))
        return (bars(bar(_("for the row"), m.lost("one"), LOOK, "one"), *rows, head=_("become 0")),)

    return Scene(
        _("One scale for the row: {one} become 0. What keeps **most** numbers, and the large one, too?"),
        shown(False),
        choose(right, *(each[1:] for each in told)),
        shown(True),
        behind=_product(),
    )


def _four(m: Found) -> Scene:
    names = {
        "full": _("32 bits"),
        "four": _("4 bits, a matrix"),
        "rows": _("4 bits, each row"),
        "blocks": _("4 bits, each 32"),
    }
    right, less = percent(m.right["four"]), percent(m.right["full"] / 2)
    why = _(
        "It is {right_four}, with a scale for each row {right_rows}, for each 32 {right_blocks}; in 8 bits, for "
        "a matrix, {right_eight}. The fewer the steps, the more scales count."
    )
    link = {"nfpart": "whole", "scf": "INT4", "scper": "per tensor", "model": MODEL, "text": STORY}

    def shown(told: bool) -> Picture:
        return (
            bars(
                *(
                    bar(name, m.right[how] if told or how == "full" else None, LOOK if how == "four" else SOFT, how)
                    for how, name in names.items()
                )
            ),
        )

    return Scene(
        _(
            "Of all pieces of stories the model guesses {right_full} right. Now **4 bits**, 16 steps, one scale for a "
            "matrix. How many then?"
        ),
        shown(False),
        choose(
            right,
            (_("{right_full}"), _("No: then nothing would be lost."), why),
            (right, _("Yes, {right_four}."), why),
            (less, _("No, not so few."), why),
        ),
        shown(True),
        _(
            "A piece is a word, or a part of one. Weights and the numbers they multiply are both cut to 4 bits, with a "
            "scale for a matrix, each row or each 32."
        ),
        Behind("formats", link),
    )


def _float(m: Found) -> Scene:
    one, two = (sum(low <= each < 2 * low for each in m.values) for low in (1, 2))

    def shown(low: float, high: float) -> Picture:
        ticks = [each for each in m.values if low <= each < high]
        return (steps(0, 4.2, stepped("fp8", "FP8", ticks, ()), named=[(n, f"{n}") for n in range(5)]),)

    half, right, double = (f"{n}" for n in (two // 2, two, 2 * two))
    why = _("Each doubling has {n}: from 2 on they lie twice as far apart. So small numbers get narrow steps.")
    return Scene(
        _(
            "**FP8** has 8 bits, too, but its steps differ in width. From 1 up to 2 there are {n}. How many from 2 to "
            "4?"
        ),
        shown(1, 2),
        choose(
            right,
            (half, _("No: then large ones would be very rough."), why),
            (right, _("Yes, {n} again."), why),
            (double, _("No: then all steps would be alike."), why),
        ),
        shown(0, 4),
        _(
            "The lines are its steps; the one at 2 is the first of those from 2 on. FP is floating point: some bits "
            "say how large, some say where between."
        ),
        Behind("formats", {"nnum": "3"}),
        words={"n": f"{one}"},
    )


def _kept(m: Found) -> Scene:
    equal: Drawn = ("one", _("equal steps"), _grid(m.step), "one")
    fp8 = [sign * each * m.loud / m.values[-1] for each in m.values for sign in (1, -1)]
    right = _("hardly any")
    why = _(
        "Near zero its steps are narrow: {fp8} become 0. Further out they are wide: {is} becomes {was}; with equal "
        "steps, {other}."
    )
    return Scene(
        _(
            "The same row in **FP8**, with one scale: stretched so that FP8's largest number is {loud}. How many "
            "numbers become 0 now?"
        ),
        _near(m, equal),
        choose(
            right,
            (_("as many, {one}"), _("No: so it was with equal steps."), why),
            (right, _("Yes, hardly any."), why),
            (_("more"), _("No: then its steps would be wider here."), why),
        ),
        _near(m, equal, ("fp8", "FP8", sorted({*fp8}), "fp8")),
        _("With equal steps, {one} became 0."),
        _product(scf="E4M3", scper="per channel"),
    )


def _summed(m: Found, at: float, label: str = "", says: str = "") -> Picture:
    ticks = [each for each in m.values if each <= UP and (each == 0 or each >= 1)]
    line = stepped("sum", label, ticks, (at,), says, DOES)
    return (steps(0, UP, line, named=[(n, f"{n}") for n in (0, 8, 16, 24)]),)


def _sum(m: Found) -> Scene:
    why = _(
        "From {stuck} on, steps are 2 wide: {stuck} + 1 lies midway and goes back (on a tie, to the even count). So "
        "sums are kept in more bits."
    )
    end, once, label = m.sums[-1], max(each for each in m.values if each <= ADDED), _("the sum")
    return Scene(
        _("Start at 0, **add 1 a hundred times**, and keep the sum in FP8 each time. Where does it end?"),
        _summed(m, 0, label, "?"),
        choose(
            f"{end:.0f}",
            (f"{end:.0f}", _("Yes, it gets stuck."), why),
            (f"{once:.0f}", _("No: so it would, rounded only once."), why),
            (f"{ADDED}", _("No: FP8 has no {added}."), why),
        ),
        _summed(m, end, label, f"{end:.0f}"),
        _("The lines are the steps of FP8, from 1 on."),
        Behind("formats", {"nnum": f"{end + 1:.0f}"}),
    )


def _product(**more: str) -> Behind:
    return Behind("formats", {"nfpart": "product", "scm": MATRIX, "model": MODEL, "text": STORY, **more})


def end(m: Found, home: Found) -> list[End]:
    """What can be explained now."""
    names = ("one", _("one scale")), ("block", _("each 32"))
    return [
        End(
            _(
                "In 8 bits, with equal steps up to the largest number, none moves further than half a step. The guess: "
                "{sure} before, {eight} after."
            ),
            (bars(bar(_("32 bits"), m.sure), bar(_("8 bits"), m.eight, NOTE)),),
        ),
        End(
            _(
                "The largest number sets the scale. One made {one} of a row 0; with a scale for each 32, {block}. In 4 "
                "bits that costs guesses: {right_four}, not {right_full}, are right."
            ),
            (bars(*(bar(name, m.lost(how), LOOK, how) for how, name in names)),),
        ),
        End(
            _(
                "FP8 has narrow steps near zero and wide ones further out. There a sum gets stuck, at {stuck} instead "
                "of {added}."
            ),
            _summed(m, m.sums[-1]),
        ),
    ]


LESSON = Lesson(
    "small",
    N_("Small numbers"),
    N_(
        "A model's numbers in 8 bits in place of 32: steps and their scale, the one large number that spoils a row, "
        "and FP8."
    ),
    MODEL,
    STORY,
    measure,
    words,
    plot,
    end,
)
