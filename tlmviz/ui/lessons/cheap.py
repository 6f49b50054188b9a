"""Lesson 7, "Why writing is cheap": keys and values are kept, which takes memory, so heads share and servers place."""

from __future__ import annotations

import math
from collections.abc import Mapping

from tlmviz.analysis.caches.family import DEEPSEEK, Variant
from tlmviz.figures.written import number, percent

from ..language import N_, _
from .kept import (
    ALL,
    FAR,
    FIRST,
    FOURS,
    HEAD,
    MODELS,
    NEAR,
    OTHER,
    OWN,
    PEOPLE,
    REQUESTS,
    SERVER,
    SHORT,
    STORY,
    Found,
    measure,
)
from .measures import little, word, words_at
from .parts import Behind, Drag, End, Lesson, Part, Picture, Reply, Scene, Tap, choose, guessed
from .pictures import (
    DOES,
    INK,
    KEPT,
    LOOK,
    NEW,
    NONE,
    NOTE,
    SHARED,
    SOFT,
    Cell,
    bar,
    bars,
    cells,
    grid,
    line,
    look,
    numbers,
    strip,
)

NAMED = dict(zip(MODELS, (N_("each its own"), N_("four share"), N_("all share"), N_("short row"))))


def words(m: Found, home: Found) -> dict[str, str]:
    """What stands for the names in the sentences."""
    far, bare, more = (number(each / 1e6, ",.0f" if each > 1e7 else ".1f") for each in (*m.work[1:], m.more))
    (pages, found), shape = m.pages, m.shape
    many, short = Variant(DEEPSEEK, DEEPSEEK.heads).cached, Variant(DEEPSEEK, None).cached  # of a large model
    right = {key: percent(m.right[name]) for key, name in zip(("own", "fours", "all", "short"), MODELS)}
    return right | {
        "n": f"{m.read}",
        "new": word(m.new),
        "last": word(m.tokens[-1]),
        "best": word(m.tokens[m.best]),
        "look": percent(m.looks[m.best]),
        "NEAR": f"{NEAR}",
        "FAR": f"{FAR}",
        "far": far,
        "twice": number(2 * m.work[0] / 1e6, ".1f"),
        "bare": bare,
        "more": more,
        "rise": number((m.work[1] - m.work[0]) / 1e6, ".1f"),
        "further": f"{FAR - NEAR}",
        "MANY": f"{DEEPSEEK.heads}",
        "many": f"{many:,}",
        "few": f"{short}",
        "size": f"{m.bytes[OWN]:,}",
        "head": f"{2 * shape.head_dim * 4}",
        "heads": f"{shape.heads}",
        "every": f"{shape.heads * shape.n_layers}",
        "layers": f"{shape.n_layers}",
        "layer": f"{2 * shape.head_dim * 4 * shape.heads:,}",
        "letters": f"{m.letters}",
        "times": f"{m.bytes[OWN] // m.letters:,}",
        "row": f"{m.numbers[SHORT]}",
        "OWN": f"{m.numbers[OWN]}",
        "width": f"{shape.head_dim}",
        "context": f"{m.context}",
        "filled": percent(m.filled),
        "paged": f"{m.paged}",
        "whole": f"{len(PEOPLE) * m.context:,}",
        "page": f"{SERVER.page}",
        "begun": f"{len(m.begins)}",
        "pages": f"{sum(pages)}",
        "fewer": f"{sum(pages) - sum(found)}",
        "first": FIRST,
        "other": OTHER,
    }


def plot(m: Found, home: Found) -> list[Scene]:
    """The scenes."""
    return [scene(m) for scene in (_far, _asks, _stays, _keep, _bytes, _share, _row, _reserve, _begin)]


def _run(state: str, count: int) -> list[Cell]:
    return [(state, 1, "")] * count


def _work(label: str, count: float, told: bool = True, tone: str = DOES, top: float = 0) -> Mapping[str, object]:
    """A count of multiplications, as a share of the `top`; the bar is named by its tone."""
    says = _("{n} million", n=number(count / 1e6, ",.0f" if count > 1e7 else ".1f"))
    return bar(label, count / (top or count) if told else None, tone, tone, says if told else "")


def _far(m: Found) -> Scene:
    near, far, _bare = m.work
    done = _("{rise} million more: it looks at {further} more words. How can that be so little?")

    def shown(told: bool) -> Picture:
        one = _work(_("word {n}", n=NEAR), near, tone=INK, top=10 * near)
        return (bars(one, _work(_("word {n}", n=FAR), far, told, DOES, 10 * near)),)

    return Scene(
        _(
            "A model writes word by word, and looks back at all words before each. How much more work is word {FAR} "
            "than word {NEAR}?"
        ),
        shown(False),
        choose(
            _("a little more"),
            (_("ten times as much"), _("No: long texts would crawl. It is {far} million."), done),
            (_("a little more"), _("Yes: {far} million."), done),
            (_("twice as much"), _("No: that would be {twice} million, not {far}."), done),
        ),
        shown(True),
        _("Work is counted in multiplications."),
        _cache(kview="Cost"),
    )


