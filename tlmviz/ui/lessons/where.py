"""Lesson 6, "Where am I?": a head without places, waves that are added, and hands that turn, of which only distances
are left."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from tlmviz.figures.written import number, percent

from ..language import N_, _
from .measures import NOTER
from .parts import Behind, Choose, Drag, End, Lesson, Part, Picture, Reply, Scene, choose, guessed
from .pictures import (
    DOES,
    INK,
    LOOK,
    NOTE,
    SOFT,
    bar,
    bars,
    clock,
    clocks,
    hand,
    line,
    look,
    numbers,
    ring,
    rings,
    strip,
)
from .places import (
    AGAIN,
    AWAY,
    BEYOND,
    BIASED,
    DOG,
    MAN,
    MODEL,
    NONE,
    ON,
    STORY,
    TURNED,
    WAVES,
    ZOO,
    Found,
    angle,
    load,
    measure,
)

Clock = dict[str, object]


def words(m: Found, home: Found) -> dict[str, str]:
    """What stands for the names in the sentences."""
    last = len(m.tokens) - 1
    found = max(range(last + 1), key=m.still.__getitem__)
    (_one, part, whole), (_other, again, far) = m.hand(1), m.hand(AGAIN)
    return {
        "last": m.name(last),
        "look": percent(m.looks[1][MAN]),
        "man": percent(m.looks[1][DOG]),
        "it": m.name(m.seen),
        "here": percent(m.moved[0][m.seen]),
        "there": percent(m.moved[1][m.seen]),
        "away": str(AWAY),
        "on": str(ON),
        "key": m.name(last - 1),
        "part": _score(part),
        "whole": _score(whole),
        "again": _score(again),
        "far": _score(far),
        "turning": percent(m.turning[last - 1]),
        "still": percent(m.still[last - 1]),
        "found": m.name(found),
        "most": percent(m.still[found]),
        "context": str(m.context),
        "beyond": str(BEYOND),
        "hands": str(len(m.turns)),
        "inside": percent(m.right[TURNED][0]),
        "gone": percent(m.right[TURNED][1]),
        "new": str(sum(turn < 1 for turn in m.turns)),
        "all": str(len(m.back.frequency)),
        "n": str(AGAIN),
        "d": str(2 * len(m.back.frequency)),
        "least": _score(min(m.hand(apart)[1] for apart in range(1, AGAIN))),
        "angle": number(math.degrees(m.back.frequency[0]), ".0f"),
    }


def _score(value: float) -> str:
    return number(round(value, 1) + 0.0, ".1f")


def plot(m: Found, home: Found) -> list[Scene]:
    """The scenes, all on the lesson's own story."""
    return [scene(m) for scene in (_swap, _waves, _next, _pairs, _both, _still, _fast, _beyond, _best)]


def _looking(tokens: Sequence[str], weights: Sequence[float], share: float = 1.0) -> Part:
    last = len(tokens) - 1
    return strip(tokens, blank="", under=last, looks=[look("A", last, weights)], share=share)


def _swap(m: Found) -> Scene:
    score, dog = _("A score is made of two words, and of no places. "), _("at “dog”, as much")
    above = _("Heads above notice a little: each word has seen only those before it.")
    man = _("“man” gets {man}, “dog” {look}, as before. ")
    state = {"model": NONE, "text": "".join(m.swapped[1:]), "head": "{}.{}".format(*m.plain), "key": str(MAN)}
    return Scene(
        _(
            "This model is not told where words stand. From “{last}”, a head looks at “dog”. Now dog and man swap. "
            "Where does it look?"
        ),
        (_looking(m.tokens, m.looks[0]),),
        choose(
            dog,
            (_("at “man”, in its place"), _("If so, it would know the place."), man + score),
            (dog, _("Yes, {look}, as before."), score + above),
            (
                _("at “dog”, but more"),
                _("If so, nearness would count."),
                _("“dog” gets {look}, nearer or further. ") + score,
            ),
        ),
        (_looking(m.swapped, m.looks[1]),),
        behind=Behind("explorer", {**state, "query": str(len(m.tokens) - 1)}),
    )


def _waves(m: Found) -> Scene:
    def shown(n: int) -> Picture:
        added = line("added", _("added to “{word}”", word=m.name(m.seen)), m.patterns[n], "", NOTE, 1)
        return _looking(m.tokens, m.moved[n], 0.62), numbers(added, share=0.38)

    why = _("At new places all words carry other waves. So scores change, though no word did.")
    list_ = _("“{it}” gets {there} there. Models that learn a list of places end where their list does.")
    return Scene(
        _(
            "Another model adds **waves** to each word, different at every place. Now the story stands {away} places "
            "further on. Does a head look as before?"
        ),
        shown(0),
        choose(
            _("no"),
            (_("yes"), _("“{it}” got {here}, now {there}."), why),
            (_("no"), _("Right: {there}, not {here}."), why),
            (_("it has no such place"), _("Waves go on for ever."), list_),
        ),
        shown(1),
        _("The first numbers of the waves that are added to one word, “{it}”."),
        Behind("position_schemes", {"pview": "What is added"}),
    )


