"""Activation patching: which part of one run, put into another, brings back the answer (Vig et al. 2020; Meng et al.
2022).

Two texts of one length differ in the few words that the answer hangs on. The corrupted one is read once more for each
part of the network, with that part's values taken from the clean run, and the logit difference of answer and wrong
answer says how much of the answer came back: 0 as in the corrupted run, 1 as in the clean one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import torch
from jaxtyping import Float
from torch import Tensor

from tlmviz import kernels
from tlmviz.errors import BadText, UnknownName
from tlmviz.protocols import LanguageModelLike
from tlmviz.recording import recording
from tlmviz.tracing.trace import Edit, Recording, Trace

from ..attention.interventions import Edits, combine

# What each kind of a head's patch takes from the clean run; the rest of the head's sum is the corrupted run's own.
HEAD_KINDS: dict[str, frozenset[str]] = {
    "z": frozenset("qkv"),
    "pattern": frozenset("qk"),
    "q": frozenset("q"),
    "k": frozenset("k"),
    "v": frozenset("v"),
}
# The tap of a layer whose vector at one position each of the other kinds replaces.
POSITION_KINDS = {"resid": "resid_pre", "attn": "attn.out", "mlp": "mlp.out"}
KINDS = (*HEAD_KINDS, *POSITION_KINDS)
AT_ONCE = 4096  # tokens in one batch of patched runs
SAME = 1e-6  # logit differences closer than this leave nothing to bring back

Progress = Callable[[int, int], None]


@dataclass(frozen=True)
class Cell:
    """One patch: a kind, a layer, and a head or, for the kinds of POSITION_KINDS, a position."""

    kind: str
    layer: int
    index: int


@dataclass(frozen=True)
class Task:
    """Two runs of one length and the ids of the two answers between which they decide."""

    clean: Trace
    corrupted: Trace
    answer: int
    wrong: int

    @cached_property
    def clean_difference(self) -> float:
        """The answer's logit minus the wrong answer's after the clean text."""
        return self._difference(self.clean)

    @cached_property
    def corrupted_difference(self) -> float:
        """The same after the corrupted text."""
        return self._difference(self.corrupted)

    def _difference(self, trace: Trace) -> float:
        logits = trace.logits_at(-1).double()
        return float(logits[self.answer] - logits[self.wrong])

    def restored(self, logits: Float[Tensor, "*b v"]) -> Float[Tensor, "*b"]:
        """How much of the difference logits [V] behind the last token bring back: 0 corrupted, 1 clean."""
        found = logits[..., self.answer].double() - logits[..., self.wrong].double()
        whole = self.clean_difference - self.corrupted_difference
        return ((found - self.corrupted_difference) / whole).float()


def task_of(
    lm: LanguageModelLike, clean: str, corrupted: str, answer: str | None = None, wrong: str | None = None
) -> Task:
    """Both texts read, ready to be patched into each other. An answer that is not given is the token that the clean
    text makes the model expect, a wrong one the token that the corrupted text does.

    Raises BadText: an empty or too long text, texts of different length, an answer of several tokens, answers that are
    one, and runs whose logit differences are the same, between which no part can be told to matter.
    """
    ids = [lm.encode(clean), lm.encode(corrupted)]
    if len(ids[0]) != len(ids[1]):
        raise BadText(
            "The clean text has {clean} tokens and the corrupted one {corrupted}: patching puts each token’s values in "
            "the other’s place, so exchange words for words of as many tokens.",
            clean=len(ids[0]),
            corrupted=len(ids[1]),
        )
    given = [None if each is None else answer_id(lm, clean, each) for each in (answer, wrong)]
    if ids[0] == ids[1]:
        raise BadText("Clean and corrupted text are the same; change the words that the answer hangs on.")
    runs = read_both(lm, *ids)
    answers = [int(run.logits_at(-1).argmax()) if one is None else one for run, one in zip(runs, given)]
    if answers[0] == answers[1]:
        both = lm.tokenizer.name(answers[0]).strip(" ")
        if given == [None, None]:
            raise BadText(
                "Both texts make the model expect “{answer}” next, so there is nothing to patch; choose texts whose "
                "next words differ.",
                answer=both,
            )
        raise BadText("Answer and wrong answer are both “{answer}”; give two tokens that differ.", answer=both)
    task = Task(*runs, *answers)
    if abs(task.clean_difference - task.corrupted_difference) < SAME:
        raise BadText(
            "Both texts give the same logit difference ({difference}), so that there is nothing to bring back; choose "
            "texts or answers between which the model decides.",
            difference=f"{task.clean_difference:.3g}".replace("-", "−"),
        )
    return task


def read_both(lm: LanguageModelLike, clean: list[int], corrupted: list[int]) -> tuple[Trace, Trace]:
    """Both texts' traces with everything that a patch may take from them."""
    needed = _needed(len(lm.network.blocks))
    return lm.trace_ids(clean, keep=needed), lm.trace_ids(corrupted, keep=needed)


