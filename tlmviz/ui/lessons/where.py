"""Lesson 6, "Where am I?": a head without places, waves that are added, and hands that turn, of which only distances
are left, until their angles are new."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from tlmviz.figures.written import number, percent

from ..language import N_, _
from .parts import Behind, Choose, Drag, End, Lesson, Part, Picture, Press, Reply, Scene, choose, guessed
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
    BIT,
    DOG,
    HAND,
    MAN,
    MODELS,
    NONE,
    ON,
    READ,
    STORY,
    TURNED,
    WAVES_AT,
    Found,
    angle,
    measure,
)

Clock = dict[str, object]


def words(m: Found, home: Found) -> dict[str, str]:
    """What stands for the names in the sentences."""
    last = len(m.tokens) - 1
    (_one, part, whole), (_other, again, far) = m.hand(1), m.hand(AGAIN)
    new = sum(turn < 1 for turn in m.turns)
    return {
        "last": m.name(last),
        "dog": m.name(DOG),
        "look": percent(m.looks[1][MAN]),
        "d": number(math.sqrt(len(m.query)), ".0f"),
        "it": m.name(m.seen),
        "here": percent(m.moved[0][m.seen]),
        "there": percent(m.moved[1][m.seen]),
        "away": str(AWAY),
        "on": str(ON),
        "n": str(AGAIN),
        "key": m.name(last - 1),
        "angle": number(math.degrees(m.back.frequency[0]), ".0f"),
        "around": number(2 * math.pi / m.back.frequency[0], ".0f"),
        "part": _score(part),
        "whole": _score(whole),
        "again": _score(again),
        "far": _score(far),
        "least": _score(min(m.hand(apart)[1] for apart in range(1, AGAIN))),
        "size": str(2 * len(m.turns)),
        "hands": str(len(m.turns)),
        "new": str(new),
        "context": str(m.context),
        "beyond": str(BEYOND),
        "read": f"{READ:,}",
        "inside": percent(m.right[0]),
        "gone": percent(m.right[1]),
        "back": percent(m.slowed[m.guilty]),
    }


def _score(value: float) -> str:
    return number(round(value, 1) + 0.0, ".1f")


def plot(m: Found, home: Found) -> list[Scene]:
    """The scenes, all on the lesson's own story."""
    return [scene(m) for scene in (_swap, _keys, _waves, _next, _pairs, _both, _fast, _beyond, _slow)]


def _looking(tokens: Sequence[str], weights: Sequence[float] = (), share: float = 1.0) -> Part:
    last = len(tokens) - 1
    return strip(tokens, blank="", under=last, looks=[look("A", last, weights)] if weights else [], share=share)


def _swap(m: Found) -> Scene:
    why = _(
        "“{dog}” has {look}, as before. This model is not told where words stand: who bit whom is lost on the head."
    )
    state = {"model": NONE, "text": "".join(m.swapped[1:]), "head": "{}.{}".format(*m.plain), "key": str(MAN)}
    first = _looking(m.tokens, m.looks[0], 0.5)
    return Scene(
        _(
            "“Dog bites man” is no news, “man bites dog” is. From “{last}”, a head looks at “dog”. Dog and man swap: "
            "where now?"
        ),
        (first, _looking(m.swapped, share=0.5)),
        choose(
            _("at “dog”, in its new place"),
            (_("at “man”, in dog’s old place"), _("No: then it would go by places."), why),
            (_("at “dog”, in its new place"), _("Yes."), why),
            (_("at both, half and half each"), _("No: then it would notice the swap."), why),
        ),
        (first, _looking(m.swapped, m.looks[1], 0.5)),
        _("To guess the next word, a model looks back: each **head** shares its look among words."),
        Behind("explorer", {**state, "query": str(len(m.tokens) - 1)}),
    )


