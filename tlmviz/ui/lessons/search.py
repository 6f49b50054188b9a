"""Lesson 8, "How a translation is searched": the likeliest words, the likeliest sentence, and what else a score
needs."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from tlmviz.decoding.beam import BeamOptions
from tlmviz.decoding.penalties import Penalties, length_penalty
from tlmviz.decoding.records import Candidate, Search
from tlmviz.facades.translator import Translator
from tlmviz.figures.written import number, percent

from .. import translation
from ..language import N_, _
from .measures import words_at
from .parts import Again, Behind, Choose, Drag, End, Lesson, Picture, Reply, Scene, Tap, guessed
from .pictures import (
    AGAIN,
    DOES,
    INK,
    KEPT,
    LOOK,
    NEW,
    NONE,
    SOFT,
    Row,
    bar,
    bars,
    cells,
    grid,
    line,
    numbers,
    pair,
    strip,
    tree,
    twig,
)

MODEL = "eng-fra"
COLD = "I am cold."
AGE, RICH = "She got married at the age of 17.", "She is young and beautiful, and very rich."
USUAL = 5  # pieces of text that a beam keeps
LEAVES, STEPS = 4, 3  # translations in the tree, steps of a beam that are shown
ALONE, DIVIDED, COVERED = (Penalties(alpha=a, beta=b) for a, b in ((0, 0), (0.6, 0), (0.6, 0.2)))


Kept = tuple[str, float, bool]  # a beginning, its share, whether the best translation begins so


@dataclass(frozen=True)
class Text:
    """A translation word by word with each word's share; its pieces, the logs of their shares, and where each looked in
    the English, all heads together; its points, in parts."""

    text: str
    words: list[tuple[str, float]]
    pieces: list[str]
    logs: list[float]
    looks: list[list[float]]
    divided: float
    coverage: float

    @property
    def sum(self) -> float:
        """The log of its share."""
        return sum(self.logs)

    @property
    def share(self) -> float:
        """What the model gives the whole sentence."""
        return math.exp(self.sum)

    @property
    def divisor(self) -> float:
        """What the sum is divided by, for its length."""
        return length_penalty(len(self.logs), DIVIDED.alpha)

    @property
    def points(self) -> float:
        """All of them."""
        return self.divided + self.coverage


@dataclass(frozen=True)
class Found:
    """Translations of three sentences: the likeliest ones first, and what narrow beams keep."""

    cold: list[Text]
    greedy: Text
    least: int  # width that finds the best
    kept: Mapping[int, list[list[Kept]]]  # at each step of such a beam, and of greedy search
    age: tuple[Text, Text]  # the likelier, the longer
    rich: tuple[Text, Text]  # the likelier, the fuller
    english: list[str]  # pieces of RICH
    extra: str  # what the fuller says and the likelier leaves out
    missing: int  # and what that translates


def measure(mt: Translator, text: str) -> Found:
    """All of it, in some seven searches."""
    by_width = {width: _search(mt, text, width) for width in range(1, USUAL + 1)}
    ranked = {width: found.hypotheses(ALONE) for width, found in by_width.items()}
    best = ranked[USUAL][0]
    least = next(width for width, found in ranked.items() if found[0].tokens == best.tokens)
    age, rich = ([_text(mt, each) for each in _search(mt, of, USUAL).hypotheses(ALONE)[:2]] for of in (AGE, RICH))
    extra = next(at for at, name in enumerate(rich[1].pieces) if name not in rich[0].pieces)
    looked = rich[1].looks[extra]
    return Found(
        [_text(mt, each) for each in ranked[USUAL][:LEAVES]],
        _text(mt, ranked[1][0]),
        least,
        {width: _kept(mt, by_width[width], best.tokens) for width in (1, least)},
        (age[0], age[1]),
        (rich[0], rich[1]),
        mt.names(mt.encode(RICH)),
        rich[1].pieces[extra].strip(),
        max(range(len(looked)), key=looked.__getitem__),
    )


def _search(mt: Translator, text: str, width: int) -> Search:
    return mt.search(text, BeamOptions(width=width))


def _text(mt: Translator, found: Candidate) -> Text:
    words: list[tuple[str, float]] = []
    for token, log in zip(found.tokens, found.logps):
        name, share = mt.tokenizer.name(token), math.exp(log)
        if token == found.tokens[-1] and found.finished:  # the end, as part of the full stop
            words[-1] = words[-1][0], words[-1][1] * share
        elif name.startswith(" ") or not name.isalnum() and name != "'" or not words:
            words.append((name.strip(), share))
        else:
            words[-1] = words[-1][0] + name, words[-1][1] * share
    looks = found.map(None)
    assert looks is not None  # a translator's steps look at the source
    parts = COVERED.score(found.parts.logp, len(found.tokens), looks.sum(0))
    names = [mt.tokenizer.name(token) for token in found.tokens]
    return Text(
        mt.text(found.tokens),
        words,
        names,
        list(found.logps),
        looks.tolist(),
        parts.logp + parts.length,
        parts.coverage,
    )


def _kept(mt: Translator, found: Search, best: Sequence[int]) -> list[list[Kept]]:
    """The first steps of a beam: what it keeps, the likeliest first."""
    steps: list[list[Kept]] = [[] for _step in range(STEPS)]
    for at, node in enumerate(found.nodes):
        if 0 < node.depth <= STEPS and node.state != "pruned":
            way = found.path(at)
            leads = way == [*best[: node.depth]]
            steps[node.depth - 1].append((mt.text(way), math.exp(node.total), leads))
    return [sorted(step, key=lambda one: -one[1]) for step in steps]


def words(m: Found, home: Found) -> dict[str, str]:
    """What stands for the names in the sentences."""
    best, (short, long), (bare, full) = m.cold[0], m.age, m.rich
    points = {"short": short.sum, "long": long.sum, "SHORT": short.divided, "LONG": long.divided}
    points |= {"bare": bare.divided, "full": full.divided, "loses": bare.coverage, "less": full.coverage}
    left = sum(row[m.missing] for row in bare.looks)
    exact = {"one": m.greedy.words[0][1], "two": best.words[0][1], "poors": bare.share, "richs": full.share}
    counts = {"few": bare.pieces, "many": full.pieces}
    return {
        "cold": COLD,
        "greedy": m.greedy.text,
        "best": best.text,
        "second": best.words[0][0],
        "least": f"{m.least}",
        "share": percent(m.greedy.share),
        "more": percent(best.share),
        "poor": bare.text,
        "rich": full.text,
        "still": percent(left),
        "missing": m.english[m.missing].strip(),
        "extra": m.extra,
        "BARE": number(bare.points, ".1f"),
        "FULL": number(full.points, ".1f"),
        **{name: number(each, ".2f") for name, each in points.items()},
        **{name: _tenths(each) for name, each in exact.items()},
        **{name: f"{len(each)}" for name, each in counts.items()},
    }


def _tenths(share: float) -> str:
    """A share that others are multiplied with, exact enough that they come to the whole per cent of a sentence."""
    return number(share, ".1%")


def plot(m: Found, home: Found) -> list[Scene]:
    """The scenes."""
    return [scene(m) for scene in (_greedy, _product, _tap, _beam, _longer, _divide, _missing, _summed, _cover)]


def _twigs(m: Found, told: Iterable[str] = (), marks: str = "") -> list[tuple[Row, Text | None]]:
    """The tree of all translations with, for each end, which it is; `told` are texts whose share is shown, one of them
    marked."""
    rows: dict[str, tuple[Row, Text | None]] = {}
    told = list(told)
    for text in sorted(m.cold, key=lambda each: -each.words[0][1]):
        way: list[str] = []
        for n, (label, share) in enumerate(text.words):
            parent, last = "/".join(way) or None, n == len(text.words) - 1
            way.append(label)
            end = (percent(text.share) if text.text in told else "?") if last else ""
            tone = DOES if text.text == marks else INK
            row = twig("/".join(way), parent, label, share, _tenths(share), end, tone)
            if "/".join(way) not in rows or tone == DOES:
                rows["/".join(way)] = row, text if last else None
    return list(rows.values())


def _tree(m: Found, told: Iterable[str] = (), marks: str = "", press: bool = False) -> Picture:
    twigs = _twigs(m, told, marks)
    ends = [n for n, (_row, text) in enumerate(twigs) if text]
    return (tree(*(row for row, _text in twigs), press=ends if press else ()),)


def _greedy(m: Found) -> Scene:
    replies, way = [], [label for label, _share in m.greedy.words]
    pictures = [_grown(m, count) for count in range(len(way) + 1)]
    for n, (label, share) in enumerate(m.greedy.words, 1):
        done = n == len(way)
        verdict = _("“{text}”") if done else _("“{word}”, {one}.")
        wrong = _("That says: I am a cold **person**. Each word was the likeliest, and yet it is wrong.")
        reason = wrong if done else _("No word is likelier here, so it is taken, for good.")
        told = {"word": label, "one": _tenths(share), "text": m.greedy.text}
        replies.append(Reply(verdict, reason, done, pictures[n], told))
    return Scene(
        _(
            "A translator writes French word by word. **Greedy** search takes the likeliest each time. Press until "
            "“{cold}” is translated."
        ),
        pictures[0],
        Again(_("Take the likeliest"), replies),
        hint=_(
            "Below each word: the share that it gets behind those before it. That of the full stop includes that the "
            "sentence ends there."
        ),
        behind=_page(COLD, bw="1"),
    )


def _grown(m: Found, count: int) -> Picture:
    """The tree as far as greedy search has come: what may come next, and what was not taken, faint."""
    way = ["/".join(label for label, _share in m.greedy.words[:n]) for n in range(1, count + 1)]
    open_ = [None, *way]
    rows = [{**row, "end": ""} for row, _text in _twigs(m) if row["parent"] in open_]
    for row in rows:
        taken = row["id"] in way
        row["tone"], row["faint"] = (DOES, False) if taken else (INK, row["parent"] != open_[-1])
    return (tree(*rows),)


def _product(m: Found) -> Scene:
    what = _(
        "Share times share makes {share}. The first word gets {one}, the next takes its part of that, and so on: "
        "likely words make an unlikely sentence."
    )

    def shown(told: bool) -> Picture:
        rows = (bar(label, share, SOFT, f"{n}", _tenths(share)) for n, (label, share) in enumerate(m.greedy.words))
        whole = bar(_("the sentence"), m.greedy.share if told else None, DOES, "all")
        return (bars(whole, *rows),)

    return Scene(
        _("The shares of the words are known. What share does the whole sentence get, “{greedy}”? Drag."),
        shown(False),
        Drag(
            _("Share of the sentence, in per cent"),
            _("Work it out"),
            100 * m.greedy.share,
            guessed(what, _("A little more."), _("No: less.")),
        ),
        shown(True),
        _(
            "All sentences that could be written share 100%. The share of the full stop includes that the sentence "
            "ends there."
        ),
        _page(COLD, bw="1"),
    )


def _tap(m: Found) -> Scene:
    replies = {}
    why = _(
        "“{best}” gets {more}, “{greedy}” {share}: “{second}” looked worse, {two} to {one}, but all behind it is "
        "nearly sure. And it is right."
    )
    for n, (_row, text) in enumerate(_twigs(m)):
        if text:
            right = text.text == m.cold[0].text
            verdict = _("Yes.") if right else _("No: that has {its}.")
            replies[n] = Reply(verdict, why, right, words={"its": percent(text.share)}, label=text.text)
    every = [text.text for text in m.cold]
    return Scene(
        _("Now **you** search. Which sentence has the largest share in all? Tap its end."),
        _tree(m, press=True),
        Tap(replies),
        _tree(m, every, m.cold[0].text),
        _("Multiply the shares along each way. Greedy search took “{greedy}”, {share}."),
        _page(COLD),
    )


def _beam(m: Found) -> Scene:
    why = _(
        "The beginning of “{best}” is second twice, then first. A **beam** of {least} keeps it, for {least} times the "
        "work; greedy search drops it, and what is dropped is lost."
    )
    many = [f"{each}" for each in (m.least, 10, 100)]
    verdicts = _("Yes, {least}."), _("No: fewer will do."), _("No: far fewer will do.")
    replies = [Reply(it, why, not n, label=label) for n, (it, label) in enumerate(zip(verdicts, many))]

    def shown(width: int) -> Picture:
        rows = []
        for n, step in enumerate(m.kept[width], 1):
            run = [(NEW if it[2] else KEPT, 1, f"{it[0]} {_tenths(it[1])}") for it in step[:width]]
            rows.append(cells(f"{n}", _("step {n}", n=n), *run))
        legend = {NEW: _("on the way to the best"), KEPT: _("kept, too")}
        return (grid(width, *rows, legend=legend if width > 1 else {KEPT: _("kept by greedy search")}),)

    return Scene(
        _("Keep more than one beginning at each step, the likeliest ones. How many must be kept to find “{best}”?"),
        shown(1),
        Choose(replies),
        shown(m.least),
        _("A step adds a word or a piece of one. Behind it stands the share of the whole beginning."),
        _page(COLD, bw=f"{m.least}"),
    )


def _longer(m: Found) -> Scene:
    short, long = m.age
    why = _("Every word adds something below zero: {long} against {short}. So short sentences often win.")
    less = Reply(_("Yes, lower."), why, True, label=_("lower"))
    more = Reply(_("No: a log is never above zero, so a word cannot raise the sum."), why, label=_("higher"))
    same = Reply(_("No: then only the meaning would count."), why, label=_("the same"))
    size = len(long.words)
    top = max(-math.log(share) for text in m.age for _word, share in text.words)

    def shown(told: bool) -> Picture:
        rows = []
        for name, each, tone in (("short", short, SOFT), ("long", long, DOES)):
            known, spare = told or each is short, size - len(each.words)
            values = [math.log(share) if known else None for _word, share in each.words] + [None] * spare
            says = number(each.sum, ".2f") if known else "?"
            names = [*(label for label, _share in each.words), *[""] * spare]
            rows.append(line(name, _("shorter") if each is short else _("longer"), values, says, tone, top, names))
        return (numbers(*rows),)

    return Scene(
        _(
            "Products get tiny, so **logs** of shares are added, each below zero. The shorter sentence comes to "
            "{short}. And the longer?"
        ),
        shown(False),
        Choose([more, less, same]),
        shown(True),
        _("Both say that she got married at 17. The log of 100% is 0, of 50% −0.69, of 10% −2.30."),
        _page(AGE, al="0", be="0"),
    )


def _table(rows: Iterable[tuple[str, str, Sequence[str], bool]], heads: Sequence[str]) -> Picture:
    """Texts with their numbers in columns; the last of the one that wins is strong."""
    found = []
    for name, label, values, wins in rows:
        run = [(NONE if each == "?" else KEPT, 1, each) for each in values]
        found.append(cells(name, label, *run[:-1], (NEW, 1, values[-1]) if wins else run[-1]))
    return (grid(len(heads), *found, heads=heads),)


def _divide(m: Found) -> Scene:
    short, long = m.age
    why = _("{LONG} is nearer to zero than {SHORT}: now a long sentence of likely words can win.")
    right = Reply(_("Yes, the longer."), why, long.divided > short.divided, label=_("the longer"))
    other = Reply(_("No: then length would still cost."), why, long.divided < short.divided, label=_("the shorter"))
    same = Reply(_("No: then all would come to the same."), why, label=_("neither"))

    def shown(told: bool) -> Picture:
        rows = []
        for name, label, each in (("s", _("shorter"), short), ("l", _("longer"), long)):
            counted = f"{len(each.words) - 1}", f"{len(each.pieces)}"  # words without the full stop
            values = [*counted, number(each.sum, ".3f"), number(each.divisor, ".3f"), number(each.divided, ".2f")]
            wins = told and each is max(m.age, key=lambda one: one.divided)
            rows.append((name, label, values if told else [*values[:-1], "?"], wins))
        return _table(rows, (_("words"), _("pieces"), _("sum"), _("divisor"), _("points")))

    return Scene(
        _(
            "To be fair to long sentences, the sum is divided by a number, the **divisor**, that grows with their "
            "pieces. Which wins now?"
        ),
        shown(False),
        Choose([other, same, right]),
        shown(True),
        _(
            "Nearest to zero wins. Long words are written in pieces; the full stop counts, and the end. For n pieces "
            "the divisor is ((5 + n) / 6)^0.6."
        ),
        _page(AGE, be="0"),
    )


def _missing(m: Found) -> Scene:
    why = _(
        "“{extra}” is missing. Without it the sentence gets {poors}, with it {richs}: leaving a word out even gains "
        "share, so search likes to."
    )
    tokens, replies = ["", *m.english], {}
    for i in (i for i in words_at(tokens) if tokens.count(tokens[i]) == 1):
        word = tokens[i].strip()
        no = Reply(_("No: “{word}” is said."), why, words={"word": word})
        replies[i] = Reply(_("Yes, “{missing}”."), why, True) if i - 1 == m.missing else no
    named = _("without “{word}”", word=m.extra), _("with “{word}”", word=m.extra)
    shares = (
        bar(name, each.share, tone, says=_tenths(each.share)) for name, each, tone in zip(named, m.rich, (SOFT, DOES))
    )
    return Scene(
        _("The likeliest translation the beam finds is “{poor}” Tap the English word that it leaves out."),
        (strip(tokens, blank="", press=replies),),
        Tap(replies),
        (strip(tokens, blank="", swapped=[m.missing + 1], share=0.5), bars(*shares, share=0.5)),
        _("jeune: young, très: very."),
        _page(RICH, al="0", be="0"),
    )


def _summed(m: Found) -> Scene:
    bare, _full = m.rich
    why = _(
        "“{missing}” gets {still}, most of it from “{one}” and “{two}”. The shorter shares {few} looks out, the end "
        "counted, the fuller {many}: so more English words get less than 100%."
    )
    last = len(bare.pieces) - 3  # before the full stop and the end
    one, two = sorted(range(len(bare.pieces)), key=lambda step: -bare.looks[step][m.missing])[:2]
    rows = []
    for at, name in enumerate(m.english):
        each = [sum(row[at] for row in text.looks) for text in m.rich]
        run = [(AGAIN if round(look, 2) < 1 else KEPT, 1, number(look, ".0%")) for look in each]
        rows.append(cells(f"{at}", name.strip(), *run))
    legend = {AGAIN: _("less than 100%")}

    def shown(told: bool) -> Picture:
        row = bar(m.english[m.missing].strip(), sum(each[m.missing] for each in bare.looks) if told else None, LOOK)
        if told:
            heads = _("shorter"), _("fuller")
            return bars(row, share=0.22), grid(2, *rows, heads=heads, legend=legend, share=0.78)
        return bars(row, share=0.3), pair(m.english, bare.pieces[:-1], [(last, bare.looks[last], DOES)], under=last)

    return Scene(
        _(
            "Writing each French piece, the translator **looks** at the English words: 100% in all. Added up, what "
            "does “{missing}”, left out, get? Drag."
        ),
        shown(False),
        Drag(
            _("What “{missing}” gets in all, in per cent of one look"),
            _("Add up"),
            100 * sum(row[m.missing] for row in bare.looks),
            guessed(why, _("No: more."), _("No: less.")),
        ),
        shown(True),
        _("The shorter: “{poor}” The fuller: “{rich}” Drawn is the look of “{riche}” in the shorter."),
        _page(RICH),
        words={"riche": bare.pieces[last].strip(), "one": bare.pieces[one].strip(), "two": bare.pieces[two].strip()},
    )


def _cover(m: Found) -> Scene:
    bare, full = m.rich
    why = _(
        "Divided, the shorter led, {bare} to {full}. Coverage takes more from it, {loses} to {less}: now the fuller "
        "wins, {FULL} to {BARE}."
    )
    right = Reply(_("Yes, the fuller."), why, full.points > bare.points, label=_("the fuller"))
    other = Reply(_("No: then nothing would have changed."), why, label=_("the shorter"))
    same = Reply(_("No: then both would come to the same."), why, label=_("neither"))

    def shown(told: bool) -> Picture:
        rows = []
        for name, label, each in (("s", _("shorter"), bare), ("f", _("fuller"), full)):
            new = (number(each.coverage, ".2f"), number(each.points, ".1f")) if told else ("?", "?")
            rows.append((name, label, [number(each.divided, ".2f"), *new], told and each is full))
        return _table(rows, (_("sum ÷ divisor"), _("coverage"), _("in all")))

    return Scene(
        _(
            "**Coverage** takes points for English words that get less than 100% of a look in all. Which translation "
            "wins now?"
        ),
        shown(False),
        Choose([other, same, right]),
        shown(True),
        _(
            "For each such word 0.2 times the log of its looks is added: for “{missing}” with {still}, 0.2 times "
            "{log}. It counts looks only, and does not know what was said."
        ),
        _page(RICH),
        words={"log": number(math.log(sum(row[m.missing] for row in bare.looks)), ".2f")},
    )


def _page(text: str, **more: str) -> Behind:
    return Behind("beam_search", {"english": text} | more)


def end(m: Found, home: Found) -> list[End]:
    """What can be explained now."""
    best, (short, long), (bare, full) = m.cold[0], m.age, m.rich
    sums = (line(f"{n}", "", [*each.logs], "", DOES if n else SOFT) for n, each in enumerate((short, long)))
    lost = (
        bar(label, -each.coverage, tone, says=number(each.coverage, ".2f"))
        for label, each, tone in ((_("shorter"), bare, LOOK), (_("fuller"), full, DOES))
    )
    return [
        End(
            _(
                "The likeliest words do not make the likeliest sentence: {share} against {more}. A beam keeps several "
                "beginnings."
            ),
            _tree(m, [best.text], best.text),
        ),
        End(
            _(
                "Logs of shares are added, so every word takes points. Divided by length, the longer wins: {LONG} to "
                "{SHORT}."
            ),
            (numbers(*sums),),
        ),
        End(
            _(
                "Leaving a word out even gains share. Coverage takes points for English words that get less than a "
                "look: {loses} to {less}."
            ),
            (bars(*lost),),
        ),
    ]


LESSON = Lesson(
    "search",
    N_("How a translation is searched"),
    N_(
        "Likely words do not make the likeliest sentence. Search against a beam, and see what length and coverage are "
        "for."
    ),
    MODEL,
    COLD,
    measure,
    words,
    plot,
    end,
    translation.model,
    measured_on=N_("Every number was measured on a small real model that translates English into French."),
)