def answer_id(lm: LanguageModelLike, text: str, answer: str) -> int:
    """The one token that continues a text with an answer, with a space before it where the text needs one.

    Raises BadText for an answer of none or of several tokens.
    """
    before = lm.encode(text)
    glued = answer[:1].isspace() or text[-1:].isspace()
    for spelled in (answer,) if glued else (f" {answer}", answer):
        ids = lm.tokenizer.encode(text + spelled, bos=True) if answer.strip() else before
        if ids[: len(before)] == before and len(ids) == len(before) + 1:
            return ids[-1]
    pieces = [lm.tokenizer.name(i) for i in lm.tokenizer.encode(f" {answer.strip()}")] if answer.strip() else []
    if not pieces:
        raise BadText("The answer is empty; give one that is a single token, such as “ball”.")
    raise BadText(
        "The answer “{answer}” is {count} tokens ({pieces}); give one that is a single token, such as its first piece.",
        answer=answer[:40],
        count=len(pieces),
        pieces=", ".join(pieces[:6]),
    )


def patch_grid(
    lm: LanguageModelLike, task: Task, kind: str = "z", progress: Progress | None = None
) -> Float[Tensor, "l n"]:
    """Every part of one kind patched alone: [L, H] for "z", "pattern", "q", "k" and "v" of each head, [L, T] for
    "resid" (the stream that a layer reads), "attn" and "mlp" (what its sublayers give) at each position.

    0 is the corrupted run, 1 the clean one; numbers outside are real. Block by block, in batches that begin at the
    block they change; `progress(done, total)` is called behind each batch and may raise to end it. With fewer key/value
    heads than query heads, "k" and "v" exchange what one query head reads of its group's. Raises UnknownName for
    another kind.
    """
    count, layers = _columns(task, kind), task.clean.n_layers
    grid, done = torch.zeros(layers, count), 0
    for layer, cells, values in patch_slices(lm, task, kind, AT_ONCE):
        grid[layer, cells] = values
        done += len(cells)
        if progress is not None:
            progress(done, layers * count)
    return grid


