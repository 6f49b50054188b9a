"""The words of the page Einstein notation: claim, what to notice, verdicts, tables, equations, snippet."""

from __future__ import annotations

from collections.abc import Sequence

from tlmviz.analysis.notation import code
from tlmviz.analysis.notation.block import SAME, Compared
from tlmviz.analysis.notation.costing import Order
from tlmviz.analysis.notation.plans import Load, Plan, steps
from tlmviz.analysis.notation.running import Result
from tlmviz.analysis.notation.slips import NotesLine
from tlmviz.analysis.notation.syntax import Span
from tlmviz.figures import number
from tlmviz.figures.written import large
from tlmviz.ui import inputs

from . import compute
from .controls import Choice

CLAIM = "Attention as a formula: every index is checked, then it runs."
NOTICE = (
    "**An index above and the same below is summed**; one that stands alone stays, and must stand on the left too. Positions "
    "t and s are never summed without a Σ.",
    "**Change one letter:** the place is marked and the mistake named. Most mistakes still run: einsum adds up whatever the "
    "result lacks and says nothing, so only the numbers beside the model's are different.",
    "**Longer products have an order.** Type "
    "`L_{ts}^{(h)} = 1/sqrt(dk) Htilde_t^f WQ_{hf}^d WK_{hcd} Htilde_s^c`: pair by pair it costs a small part of all at once.",
)
NOTICE_MATHS = (
    "A letter in brackets, as in L with $(h)$ above, numbers and is neither above nor below. δ has one index on each side, "
    "or lowers one as in $\\widehat K_{shk} = \\widehat K_{sh}{}^m\\,\\delta_{mk}$. `pi(h)` is $\\pi(h)$, the group of head h.",
)
EQUATIONS = (
    (
        r"L_{ts}^{(h)} = \frac{1}{\sqrt{d_k}}\,\widehat Q_{th}{}^k\,\widehat K_{shk},\qquad A_{ts}^{(h)} ="
        r" \mathrm{softmax}_s(L_{ts}^{(h)}),\qquad Y_{th}{}^d = \sum_{s\le t} A_{ts}^{(h)} V_{sh}{}^d",
        "Decoder-Only Transformers in Einstein Notation, sections 1, 2 and 10.",
        "The notes call the weights and attention's output A; here the output is Aout. H'' is used in section 2 and never "
        "defined: it is the normalised H'. W_O stands with h and d below in section 2.1, so that h is paired below with below, "
        "against the checklist's first point; and the checklist asks for δ with one index on each side, where lowering K takes "
        "δ with both below. A window of W tokens is t - s < W.",
    ),
)
FORMATS = {"Multiplications and additions": ",d"}
HELPS = {
    "Summed": "Indices that neither the result nor any later factor has.",
    "Multiplications and additions": "As opt_einsum counts: one multiplication for each combination of indices, and one "
    "addition where an index is summed.",
}
NOTES_HEADING = "The notes' own lines, by their own rules"


def caret(text: str, at: Span) -> str:
    """A text with its place marked on a line below; of a long one the part around the place."""
    start, stop = at
    first = max(0, start - 60)
    shown = text[first : first + 150].replace("\n", " ")
    lead = "…" if first else ""
    length = max(1, min(stop, first + 150) - start)
    return f"{lead}{shown}\n{' ' * (len(lead) + start - first)}{'^' * length}"


def verdict(choice: Choice, found: Result, compared: Compared | None) -> str:
    """What became of the formula, in a sentence."""
    if found.value is None:
        return "**It cannot be run** until what is marked is put right."
    sizes = " × ".join(str(size) for size in found.value.shape) or "one number"
    left = found.checked.line.left
    if compared is None:
        whose = "the model's tensors" if choice.sizes is None else "random tensors of your sizes"
        return f"**It runs** on {whose} and makes {sizes}{_of(found)}."
    share = compared.error
    name = left.name if left else ""
    if share <= SAME:
        same = (
            "every number is the same"
            if share == 0
            else f"the largest difference is {number(share, '.1e')} of the largest number"
        )
        return f":green[✓] **Equal to the model's own {name}**, {sizes}{_of(found)}: {same}."
    if share != share:
        return f"**It runs, without an error, and makes numbers that are none** (NaN), where the model's {name} has {sizes}."
    return (
        f"**It runs, without an error, and is not the model's {name}**: they differ by up to {number(100 * share, '.3g')} % of "
        "the largest number."
    )