def _asks(m: Found) -> Scene:
    last, replies = m.read, {}
    right = _("It fits best, so {look} of what “{last}” takes home are the numbers of “{best}”, its **value**.")
    wrong = _(
        "It gets {small} of the look. The key of “{best}” fits best, so {look} of what “{last}” takes home are its "
        "numbers, its **value**."
    )
    for at in words_at(m.tokens):
        replies[at] = Reply(_("Not that one."), wrong, words={"small": little(m.looks[at])})
    replies[m.best] = Reply(_("Yes, “{best}”."), right, True)

    def shown(told: bool) -> Picture:
        one, best = word(m.tokens[-1]), word(m.tokens[m.best])
        labels = {"q": _("query of “{word}”", word=one), "k": _("best key")}
        if told:
            labels |= {"k": _("key of “{word}”", word=best), "v": _("value of “{word}”", word=best)}
        tones = {"q": LOOK, "k": DOES, "v": NOTE}
        rows = (
            line(it, label, m.row[it] if told or it == "q" else [None], "" if told or it == "q" else "?", tones[it])
            for it, label in labels.items()
        )
        looks = [look("A", last, m.looks)] if told else []
        text = strip(m.tokens, under=last, looks=looks, press=() if told else replies, share=0.55)
        return text, numbers(*rows, share=0.45)

    return Scene(
        _(
            "How does “{last}” look back? It asks with its **query**; each word has a **key** that answers. Tap the "
            "word whose key fits best."
        ),
        shown(False),
        Tap(replies),
        shown(True),
        _("Query and key are rows of numbers. Here one part of the model, a **head**, looks back."),
        Behind("explorer", {"model": OWN, "text": STORY, "head": "{}.{}".format(*HEAD), "query": f"{last}"}),
    )


def _stands(m: Found, old: str, share: float = 1.0) -> Part:
    """The numbers of all words before and after a word is written."""
    legend = {KEPT: _("as it was"), NEW: _("computed now")} if old == KEPT else {}
    rows = cells("was", _("before"), *_run(KEPT, m.read)), cells("now", _("now"), *_run(old, m.read), *_run(NEW, 1))
    return grid(m.read + 1, *rows, legend=legend, share=share)


def _stays(m: Found) -> Scene:
    why = _("A word sees only what stands before it. So all numbers of the {n} stay as they were.")

    def shown(old: str) -> Picture:
        return _text(m, 0.55), _stands(m, old, 0.45)

    return Scene(
        _(
            "Now “{new}” is written. For how many of the {n} words before it must query, key and value be computed "
            "again?"
        ),
        shown(NONE),
        choose(
            _("for none"),
            (_("for all {n}"), _("No: then each would see what follows."), why),
            (_("for none"), _("Yes, for none."), why),
            (_("for the nearest"), _("No, not even for “{last}”."), why),
        ),
        shown(KEPT),
        _("Each cell is query, key and value of one of the words above; a full stop counts as one."),
        _cache(),
    )


def _text(m: Found, share: float) -> Part:
    """The story and the word that is written."""
    return strip([*m.tokens, m.new], blank="", swapped=[m.read + 1], share=share)


def _keep(m: Found) -> Scene:
    kept = _("Keys and values are kept: the **KV cache**. Without it, word {FAR} would take {bare} million, not {far}.")

    def shown(told: bool) -> Picture:
        old = KEPT if told else NONE
        named = {"q": (_("query"), NONE), "k": (_("key"), old), "v": (_("value"), old)}
        rows = (cells(it, name, *_run(state, m.read), *_run(NEW, 1)) for it, (name, state) in named.items())
        legend = {NEW: _("of “{word}”", word=word(m.new))} | ({KEPT: _("kept"), NONE: _("not needed")} if told else {})
        table = _text(m, 0.34), grid(m.read + 1, *rows, legend=legend, share=0.4)
        work = [
            _work(_("word {FAR}, kept", FAR=FAR), m.work[1], top=m.work[2]),
            _work(_("word {FAR}, not kept", FAR=FAR), m.work[2], tone=LOOK),
        ]
        return (*table, bars(*work, share=0.26)) if told else table

    return Scene(
        _("Next “{new}” looks back in its turn. Which numbers of the {n} words before does it need for that?"),
        shown(False),
        choose(
            _("keys and values"),
            (_("keys alone"), _("No: it would find words, and take nothing home."), kept),
            (_("all three"), _("No: old queries have asked already."), kept),
            (_("keys and values"), _("Yes: “{new}” asks, they answer."), kept),
        ),
        shown(True),
        _("Columns are the words, “{new}” the last."),
        _cache(),
    )


