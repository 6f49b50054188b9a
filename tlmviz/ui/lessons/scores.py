"""Lesson 4, "Queries, keys, values": one weight from the products of two rows of numbers, and what it brings home."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping

from tlmviz.figures.written import number, percent

from ..language import N_, _
from .cell import STORY, Found, measure
from .measures import little, words_at
from .parts import Again, Behind, Choose, Drag, End, Lesson, Picture, Reply, Scene, Tap, choose, guessed
from .pictures import DOES, INK, LOOK, SOFT, bar, bars, cloud, dots, likeliest, line, look, numbers, strip

MODEL = "stories-rope"
TIMES, ADDED = 2, 10  # what is done to all scores
FLAT, LEVEL = 32.0, 1000.0  # divisors that are too large


def words(m: Found, home: Found) -> dict[str, str]:
    """What stands for the names in the sentences."""
    best, second, last = m.scores[m.best], m.scores[m.second], m.name(-1)
    same = _("“{last}” itself") if m.same == len(m.tokens) - 1 else _("the very same word, “{last}”,")
    return {
        "last": last,
        "best": m.name(m.best),
        "look": percent(m.weights[m.best]),
        "second": m.name(m.second),
        "same": same.format(last=last),
        "less": percent(m.weights[m.second]),
        "alike": little(m.weights[m.same]),
        "d": str(len(m.query)),
        "root": number(m.root, ".1f"),
        "score": number(best, ".1f"),
        "next": number(second, ".1f"),
        "bare": number(m.bare, ".1%") if m.bare < 0.9995 else _("almost 100%"),
        "added": str(ADDED),
        "grown": number(home.before[2], ".1f"),
        "swapped": home.swapped[0][0],
        "gap": number(best - second, ".1f"),
        "times": f"{float(f'{math.exp(best - second):.1g}'):,.0f}",
        "double": percent(m.shares(m.root / TIMES)[m.best]),
        "shifted": percent(m.shares(m.root, ADDED)[m.best]),
    }


def plot(m: Found, home: Found) -> list[Scene]:
    """The scenes on a text; the last is on the lesson's own story, and so is what was before training."""
    own = [scene(m) for scene in (_tap, _multiply, _rows, _spike, _divide)]
    return [*own, _root(home), _double(m), _mix(m), _swap(home)]


def _named(m: Found, place: int) -> str:
    """A word; the one like the last, where it stands earlier, is called so."""
    earlier = place == m.same != len(m.tokens) - 1
    return _("earlier {word}", word=m.name(place)) if earlier else m.name(place)


def _told(answers: Mapping[str, tuple[str, str]]) -> Iterable[tuple[str, str, str]]:
    """Answers, each with its verdict and its reason."""
    return ((label, *told) for label, told in answers.items())


def _bars(labels: Iterable[str], shares: Iterable[float | None]) -> Picture:
    return (bars(*(bar(label, share, LOOK) for label, share in zip(labels, shares))),)


def _tap(m: Found) -> Scene:
    last, replies = len(m.tokens) - 1, {}
    how = _("How does the head choose?")
    other = _("“{other}” gets {small} of the look, “{best}” {look}")
    for i in words_at(m.tokens):
        alike = m.tokens[i] == m.tokens[last]
        verdict = _("No: then like would fit like.") if alike else _("Not there.")
        reason = f"{other}. {how}" if alike else other + _(", and {same} {alike}. ") + how
        replies[i] = Reply(verdict, reason, words={"other": m.name(i), "small": little(m.weights[i])})
    replies[m.best] = Reply(_("Yes, “{best}”."), _("It gets {look} of the look, and {same} {alike}. ") + how, True)
    return Scene(
        _("A head looks back from the last word, “{last}”. Which word does it look at most? Tap it."),
        (strip(m.tokens, blank="", under=last, press=replies),),
        Tap(replies),
        (strip(m.tokens, blank="", under=last, looks=[look("A", last, m.weights)]),),
        _("A head is a part of the model that looks back."),
        _explorer(m),
        asks=True,
    )