def _one(name: str, label: str, key: float | None, says: str = "", query: float | None = None) -> Clock:
    """A clock with the query's hand, if there is one, and the key's."""
    hands = [hand("query", query, LOOK, True)] if query is not None else []
    return clock(name, label, *hands, *([hand("key", key, DOES)] if key is not None else []), says=says)


def _next(m: Found) -> Scene:
    *seen, right = map(angle, m.zero.k)
    those = [_one(f"{n}", _("place {place}", place=n), angle) for n, angle in enumerate(seen)]
    at, step = _("place {place}", place=len(seen)), math.degrees(m.back.frequency[0])
    letters = [_one(name, name, angle) for name, angle in zip("ABC", (seen[1], right, right + step))]
    why = _("Each place adds {angle} degrees. So its angle depends on the place.")
    return Scene(
        _(
            "**RoPE** reads two numbers as the hand of a clock; each place turns it by the same angle. Where is it at "
            "place 3?"
        ),
        (clocks(*those, _one("3", at, None), share=0.5), clocks(*letters, share=0.5)),
        choose(
            "B",
            ("A", _("That is where it was at place 1."), _("It does not swing back. ") + why),
            ("B", _("Yes, B."), why),
            ("C", _("That is two steps on."), _("All steps are alike. ") + why),
        ),
        (clocks(*those, _one("3", at, right)),),
        _("Two numbers of a word's key, were it to stand at these places."),
        _planes(m),
    )


def _shown(m: Found, *those: Mapping[str, object]) -> Picture:
    """Clocks, and whose the hands are."""
    query, key = _("query of “{word}”", word=m.name(-1)), _("key of “{word}”", word=m.name(-2))
    return (clocks(*those, legend=[(query, LOOK), (key, DOES)]),)


def _away(m: Found, *apart: int, told: bool = True, names: str = "") -> list[Clock]:
    """Both hands with the key so many places back."""
    says, query = ([_score(m.hand(n)[1]) if told else "?" for n in apart], angle(m.on.q[m.on.home]))
    labels = names or [_("{n} back", n=n) for n in apart]
    return [_one(f"{n}", label, m.hand(n)[0], each, query) for n, label, each in zip(apart, labels, says)]


def _pairs(m: Found) -> Scene:
    apart = 4, 1, 2
    below = _("Hands that point opposite ways have opposite signs: the products lie below zero.")
    alike = _("Hands that point the same way have the same signs. So the score depends on how far back the key stands.")
    return Scene(
        _(
            "In one head, the query of “{last}” has such a hand, and the key of “{key}”. Multiplied and added up: "
            "which pair scores highest?"
        ),
        _shown(m, *_away(m, *apart, told=False, names="ABC")),
        choose(
            "B",
            ("A", _("They score least, {a}."), below),
            ("B", _("Yes, {b}."), alike),
            ("C", _("They score {c}, B {b}."), _("The wider the angle between them, the lower the score.")),
        ),
        _shown(m, *_away(m, *apart)),
        _("The same key, at three distances. Scores are divided by √{d} already."),
        _planes(m),
        words={name: _score(m.hand(n)[1]) for name, n in zip("abc", apart)},
    )


def _both(m: Found) -> Scene:
    why = _("Both turn alike, so the angle between them stays, in all {all} hands: **only the distance counts.**")
    stand = [_("places {key} and {query}", key=key, query=query) for query, key in m.on.positions]
    here, there = (
        _one(f"{n}", stand[n], angle(m.on.k[n]), _score(float(m.on.parts[n, 0])), angle(m.on.q[n]))
        for n in (m.on.home, -1)
    )
    return Scene(
        _("Both words move **{on} places** further on. Both hands turn. What becomes of their score, {part}?"),
        _shown(m, here, clock("-1", stand[-1], says=" ")),
        choose(
            _("it stays"),
            (_("it falls"), _("If so, the end of a text would count less."), why),
            (_("it stays"), _("Yes, {part}."), why),
            (_("it rises"), _("If so, the end of a text would count more."), why),
        ),
        _shown(m, here, there),
        behind=_planes(m, rmove="Move both"),
    )


def _still(m: Found) -> Scene:
    what = _("Training set the hands alike for one back. Unturned, “{key}” gets {still}, “{found}” most: {most}.")

    def shown(weights: list[float]) -> Picture:
        return _looking(m.tokens, weights, 0.64), bars(bar(m.name(-2), weights[-2], LOOK, "key"), share=0.36)

    return Scene(
        _(
            "The head with these hands looks one word back: “{key}” gets {turning}. Now **nothing is turned**. How "
            "much will it get? Drag."
        ),
        shown(m.turning),
        Drag(
            _("Share of the word before, in per cent"),
            _("Stop the hands"),
            100 * m.still[-2],
            guessed(what, _("A little is left."), _("Less is left.")),
        ),
        shown(m.still),
        behind=_planes(m, rpart="Heads"),
    )