def _bytes(m: Found) -> Scene:
    layers, heads, one = m.shape.n_layers, m.shape.heads, f"{2 * m.shape.head_dim * 4}"
    why = _(
        "All {every} heads have a key and a value of their own, {head} bytes each time: {size} bytes in all, {times} "
        "times the text. Every word adds as much."
    )

    def shown(told: bool) -> Picture:
        cell = (KEPT, 1, one) if told else (NONE, 1, "")
        rows = (cells(f"{i}", _("layer {n}", n=i + 1), *[cell] * heads) for i in range(layers))
        names = [_("head {n}", n=at + 1) for at in range(heads)]
        text = bar(_("as text"), m.letters / m.bytes[OWN], INK, "text", _("{n} bytes", n=m.letters))
        size = _("{n} bytes", n=f"{m.bytes[OWN]:,}") if told else ""
        kept = bar(_("kept"), 1 if told else None, DOES, "kept", size)
        legend = {KEPT: _("bytes of a key and a value")} if told else {}
        return grid(heads, *rows, heads=names, legend=legend, share=0.65), bars(text, kept, share=0.35)

    return Scene(
        _("Kept numbers take memory. As text “{best}” takes {letters} bytes. How much do its keys and values take?"),
        shown(False),
        choose(
            "{size} bytes",
            (_("{head} bytes"), _("No: that is one head."), why),
            (_("{size} bytes"), _("Yes, {size}."), why),
            (_("{layer} bytes"), _("No: that is one layer of heads."), why),
        ),
        shown(True),
        _(
            "Heads work in layers, one after another: a row for each, a column for each of its {heads} heads. A key is "
            "{width} numbers, a value {width}, each of 4 bytes."
        ),
        _cache(kview="Models", kmods=OWN),
    )