def _pairs(m: Found, told: Mapping[int, float], at: int | None = None, says: str = "") -> Picture:
    """The query, the key of the best word and the products that are `told`; of one column, its numbers."""
    key, top = m.keys[m.best], max(map(abs, (*m.query, *m.keys[m.best])))
    one, other = ("", "") if at is None else (number(m.query[at], ".2f"), f"× {number(key[at], '.2f')}")
    products = [told.get(n) for n in range(len(key))]
    rows = (
        line("query", _("query of “{last}”", last=m.name(-1)), m.query, one, LOOK, top),
        line("key", _("key of “{best}”", best=m.name(m.best)), key, other, DOES, top),
        line("products", _("products"), products, says, INK, max(m.products[m.best])),
    )
    return (numbers(*rows, at=at),)


def _multiply(m: Found) -> Scene:
    products, told, replies = m.products[m.best], {}, []
    order = sorted(range(len(products)), key=products.__getitem__)
    for at, why in (
        (order[-1], _("Number {n}: both on the same side of zero, so the product is above zero.")),
        (order[0], _("Number {n}: on two sides of zero. So this product lies below zero and takes away.")),
    ):
        told[at] = products[at]
        pair = [round(each[at], 2) for each in (m.query, m.keys[m.best])]  # what is written can be worked out
        factors = " × ".join(number(each, ".2f") for each in pair)
        product = f"≈ {number(math.prod(pair), '.1f')}"
        shown = _pairs(m, dict(told), at, product)
        replies.append(Reply(f"{factors} {product}.", why, False, shown, {"n": f"{at + 1}"}))
    every, above = dict(enumerate(products)), {"above": str(sum(product > 0 for product in products))}
    added = _pairs(m, every, says=f"= {number(m.scores[m.best], '.1f')}")
    count = _("{above} of them are above zero. Next, they are added up.")
    fits = _("That is the **score** of “{best}”: the better its key fits the query, the higher.")
    replies += [
        Reply(_("All {d} products."), count, False, _pairs(m, every), above),
        Reply(_("Together {score}."), fits, True, added),
    ]
    return Scene(
        _(
            "“{last}” asks with {d} numbers, its **query**. “{best}” offers {d}, its **key**. Multiply them pair by "
            "pair: press."
        ),
        _pairs(m, {}),
        Again(_("Multiply"), replies),
        hint=_("Each word is a row of numbers; a learnt table makes its query of it, another its key."),
        behind=_explorer(m, stage="dot"),
    )


def _rows(m: Found) -> Scene:
    replies, before, after, top = [], [], [], max(max(each) for each in m.products.values())
    why = _("“{best}” reaches {score}. The highest score gets most of the look.")
    for n, i in enumerate(sorted((m.best, m.same, m.worst)), 1):
        label, score, right = _("row {n}", n=n), number(m.scores[i], ".1f"), i == m.best
        before.append(line(f"{n}", label, m.products[i], "?", INK, top))
        after.append(line(f"{n}", _named(m, i), m.products[i], score, LOOK if right else INK, top))
        verdict = _("Yes, it is “{best}”.") if right else _("No: then its bars would reach higher.")
        reason = why if right else _("That row is of “{other}” and adds up to {sum}; ") + why
        replies.append(Reply(verdict, reason, right, (), {"other": _named(m, i), "sum": score}, label))
    return Scene(
        _("Three words, three keys: each row shows the products with the query of “{last}”. Which adds up to most?"),
        (numbers(*before),),
        Choose(replies),
        (numbers(*after),),
        _("Bars above the line add, bars below take away."),
        _explorer(m, stage="dot"),
    )


def _shares(m: Found, by: float = 1, told: bool = True) -> Picture:
    """Four words with their scores, divided, and what each gets of the look."""
    rows = []
    for n, i in enumerate(dict.fromkeys((m.best, m.second, m.same, m.worst))):
        label = f"{_named(m, i)} {number(m.scores[i] / by, '.1f')}"
        rows.append(bar(label, m.shares(by)[i] if told else None, SOFT if n else LOOK, f"{n}"))
    return (bars(*rows),)


def _spike(m: Found) -> Scene:
    why = _(
        "Each point more makes a share 2.7 times as large: beside “{second}”, {gap} points, about {times} times. But "
        "the head gave {look}: a step is missing."
    )
    replies = guessed(why, _("No: {bare}!"), _("Less: {bare}."), _("Yes: {bare}."))
    return Scene(
        _(
            "**Softmax** makes shares of scores. “{best}” has {score}, “{second}” {next}. What share does “{best}” "
            "get? Drag."
        ),
        _shares(m, told=False),
        Drag(_("Share of the best word, in per cent"), _("Share out"), 100 * m.bare, replies),
        _shares(m),
        _("Four of the words, each with its score. The others share what is left."),
        _explorer(m, stage="dot"),
    )


