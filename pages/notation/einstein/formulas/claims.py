"""What the part Einstein notation says about its formula, each where it is true, and what its parts are in any
state."""

from __future__ import annotations

from collections.abc import Sequence

from tlmviz.analysis.notation import code, parts
from tlmviz.analysis.notation.block import SAME
from tlmviz.analysis.notation.plans import Load, Plan, steps
from tlmviz.analysis.notation.running import Result
from tlmviz.analysis.notation.slips import NotesLine
from tlmviz.analysis.notation.syntax import Span
from tlmviz.figures import number
from tlmviz.figures.written import large
from tlmviz.ui import markdown
from tlmviz.ui.hints import Hint, first
from tlmviz.ui.language import N_, _, ngettext

from .data import Data, Mistake

# What the letters of the notes number.
LETTERS = {
    "t": N_("t: the token that looks"),
    "s": N_("s: a token that is looked at"),
    "h": N_("h: heads"),
    "g": N_("g: groups of heads"),
    "k": N_("k: dimensions of a head, rotated"),
    "d": N_("d: dimensions of a head"),
    "f": N_("f: the stream"),
    "c": N_("c: the stream again"),
    "e": N_("e: the MLP"),
}

PARTS = {
    parts.ROPE: N_("RoPE, which turns queries and keys by their positions,"),
    parts.SCALE: N_("the scale 1/√d_k"),
    parts.ROPE_AND_SCALE: N_("RoPE, together with the scale 1/√d_k,"),
    parts.ALIBI: N_("ALiBi's penalty for distance"),
    parts.MASK: N_("the mask, which hides later tokens,"),
    parts.BIAS: N_("the bias"),
    parts.NORM: N_("the norm"),
    parts.STREAM: N_("the stream that it is added to"),
    parts.SUBLAYER: N_("what the sublayer adds"),
    parts.GATE: N_("the gate"),
    parts.ACTIVATION: N_("the activation"),
}


def cannot_run(data: Data) -> str | None:
    """Something stops it."""
    if data.result.value is not None:
        return None
    return _("**It cannot be run** until what is marked is put right: {what}.", what=_what(data))


def is_the_models(data: Data) -> str | None:
    """Run as it stands, it is the model's own tensor."""
    if not data.same or data.compared is None:
        return None
    values = {
        "name": data.name,
        "model": data.chosen.model,
        "sizes": _sizes(data),
        "share": number(data.compared.error, ".1e"),
    }
    if data.compared.error == 0:
        return _(
            "**Equal to the model's own {name}**: run as it stands, this formula makes {model}'s {sizes}, every "
            "number.",
            **values,
        )
    return _(
        "**Equal to the model's own {name}**: run as it stands, this formula makes {model}'s {sizes}, the largest "
        "difference {share} of the largest number.",
        **values,
    )


def no_numbers(data: Data) -> str | None:
    """It makes numbers that are none."""
    if data.result.value is None or data.compared is None or data.compared.error == data.compared.error:
        return None
    return _(
        "**It runs, without an error, and makes numbers that are none** (NaN), where {model}'s {name} has {sizes}.",
        model=data.chosen.model,
        name=data.name,
        sizes=_sizes(data),
    )


def differs(data: Data) -> str | None:
    """It runs, and is not what the model computes; why, where that has a name."""
    if data.compared is None or not data.compared.error > SAME:
        return None
    said = _(
        "**It runs, without an error, and is not the model's {name}**: they differ by up to {share} of the largest "
        "number.",
        name=data.name,
        share=f"{number(100 * data.compared.error, '.3g')}%",
    )
    why = _what(data)
    if data.missing:
        part = str(_(PARTS[data.missing]))
        why = _("{part} is missing; without it {model} would compute just this", part=part, model=data.chosen.model)
    return said + " " + _("What is wrong: {why}.", why=why) if why else said


def runs(data: Data) -> str | None:
    """It runs, and the model has nothing to hold against it."""
    if data.result.value is None or data.compared is not None:
        return None
    values = {"sizes": _sizes(data), "what": _what(data)}
    own = _("**It runs** on the model's tensors and makes {sizes}.", **values)
    random = _("**It runs** on random tensors of your sizes and makes {sizes}.", **values)
    said = own if data.of_model else random
    return said + " " + _("But: {what}.", **values) if values["what"] else said


def breaks_rules_only(data: Data) -> str | None:
    """It makes the right numbers, and breaks a rule of the notation."""
    if not data.same or not data.result.checked.findings:
        return None
    return _("It breaks a rule of the notation alone: {what}. No program would have said so.", what=_what(data))


