"""What the page Patch says about its grid, each where it is true, and what its parts are in any state."""

from __future__ import annotations

import numpy as np

from tlmviz.analysis.workbench.patching import HEAD_KINDS, Cell
from tlmviz.figures import number, readable
from tlmviz.ui import markdown
from tlmviz.ui.hints import Hint, to, within
from tlmviz.ui.language import N_, _, ngettext

from .data import APART, Data, Exact

# What a patch takes from the clean run, as it stands in a sentence.
TAKEN = {
    "z": N_("what {head} writes"),
    "pattern": N_("where {head} looks"),
    "q": N_("the queries of {head}"),
    "k": N_("the keys of {head}"),
    "v": N_("the values of {head}"),
    "resid": N_("the stream that layer {layer} reads at {token}"),
    "attn": N_("what attention writes in layer {layer} at {token}"),
    "mlp": N_("what the MLP writes in layer {layer} at {token}"),
}
PARTS = {  # what a cell of the grid is
    "z": N_("Output"),
    "pattern": N_("Pattern"),
    "q": N_("Queries"),
    "k": N_("Keys"),
    "v": N_("Values"),
    "resid": N_("Residual stream"),
    "attn": N_("Attention’s output"),
    "mlp": N_("MLP’s output"),
}
MOST_SUMMED = 6  # patches of a chain that are also made one by one


def no_share(data: Data) -> str | None:
    """Nothing comes back: the two runs do not differ in the answer as they should."""
    if data.compares:
        return None
    clean, corrupted = data.task.clean_difference, data.task.corrupted_difference
    if clean <= corrupted:
        said = _("The answers are the other way round: what the clean text adds is {apart} logits of {wrong}.")
    elif clean <= 0:
        said = _("The clean text does not make {answer} the likelier of the two, so there is no answer to bring back.")
    else:
        said = _("They differ by {apart} logits; of less than {least} no share is said to come back.")
    lead = _("After the clean text {clean}, after the corrupted one {corrupted}.")
    return (lead + " " + said).format(
        answer=_answer(data),
        wrong=_wrong(data),
        clean=_leads(data, clean),
        corrupted=_leads(data, corrupted),
        apart=number(abs(clean - corrupted), ".2f"),
        least=number(APART, "g"),
    )


def _leads(data: Data, by: float) -> str:
    """Which of the two answers leads, and by how many logits."""
    ahead, behind = (_answer(data), _wrong(data)) if by >= 0 else (_wrong(data), _answer(data))
    return _("{ahead} leads {behind} by {by} logits", ahead=ahead, behind=behind, by=number(abs(by), ".2f"))


def guessed(data: Data) -> str | None:
    """The grid is not run: what the preview says."""
    if data.job.finished or not data.compares:
        return None
    return _(
        "At a first guess, made in one pass back through the network, of all parts of the clean run {part} brings back "
        "most: about {share} of the answer {answer}.",
        part=taken(data, data.best),
        answer=_answer(data),
        share=percent(_at(data.preview, data.best)),
    )


def carried(data: Data) -> str | None:
    """The stream: all of it at the one exchanged token at first, some at the last token in the end."""
    if not _follows(data) or len(data.exchanged) != 1 or data.exchanged[0] == len(data.names) - 1:
        return None
    there = [percent(value) for value in data.grid[:, data.exchanged[0]]]
    arrived = percent(data.grid[-1, -1])
    if there[0] != "100%" or arrived == "0%" or arrived.startswith("−"):
        return None
    last = next((layer for layer, share in enumerate(there) if share != "100%"), len(there)) - 1
    return _(
        "All that decides the answer lies at the exchanged token {source} up to layer {layer}; what layer {end} reads "
        "at the last token {last} brings back {share}: attention has carried it there.",
        source=_token(data, data.exchanged[0]),
        layer=last,
        end=len(there) - 1,
        last=_token(data, len(data.names) - 1),
        share=arrived,
    )


def at_the_end(data: Data) -> str | None:
    """The stream otherwise."""
    if not _follows(data) or carried(data):
        return None
    return _(
        "At the last token {last} the stream that layer 0 reads brings back {first}, the stream that layer {end} reads "
        "{share}.",
        last=_token(data, len(data.names) - 1),
        first=percent(data.grid[0, -1]),
        end=len(data.grid) - 1,
        share=percent(data.grid[-1, -1]),
    )