def _keys(m: Found) -> Scene:
    top = max(map(abs, (*m.query, *(value for key, _score in m.keys.values() for value in key))))
    order = dict(zip((MAN, DOG, BIT), "ABC"))
    right = order[DOG]
    query = line("query", _("query of “{word}”", word=m.name(-1)), m.query, "", LOOK, top)

    def shown(told: bool) -> Picture:
        rows = []
        for place, letter in order.items():
            values, score = m.keys[place]
            label = _("{letter}: key of “{word}”", letter=letter, word=m.name(place)) if told else _("key {letter}")
            says = _score(score) if told else "?"
            rows.append(line(letter, label.format(letter=letter), values, says, DOES, top))
        return (numbers(query, *rows),)

    scored = {letter: _score(m.keys[place][1]) for place, letter in order.items()}
    why = _("high where the query is high, low where it is low. A key is made of its word alone, wherever it stands.")
    other = _("It scores {its}; key {right} scores {most}: ") + why
    named = {letter: m.name(place) for place, letter in order.items()}
    replies = [
        Reply(_("Yes, key {right}."), _("It scores {most}: ") + why, True, label=letter)
        if letter == right
        else Reply(
            _("No, that is “{word}”."), other, words={"its": scored[letter], "word": named[letter]}, label=letter
        )
        for letter in order.values()
    ]
    return Scene(
        _(
            "A head makes numbers of words: a **query** of the one that looks, **keys** of the others. It looks at "
            "“dog”. Which is dog’s key?"
        ),
        shown(False),
        Choose(replies),
        shown(True),
        _(
            "A **score** is query times key, number by number, added up; divided by {d}, √{size}, it stays small. The "
            "highest gets most of the look."
        ),
        Behind("explorer", {"model": NONE, "text": STORY, "head": "{}.{}".format(*m.plain), "key": str(DOG)}),
        words={"right": right, "most": scored[right]},
    )


