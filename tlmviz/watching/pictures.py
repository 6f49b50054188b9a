"""Which patch of a picture each token of a watched model is: see `tlmviz.places`.

The part of the model that was given the picture runs again as far as its first attention, with some patches changed:
the tokens whose query is another one are theirs. For 196 patches these are 11 runs of less than a layer each. Learned
tokens are found by changing their parameter.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from functools import partial
from itertools import product
from typing import Any

import torch
from torch import Tensor, nn

from ..errors import BadModel
from ..places import Cut, Places, cut, sources
from .capture import Call, Reached, Recorder, Stack, random_state
from .interface import OWNERS, switched
from .verification import UNFIT, evaluating, forked

LEARNED = {
    "cls_token": "[CLS]",
    "class_embedding": "[CLS]",
    "distillation_token": "[distillation]",
    "register_tokens": "[register {}]",
    "detection_tokens": "[detection {}]",
}
VIDEO = ("num_frames", "frames_per_clip", "tubelet_size")  # settings of models whose five axes are a video's


def find(recorder: Recorder, stack: Stack) -> Places | None:
    """What the tokens of a stack are, unknown where nothing is proven; None where no picture went in."""
    module = next(part for part, name in recorder.names.items() if name == stack.layers[0].name)
    called = ((part, recorder.pictured.get(part)) for part in recorder.around(module))
    owner, call = next((pair for pair in called if pair[1]), (module, None))
    if call is None or stack.name not in ("vision", "encoder"):
        return None
    kept = stack.layers[0].joined("q").transpose(1, 2).flatten(2)
    try:
        with _again(recorder, owner, module, call.pixels):
            return _search(owner, module, call, kept)
    except (*UNFIT, BadModel):  # what does not run a second time as it did the first
        none = torch.full(kept.shape[:2], -1)
        return Places(none, Cut(call.pixels, none, none.new_zeros(0, 4), (1, 1, 1)))


def _search(owner: nn.Module, module: nn.Module, call: Call, kept: Tensor) -> Places:
    """What each token is. Raises ValueError where it is not proven that these runs cut as the one that was watched."""
    pixels, run = _cut(call, owner.config), partial(_run, owner, module, call)
    numbers, tensors, learned = {"": pixels.numbers}, {"": pixels.pixels}, list[str]()
    for name, parameter in owner.named_parameters():
        label = LEARNED.get(name.rpartition(".")[2])
        if label and parameter.numel():
            first, count = len(pixels.places) + len(learned), parameter[..., 0].numel()
            own = torch.arange(first, first + count, device=parameter.device)
            numbers[name], tensors[name] = own.view(*parameter.shape[:-1], 1), parameter.detach()
            learned += [label.format(number + 1) for number in range(count)]
    plain = run(tensors)
    drew = not all(map(torch.equal, random_state(pixels.pixels.device), call.random))
    told = [value for name, value in call.given.items() if name != call.where]
    # Without draws and other tensors every run has these places, and weights may have been trained since.
    alike = not drew and not any(isinstance(value, Tensor | list | tuple) for value in told)
    if not alike and not (plain - kept).abs().max() <= 1e-3 * kept.abs().max() or plain.shape != kept.shape:
        raise ValueError("Another run shuffles or leaves out other patches.")
    return Places(sources(run, tensors, numbers, plain), pixels, learned)


def _cut(call: Call, config: Any) -> Cut:
    """The pixels cut as the configuration says, which proves nothing yet. Raises ValueError for five axes that are no
    video."""
    config = getattr(config, "vision_config", config)
    tube, *size = torch.tensor(getattr(config, "tubelet_size", 1)).view(-1).tolist()
    height, width = size or torch.tensor(config.patch_size).expand(2).tolist()
    if call.pixels.ndim == 5 and not any(hasattr(config, name) for name in VIDEO):
        raise ValueError("Five axes that are no video.")
    return cut(call.pixels, (tube, height, width), call.given.get("spatial_shapes"))


def _run(owner: nn.Module, module: nn.Module, call: Call, tensors: Mapping[str, Tensor]) -> Tensor:
    """Queries [rows, T, N] of the first attention, of these pixels ("") and parameters. Raises ValueError for
    another's."""
    torch.set_rng_state(call.random[0])
    for state in call.random[1:]:
        torch.cuda.set_rng_state(state, tensors[""].device)
    given = call.given | {call.where: tensors[""]}
    parameters = {name: own for name, own in tensors.items() if name}
    args = tuple(value for name, value in given.items() if isinstance(name, int))
    kwargs = {name: value for name, value in given.items() if isinstance(name, str)}
    try:
        torch.func.functional_call(owner, parameters, args, kwargs)
    except Reached as reached:
        if reached.args[0] is module:
            return reached.args[1].transpose(1, 2).flatten(2)  # type: ignore[no-any-return]
    raise ValueError("Another attention comes first.")


@contextmanager
def _again(recorder: Recorder, owner: nn.Module, module: nn.Module, pixels: Tensor) -> Iterator[None]:
    """Runs of a part of the model end at their first attention, and leave nothing: no hook is called, no random state
    moved."""
    with ExitStack() as opening, torch.no_grad(), evaluating(owner), forked(pixels.device):
        if module not in OWNERS:  # after the with block
            root = next(part for part, name in recorder.names.items() if not name)
            opening.enter_context(switched(root, recorder))
        now = OWNERS[module][0]
        opening.callback(setattr, now, "searching", False)
        now.searching = True
        for part, name in product(owner.modules(), ("_forward_pre_hooks", "_forward_hooks")):
            opening.callback(setattr, part, name, getattr(part, name))
            setattr(part, name, OrderedDict())
        yield