def _divide(m: Found) -> Scene:
    said = {
        2.0: _(
            "The scores lie half as far apart, so the others begin to count. At a spike small changes of scores change "
            "hardly anything: training learns little."
        ),
        m.root: _(
            "This is what the model does: it looks at “{best}”, and still a little at “{second}”, {less}. By how much "
            "it divides comes next."
        ),
        FLAT: _("Now every word counts, whether it fits or not."),
        LEVEL: _(
            "All {pieces} pieces, the sign in front counted, get the same: the head has found nothing. Scores too "
            "close are as bad as too far apart."
        ),
    }
    replies = []
    for by, why in said.items():
        divisor = "?" if by == m.root else number(by, ",.0f")  # the next scene asks for it
        filled = {"by": divisor, "share": percent(m.shares(by)[m.best]), "pieces": f"{len(m.tokens)}"}
        replies.append(Reply(_("÷ {by}: “{best}” gets {share}."), why, by == LEVEL, _shares(m, by), filled))
    return Scene(
        _("A **spike**: one word gets nearly all. Now all scores are divided. Press until all words get the same."),
        _shares(m),
        Again(_("Divide by more"), replies),
        hint=_("Four of the words, each with its score."),
        behind=_explorer(m, panel="Scale"),
    )


def _root(home: Found) -> Scene:
    (one, sums, grown), d, by = home.before, len(home.query), number(home.root, ".1f")
    labels = _("one product"), _("sum of {d}", d=d), _("sum ÷ √{d}", d=d)
    every = one, sums, [each / home.root for each in sums]
    span = max(map(abs, (*one, *sums)))
    says = [f"× {number(each, '.1f')}" for each in (1, grown, grown / home.root)]
    clouds = [cloud(*each) for each in zip(labels, labels, every, says, (INK, LOOK, DOES))]
    right = _("{by} times", by=by)
    why = _(
        "Half lie below zero, so they cancel in part: sums reach {grown} times as far, about √{d}. Divided by √{d}, "
        "they lie as single products do."
    )
    answers: dict[str, tuple[str, str]] = {
        _("no wider"): (_("No: then they would cancel wholly."), why),
        right: (_("Yes, {root} times."), why),
        _("{d} times", d=d): (_("No: then all would pull to one side."), why),
    }
    return Scene(
        _("Why divide at all? Before training, products lie around zero. How much wider do sums of {d} products lie?"),
        (dots(span, clouds[0], cloud(labels[1], labels[1], None)),),  # the divisor would say how much
        choose(right, *_told(answers)),
        (dots(span, *clouds),),
        _("Each dot is one product, or one sum, before the model had learnt anything."),
        Behind("norms", {"model": MODEL, "text": home.text, "noview": "Scores"}),
    )


def _double(m: Found) -> Scene:
    pair = [round(m.scores[i] / m.root, 1) for i in (m.best, m.second)]
    doubled, added = ([TIMES * each for each in pair], [each + ADDED for each in pair])
    changed = {"": pair, f"× {TIMES}: ": doubled, f"+ {ADDED}: ": added}
    labels = [what + ", ".join(number(each, ".1f") for each in both) for what, both in changed.items()]
    shares = m.weights[m.best], m.shares(m.root / TIMES)[m.best], m.shares(m.root, ADDED)[m.best]
    why = _("Only how far scores lie apart counts. Doubling doubles that: {double}. Adding leaves it: {shifted}.")
    answers: dict[str, tuple[str, str]] = {
        _("doubling"): (_("Yes, nearer a spike."), why),
        _("adding"): (_("No: then size would count."), why),
        _("both"): (_("No: then adding would part them, too."), why),
    }
    return Scene(
        _(
            "Divided, “{best}” gets {look}. Now **double** all scores, or **add {added}** to each. Which gives "
            "“{best}” more?"
        ),
        _bars(labels, (shares[0], None, None)),
        choose([*answers][0], *_told(answers)),
        _bars(labels, shares),
        _("The scores of “{best}” and “{second}”, and the share of “{best}”."),
        _explorer(m, panel="Scale"),
    )


def _signed(value: float) -> str:
    return number(round(value, 2) + 0.0, "+.2f")


