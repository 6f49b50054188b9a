"""What was done to the order in which parts happen: layers skipped or exchanged, an MLP beside attention, heads merged
otherwise.

The first model's own parts are asked what they make of what they would then have read.
"""

from __future__ import annotations

from collections.abc import Iterator

from torch import Tensor

from .evidence import CLEAR, EXPLAINED, Evidence, Named, Step, distance, other_layouts, projections, spread


def _answer(evidence: Evidence, given: dict[str, Tensor], step: Step) -> Tensor:
    """What the first model has at a step when other taps hold the given tensors."""
    return evidence.a.answers_to({**given, step.name: step.found})[step.name]


def _fits(evidence: Evidence, step: Step, made: Tensor) -> bool:
    """Whether a tensor is what the second run had."""
    return made.shape == step.found.shape and (
        distance(made, step.found) <= min(EXPLAINED * step.error, 0.05) + evidence.rounding
    )


def name_skipped(evidence: Evidence, step: Step) -> Named | None:
    """A layer, or the last norm, that reads what an earlier layer read, so that those between were skipped."""
    last = evidence.a.n_layers if step.layer is None else step.layer
    for first in range(last - 1, -1, -1):
        # What stands in front of layer `first`: as it was read, or, where that layer left nothing, as it was written.
        names = [f"blocks.{first}.resid_pre", f"blocks.{first - 1}.resid_post" if first else "embed"]
        before = next((value for name in names if (value := evidence.found(name)) is not None), None)
        if before is None:
            continue
        if step.layer is None:
            before = _answer(evidence, {f"blocks.{last - 1}.resid_post": before}, step)
        if _fits(evidence, step, before):
            skipped = f"layers {first} to {last - 1} are" if last - first > 1 else f"layer {first} is"
            return "layer skipped", float(first), f"{skipped} skipped: what enters goes on unchanged"
    return None


def name_parallel(evidence: Evidence, step: Step) -> Named | None:
    """An MLP that reads what attention reads, and not what attention has been added to."""
    entering, stream = (evidence.found(f"blocks.{step.layer}.{name}") for name in ("resid_pre", "resid_mid"))
    if step.part != "normed_mlp" or entering is None or stream is None or entering.shape != stream.shape:
        return None
    read = evidence.found(f"blocks.{step.layer}.normed_attn")
    own = _answer(evidence, {f"blocks.{step.layer}.resid_mid": entering}, step)
    if _fits(evidence, step, own) or (read is not None and _fits(evidence, step, read)):
        return "parallel MLP", "parallel", "the MLP reads the stream in front of attention, not behind it"
    return None


def name_unnormed(evidence: Evidence, off: dict[str, Step]) -> Named | None:
    """Queries, keys or values, of which `off` has those that differ, made of the stream as it enters the norm, at most
    times the norm's gains, and all others of the normed one. A fused projection is one step with all three."""
    first, trace = next(iter(off.values())), evidence.b if evidence.asked else evidence.a
    at = f"blocks.{first.layer}."
    if not evidence.a.has_network or at + "normed_attn" not in evidence.a.tap_names or first.layer is None:
        return None
    read, normed = (trace[at + name].double() for name in ("resid_pre", "normed_attn"))
    if read.shape != normed.shape:  # of several streams, which are joined before the norm
        return None
    unit = read / read.square().mean(-1, keepdim=True).sqrt()
    gains = (normed * unit).sum((0, 1)) / unit.square().sum((0, 1))
    for entering in (read, gains * read):
        own = {step.name: evidence.a[step.name] for step in off.values()}
        made = evidence.a.answers_to({at + "normed_attn": entering.float(), **own})
        if all(_part_fits(evidence, part, step, made[step.name]) for part, step in off.items()):
            which = " and ".join(off)
            said = f"{which} are made of the stream as it enters the norm before attention"
            return "norm missing", which, said
    return None