def patch_slices(
    lm: LanguageModelLike, task: Task, kind: str = "z", at_once: int = AT_ONCE
) -> Iterator[tuple[int, list[int], Float[Tensor, " n"]]]:
    """The grid in batches of at most so many tokens, for whoever shows it as it grows: layer, columns and their values
    [n].

    What both runs have alike to the last bit, as all before the first exchanged token, is 0 and not run. Raises
    UnknownName for another kind.
    """
    columns, runs = range(_columns(task, kind)), max(1, at_once // len(task.clean))
    for layer in range(task.clean.n_layers):
        own = task.corrupted[f"blocks.{layer}.{POSITION_KINDS.get(kind, 'attn.z')}"][0]
        changed = (_replacement(lm, task, kind, layer)[0].cpu() != own).flatten(1).any(1).tolist()
        if alike := [column for column in columns if not changed[column]]:
            yield layer, alike, torch.zeros(len(alike))
        others = [column for column in columns if changed[column]]
        for first in range(0, len(others), runs):
            cells = others[first : first + runs]
            logits = run_from(lm, task.corrupted, layer, len(cells), _one_each(lm, task, kind, layer, cells))
            yield layer, cells, task.restored(logits)


def run_from(
    lm: LanguageModelLike, trace: Trace, layer: int, runs: int = 1, edit: Edits | None = None
) -> Float[Tensor, "b v"]:
    """Logits [B, V] behind the last token of so many runs alike that begin at a block with what it read in a traced
    one."""
    with torch.inference_mode():
        return lm.network.unembed(normed_from(lm, trace, layer, runs, edit, slice(-1, None)))[:, 0].cpu()


def normed_from(
    lm: LanguageModelLike, trace: Trace, layer: int, runs: int = 1, edit: Edits | None = None, rows: slice = slice(None)
) -> Float[Tensor, "b t c"]:
    """The final stream [B, T, C] of such runs, normed as logits are made of it, at some positions."""
    network = lm.network
    ids = torch.arange(len(trace), device=lm.device)
    with torch.inference_mode(), recording(lambda name: False, edit):
        x = trace[f"blocks.{layer}.resid_pre"].to(lm.device)
        x = network.run_blocks(x.expand(runs, *x.shape[1:]), network.positions, ids, first=layer)
        return network.norm(network.merge_streams(x[:, rows]))


def patch_preview(lm: LanguageModelLike, task: Task, kind: str = "z") -> Float[Tensor, "l n"]:
    """The same grid to first order, from one backward pass: attribution patching (Nanda 2023; Syed et al. 2023).

    The gradient of the logit difference in the corrupted run times what the patch would change. Right where the rest of
    the network is nearly linear in the change, so a preview; of a head's kinds, what softmax does to the change is
    exact, as only what comes behind the head's output is linearised. Raises UnknownName for another kind.
    """
    _columns(task, kind)
    network, layers = lm.network, task.clean.n_layers
    taps = [f"blocks.{layer}.{POSITION_KINDS.get(kind, 'attn.z')}" for layer in range(layers)]
    held: dict[str, Tensor] = {}

    def hold(name: str) -> Edit:
        def edit(value: Tensor, record: Recording) -> Tensor:
            # The first one has no gradient of its own: the weights ask for none.
            held[name] = value if value.requires_grad else value.detach().requires_grad_()
            return held[name]

        return edit

    with torch.inference_mode(False), torch.enable_grad(), recording(lambda name: False, {n: hold(n) for n in taps}):
        normed = network.read(torch.tensor([task.corrupted.ids]))
        restored = task.restored(network.unembed(normed[0, -1]))
        gradients = torch.autograd.grad(restored, [held[name] for name in taps])
    rows = []
    for layer, gradient in enumerate(gradients):
        here = task.corrupted[taps[layer]]
        changed = _replacement(lm, task, kind, layer).cpu() - here
        product = gradient.cpu().float() * changed
        # A head's change is summed over positions, a position's over streams and dimensions.
        rows.append(product.sum((0, 2, 3)) if kind in HEAD_KINDS else product[0].flatten(1).sum(-1))
    return torch.stack(rows)


def patched_trace(lm: LanguageModelLike, task: Task, cells: Iterable[Cell]) -> Trace:
    """The corrupted text read with several patches together: a later one meets what earlier ones made of the stream.

    Raises UnknownName for a kind, layer, head or position that does not exist.
    """
    edits = []
    for cell in cells:
        count = _columns(task, cell.kind)
        for what, index, many in (("layer", cell.layer, task.clean.n_layers), ("column", cell.index, count)):
            if not 0 <= index < many:
                raise UnknownName(
                    "There is no {what} {index} to patch; here are {what}s 0 to {last}.",
                    what=what,
                    index=index,
                    last=many - 1,
                )
        edits.append(_live(lm, task, cell))
    return lm.trace_ids(task.corrupted.ids, edit=combine(*edits))


def _columns(task: Task, kind: str) -> int:
    if kind not in KINDS:
        raise UnknownName(
            "There is no kind of patch “{kind}”; choose one of {kinds}.", kind=kind, kinds=", ".join(KINDS)
        )
    return task.clean.n_heads if kind in HEAD_KINDS else len(task.clean)


def _needed(layers: int) -> Callable[[str], bool]:
    ends = ("attn.q", "attn.k", "attn.v", "attn.lse", "attn.z", *POSITION_KINDS.values())
    names = {f"blocks.{layer}.{end}" for layer in range(layers) for end in ends} | {"normed"}
    return names.__contains__


def _replacement(lm: LanguageModelLike, task: Task, kind: str, layer: int) -> Tensor:
    """What a patch puts in the place of a layer's tensor, for all heads or positions: [1, H, T, E] or [1, T, C]."""
    if kind in POSITION_KINDS:
        return task.clean[f"blocks.{layer}.{POSITION_KINDS[kind]}"].to(lm.device)
    names = [f"blocks.{layer}.attn.{part}" for part in "qkv"]
    return _heads_sum(lm, task, kind, layer, [task.corrupted[name].to(lm.device) for name in names])


@torch.inference_mode()
def _heads_sum(lm: LanguageModelLike, task: Task, kind: str, layer: int, own: list[Tensor]) -> Tensor:
    """Each head's weighted sum of values [1, H, T, E], with the parts that a kind names from the clean run."""
    q, k, v = (
        task.clean[f"blocks.{layer}.attn.{part}"].to(lm.device) if part in HEAD_KINDS[kind] else here
        for part, here in zip("qkv", own)
    )
    spec = task.clean.specs[layer].to(lm.device)
    return kernels.attention(q, k, v, spec.mask, scale=spec.scale)[0]


def _one_each(lm: LanguageModelLike, task: Task, kind: str, layer: int, cells: list[int]) -> Edits:
    """An edit for a batch of as many runs as cells: each run has its own head or position patched."""
    value = _replacement(lm, task, kind, layer)[0]
    runs, chosen = torch.arange(len(cells)), torch.tensor(cells)

    def edit(here: Tensor, record: Recording) -> Tensor:  # [B, H, T, E] or [B, T, C]
        here = here.clone()
        here[runs, chosen] = value[chosen].to(here)
        return here

    return {f"blocks.{layer}.{POSITION_KINDS.get(kind, 'attn.z')}": edit}


def _live(lm: LanguageModelLike, task: Task, cell: Cell) -> Edits:
    """One patch as an edit of a run in which others may have come before it."""
    place = f"blocks.{cell.layer}."
    if cell.kind in POSITION_KINDS:
        return _one_each(lm, task, cell.kind, cell.layer, [cell.index])
    own: dict[str, Tensor] = {}

    def hold(part: str) -> Edit:
        def edit(value: Tensor, record: Recording) -> Tensor:
            own[part] = value
            return value

        return edit

    def edit(z: Tensor, record: Recording) -> Tensor:  # [1, H, T, E]
        made = _heads_sum(lm, task, cell.kind, cell.layer, [own[part] for part in "qkv"])
        z = z.clone()
        z[:, cell.index] = made[:, cell.index].to(z)
        return z

    return {**{f"{place}attn.{part}": hold(part) for part in "qkv"}, f"{place}attn.z": edit}


def every_cell(task: Task, kind: str) -> Iterator[Cell]:
    """All patches of one kind."""
    for layer in range(task.clean.n_layers):
        for index in range(_columns(task, kind)):
            yield Cell(kind, layer, index)


def correlation(preview: np.ndarray, exact: np.ndarray) -> float:
    """Pearson's r of the preview and the exact grid; NaN where one of them is the same everywhere."""
    a, b = (np.asarray(values, np.float64).ravel() - np.mean(values) for values in (preview, exact))
    sizes = float(np.linalg.norm(a) * np.linalg.norm(b))
    return float(a @ b) / sizes if sizes else float("nan")
