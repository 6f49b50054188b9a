"""A formula's plan as Python to copy: by torch.einsum, by einops.einsum, or by broadcasting alone.

The code reads its tensors by name; `NAMES` says what a name with primes is called there.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from .plans import Added, Apply, Contract, Count, Eye, Load, Plan, Shares, Where, steps
from .syntax import Condition, Side

EINSUM, EINOPS, TORCH = "torch.einsum", "einops.einsum", "plain torch"
STYLES = (EINSUM, EINOPS, TORCH)
_FUNCTIONS = {each: f"torch.nn.functional.{each}" for each in ("relu", "gelu", "silu")}


def name(of: str) -> str:
    """A tensor's name as Python takes it: H'' is H_2."""
    base = of.rstrip("'")
    return base + (f"_{len(of) - len(base)}" if len(base) < len(of) else "")


def letter(of: str) -> str:
    """An index as Python takes it: r' is r1."""
    base = of.rstrip("'")
    return base + (str(len(of) - len(base)) if len(base) < len(of) else "")


@dataclass
class _Writer:
    style: str
    symbols: dict[str, str] = field(default_factory=dict)

    def symbol(self, of: str) -> str:
        """One letter for an index of torch.einsum, which knows no primes."""
        taken = set(self.symbols.values())
        free = (each for each in (of, *"abcijlnopqwxyz", *map(str.upper, "abcdefghijklmnop")) if len(each) == 1)
        own = next(each for each in free if each.isascii() and each not in taken)
        return self.symbols.setdefault(of, own) if of not in self.symbols else self.symbols[of]

    def write(self, plan: Plan) -> str:
        match plan:
            case Load():
                text = name(plan.name)
                for axis in plan.mapped:
                    text = f"{text}[{':, ' * axis}pi]"
                return text
            case Eye():
                return f"torch.eye({letter(plan.letters[0])}.numel())"
            case Count():
                return f"{letter(plan.letters[0])}.float()"
            case Where():
                return f"({self.mask(plan.conditions, plan.letters)}).float()"
            case Contract():
                return self.contract(plan)
            case Apply():
                return self.apply(plan)
            case Shares():
                scores, dim = self.write(plan.part), plan.letters.index(plan.axis)
                if plan.conditions:
                    kept = self.mask(plan.conditions, plan.letters)
                    scores = f"{_atom(scores)}.masked_fill(~({kept}), -torch.inf)"
                return f"torch.softmax({scores}, dim={dim})"
        return self.added(plan)

    def apply(self, plan: Apply) -> str:
        inner = self.write(plan.part)
        if plan.function == "1/":
            return f"1 / ({inner})"
        own = plan.function in ("sigma", "LN1", "LN2")
        return f"{plan.function if own else _FUNCTIONS.get(plan.function, 'torch.' + plan.function)}({inner})"

    def contract(self, plan: Contract) -> str:
        operands = [self.write(part) for part in plan.parts]
        letters = [part.letters for part in plan.parts]
        factor = plan.text.replace("sqrt(dk)", "dk**0.5")
        if not operands:
            return factor or "1"
        if len(operands) == 1 and letters[0] == plan.letters:
            text = operands[0]
        elif self.style == TORCH:
            text = self.broadcast(operands, letters, plan.letters)
        elif self.style == EINOPS:
            sides = ", ".join(" ".join(map(letter, each)) for each in letters)
            text = f'einsum({", ".join(operands)}, "{sides} -> {" ".join(map(letter, plan.letters))}")'
        else:
            sides = ",".join("".join(map(self.symbol, each)) for each in letters)
            text = f'torch.einsum("{sides}->{"".join(map(self.symbol, plan.letters))}", {", ".join(operands)})'
        if not factor:
            return text
        return f"{_atom(text)}{factor}" if factor.startswith("/") else f"{factor} * {_atom(text)}"

    def broadcast(self, operands: list[str], letters: list[tuple[str, ...]], out: tuple[str, ...]) -> str:
        """The product with every axis in its place, summed behind it."""
        summed = [each for part in letters for each in part if each not in out]
        every = (*out, *dict.fromkeys(summed))
        text = " * ".join(_aligned(_atom(each), own, every) for each, own in zip(operands, letters))
        if not summed:
            return text if len(operands) == 1 else f"({text})"
        axes = tuple(range(len(out), len(every)))
        return f"({text}).sum({axes[0] if len(axes) == 1 else axes})"

    def added(self, plan: Added) -> str:
        text = ""
        for sign, part in plan.parts:
            text += (" - " if sign < 0 else " + ") if text else ("-" if sign < 0 else "")
            text += _aligned(_atom(self.write(part)), part.letters, plan.letters)
        return text

    def mask(self, conditions: tuple[Condition, ...], letters: tuple[str, ...]) -> str:
        written = [f"{_side(c.left, letters)} {c.relation} {_side(c.right, letters)}" for c in conditions]
        return written[0] if len(written) == 1 else " & ".join(f"({each})" for each in written)