def _waves(m: Found) -> Scene:
    def shown(told: bool) -> Picture:
        start = AWAY if told else 0
        at, (fast, slow) = _("places {low} to {high}", low=start + 1, high=start + WAVES_AT), m.patterns[told]
        waves = [line("fast", _("fast wave, {at}", at=at), fast, "", NOTE, 1)]
        waves.append(line("slow", _("slow wave, {at}", at=at), slow, "", NOTE, 1))
        shares = [
            bar(_("“{it}” at place {n}", it=m.name(m.seen), n=m.seen), m.moved[0][m.seen], SOFT, "here"),
            bar(
                _("“{it}” at place {n}", it=m.name(m.seen), n=m.seen + AWAY),
                m.moved[1][m.seen] if told else None,
                LOOK,
                "there",
            ),
        ]
        return _looking(m.tokens, m.moved[told], 0.4), bars(*shares, share=0.22), numbers(*waves, share=0.38)

    changes = abs(m.moved[1][m.seen] - m.moved[0][m.seen]) > 0.02
    why = _("Other waves make other scores. The same story is read otherwise, only because it stands later.")
    kept = _("The waves hardly change the scores here.")
    replies = [
        Reply(
            _("Right: {there}, before {here}.") if right else _("Not so: {there}, before {here}."),
            why if changes else kept,
            right,
            label=label,
        )
        for label, right in ((_("yes"), not changes), (_("no"), changes))
    ]
    return Scene(
        _(
            "Another model marks places: it **adds waves** to each word. The story moves {away} places on, so they "
            "change. Does “{it}” keep its share?"
        ),
        shown(False),
        Choose(replies),
        shown(True),
        _(
            "Waves: what is added to two numbers of the word at each place. Why not the place’s number itself? Place "
            "500 would drown the word; a wave stays between −1 and 1."
        ),
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
    letters = [_one(name, name, angle) for name, angle in zip("ABC", (seen[1], right + step, right))]
    why = _("Each place adds {angle} degrees, so the angle tells the place, up to one round.")
    return Scene(
        _(
            "**RoPE** takes two numbers of a key as a clock’s hand; each place turns it by the same angle. Where is it "
            "at place 3?"
        ),
        (clocks(*those, _one("3", at, None), share=0.5), clocks(*letters, share=0.5)),
        choose(
            "C",
            ("A", _("That is where it was at place 1."), _("It does not swing back. ") + why),
            ("B", _("That is two steps on."), _("All steps are alike. ") + why),
            ("C", _("Yes, C."), why),
        ),
        (clocks(*those, _one("3", at, right)),),
        _(
            "Two numbers of the key of “{key}”: how far right the hand points, and how far down. A key of {size} has "
            "{hands} such hands; this is the fastest. RoPE: rotary position embedding."
        ),
        _planes(m),
    )


def _shown(m: Found, *those: Mapping[str, object], share: float = 1.0) -> Picture:
    """Clocks, and whose the hands are."""
    query, key = _("query of “{word}”", word=m.name(-1)), _("key of “{word}”", word=m.name(-2))
    return (clocks(*those, legend=[(query, LOOK), (key, DOES)], share=share),)


def _away(m: Found, *apart: int, told: bool = True, names: Sequence[str] = ()) -> list[Clock]:
    """Both hands with the key so many places back."""
    says, query = ([_score(m.hand(n)[1]) if told else "?" for n in apart], angle(m.on.q[m.on.home]))
    labels = names or [_("{n} back", n=n) for n in apart]
    return [_one(f"{n}", label, m.hand(n)[0], each, query) for n, label, each in zip(apart, labels, says)]


def _pairs(m: Found) -> Scene:
    apart = 1, 4, 2
    why = _(
        "A scores {a}, B {b}, C {c}: the wider the angle between two hands, the lower. So the score changes with the "
        "distance."
    )
    return Scene(
        _("A query has such a hand, too. The key of “{key}” stands at three distances. **Which pair scores highest?**"),
        _shown(m, *_away(m, *apart, told=False, names="ABC")),
        choose(
            "A",
            ("A", _("Yes, hands that point alike."), why),
            ("B", _("No: its hands point apart."), why),
            ("C", _("No: A's hands point more alike."), why),
        ),
        _shown(m, *_away(m, *apart, names=[_("{name}: {n} back", name=each, n=n) for each, n in zip("ABC", apart)])),
        _("The score of these two hands alone: number times number, added up, divided by {d}."),
        _planes(m),
        words={name: _score(m.hand(n)[1]) for name, n in zip("abc", apart)},
    )


def _both(m: Found) -> Scene:
    why = _("Both turn alike, so the angle between them stays: **only the distance counts**, wherever a story stands.")
    stand = [_("places {key} and {query}", key=key, query=query) for query, key in m.on.positions]
    here, there = (
        _one(f"{n}", stand[n], angle(m.on.k[n]), _score(float(m.on.parts[n, 0])), angle(m.on.q[n]))
        for n in (m.on.home, -1)
    )
    return Scene(
        _(
            "Both words move **{on} places** further on, so both hands turn. What becomes of the score of this hand "
            "alone, {part}?"
        ),
        _shown(m, here, clock("-1", stand[-1], says=" ")),
        choose(
            _("it stays"),
            (_("it falls"), _("No: then the end of a text would count less."), why),
            (_("it stays"), _("Yes, {part}."), why),
            (_("it rises"), _("No: then the end of a text would count more."), why),
        ),
        _shown(m, here, there),
        behind=_planes(m, rmove="Move both"),
    )


def _fast(m: Found) -> Scene:
    why = _(
        "Once around, it points nearly as at 1 back. All {hands} hands together, most of them slower, tell both apart: "
        "{whole} and {far}."
    )
    together = [
        bar(_("all hands, {n} back", n=n), max(0.0, m.hand(n)[2] / m.hand(1)[2]), INK, f"{n}", _score(m.hand(n)[2]))
        for n in (1, AGAIN)
    ]
    near, query = _away(m, 1, 2, 3, 4), hand("query", angle(m.on.q[m.on.home]), LOOK, True)
    return Scene(
        _("This hand goes once around in about **{around}** places. What does the pair score with the key {n} back?"),
        _shown(m, *near, clock(f"{AGAIN}", _("{n} back", n=AGAIN), query, says="?")),
        choose(
            _("about {part}"),
            (_("about {least}"), _("That was four back; now {again}."), why),
            (_("about 0"), _("It scores {again}."), why),
            (_("about {part}"), _("Yes, {again}."), why),
        ),
        (*_shown(m, *near, *_away(m, AGAIN), share=0.7), bars(*together, share=0.3)),
        behind=_planes(m, rmove="Move the key"),
    )


def _beyond(m: Found) -> Scene:
    why = _("Words stand further apart there than ever in training. Whether that is why, the next scene tests.")
    within, names = bar(_("up to {n}", n=m.context), m.right[0], SOFT), _("after {n}", n=BEYOND)
    before, after = ((bars(bar(names, told, LOOK), within),) for told in (None, m.right[1]))
    replies = guessed(why, _("Not so bad: {gone}."), _("Only {gone}."), _("Well guessed: {gone}."))
    return Scene(
        _(
            "Trained on texts of {context} pieces, this model guesses {inside} of the next ones right. And **after "
            "piece {beyond}** of a longer text? Drag."
        ),
        before,
        Drag(_("How many it guesses right, in per cent"), _("Read on"), 100 * m.right[1], replies),
        after,
        _("A piece is a word, or a part of one. The text is {read} pieces of stories."),
        _extension(),
    )


def _times(turns: float) -> str:
    return number(turns, ".0f" if turns > 9.5 else "#.2g") + "×"


def _all_slowed(m: Found) -> Picture:
    """What is guessed right with each hand slowed, and with none."""
    each = (
        bar(_("hand {n} slowed", n=n + 1), right, LOOK if n == m.guilty else INK) for n, right in enumerate(m.slowed)
    )
    return (bars(bar(_("none slowed"), m.right[1], SOFT), *each),)


def _hands(m: Found, right: float, slow: int | None = None) -> Picture:
    """How often each hand goes around within the training length, one of them slowed, and what is guessed right."""
    those = []
    for n, turn in enumerate(m.turns):
        turn, tone = (turn / m.slowing, LOOK) if n == slow else (turn, INK if turn >= 1 else NOTE)
        those.append(ring(f"{n + 1}", min(1.0, turn), _times(turn), tone))
    return rings(*those, press=True, verb=_("Slow hand"), share=0.68), bars(bar(_("right"), right, LOOK), share=0.32)


def _slow(m: Found) -> Scene:
    replies = {}
    seen = _("It went around {turns} in training, so no angle was new to it. Press another.")
    harmless = _("It meets new angles, too, but they hardly count. Press another.")
    why = _("Slowed, it meets no new angle up to place {read}. So its new angles did most of the harm.")
    for n, right in enumerate(m.slowed):
        found, told = n == m.guilty, {"its": percent(right), "one": f"{n + 1}", "turns": _times(m.turns[n])}
        verdict = _("It is hand {one}: {its} for {gone}.") if found else _("Hand {one}: {its}.")
        reason = why if found else seen if m.turns[n] >= 1 else harmless
        shows = _all_slowed(m) if found else _hands(m, right, n)
        replies[f"{n + 1}"] = Reply(verdict, reason, found, shows, told)
    return Scene(
        _(
            "{new} of its {hands} hands never went once around in training: far words meet at **new angles**. Slow one "
            "hand until it guesses far better."
        ),
        _hands(m, m.right[1]),
        Press(replies),
        hint=_(
            "A ring: how often a hand goes around within {context} places. A press slows one to a quarter. The bar: "
            "after piece {beyond}."
        ),
        behind=_extension(),
    )


def _planes(m: Found, **more: str) -> Behind:
    state = {"head": "{}.{}".format(*HAND), "query": str(len(m.tokens) - 1), "key": str(len(m.tokens) - 2)}
    return Behind("rope_planes", {"model": TURNED, "text": STORY, **state, **more})


def _extension() -> Behind:
    return Behind("position_schemes", {"model": TURNED, "ppart": "extension"})


def end(m: Found, home: Found) -> list[End]:
    """What can be explained now."""
    (before, after), (inside, gone) = m.looks, m.right
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
            _("RoPE turns pairs of numbers, at each place by the same angle. Of two words, only the distance counts."),
            (clocks(*pairs),),
        ),
        End(
            _(
                "Far beyond training {inside} right become {gone}; with one hand slowed, so that it meets no new "
                "angle, {back}."
            ),
            (bars(bar(_("within"), inside), bar(_("beyond"), gone, NOTE), bar(_("slowed"), m.slowed[m.guilty], LOOK)),),
        ),
    ]


LESSON = Lesson(
    "where",
    N_("Where am I?"),
    N_(
        "“Dog bites man” or “man bites dog”: how does a model tell places? By waves, by hands that turn. What lies "
        "beyond?"
    ),
    MODELS[0],
    STORY,
    measure,
    words,
    plot,
    end,
    measured_on=N_(
        "Every number was measured on three small real models, which differ in nothing but how they are told places."
    ),
    also=MODELS[1:],
)