def _of(found: Result) -> str:
    return f" ({', '.join(found.checked.out)})" if found.checked.out else ""


def pairings(order: Order) -> list[dict]:
    """The products in their order, a row each."""
    return [
        {
            "Product": f"{pair.left} × {pair.right}" if pair.right else pair.left,
            "Makes": " ".join(pair.result) or "a number",
            "Summed": " ".join(pair.summed) or "–",
            "Multiplications and additions": pair.operations,
        }
        for pair in order.pairings
    ]


def cost(order: Order) -> str:
    """What the order saves."""
    together = f"{large(order.operations)} operations in this order, the cheapest by opt_einsum"
    if len(order.inputs) < 3 or order.at_once <= order.operations:
        return f"{together}. Two tensors have one order only; a third gives a choice."
    return (
        f"{together}; all at once, in one loop over every index, {large(order.at_once)}: "
        f"{number(order.at_once / order.operations, ',.3g')} times as many. Largest tensor made on the way: "
        f"{large(order.largest)} numbers."
    )


def code_names(plan: Plan) -> list[str]:
    """Tensors whose name in the code differs."""
    return [f"{name} is `{code.name(name)}`" for name in code.loads(plan) if code.name(name) != name]


def code_of(plan: Plan) -> str:
    """What the code needs."""
    parts = ["`dk` is the size of a head"]
    if any(isinstance(step, Load) and step.mapped for step in steps(plan)):
        parts.append("`pi` the group of each head")
    return (
        "In the code " + ", ".join(parts + code_names(plan)) + "; below, *Copy as Python* loads all of them."
    )


def mistakes(every: Sequence[tuple[Result, Compared | None]]) -> str:
    """How many of the mistakes would be noticed."""
    runs = [result for result, _ in every if result.value is not None]
    same = [result for result, compared in every if compared is not None and compared.error <= SAME]
    return (
        f"Of these {len(every)} formulas {len(runs)} run without an error, and {len(same)} even make the model's own numbers: "
        "they break a rule of the notation alone. What differs in the others no program would have said."
    )


def notes(lines: Sequence[tuple[NotesLine, Result]]) -> str:
    """The notes' lines and what their rules find, as a table."""
    rows = ["| Section | Line | By the checklist | Why |", "| --- | --- | --- | --- |"]
    for line, found in lines:
        kinds = found.checked.findings
        said = f"**{kinds[0].name}**" if kinds else "holds"
        rows.append(f"| {line.section} | `{line.text}` | {said} | {inputs.plain(line.says)} |")
    return "\n".join(rows)


def own_tensor(tensor: str) -> str:
    """The claim that a line is checked by."""
    return f"{tensor} is the model's own tensor"


def snippet(choice: Choice, found: Result) -> str:
    """The formula and its code with the public API."""
    plan = found.plan
    assert plan is not None
    loaded = {step.name: step for step in steps(plan) if isinstance(step, Load)}
    if choice.sizes is None:
        imports = "import tlmviz\n"
        source = f"""\
lm = tlmviz.load({choice.model!r})
ids = lm.encode({choice.text!r})[:{compute.TOKENS}]
trace = lm.trace_ids(ids, keep=tensors.taps({choice.layer}).__contains__)
table = tensors.of_block(lm, trace, {choice.layer})
"""
        read = code.head(plan, lambda name: f'table.tensors["{name}"].value')
    else:
        imports = ""
        source = f"table = tensors.of_sizes(tensors.read_sizes({choice.sizes!r}))\n"
        read = code.head(plan, lambda name: f'table.look("{name}", {loaded[name].letters!r}, (0, 0)).value')
    name = found.checked.line.left.name if found.checked.line.left else "made"
    functions = "".join(
        f'{each} = table.functions["{each}"]\n'
        for each in ("sigma", "LN1", "LN2")
        if f"{each}(" in code.write_code(plan, name)
    )
    return f"""\
import torch
{imports}from tlmviz.analysis.notation import tensors
from tlmviz.analysis.notation.running import evaluate

{source}result = evaluate({choice.formula!r}, table)
print([finding.name for finding in result.checked.findings], list(result.value.shape))

dk, pi = table.head_dim, table.head_of
{functions}{read}
{code.write_code(plan, name)}
print(torch.allclose({code.name(name)}, result.value, atol=1e-4, equal_nan=True))
"""