def _mix(m: Found) -> Scene:
    one, other, at = m.values[m.best], m.values[m.second], m.told
    top = max(map(abs, (*one, *other)))
    before, after = [], []
    for i, tone in ((m.best, LOOK), (m.second, DOES)):
        label, share = _("value of “{word}”", word=m.name(i)), f"{percent(m.weights[i])} “{m.name(i)}”"
        before.append(line(f"{i}", label, m.values[i], _signed(m.values[i][at]), tone, top))
        after.append(line(f"{i}", share, m.weighed[i], _signed(m.weighed[i][at]), tone, top))
    out, label = _signed(m.out[at]), _("comes out")
    before.append(line("out", label, [None] * len(one), "?"))
    after.append(line("out", label, m.out, out, INK, top))
    first, then = (round(m.weighed[i][at], 2) for i in (m.best, m.second))
    mixed = _("“{best}” brings {first}, “{second}” {then}, all other words {rest}: a **mixture** of values, {out}.")
    takes = _("Each word gives a row of numbers, its **value**. ")
    answers = {
        _signed(one[at]): (_("No: then only “{best}” would be read."), mixed),
        out: (_("Yes, {out}."), mixed),
        _signed(one[at] + other[at]): (_("No: then both would count in full."), mixed),
    }
    return Scene(
        takes + _("The head takes {look} of “{best}”, {less} of “{second}”. What comes out?"),
        (numbers(*before, at=at),),
        choose(out, *_told(dict(sorted(answers.items())))),
        (numbers(*after, at=at),),
        _("Look at the marked number. All other words together bring {rest} there."),
        _explorer(m),
        words={
            "first": _signed(first),
            "then": _signed(then),
            "rest": _signed(round(m.out[at], 2) - first - then),  # what is written adds up
            "out": out,
        },
    )


def _swap(home: Found) -> Scene:
    last, (new, share), was = len(home.tokens) - 1, home.swapped[0], home.top[0][0]
    looks = [look("A", last, home.weights)]
    third = next(name for name, _share in home.top if name not in (new, was))
    why = _(
        "It looks at “{best}” still, and finds the value of “{second}” there: {new} sure. Other heads still bring "
        "“{best}”. The key says **where**, the value **what**."
    )
    verdicts = {
        was: (_("No: then the look would decide."), why),
        new: (_("Yes, “{guess}”."), why),
        third: (_("No: neither value brings that."), why),
    }
    answers = {f"“{name}”": verdicts[name] for name in sorted(verdicts)}
    own = {"was": was, "had": percent(home.top[0][1]), "guess": new, "new": percent(share)}
    told = strip(home.tokens, under=last, looks=looks, blank=new, told=True, share=0.6)
    return Scene(
        _(
            "In this head “{best}” and “{second}” swap **values**, nothing else. The guess was “{was}”, {had} sure. "
            "What now?"
        ),
        (strip(home.tokens, under=last, looks=looks),),
        choose(f"“{new}”", *_told(answers)),
        (told, likeliest(home.swapped, 0.4)),
        _("Queries and keys stay, and so does the look."),
        _explorer(home),
        home=True,
        words=own,
    )


def _explorer(m: Found, **more: str) -> Behind:
    place = {"head": "{}.{}".format(*m.head), "query": str(len(m.tokens) - 1), "key": str(m.best)}
    return Behind("explorer", {"model": MODEL, "text": m.text, **place, **more})


def end(m: Found, home: Found) -> list[End]:
    """What can be explained now."""
    divided = "÷ 1", _("÷ √{d}", d=len(m.query))
    return [
        End(
            _("A score is a query times a key, number by number, added up. “{best}” gets {score}."),
            (numbers(line("products", "", m.products[m.best])),),
        ),
        End(
            _("A sum of {d} products is large, and softmax makes a spike of it: {bare}. Divided by √{d}, {look}."),
            _bars(divided, (m.bare, m.weights[m.best])),
        ),
        End(
            _(
                "What comes out is a mixture of values: **softmax(q·k / √d) · v**. The key says where, the value what: "
                "exchanged, it says “{swapped}”."
            ),
            (likeliest(home.swapped[:2], 1),),
        ),
    ]


LESSON = Lesson(
    "scores",
    N_("Queries, keys, values"),
    N_("How a word finds another: two rows of numbers, multiplied and added up. Why divide by √d, and what comes out?"),
    MODEL,
    STORY,
    measure,
    words,
    plot,
    end,
)