def _side(side: Side, letters: tuple[str, ...]) -> str:
    text = ""
    for sign, part in side.parts:
        text += (" - " if sign < 0 else " + ") if text else ("-" if sign < 0 else "")
        text += part if part.isdigit() else _aligned(letter(part), (part,), letters)
    return text


def _atom(text: str) -> str:
    """The text in brackets, where an operator beside it would take a part of it."""
    depth = 0
    for each in text:
        depth += (each in "([") - (each in ")]")
        if each == " " and depth == 0:
            return f"({text})"
    return text


def _aligned(text: str, own: tuple[str, ...], onto: tuple[str, ...]) -> str:
    """An operand with its axes in the order of `onto`, and axes of one where it has none before its last."""
    order = [own.index(each) for each in onto if each in own]
    if order != sorted(order):
        text = f"{text}.permute({', '.join(map(str, order))})"
    places = [":" if each in own else "None" for each in onto]
    while places and places[0] == "None":  # broadcasting adds these by itself
        places.pop(0)
    return f"{text}[{', '.join(places)}]" if "None" in places else text


def write_code(plan: Plan, result: str, style: str = EINSUM) -> str:
    """Python for a plan in one of STYLES, which puts its value into the variable `result`."""
    text = _Writer(style).write(plan)
    if not loads(plan) and not plan.letters:
        text = f"torch.tensor({text}, dtype=torch.float32)"
    places = _placed(plan)
    lines = [f"{letter(each)} = torch.arange({size})" for each, size in places.items()]
    return "\n".join([*lines, f"{name(result)} = {text}"])


def _placed(plan: Plan) -> dict[str, str]:
    """Indices that stand as numbers, with the expression of their size."""
    needed = [
        each for step in steps(plan) if isinstance(step, Where | Count | Eye | Shares) for each in _compared(step)
    ]
    found = {}
    for each in dict.fromkeys(needed):
        loads = (step for step in steps(plan) if isinstance(step, Load) and each in step.letters)
        load = next((step for step in loads if step.letters.index(each) not in step.mapped), None)
        found[each] = "1" if load is None else f"{name(load.name)}.shape[{load.letters.index(each)}]"
    return found


def _compared(step: Plan) -> tuple[str, ...]:
    if isinstance(step, Shares | Where):
        sides = [part for c in step.conditions for part in (*c.left.parts, *c.right.parts)]
        return tuple(text for _, text in sides if not text.isdigit())
    return step.letters


def loads(plan: Plan) -> list[str]:
    """The tensors that the code reads, by their names in the formula."""
    return list(dict.fromkeys(step.name for step in steps(plan) if isinstance(step, Load)))


def head(plan: Plan, source: Callable[[str], str]) -> str:
    """Lines that give the code its tensors, each by `source(name)`."""
    return "\n".join(f"{name(each)} = {source(each)}" for each in loads(plan))