def one_part(data: Data) -> str | None:
    """One part alone brings back most."""
    if not _run(data):
        return None
    first, second = _two_best(data)
    if first < 1 or first == second:
        return None
    said = (
        _(
            "Take only {part} from the clean run, and {share} of the answer {answer} comes back; no other head of "
            "{count} brings back more than {second}."
        )
        if data.chosen.heads
        else _(
            "Take only {part} from the clean run, and {share} of the answer {answer} comes back; no other place of "
            "{count} brings back more than {second}."
        )
    )
    return said.format(
        part=taken(data, data.best),
        share=_whole(first),
        answer=_answer(data),
        count=data.grid.size,
        second=_whole(second),
    )


def several(data: Data) -> str | None:
    """Several parts bring back as much."""
    if not _run(data):
        return None
    first, second = _two_best(data)
    if first < 1 or first != second:
        return None
    return _(
        "{count} parts bring back {share} of the answer {answer} each, and none more: no part stands out.",
        count=sum(round(100 * float(value)) == first for value in data.grid.flat),
        share=_whole(first),
        answer=_answer(data),
    )


def nothing(data: Data) -> str | None:
    """No part alone brings anything back."""
    if not _run(data) or _two_best(data)[0] >= 1:
        return None
    return _(
        "No part alone brings the answer {answer} back: the best of {count} brings {share}.",
        answer=_answer(data),
        count=data.grid.size,
        share=_whole(_two_best(data)[0]),
    )


def look_or_value(data: Data) -> str | None:
    """A head's halves, patched apart."""
    if not data.chosen.heads or not data.compares:
        return None
    layer, head = data.cell.layer, data.cell.index
    whole, look, value = (percent(data.patched(Cell(kind, layer, head)).restored) for kind in ("z", "pattern", "v"))
    if _points(whole) < 5 or look == value:
        return None
    said = (
        _(
            "**{head}**: its values alone bring back {value}, its pattern alone {look}. What it finds counts more than "
            "where it looks."
        )
        if _points(value) > _points(look)
        else _(
            "**{head}**: its pattern alone brings back {look}, its values alone {value}. Where it looks counts more "
            "than what it finds there."
        )
    )
    return said.format(head=f"L{layer}H{head}", value=value, look=look)


def together(data: Data) -> str | None:
    """A chain beside its parts one by one."""
    cells = data.chain
    if not 1 < len(cells) <= MOST_SUMMED or not data.compares:
        return None
    alone = sum(data.patched(cell).restored for cell in cells)
    return _(
        "**The chain** brings back {share} in one run; its {count} patches one by one sum to {alone}.",
        share=percent(data.patched(*cells).restored),
        count=len(cells),
        alone=percent(alone),
    )


def off_the_preview(data: Data) -> str | None:
    """Where the straight line is furthest from the run."""
    if not data.job.finished or not data.compares:
        return None
    layer, index = divmod(int(np.abs(data.grid - data.preview).argmax()), data.grid.shape[1])
    cell = Cell(data.chosen.kind, layer, index)
    guess, value = percent(_at(data.preview, cell)), percent(_at(data.grid, cell))
    if guess == value:
        return None
    return _(
        "**The preview** is furthest off at {place}: it guesses {guess}, and the run gives {value}.",
        place=place(data, cell),
        guess=guess,
        value=value,
    )


CLAIMS = (no_share, guessed, carried, at_the_end, one_part, several, nothing, look_or_value, together, off_the_preview)
HINTS = (
    Hint(N_("Click a cell; then choose *Residual*."), to(kind="resid")),
    Hint(N_("Click a cell to put that part alone into the run."), within),
)


def percent(value: float) -> str:
    """A share as it is written."""
    return _whole(round(100 * float(value)))


def _whole(points: int) -> str:
    return number(points, "d") + "%"


def _points(share: str) -> int:
    return int(share[:-1].replace("−", "-"))


def _at(grid: np.ndarray, cell: Cell) -> float:
    return float(grid[cell.layer, cell.index])


def _two_best(data: Data) -> tuple[int, int]:
    """The largest two cells as they are written, in percent; a grid of one cell has it twice."""
    points = sorted((round(100 * float(value)) for value in data.grid.flat), reverse=True)
    return points[0], points[min(1, len(points) - 1)]


def _follows(data: Data) -> bool:
    return data.chosen.kind == "resid" and data.job.finished and data.compares