def _heads(m: Found, *names: str, share: float = 0.6) -> Part:
    """What is kept of a word in one layer: a cell for each key and value, as wide as its numbers."""
    rows, unit = [], math.gcd(*m.numbers.values())
    for name, count in zip(MODELS, (m.shape.heads, 2, 1, 1)):
        if name in names:
            cell = SHARED if name == SHORT else KEPT, m.numbers[name] // count // unit, ""
            rows.append(cells(name, _(NAMED[name]), *[cell] * count, says=f"{m.numbers[name]}"))
    return grid(m.numbers[OWN] // unit, *rows, share=share)


def _share(m: Found) -> Scene:
    why = _(
        "It is {all} (multi-query attention, MQA); where four share, {fours} (grouped-query attention, GQA). Each head "
        "keeps its own query, so it asks in its own way."
    )
    replies = guessed(why, _("Too low: it hardly suffers."), _("Too high: it is not better."))

    def shown(told: bool) -> Picture:
        rows = [bar(_(NAMED[ALL]), m.right[ALL] if told else None, DOES, ALL)]
        if told:
            rows.append(bar(_(NAMED[FOURS]), m.right[FOURS], DOES, FOURS))
        rows.append(bar(_(NAMED[OWN]), m.right[OWN], SOFT, OWN))
        return _heads(m, OWN, FOURS, ALL, share=0.5), bars(*rows, share=0.5)

    return Scene(
        _(
            "With a key and value for each head, {own} of next words are right. How many if all heads **share** one? "
            "Drag."
        ),
        shown(False),
        Drag(_("Guesses that are right, in per cent"), _("Measure"), 100 * m.right[ALL], replies, 20, 5),
        shown(True),
        _(
            "Each cell is a key and a value, {width} + {width} numbers; at the right, all in a layer. {OWN} numbers × "
            "{layers} layers × 4 bytes = {size} bytes. Each model was trained anew."
        ),
        Behind("attention_family", {"fview": "Model zoo"}),
    )


def _row(m: Found) -> Scene:
    works = _(
        "{more} million multiplications, not {far}; {short} of guesses right, not {own}: in this small model it does "
        "not pay. With a large model's {MANY} heads: {few} numbers, not {many}."
    )

    def shown(told: bool) -> Picture:
        if not told:
            return (_heads(m, OWN, SHORT),)
        work = (_work(_(NAMED[OWN]), m.work[1], tone=SOFT, top=m.more), _work(_(NAMED[SHORT]), m.more))
        return _heads(m, *MODELS), bars(*work, head=_("work of word {FAR}", FAR=FAR), share=0.4)

    return Scene(
        _(
            "Or each word keeps one **short row** of {row} numbers, in which every head finds its key and value. What "
            "grows in return?"
        ),
        shown(False),
        choose(
            _("the work"),
            (_("nothing"), _("No: then all would do it."), works),
            (_("the work"), _("Yes."), works),
            (_("the memory"), _("No: that shrinks, {row}, not {OWN}."), works),
        ),
        shown(True),
        _(
            "Each blue cell is a key and a value; the green one is the short row (multi-head latent attention, MLA). "
            "At the right, all numbers in a layer."
        ),
        _cache(kview="Models", kmods=",".join(MODELS)),
    )


def _reserve(m: Found) -> Scene:
    why = _(
        "Most lies empty. So memory is given out in **pages** of {page} words, when needed: room for {paged} words in "
        "all, not {whole}. More people fit."
    )
    replies = guessed(why, _("Too low: it is {filled}."), _("Too high: it is {filled}."))

    def shown(told: bool) -> Picture:
        rows = []
        for name, asked, length in zip(PEOPLE, m.run.prompts, m.lengths):
            known = length if told else len(asked)
            run = (KEPT, known, ""), (NONE, m.context - known, "")
            rows.append(cells(name, name, *run, says=_("{n} words", n=length) if told else f"{known} + ?"))
        row = bar(_("filled"), m.filled if told else None, DOES, "filled")
        return bars(row, share=0.25), grid(m.context, *rows, share=0.75)

    return Scene(
        _(
            "A server keeps this for six people. Not knowing how long answers get, it reserves room for {context} "
            "words each. How much is filled? Drag."
        ),
        shown(False),
        Drag(_("How much of the memory is filled, in per cent"), _("Serve them"), 100 * m.filled, replies, within=5),
        shown(True),
        _("Blue is what each, A to F, wrote; then comes the answer. {context} words are all that the model reads."),
        _serving(),
    )


def _begin(m: Found) -> Scene:
    pages, found = m.pages
    alike = [max(found), *found[1:]]  # whose pages are found has as many of them
    names = ", ".join(name for name, each in zip(PEOPLE, alike) if each)
    why = _(
        "Where all words before are the same, so are key and value: {fewer} pages, not {pages}. E's later words have "
        "seen “{other}”, so theirs are others."
    )

    def shown(told: bool) -> Picture:
        rows = []
        for n, (name, count) in enumerate(zip(PEOPLE, pages)):
            once = alike[n] if told else 0
            run = [(NONE, once, _("those of {name}", name=PEOPLE[0]))] if once and n else _run(SHARED, once)
            own = count - (once if n else 0)
            rows.append(cells(name, name, *run, *_run(KEPT, count - once), says=_("pages: {n}", n=own)))
        legend = {KEPT: _("a page of one's own")} | ({SHARED: _("kept once, for {names}", names=names)} if told else {})
        story = strip(m.begins, blank="", swapped=[1], share=0.35)
        return story, grid(max(pages), *rows, legend=legend, share=0.65)

    return Scene(
        _(
            "A, B and C begin with the same story. E's begins with “{other}”, not “{first}”. Whose pages can be kept "
            "**once**?"
        ),
        shown(False),
        choose(
            names,
            (f"{names}, E", _("No, not E's."), why),
            (names, _("Yes."), why),
            (_("nobody's"), _("No: some can."), why),
        ),
        shown(True),
        _(
            "Above is what E wrote: {begun} words with the sign in front. Below, each cell is a page of {page} words, "
            "before any answer. D and F tell other stories."
        ),
        _serving(),
    )


def _cache(**more: str) -> Behind:
    return Behind("kv_cache", {"model": OWN, "text": STORY, **more})


def _serving() -> Behind:
    lines = "\n".join(each.replace(STORY, "…") for each in REQUESTS)
    pages = {"vpage": f"{SERVER.page}", "vpages": f"{SERVER.pages}", "vbatch": f"{SERVER.batch}"}
    return Behind("serving", {"model": OWN, "text": STORY, "vreq": lines, "varr": "0", **pages})


def end(m: Found, home: Found) -> list[End]:
    """What can be explained now."""
    filled = bar(_("filled"), m.filled)
    return [
        End(
            _("No word sees what follows. So old keys and values are kept, and each step computes one word only."),
            (_stands(m, KEPT),),
        ),
        End(
            _(
                "The price is memory, {size} bytes a word. So heads share keys and values (MQA, GQA), or find them in "
                "one short row (MLA)."
            ),
            (_heads(m, *MODELS, share=1),),
        ),
        End(
            _("A server gives out memory in pages, when needed, and keeps a beginning that many share once."),
            (bars(filled),),
        ),
    ]


LESSON = Lesson(
    "cheap",
    N_("Why writing is cheap"),
    N_("What a model keeps of all that it has read, what that takes, and how a server finds room for six people."),
    OWN,
    STORY,
    measure,
    words,
    plot,
    end,
    measured_on=N_("Every number was measured on four small real models that differ in their keys and values alone."),
    also=MODELS[1:],
)