def order_saves(data: Data) -> str | None:
    """A product of three tensors or more is cheaper pair by pair."""
    order = data.order
    if order is None or len(order.inputs) < 3 or order.at_once <= order.operations:
        return None
    return _(
        "**Pair by pair** this product of {count} tensors takes {some} operations; all at once, in one loop over every "
        "index, {all}: {times} times as many.",
        count=len(order.inputs),
        some=large(order.operations),
        all=large(order.at_once),
        times=f"{float(f'{order.at_once / order.operations:.2g}'):,.0f}",
    )


CLAIMS = (cannot_run, no_numbers, is_the_models, differs, runs, breaks_rules_only, order_saves)
HINTS = (
    Hint(
        N_("Change one letter of the formula."),
        first(formula=lambda data: data.formula.replace(next(filter(str.isalpha, reversed(data.formula))), "z")),
    ),
)


def _what(data: Data) -> str:
    """The first finding by name, "" for none."""
    findings = data.result.checked.findings
    return markdown.plain(findings[0].name[0].lower() + findings[0].name[1:]) if findings else ""


def _sizes(data: Data) -> str:
    value, letters = data.result.value, data.result.checked.out
    if value is None or not letters:
        return str(_("one number"))
    return f"{' × '.join(map(str, value.shape))} ({', '.join(letters)})"


def letters(data: Data) -> str:
    """What the formula's letters number, and how many there are."""
    sizes = data.result.checked.sizes
    return " · ".join(f"{_(LETTERS[each])}, {sizes[each]:,}" for each in LETTERS if each in sizes)


def caret(text: str, at: Span) -> str:
    """A text with its place marked on a line below; of a long one the part around the place."""
    start, stop = at
    first = max(0, start - 60)
    shown = text[first : first + 150].replace("\n", " ")
    lead = "…" if first else ""
    length = max(1, min(stop, first + 150) - start)
    return f"{lead}{shown}\n{' ' * (len(lead) + start - first)}{'^' * length}"


def cost(data: Data) -> str:
    """What the order takes."""
    order = data.order
    assert order is not None
    said = _("{some} operations in this order, the cheapest by opt_einsum.", some=large(order.operations))
    if len(order.inputs) < 3:
        return f"{said} {_('Two tensors have one order only; a third gives a choice.')}"
    return f"{said} {_('Largest tensor made on the way: {count} numbers.', count=large(order.largest))}"


def code_of(plan: Plan) -> str:
    """What the code needs."""
    parts = [_("`dk` is the size of a head")]
    if any(isinstance(step, Load) and step.mapped for step in steps(plan)):
        parts.append(_("`pi` the group of each head"))
    parts += [
        _("{name} is `{own}`", name=name, own=code.name(name)) for name in code.loads(plan) if code.name(name) != name
    ]
    return _("In the code {parts}; below, *Copy as Python* loads all of them.", parts=", ".join(parts))


def of_mistakes(every: Sequence[Mistake]) -> str:
    """How many of the mistakes would be noticed."""
    runs = sum(result.value is not None for _slip, _formula, result, _compared in every)
    same = sum(compared is not None and compared.error <= SAME for *_rest, compared in every)
    return ngettext(
        "Of these {all} formulas {n} runs without an error, and {same} even make the model's own numbers: they break a "
        "rule of the notation alone. What differs in the others no program would have said.",
        "Of these {all} formulas {n} run without an error, and {same} even make the model's own numbers: they break a "
        "rule of the notation alone. What differs in the others no program would have said.",
        runs,
        all=len(every),
        same=same,
    )


def of_notes(lines: Sequence[tuple[NotesLine, Result]]) -> str:
    """The notes' lines and what their rules find, as a table."""
    heads = _("Section"), _("Line"), _("By the checklist"), _("Why")
    rows = [f"| {' | '.join(heads)} |", "| --- | --- | --- | --- |"]
    for line, found in lines:
        kinds = found.checked.findings
        said = f"**{kinds[0].name}**" if kinds else _("holds")
        rows.append(f"| {line.section} | `{line.text}` | {said} | {markdown.plain(line.says)} |")
    return "\n".join(rows)


NOTICE = (
    N_(
        "**An index above and the same below is summed**; one that stands alone stays, and must stand on the left "
        "too. Positions t and s are never summed without a Σ."
    ),
    N_(
        "Most mistakes still run: einsum adds up whatever the result lacks and says nothing, so only the numbers "
        "beside the model's are different."
    ),
)


MATHS = (
    N_(
        "A letter in brackets, as in L with $(h)$ above, numbers and is neither above nor below. δ has one index "
        "on each side, or lowers one as in $\\widehat K_{shk} = \\widehat K_{sh}{}^m\\,\\delta_{mk}$. `pi(h)` is "
        "$\\pi(h)$, the group of head h."
    ),
)
