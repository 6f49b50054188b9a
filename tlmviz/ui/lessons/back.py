"""Lesson 15, "From text to picture and back": who may look at what. Words look at a picture, its patches back at words,
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
from .pictured import ASKED, DARK, LAID, NINE, PROUD, SAYS, TAKEN, TWICE, Cells, Found, drawn, dropped, measure
from .pictures import DOES, INK, LOOK, SOFT, bar, bars, fan, handwritten, panel, ray, ring, rings, strip

HERE = "the 4", "", "", "", "the 9", "", "the 0", "", ""  # what lies in the picture of the first scenes
HOLE = "____"  # in place of a hidden word
NAMES = "ABCDEFGH"  # of readers
FACED = {"at the top and at the top right": (1, 2)}  # cells by what is said of them


def words(m: Found, home: Found) -> dict[str, str]:
    """What stands for the names in the sentences."""
    first, second = m.lost(m.double)
    cells, others = _cells(m.patches) / 4, [n for n, each in enumerate(LAID) if each is not None]
    halves, moved = m.looks[1, m.double], _cells(m.said[m.to])
    return {
        "says": SAYS,
        "nine": SAYS.split()[-1],
        "said": percent(_cells(m.said[m.at])[m.named]),
        "now": m.answers[m.to].split()[-1],
        "moved": percent(moved[m.to - 1]),
        "still": little(moved[m.named]),
        "seven": little(moved[m.to]),
        "own": percent(cells[m.at]),
        "other": percent(cells[others].max()),
        "two": percent(_cells(m.twice[0]).max()),
        "taken": percent(_cells(m.twice[1])[TAKEN]),
        "pixels": f"{m.size[0]}",
        "numbers": f"{m.size[1]}",
        "all": f"{m.size[0] ** 2:,}",
        "few": f"{m.size[0] * len(m.silenced):,}",
        "layers": f"{len(m.looks)}",
        "reader": NAMES[m.double],
        "half": percent(halves[first]),
        "rest": percent(halves[second]),
        "before": m.before[0][0],
        "had": percent(m.before[0][1]),
        "keeps": little(m.both[0][1]),
        "truth": m.both[-1][0],
        "sure": percent(m.both[-1][1]),
        "less": little(m.before[-1][1]),
        "dark": m.dark[0][0],
        "whole": percent(m.sure[""]),
        "wins": m.wins[0],
        "won": percent(m.wins[1]),
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
    found = _(
        "Nobody gave the model rules for “left”, or for a 9: it learned both from pictures with questions and answers."
    )
    no = _("The model finds the 7, and what is left of the 7. Press another cell.")
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


def _looks(read: str, said: str, looks: Iterable[np.ndarray], lit: Sequence[int] = ()) -> list[Panel]:
    """A picture twice, with the look for a word that is read, and for one that is said next."""
    labels = _("reading “{it}”", it=read), _("before “{it}”", it=said)
    rows = zip(("asked", "said"), labels, looks, (lit, ()))
    return [panel(name, label, shades=4 * each, shares=_most(_cells(each)), lit=at) for name, label, each, at in rows]


def _look(m: Found) -> Scene:
    why = _(
        "{moved} go to the {now}, {seven} to the 7, {still} to the 9: this head looks at what is left of the 7, which "
        "the other finds."
    )

    def shown(at: int) -> Picture:
        looks = _looks("7", m.answers[at].split()[-1], (m.asked[at], m.said[at]))
        return handwritten(drawn(dropped(at)), *looks, share=0.64), _said(ASKED, m.answers[at])

    return Scene(
        _(
            "Before the model says “{nine}”, a head looks mostly at the 9. Move the 7 right of the {now}: where will "
            "the head look?"
        ),
        shown(m.at),
        choose(
            _("at the {now}"),
            (_("still at the 9"), _("No: then it would look for a 9."), why),
            (_("at the 7"), _("No: that is the other head’s look."), why),
            (_("at the {now}"), _("Yes, at the {now}."), why),
        ),
        shown(m.to),
        _(
            "A head is a part of the model that looks. Shown: how two heads share their looks out over the picture, "
            "each for one word."
        ),
        _page(dropped(m.at)),
    )


def _twice(m: Found) -> Scene:
    why = _(
        "So the first answer was half wrong. Reading “2”, a head gave {two} to the top; before “{it}” one gives "
        "{taken} to the top right: each answer is found anew."
    )
    digit = m.described.split(" left of ")[1].split(" above")[0]
    said = digit.split()[-1]

    def shown(question: str, answer: str, *panels: Panel) -> Picture:
        tokens = ["", *(f" {each}" for each in f"{question} ? {answer}".replace(" ?", "?").split())]
        asked = len(question.split())
        text = strip(tokens, blank="", swapped=range(asked + 1, len(tokens)), share=0.35)
        return handwritten(drawn(TWICE), *panels, share=0.65), text

    return Scene(
        _(
            "Where is the 2? The model names **two** cells. Asked to describe this picture, what will it call the "
            "digit at the top right?"
        ),
        shown("where is the 2", m.where, panel("asked", lit=FACED[m.where])),
        choose(
            f"“{digit}”",
            (f"“{a(9)}”", _("Yes, “{digit}”, rightly."), why),
            (f"“{a(2)}”", _("No: “{digit}”, rightly."), why),
            (f"“{a(3)}”", _("No: “{digit}”, rightly."), why),
        ),
        shown("describe the picture", m.described, *_looks("2", said, m.twice, FACED[m.where])),
        behind=_page(TWICE, tiq="where is the 2"),
        words={"digit": digit, "it": said},
    )


def _patches(m: Found) -> Scene:
    cells = _cells(m.patches) / 4
    why = _(
        "The patches of the 7 give “7” {own}, those of other digits {other} at most: so the 7 is found first here, too."
    )
    replies = {
        at: Reply(_("No, {its} of their look."), why, words={"its": little(cells[at])}, label=PLACES[at])
        for at, each in enumerate(dropped(m.at))
        if each is not None
    }
    replies[m.at] = Reply(_("Yes, {own} of their look."), why, True, label=PLACES[m.at])
    label = _("how much goes to “7”")
    before = panel("scene", f"{label}: ?", shades=0.06 * m.full, lit=m.marked, tone=SOFT)
    after = panel("scene", label, shades=m.patches * m.full, shares=[(n, cells[n]) for n in replies], lit=m.marked)
    return Scene(
        _(
            "And back: in another model **patches** look at the words, then mark a digit. Which cell’s patches look "
            "hardest at “7”? Tap."
        ),
        (_scene(m.at, replies, before), _said(ASKED, "")),
        Tap(replies),
        (_scene(m.at, (), after), _said(ASKED, "", len(ASKED.split()))),
        _(
            "Four patches are a cell. In a head every patch shares 100% out among the words. Marked in the end, in "
            "blue: the 9."
        ),
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
            _("Now the model reads {told}."),
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
            "A reader, or **latent**, is a row of {numbers} numbers; it collects what it sees. Small digits: what the "
            "model reads."
        ),
        behind=Behind("latents", {"latmute": f"{m.double}"}),
    )


def _times(m: Found) -> Scene:
    first, second = m.lost(m.double)
    aims = [int(row.argmax()) for row in m.looks[:, m.double]]
    why = _(
        "In layer 2 the reader looked at both, {half} and {rest}; in the last {most} go to the {that}. So one reader "
        "brings two digits home."
    )

    def shown(told: int) -> Picture:
        panels = []
        for n, look in enumerate(m.looks[:, m.double]):
            row, label = (look, _("layer {n}")) if n < told else (0 * look, _("layer {n}: ?"))
            panels.append(panel(f"{n}", label.format(n=n + 1), shades=row, shares=_most(row)))
        return (handwritten(drawn(NINE), *panels),)

    back, other = (f"{m.truth[at]}" for at in (aims[0], aims[-1]))
    answers = (
        (_("at the {it} again"), _("No: that was in layer 1."), why),
        (_("at both alike"), _("No: that was in layer 2."), why),
        (_("at the {that}"), _("Yes, at the {that}."), why),
    )
    return Scene(
        _(
            "Reader {reader} reads two digits. It looks once in each of {layers} layers, first at the {it}. Where does "
            "it look in the **last**?"
        ),
        shown(1),
        choose(answers[-1][0], *answers),
        shown(3),
        _(
            "If all {pixels} pixels looked at one another, each layer would need {all} shares. Eight readers need "
            "{few}."
        ),
        Behind("latents", {"latpin": f"2.{m.double}"}),
        words={"it": back, "that": other, "most": percent(m.looks[-1, m.double].max())},
    )


def _hidden(m: Found) -> Scene:
    both = dict(m.both)
    tokens = [HOLE.rjust(5) if n == m.place else each for n, each in enumerate(m.hidden)]
    known = [f" {m.both[-1][0]}" if n == m.place else each for n, each in enumerate(m.hidden)]
    rest = range(m.place + 1, len(tokens))
    why = _(
        "“{tells}”, behind the hidden word, speaks for “{truth}”: {sure}, and {less} without what stands behind. "
        "“{before}” falls from {had} to {keeps}."
    )
    right, replies = m.both[-1][0], []
    for name, _share in m.before:
        verdict = _("Yes, “{truth}”.") if name == right else _("No: then what stands behind would do nothing.")
        replies.append(Reply(verdict, why, name == right, words={"it": name}, label="“{it}”"))
    rows = [bar(name, share if n < 2 else None, SOFT, name) for n, (name, share) in enumerate(m.before)]
    rays = [
        ray(name, share, both[name], little(share), little(both[name]), DOES if name == right else SOFT, name == right)
        for name, share in m.before
    ]
    return Scene(
        _(
            "A word is hidden. A model that reads only what stands **before** it says “{before}”. What does one "
            "say that reads **both sides**?"
        ),
        (strip(tokens, blank="", under=m.place, faint=rest, share=0.45), bars(*rows[:2], share=0.55)),
        Choose([replies[n] for n in (2, 0, 1)]),
        (
            strip(known, blank="", swapped=[m.place], share=0.3),
            fan(_("only before"), _("both sides"), *rays, share=0.7),
        ),
        _("Bars: what that model says after “The little girl was so”. Both models have read children's stories."),
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
        "Without “{tells}” another word wins, “{wins}”, {won}; “{dark}” has {of}. Without “dark”, “{dark}” still has "
        "{night}: one small word decides."
    )
    told = bars(
        *(
            bar(label, m.sure[each], LOOK if each else INK, each or "all", says=f"“{said}” {percent(m.sure[each])}")
            for label, each in (
                (_("all in sight"), ""),
                (_("without “dark”"), "dark"),
                (_("without “{tells}”", tells=m.tells), m.tells),
            )
        ),
        share=0.6,
    )
    return Scene(
        _("The same model, both sides in sight. What does it say now?"),
        (strip(tokens, blank="", under=place),),
        choose(
            f"“{said}”",
            ("“scared”", _("No: “{dark}”, {whole} sure."), why),
            (f"“{said}”", _("Yes, {whole} sure!"), why),
            (f"“{m.dark[1][0]}”", _("No: “{dark}”, {whole} sure."), why),
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
    looks = panel("said", shades=_cells(m.said[m.at])), panel("own", shades=_cells(m.patches * m.full) / 4)
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
    N_(
        "Words look at a picture, and its patches look back at words. Eight readers share nine digits, and a hidden "
        "word looks to both sides."
    ),
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