def _part_fits(evidence: Evidence, part: str, step: Step, made: Tensor) -> bool:
    """Whether a tensor, or a fused projection's part, is what the second run had."""
    found = step.found
    if step.part == "attn.fused":
        made, found = projections(evidence.b, step.name, made, found)[part]
    made, allowed = spread(made, found), CLEAR * evidence.rounding
    laid = [found] if part == "v" else other_layouts(evidence, found)
    return any(made.shape == each.shape and distance(made, each) <= allowed for each in laid)


def _orders(z: Tensor) -> Iterator[tuple[str, Tensor]]:
    """Outputs of heads [1, H, T, D] merged into [1, T, H D] in wrong ways."""
    _, heads, count, d = z.shape
    yield "not transposed: heads are read as positions", z.reshape(1, count, heads * d)
    yield "dimension by dimension", z.permute(0, 2, 3, 1).flatten(2)
    yield "in reverse", z.flip(1).transpose(1, 2).flatten(2)


def name_merged(evidence: Evidence, step: Step) -> Named | None:
    """Heads in another order where they are joined."""
    z = evidence.found(f"blocks.{step.layer}.attn.z")
    if z is None or z.ndim != 4 or z[0].numel() != step.found[0].numel():
        return None
    for how, made in _orders(z):
        if _fits(evidence, step, made):
            return "head order", how.split(":")[0], f"heads are merged {how}"
    joined = step.found.unflatten(-1, (z.shape[1], -1)).transpose(1, 2)  # [1, H, T, D]
    errors = [[distance(z[:, h], joined[:, place]) for h in range(z.shape[1])] for place in range(z.shape[1])]
    order = [min(range(len(row)), key=row.__getitem__) for row in errors]
    if max(min(row) for row in errors) > EXPLAINED * step.error + evidence.rounding:
        return None
    return "head order", str(order), f"heads are merged in the order {order}"


def name_merged_behind(evidence: Evidence, step: Step) -> Named | None:
    """The same where W_O reads them; columns of W_O in another order do the same, and cannot be told from it."""
    name = f"blocks.{step.layer}.attn.concat"
    z, joined = evidence.found(f"blocks.{step.layer}.attn.z"), evidence.found(name)
    if z is None or joined is None or z.ndim != 4 or z[0].numel() != joined[0].numel():
        return None
    for how, made in _orders(z):
        if _fits(evidence, step, _answer(evidence, {name: made}, step)):
            said = f"W_O reads heads merged {how}, or has its columns in that order"
            return "head order", how.split(":")[0], said
    return None


def name_exchanged(evidence: Evidence, step: Step) -> Named | None:
    """A layer in which another layer's weights make every step."""
    if step.layer is None:
        return None
    off = {other.part for other in evidence.steps if other.layer == step.layer and evidence.stands_out(other)}
    if len(off) < 3:  # one part alone is no whole layer
        return None
    other = _layer_that_makes(evidence, step.layer)
    if other is None:
        return None
    if _layer_that_makes(evidence, other) == step.layer:
        return "layers exchanged", float(other), f"layers {step.layer} and {other} have each other's weights"
    said = f"every step of layer {step.layer} is made by the weights of layer {other}"
    return "weights", f"layer {other}", said


def _layer_that_makes(evidence: Evidence, layer: int) -> int | None:
    """The first model's layer that makes all of what the second run had in a layer, of which it is not the same."""
    inside = {step.part: step.found for step in evidence.steps if step.layer == layer}
    known = {step.name: step.found.shape for step in evidence.steps}
    given = {
        name: found
        for other in range(evidence.a.n_layers)
        for part, found in inside.items()
        if known.get(name := f"blocks.{other}.{part}") == found.shape
    }
    answers = evidence.a.answers_to(given)
    for other in range(evidence.a.n_layers):
        errors = [
            distance(answers[name], found)
            for part, found in inside.items()
            if part != "resid_pre" and (name := f"blocks.{other}.{part}") in answers
        ]
        if other != layer and errors and max(errors) <= CLEAR * max(evidence.noise, evidence.rounding):
            return other
    return None
