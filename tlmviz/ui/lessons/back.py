"""Lesson 15, "From text to picture and back": who may look at what. Words look at a picture, its patches at words,
eight readers at all pixels, and a hidden word to both sides."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import numpy as np

from tlmviz.facades.encoder import MASK
from tlmviz.facades.scenes.language import PLACES, a
from tlmviz.figures.written import percent

from ..language import N_, _
from . import pictured
from .measures import little
from .parts import Behind, Choose, End, Lesson, Part, Picture, Press, Reply, Scene, Tap, choose
from .pictured import ASKED, DARK, LAID, NINE, PROUD, SAYS, TWICE, Cells, Found, drawn, dropped, measure
from .pictures import DOES, INK, LOOK, SOFT, bar, bars, fan, handwritten, panel, ray, ring, rings, strip

HERE = "the 4", "", "", "", "the 9", "", "the 0", "", ""  # what lies in the picture of the first scenes
HOLE = "____"  # in place of a hidden word
NAMES = "ABCDEFGH"  # of readers
FACED = {"at the top and at the top right": (1, 2)}  # cells by what is said of them


def words(m: Found, home: Found) -> dict[str, str]:
    """What stands for the names in the sentences."""
    first, second = m.lost(m.double)
    cells, others = _cells(m.patches) / 4, [n for n in range(9) if n != m.at]
    halves = m.looks[1, m.double]
    return {
        "says": SAYS,
        "nine": SAYS.split()[-1],
        "said": percent(_cells(m.said)[m.named]),
        "still": little(_cells(m.said)[m.at]),
        "own": percent(cells[m.at]),
        "other": percent(cells[others].max()),
        "described": m.described,
        "pixels": f"{m.size[0]}",
        "numbers": f"{m.size[1]}",
        "all": f"{m.size[0] ** 2:,}",
        "few": f"{m.size[0] * len(m.silenced):,}",
        "reader": NAMES[m.double],
        "half": percent(halves[first]),
        "rest": percent(halves[second]),
        "before": m.before[0][0],
        "truth": m.both[-1][0],
        "sure": percent(m.both[-1][1]),
        "less": little(m.before[-1][1]),
        "dark": m.dark[0][0],
        "whole": percent(m.sure[""]),
        "tells": m.tells,
        "of": percent(m.sure[m.tells]),
        "night": percent(m.sure["dark"]),
    }


_cells = pictured.by_cell
Panel = Mapping[str, object]


def _most(shares: np.ndarray) -> list[tuple[int, float]]:
    """Cells with shares that are worth saying."""
    return [(at, share) for at, share in enumerate(shares) if share > 0.05]


def plot(m: Found, home: Found) -> list[Scene]:
    """The scenes."""
    return [scene(m) for scene in (_drop, _look, _twice, _patches, _readers, _times, _hidden, _dark)]


def _said(text: str, answer: str, under: int | None = None) -> Part:
    """A question, and what is answered; "…" where that is not told."""
    tokens = ["", *(f" {word}" for word in text.split()), "?"]
    return strip(tokens, blank=answer, told=answer not in ("", "…"), under=under, share=0.36)


def _scene(at: int | None, press: Iterable[int] = (), one: Panel | None = None) -> Part:
    """The first picture with the 7 in a cell, or in none."""
    cells = LAID if at is None else dropped(at)
    names = [name or _("the cell at the {place}", place=PLACES[n]) for n, name in enumerate(HERE)]
    if one is None:  # the 7 is dropped
        return handwritten(
            drawn(cells), panel("scene"), names=names, press=press, offer="7?", verb=_("Drop the 7 into")
        )
    names = [_("the 7") if n == at else name for n, name in enumerate(names)]
    return handwritten(drawn(cells), one, names=names, press=press)


def _drop(m: Found) -> Scene:
    replies = {}
    found = _("Nobody gave it rules for “left”, or for a 9: it learned both from pictures with questions and answers.")
    no = _("It finds the 7, and what is left of it. Press another cell.")
    empty = _("Left of the 7 there is no digit now. Press another cell.")
    for at, answer in m.answers.items():
        right = at == m.at
        shown = _scene(at, () if right else m.answers), _said(ASKED, answer)
        why = found if right else empty if answer == "nothing" else no
        replies[at] = Reply(_("It says “{it}”."), why, right, shown, {"it": answer})
    return Scene(
        _(
            "This model looks at a picture, and answers a question in words. **Drop the 7** into a cell, until it says "
            "“{says}”."
        ),
        (_scene(None, replies), _said(ASKED, "…")),
        Press(replies),
        hint=_("The digits are written by hand; the model has never seen these."),
        behind=_page(dropped(m.at)),
    )


def _look(m: Found) -> Scene:
    moves = _(
        "No word of the question names this cell. Drop the 7 elsewhere, and the look goes along, to what is left of it."
    )
    replies = {}
    for at, each in enumerate(dropped(m.at)):
        if each is not None:
            none = Reply(_("Not there."), _("Neither the question nor the answer speaks of it: {said} is on the 9."))
            replies[at] = none if at != m.named else Reply(_("Yes, {said} is on the 9."), moves, True)
    there = _("Now the 7 has {still}, and what is left of it {said}.")
    replies[m.at] = Reply(_("There the first one looked."), there)
    replies = {at: Reply(r.verdict, r.reason, r.right, label=PLACES[at]) for at, r in replies.items()}
    first, then = (panel("scene", shades=each * 4, shares=_most(_cells(each))) for each in (m.asked, m.said))
    return Scene(
        _(
            "Reading “7”, one head looks at the 7. Before it says “{nine}”, another head looks. At which cell does "
            "that look most? Tap."
        ),
        (_scene(m.at, replies, first), _said(ASKED, "…", len(ASKED.split()))),
        Tap(replies),
        (_scene(m.at, (), then), _said(ASKED, SAYS)),
        _("A head is a part of the model that looks. Here a word looks at patches of a picture, four to a cell."),
        _page(dropped(m.at)),
    )


def _twice(m: Found) -> Scene:
    why = _("The picture is the same, but now other words look at it: each answer is found anew.")
    digit = m.described.split(" left of ")[1].split(" above")[0]

    def shown(question: str, answer: str, lit: Sequence[int]) -> Picture:
        tokens = ["", *(f" {each}" for each in f"{question} ? {answer}".replace(" ?", "?").split())]
        asked = len(question.split())
        text = strip(tokens, blank="", swapped=range(asked + 1, len(tokens)), share=0.35)
        return handwritten(drawn(TWICE), panel("twice", lit=lit), share=0.65), text

    return Scene(
        _(
            "Where is the 2? It names **two** cells. Asked to describe this picture, what will it call the digit at "
            "the top right?"
        ),
        shown("where is the 2", m.where, FACED[m.where]),
        choose(
            f"“{digit}”",
            (f"“{a(9)}”", _("Yes, and that is right."), why),
            (f"“{a(2)}”", _("One would think so."), _("But it says: {described}. ") + why),
            (f"“{a(3)}”", _("So it calls the one below."), why),
        ),
        shown("describe the picture", m.described, ()),
        behind=_page(TWICE, tiq="where is the 2"),
    )


def _patches(m: Found) -> Scene:
    cells = _cells(m.patches) / 4
    first = _("Only its own patches do: all others give that word {other} at most. So the 7 is found first here, too.")
    replies = {}
    for at, each in enumerate(dropped(m.at)):
        if each is None:
            continue
        its = {"its": little(cells[at])}
        wrong = Reply(
            _("It gives “7” {its}."),
            _("The 7 itself gives {own}: it must be found before what is left of it."),
            words=its,
        )
        marked = Reply(
            _("It gives “7” {its}."), _("It is marked in the end. But the 7, {own}, must be found first."), words=its
        )
        replies[at] = marked if at in m.marked else wrong
    replies[m.at] = Reply(_("Yes, {own} of its look."), first, True)
    replies = {at: Reply(r.verdict, r.reason, r.right, words=r.words, label=PLACES[at]) for at, r in replies.items()}
    before = panel("scene", shades=[0.06] * 36, lit=m.marked, tone=SOFT)
    after = panel("scene", shades=m.patches, shares=[(n, cells[n]) for n in replies], lit=m.marked)
    return Scene(
        _(
            "The other way round: in another model **patches** look at the words, then mark a digit. Whose look "
            "hardest at “7”? Tap."
        ),
        (_scene(m.at, replies, before), _said(ASKED, "")),
        Tap(replies),
        (_scene(m.at, (), after), _said(ASKED, "", len(ASKED.split()))),
        _("It marked the 9, in blue: what it was asked for. Four patches are a cell."),
        _page(dropped(m.at)),
    )


def _nine(m: Found, digits: Sequence[int | None]) -> Part:
    """Nine digits, and what is read of each."""
    read = [(at, f"{digit}", digit != m.truth[at]) for at, digit in enumerate(digits)]
    return handwritten(drawn(NINE), panel("nine", says=read), share=0.62)


def _readers(m: Found) -> Scene:
    replies = {}

    def shown(silent: int | None, found: bool = False) -> Part:
        every = [ring(name, 1, off=n == silent, tone=DOES) for n, name in enumerate(NAMES)]
        return rings(*every, press=not found, verb=_("Silence"), share=0.38)

    for n, name in enumerate(NAMES):
        lost, found = m.lost(n), n == m.double
        told = ", ".join(_("the {digit} as {read}", digit=m.truth[at], read=m.silenced[n][at]) for at in lost)
        why = _("Nobody told the readers who reads what: they came to share the cells out as they learned.")
        one = _("Its cell is lost, and no other. Press another reader.")
        replies[name] = Reply(
            _("Now it reads {told}."),
            why if found else one,
            found,
            (_nine(m, m.silenced[n]), shown(n, found)),
            {"told": told},
        )
    return Scene(
        _(
            "Nine digits, {pixels} pixels, and only **eight readers**. All nine are read right. Silence one at a "
            "time, until **two** digits are lost at once."
        ),
        (_nine(m, m.read), shown(None)),
        Press(replies),
        hint=_(
            "A reader, or **latent**, is {numbers} learned numbers that look at all pixels. Small digits: what is read."
        ),
        behind=Behind("latents", {"latmute": f"{m.double}"}),
    )


def _times(m: Found) -> Scene:
    first, second = m.lost(m.double)
    aims = [int(row.argmax()) for row in m.looks[:, m.double]]
    labels = _("first look"), _("second look"), _("last look")
    why = _("In between it looked at both, {half} and {rest}. So one reader can bring two digits home.")

    def shown(told: int) -> Picture:
        panels = []
        for n, label in enumerate(labels):
            row = m.looks[n, m.double] if n < told else np.zeros(9)
            panels.append(panel(f"{n}", label if n < told else f"{label}: ?", shades=row, shares=_most(row)))
        return (handwritten(drawn(NINE), *panels),)

    back, other = (f"{m.truth[at]}" for at in (aims[0], aims[-1]))
    answers = (
        (_("at the {it} again", it=back), _("That was read already."), why),
        (_("at both alike"), _("That was the look before."), why),
        (_("at the {it}", it=other), _("Yes, at the {it}.", it=other), why),
    )
    return Scene(
        _(
            "Reader {reader} reads two digits. It looks three times, first at the {it}. Where does it look the "
            "**last** time?"
        ),
        shown(1),
        choose(answers[-1][0], *answers),
        shown(3),
        _("If all {pixels} pixels looked at all, that would be {all} weights for each look. Eight readers need {few}."),
        Behind("latents", {"latpin": f"2.{m.double}"}),
        words={"it": back},
    )


def _hidden(m: Found) -> Scene:
    both = dict(m.both)
    tokens = [HOLE.rjust(5) if n == m.place else each for n, each in enumerate(m.hidden)]
    known = [f" {m.both[-1][0]}" if n == m.place else each for n, each in enumerate(m.hidden)]
    rest = range(m.place + 1, len(tokens))
    why = _("It gets {sure}, as “{tells}” stands behind. From what stands before alone it gets {less}.")
    wrong = _("“{it}” had {has}. “{tells}”, behind the hidden word, speaks for “{truth}”: {sure}.")
    replies = []
    for name, share in m.before:
        right = name == m.both[-1][0]
        told = {"it": name, "has": percent(share)}
        verdict = _("Yes, “{truth}”.") if right else _("Not with “{tells}” behind.")
        replies.append(Reply(verdict, why if right else wrong, right, words=told, label="“{it}”"))
    rows = [bar(name, share if n < 2 else None, SOFT, name) for n, (name, share) in enumerate(m.before)]
    rays = [
        ray(
            name,
            share,
            both[name],
            little(share),
            little(both[name]),
            DOES if name == m.both[-1][0] else SOFT,
            name == m.both[-1][0],
        )
        for name, share in m.before
    ]
    return Scene(
        _(
            "A word is hidden. A model that reads only what stands **before** it says “{before}”. What says one that "
            "reads **both sides**?"
        ),
        (strip(tokens, blank="", under=m.place, faint=rest, share=0.45), bars(*rows[:2], share=0.55)),
        Choose([replies[n] for n in (2, 0, 1)]),
        (
            strip(known, blank="", swapped=[m.place], share=0.3),
            fan(_("only before"), _("both sides"), *rays, share=0.7),
        ),
        _("Bars: what it says with “The little girl was so” alone. Both models have read children's stories."),
        Behind(
            "encoder_only",
            {"epart": "Hidden words", "etext": PROUD.replace(MASK, m.both[-1][0]), "eplace": f"{m.place}"},
        ),
    )


def _dark(m: Found) -> Scene:
    said = m.dark[0][0]
    pieces = DARK.rstrip(".").split()
    tokens = ["", *(f" {HOLE if each == MASK else each}" for each in pieces), "."]
    known = ["", *(f" {said if each == MASK else each}" for each in pieces), "."]
    place = pieces.index(MASK) + 1
    why = _(
        "It looks to both sides, but “{tells}” decides. With “{tells}” hidden, too, {of} is left; with “dark” hidden "
        "still {night}."
    )
    fear = _(
        "It says “{dark}”, {whole}: “{tells}” decides, and “dark” hardly counts. With “dark” hidden, too, it is still "
        "{night}."
    )
    rows = (
        (_("“{said}”", said=said), ""),
        (_("“dark” hidden, too"), "dark"),
        (_("“{tells}” hidden, too", tells=m.tells), m.tells),
    )
    told = bars(*(bar(label, m.sure[each], LOOK if each else INK, each or "all") for label, each in rows), share=0.6)
    return Scene(
        _("The same model, both sides in sight. What does it say now?"),
        (strip(tokens, blank="", under=place),),
        choose(
            f"“{said}”",
            ("“scared”", _("No: then it would use “dark”."), fear),
            (f"“{said}”", _("Yes, {whole} sure!"), why),
            (f"“{m.dark[1][0]}”", _("Not with “{tells}” behind."), fear),
        ),
        (strip(known, blank="", swapped=[place], share=0.4), told),
        behind=Behind("encoder_only", {"epart": "Hidden words", "etext": DARK}),
    )


def _page(cells: Cells, **more: str) -> Behind:
    """The page with a picture, which asks the question of the first scenes unless told another."""
    grid = ".".join("" if each is None else f"h{each}" for each in cells)
    return Behind("text_and_image", {"tig": grid, **more})


def end(m: Found, home: Found) -> list[End]:
    """What can be explained now."""
    looks = panel("said", shades=_cells(m.said)), panel("own", shades=_cells(m.patches) / 4)
    shares = [row.max() for row in m.looks[-1]]
    both = (
        bar(label, valued[-1][1], tone)
        for label, valued, tone in ((_("before"), m.before, SOFT), (_("both"), m.both, DOES))
    )
    return [
        End(
            _(
                "A word can look at a picture: {said} of a look is on the 9 that is asked for. And patches can look at "
                "words: those of the 7 give its name {own}."
            ),
            (handwritten(drawn(dropped(m.at)), *looks),),
        ),
        End(
            _(
                "Few readers do for many pixels: eight share nine digits out, and {reader} reads two, one after the "
                "other."
            ),
            (handwritten(drawn(NINE), *(panel(f"{n}", shades=row) for n, row in enumerate(m.looks[-1]) if shares[n])),),
        ),
        End(
            _(
                "A hidden word may look to both sides: “{truth}” gets {sure} in place of {less}. Here one small word "
                "behind it decides."
            ),
            (bars(*both),),
        ),
    ]


LESSON = Lesson(
    "back",
    N_("From text to picture and back"),
    N_("Words look at a picture, a picture looks at words, eight readers share nine digits, and a word looks ahead."),
    pictured.WORDS,
    "",
    measure,
    words,
    plot,
    end,
    pictured.load,
    measured_on=N_("Every number was measured on five small real models."),
    also=pictured.MODELS[1:],
)