def _fast(m: Found) -> Scene:
    why = _("Once around, it points nearly as at 1 back. All {all}, most slower, tell both apart: {whole} and {far}.")
    near, query = _away(m, 1, 2, 3, 4), hand("query", angle(m.on.q[m.on.home]), LOOK, True)
    return Scene(
        _("The fastest of {all} hands goes once around in about **six** places. What does it score {n} back?"),
        _shown(m, *near, clock(f"{AGAIN}", _("{n} back", n=AGAIN), query, says="?")),
        choose(
            _("about {part}"),
            (_("about {part}"), _("Yes, {again}."), why),
            (_("about 0"), _("It scores {again}."), why),
            (_("about {least}"), _("That was four back; now {again}."), why),
        ),
        _shown(m, *near, *_away(m, AGAIN)),
        behind=_planes(m, rmove="Move the key"),
    )


def _times(turns: float) -> str:
    return number(turns, ".0f" if turns > 9.5 else ".1f" if turns > 0.095 else ".2f") + "×"


def _beyond(m: Found) -> Scene:
    why = _(
        "{new} of its {hands} hands never went once around in {context} places. Words further apart meet at angles "
        "that it never saw."
    )
    those = [(min(1.0, each), _times(each), INK if each >= 1 else NOTE) for each in m.turns]
    part = rings(*(ring(f"{n}", *each) for n, each in enumerate(those, 1)), share=0.64)
    before, after = ((part, bars(bar(_("right"), each), share=0.36)) for each in m.right[TURNED])
    replies = guessed(why, _("Not so bad: {gone}."), _("Only {gone}."), _("Well guessed: {gone}."))
    return Scene(
        _(
            "A model with RoPE was trained on texts of {context} pieces. There it guesses {inside} of all next pieces "
            "right. And **after piece {beyond}**? Drag."
        ),
        before,
        Drag(_("How many it guesses right, in per cent"), _("Read on"), 100 * m.right[TURNED][1], replies),
        after,
        _("Its {hands} hands: how often each goes around within {context} places."),
        Behind("position_schemes"),
    )


def _best(m: Found) -> Scene:
    told = {
        WAVES: (
            _("waves"),
            _("From {was} to {now}."),
            _("The waves of places after {context} never occurred in training."),
        ),
        TURNED: (
            "RoPE",
            _("From {was} to {now}."),
            _("Words far apart meet at angles that never occurred in training."),
        ),
        BIASED: ("ALiBi", _("Yes: {was}, and then {now}."), _("Further back only means fewer points, nothing new.")),
        NONE: (
            _("no places"),
            _("From {was} to {now}."),
            _("It falls less than waves and hands, which meet new places. But long texts are new to it, too."),
        ),
    }
    replies = [
        Reply(verdict, why, key == BIASED, label=name, words=dict(zip(("was", "now"), map(percent, m.right[key]))))
        for key, (name, verdict, why) in told.items()
    ]
    before, after = (
        (
            bars(
                *(
                    bar(
                        f"{told[key][0]} {percent(was)}",
                        now if key in shown else None,
                        LOOK if key == BIASED else SOFT,
                        key,
                    )
                    for key, (was, now) in ((key, m.right[key]) for key in told)
                )
            ),
        )
        for shown in ([TURNED], ZOO)
    )
    return Scene(
        _(
            "**ALiBi** turns nothing: each step back takes points off a score. All learnt from {context} pieces. Which "
            "guesses best after {beyond}?"
        ),
        before,
        Choose(replies),
        after,
        _("Beside each stands how many it guesses right within {context} pieces."),
        Behind("position_schemes"),
    )


def _planes(m: Found, **more: str) -> Behind:
    state = {"head": "{}.{}".format(*NOTER), "query": str(len(m.tokens) - 1), "key": str(len(m.tokens) - 2)}
    return Behind("rope_planes", {"model": MODEL, "text": STORY, **state, **more})


def end(m: Found, home: Found) -> list[End]:
    """What can be explained now."""
    (before, after), (inside, gone) = m.looks, m.right[TURNED]
    pairs = (_one(f"{n}", "", angle(m.on.k[n]), "", angle(m.on.q[n])) for n in (m.on.home, -1))
    return [
        End(
            _(
                "Without places a head sees which words there are, not where: “dog” gets {look} before and after the "
                "swap."
            ),
            (bars(bar(_("before"), before[DOG], LOOK), bar(_("after"), after[MAN], LOOK)),),
        ),
        End(
            _(
                "RoPE turns pairs of numbers by an angle that grows with the place. Of two words, only the distance "
                "counts."
            ),
            (clocks(*pairs),),
        ),
        End(
            _(
                "Fast hands tell near places apart, slow ones far. Beyond its training it meets new angles: {gone} for "
                "{inside}."
            ),
            (bars(bar(_("within"), inside), bar(_("beyond"), gone, NOTE)),),
        ),
    ]


LESSON = Lesson(
    "where",
    N_("Where am I?"),
    N_(
        "Attention does not see the order of words. How models tell places: waves, and hands that turn. What lies "
        "beyond?"
    ),
    NONE,
    STORY,
    measure,
    words,
    plot,
    end,
    load,
    measured_on=N_(
        "Every number was measured on five small real models, of which four differ in nothing but their places."
    ),
    also=(MODEL, *ZOO),
)