def _run(data: Data) -> bool:
    return data.chosen.kind != "resid" and data.job.finished and data.compares


def _answer(data: Data) -> str:
    return f"“{markdown.plain(data.answers[0])}”"


def _wrong(data: Data) -> str:
    return f"“{markdown.plain(data.answers[1])}”"


def _token(data: Data, position: int) -> str:
    return f"“{markdown.plain(data.names[position])}” ({position})"


def taken(data: Data, cell: Cell) -> str:
    """What a patch takes from the clean run."""
    if cell.kind in HEAD_KINDS:
        return _(TAKEN[cell.kind], head=f"L{cell.layer}H{cell.index}")
    return _(TAKEN[cell.kind], layer=cell.layer, token=_token(data, cell.index))


def place(data: Data, cell: Cell) -> str:
    """Where a patch is made."""
    if cell.kind in HEAD_KINDS:
        return f"L{cell.layer}H{cell.index}"
    return _("layer {layer}, {token}", layer=cell.layer, token=_token(data, cell.index))


def named(data: Data, cell: Cell) -> str:
    """A patch in a few words."""
    return _("{part} of {place}", part=_(PARTS[cell.kind]), place=place(data, cell))


def known(data: Data) -> str:
    """How sure the grid is, below it."""
    if data.job.finished:
        return _("Exact: every cell is a run.")
    if data.job.share:
        return _("Preview, exact where it has been run.")
    return _("Preview: guessed by one pass back.")


def title(data: Data) -> str:
    """The picture's title, on screen and in what is saved."""
    answer, wrong = data.answers
    return _(
        "{model}: {part} from “{clean}” put into “{corrupted}”, answer “{answer}” against “{wrong}”",
        model=data.chosen.model,
        part=_(PARTS[data.chosen.kind]),
        clean=readable(data.chosen.clean),
        corrupted=readable(data.chosen.corrupted),
        answer=answer,
        wrong=wrong,
    )


def before_after(data: Data) -> str:
    """The heading of the predictions around the chosen cell, which is run."""
    if not data.compares:
        return _("{patch}, when it is run", patch=named(data, data.cell))
    share = percent(data.patched(data.cell).restored)
    return _("{patch} brings back {share}, when it is run", patch=named(data, data.cell), share=share)


def chained(data: Data) -> str:
    """The heading of the chain."""
    if not data.compares:
        return _("Chain, in one run")
    return ngettext(
        "Chain: {n} patch in one run brings back {share}",
        "Chain: {n} patches in one run bring back {share}",
        len(data.chain),
        share=percent(data.patched(*data.chain).restored),
    )


def seconds(value: float) -> str:
    """A time as one says it."""
    if value < 90:
        return _("about {n} s", n=max(1, round(value)))
    return _("about {n} minutes", n=round(value / 60))


def offer(job: Exact) -> str:
    """What the button does."""
    return _(
        "The preview is one backward pass. {count} runs give the exact grid: {time} on two idle cores; {share} done.",
        count=f"{job.grid.size:,}",
        time=seconds(job.left),
        share=f"{job.share:.0%}",
    )


def progress(job: Exact) -> str:
    """How far the exact grid is."""
    return _(
        "{share} of {count} runs, {time} left",
        share=f"{job.share:.0%}",
        count=f"{job.grid.size:,}",
        time=seconds(job.left),
    )


NOTICE = (
    N_(
        "**Two runs** that differ in the marked tokens only. Each cell is a run of the corrupted text with **one "
        "part taken from the clean run**: 0, nothing changes; 1, the answer is back as in the clean run. More than "
        "1 or less than 0 is real."
    ),
    N_(
        "**Residual**: the stream that a layer reads at one position. Where what is brought back changes position, "
        "attention has carried it over."
    ),
    N_("**z, pattern, q, k, v**: what one head writes, or only one part of it from the clean run."),
    N_(
        "**The preview** takes one pass forward and one back for all cells, and guesses each by a straight line. "
        "The exact grid runs every cell; where both part, the network is far from linear."
    ),
    N_("**A chain** is patches made together, which may bring back more or less than the sum of them one by one."),
)


MATHS = (
    N_(
        "Attribution patching of a head keeps what softmax does to its own weights exact: only what comes after "
        "$z$ is linearised. The preview of the sum over heads is the preview of the sum, as $W_O$ is linear."
    ),
    N_("With fewer key/value heads than query heads, k and v are exchanged for one query head of the group alone."),
)
