"""The attention and mask functions that transformers calls while a model is watched.

Both interfaces get an entry under one private name. With the first alone transformers makes no mask at all, and padding
and causality vanish. The functions find the watch that a module belongs to in OWNERS; outputs come from the very
function the model would have called, so that they stay its own.
"""

from __future__ import annotations

import inspect
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from typing import Any
from weakref import WeakKeyDictionary

import torch
from torch import Tensor, nn
from torch.overrides import TorchFunctionMode

from .. import kernels
from ..errors import BadModel
from ..kernels import AttentionMask
from .capture import Reached, Recorder
from .masks import HIDES, Chosen, Everything, Given, LazyMask, Rule

NAME = "tlmviz_watch"
EAGER = "eager_attention_forward"  # as transformers calls a family's
# Tensors that attention functions are handed and that do not change the scores: positions are in q and k already.
HARMLESS = {
    "position_ids",
    "cache_position",
    "cu_seq_lens_q",
    "cu_seq_lens_k",
    "token_type_ids",
    "mm_token_type_ids",
    "input_ids",
    "inputs_embeds",
    "labels",
    "num_items_in_batch",
}
KNOWN = {"s_aux", "position_bias", "indices"}
# Of a map. A score of 50 is rounded by 4e-6 in float32; 16 bits have 8 to 11 of the 24 binary digits. Of float64, the
# eager attention of transformers takes the softmax in float32 all the same.
TOLERANCE = {torch.float64: 1e-6, torch.float32: 1e-4, torch.float16: 2e-2, torch.bfloat16: 6e-2}

# Module -> its watch, its own kind.
OWNERS: WeakKeyDictionary[nn.Module, tuple[Recorder, str]] = WeakKeyDictionary()
CONFIGS: dict[int, str] = {}  # id of a config that is switched -> the implementation it had


class Switched(str):
    """NAME as it stands in a watched model's configuration; a copy of it is the name of the model's own
    implementation."""

    own: str

    def __format__(self, spec: str) -> str:
        raise BadModel(
            f"Something in transformers depends on a model's attention by its name, {self.own!r}, and this model has "
            "that of a watch: continuous batching (generate_batch), output_attentions in a config and flash attention "
            "that is not installed are such. Do it outside of the with block; generate can be watched in place of "
            "generate_batch."
        )

    def __reduce__(self) -> tuple[type[str], tuple[str]]:
        return str, (self.own,)


def register() -> None:
    """Make both functions known to transformers; the second time changes nothing."""
    from transformers import AttentionInterface, AttentionMaskInterface

    AttentionInterface.register(NAME, attend)
    AttentionMaskInterface.register(NAME, lazy_mask)


@contextmanager
def switched(model: Any, recorder: Recorder) -> Iterator[None]:
    """The model with our functions in the place of its own, switched back on the way out."""
    register()
    configs = _configs(model)
    before = {key: config._attn_implementation for key, config in configs.items()}
    if NAME in before.values():
        raise BadModel("This model is watched already; leave the first with block, or use what it gave.")
    kinds = {key: kind or "eager" for key, kind in before.items()}
    CONFIGS.update(kinds)
    for module in model.modules():
        config = getattr(module, "config", None)
        OWNERS[module] = recorder, kinds.get(id(config), kinds[id(model.config)])
    try:
        try:
            model.set_attn_implementation(NAME)
        except (KeyError, ValueError) as error:
            raise BadModel(
                f"{type(model).__name__} takes no other attention function ({error}); it cannot be watched."
            ) from None
        for key, config in configs.items():
            if config._attn_implementation == NAME:
                config._attn_implementation_internal = name = Switched(NAME)
                name.own = kinds[key]
        yield
    finally:
        for key, config in configs.items():
            config._attn_implementation_internal = before[key]
            CONFIGS.pop(key, None)
        for module in model.modules():
            OWNERS.pop(module, None)


@contextmanager
def as_eager(model: Any) -> Iterator[None]:
    """The model with its eager attention."""
    with ExitStack() as back:
        for config in _configs(model).values():
            back.callback(setattr, config, "_attn_implementation_internal", config._attn_implementation)
            config._attn_implementation_internal = "eager"
        yield


def _configs(model: Any) -> dict[int, Any]:
    """The configs of a model's parts that say which attention they have, by id."""
    found = (getattr(module, "config", None) for module in model.modules())
    return {id(config): config for config in found if hasattr(config, "_attn_implementation")}


def lazy_mask(**request: Any) -> Any:
    """The mask function of transformers: what was asked, kept instead of a tensor."""
    from transformers.masking_utils import ALL_MASK_ATTENTION_FUNCTIONS

    given = request.get("attention_mask")
    if isinstance(given, LazyMask):  # made before, and handed in again as the mask of a call
        return given
    kind = CONFIGS.get(id(request.get("config")), "sdpa")
    # Of an attention function without a mask function of its name, transformers makes no mask.
    make = ALL_MASK_ATTENTION_FUNCTIONS.get(kind)
    return None if make is None else LazyMask(make, request)


def attend(
    module: nn.Module, query: Tensor, key: Tensor, value: Tensor, attention_mask: Any, **options: Any
) -> tuple[Tensor, Tensor | None]:
    """The attention function of transformers: the model's own output, with q, k, v and lse kept on the way."""
    recorder, kind = OWNERS.get(module, (None, ""))
    if recorder is None:
        raise BadModel(
            f"{type(module).__name__} was made from the configuration of a model that is being watched, and is not "
            "part of it; make it before or after the with block."
        )
    if recorder.searching:
        raise Reached(module, query)
    _check_tensors(module, options)
    rule, added = _rule(module, query, key, attention_mask, options, kind)
    given = attention_mask.own() if isinstance(attention_mask, LazyMask) else attention_mask
    indices = options.get("indices")
    if indices is not None:  # the model hides by them itself, but only under the names it knows
        rule = replace(rule, answer=Chosen(rule.answer, indices, rule.first))
        given = _dense(rule, query, key, given)
    with _LogSumExp() as lse:
        out, weights = _own(module, kind)(module, query, key, value, given, **options)
    if not recorder.depth:
        return out, weights  # no model is running: gradient checkpointing computes a layer again in backward
    scale = options.get("scaling")
    scale = query.shape[-1] ** -0.5 if scale is None else float(scale)
    parts = {"softcap": options.get("softcap"), "sinks": options.get("s_aux")}
    bias = options.get("position_bias")
    if added is not None:
        bias = added if bias is None else bias + added
    query, key, value = _as_used(query, key, value)
    with torch.no_grad(), torch.autocast(query.device.type, enabled=False):
        found = lse.of(query)
        if found is None:
            found = log_sum_exp(query, key, rule, scale, bias, **parts)
        if isinstance(attention_mask, Tensor):
            mask = _mask_of(query, key, rule, bias, **parts)
            _check_weights(module, weights, query, key, found, mask, scale)
        recorder.keep(module, query, key, value, found, rule, scale=scale, bias=bias, **parts)
    return out, weights


def _check_weights(
    module: nn.Module, weights: Any, q: Tensor, k: Tensor, lse: Tensor, mask: AttentionMask, scale: float
) -> None:
    """Raises BadModel where eager attention returned another map than is made of what it was handed, with a caller's
    mask."""
    whole = isinstance(weights, Tensor) and weights.shape == (*q.shape[:3], k.shape[2])
    if not whole or module.training:  # where dropout changes what is returned
        return
    if weights.isnan().any():
        raise BadModel(
            f"The mask hides every key from a query of {type(module).__name__} by -inf, of which the model's softmax "
            "makes NaN; let each query see a key, itself for instance."
        )
    error = float((kernels.attention_map(q, k, lse, mask, scale=scale) - weights).abs().max())
    if not error <= TOLERANCE.get(q.dtype, 1e-4):
        raise BadModel(
            f"{type(module).__name__} makes of its mask another map than a mask that is added to the scores, by "
            f"{error:.1e}; this call cannot be watched. Give a mask that is 0 where a key is seen and "
            "torch.finfo(dtype).min where not."
        )


def _as_used(*tensors: Tensor) -> list[Tensor]:
    """Tensors as an operation of autocast's list gets them: in its type where autocast is on, but for float64."""
    device = tensors[0].device.type
    if not torch.is_autocast_enabled(device):
        return list(tensors)
    dtype = torch.get_autocast_dtype(device)
    return [part.to(dtype) if part.is_floating_point() and part.dtype != torch.float64 else part for part in tensors]


def _check_tensors(module: nn.Module, options: dict[str, Any]) -> None:
    """Raises BadModel for a tensor whose part in the scores is not known: the map would be another one."""
    handed = [name for name, value in options.items() if isinstance(value, Tensor)]
    unknown = [name for name in handed if name not in HARMLESS | KNOWN]
    if unknown:
        raise BadModel(
            f"{type(module).__name__} hands its attention {' and '.join(unknown)}, whose part in the scores is not "
            "known here; this model cannot be watched."
        )


def _own(module: nn.Module, kind: str) -> Any:
    """The attention function that the module would have called."""
    from transformers.modeling_utils import ALL_ATTENTION_FUNCTIONS

    if kind != "eager":
        return ALL_ATTENTION_FUNCTIONS[kind]
    for cls in type(module).__mro__:
        # Some modules of a family, as Llama 4's of images, name one of their own.
        named = inspect.unwrap(cls.forward).__code__.co_names if hasattr(cls, "forward") else ()
        name = next((name for name in named if name.endswith(EAGER)), EAGER)
        if hasattr(sys.modules[cls.__module__], name):
            return getattr(sys.modules[cls.__module__], name)
    raise BadModel(f"{type(module).__name__} has no eager attention to take its output from; it cannot be watched.")


def _rule(
    module: nn.Module, query: Tensor, key: Tensor, mask: Any, options: dict[str, Any], kind: str
) -> tuple[Rule, Tensor | None]:
    """What the call's mask hides, whichever way it came, and a mask that does more than hide."""
    queries, keys = query.shape[2], key.shape[2]
    first, recorder = max(0, keys - queries), OWNERS[module][0]
    if isinstance(mask, Tensor) and mask.ndim == 4:
        last = keys
        if recorder.past is not None and not recorder.crosses(module):
            # A cache of fixed size has empty places behind, one with a window has let go of its first keys.
            first, last = recorder.past, max(keys, recorder.past + queries)
        answer, added = recorder.once(mask, lambda mask: _parted(mask[..., :keys], query, first, last - keys, kind))
        return Rule(answer, first, last), added
    lazy = mask.rule() if isinstance(mask, LazyMask) else None
    if lazy is not None and (mask.own() is not None or kind not in ("eager", "sdpa")):
        return lazy, None
    if lazy is None and mask is not None:
        raise BadModel(
            f"{type(module).__name__} hands its attention a mask of {type(mask).__name__} "
            f"{list(getattr(mask, 'shape', []))}; switch the model to 'sdpa' or 'eager' attention before watching it."
        )
    # Without a tensor it is the module that decides, whatever was asked for; a causal mask then begins at the first
    # key.
    causal = options.get("is_causal")
    causal = getattr(module, "is_causal", True) if causal is None else causal
    causal = bool(causal) and queries > 1 and kind != "eager"
    rule = lazy or Rule(Everything(), 0 if causal else first, keys)
    return replace(rule, answer=Everything(causal)), None


def _parted(mask: Tensor, query: Tensor, first: int, start: int, kind: str) -> tuple[Given, Tensor | None]:
    """`Given.parted` of a mask as the model's own function takes it: eager attention adds also a boolean one, as 0 and
    1."""
    mask = mask.expand(-1, -1, query.shape[2], -1)
    if kind != "eager":
        return Given.parted(_as_used(mask)[0], first, start)
    mask = mask if mask.is_floating_point() else mask.to(query.dtype)
    if torch.promote_types(mask.dtype, query.dtype).itemsize == 2:
        # Where a row is hidden as a whole, 16 bits lose its scores beside the mask's numbers, and float32 must lose
        # them too.
        mask = mask.float()
        far = (mask * 2.0**64).clamp(min=torch.finfo(torch.float32).min)
        mask = far.where((mask <= HIDES).all(-1, keepdim=True) & mask.isfinite(), mask)
    return Given.parted(mask, first, start)


def _dense(rule: Rule, query: Tensor, key: Tensor, own: Tensor | None) -> Tensor:
    """A rule as the tensor [B, 1, T, S] of this one call: True where seen, or 0 and the lowest number."""
    rows, cols = (torch.arange(part.shape[2], device=query.device) for part in (query, key))
    seen = rule.seen(len(query), rows + rule.first, cols + rule.last - len(cols))[:, None]
    if own is None or own.dtype == torch.bool:
        return seen
    return torch.where(seen, 0.0, torch.finfo(own.dtype).min).to(own.dtype)


def log_sum_exp(q: Tensor, k: Tensor, rule: Rule, scale: float, bias: Tensor | None = None, **parts: Any) -> Tensor:
    """The log-sum-exp that the model's own function did not tell, [B, H, T]."""
    mask = _mask_of(q, k, rule, bias, **parts)
    return kernels.attention(q, k, k, mask, scale=scale, backend="torch")[1]


def _mask_of(q: Tensor, k: Tensor, rule: Rule, bias: Tensor | None, **parts: Any) -> AttentionMask:
    """The mask of one call."""
    everything, start = rule.answer == Everything(), rule.last - k.shape[2]
    visible = None if everything else lambda rows, cols: rule.seen(len(q), rows + rule.first, cols + start)
    return AttentionMask(causal=False, visible=visible, bias=bias, **parts)


class _LogSumExp(TorchFunctionMode):
    """Reads the lse that torch's fused CPU kernel computes for scaled_dot_product_attention, and else throws away.

    The kernel is the one that torch chooses on a CPU: the output is the same, bit for bit.
    """

    found: Tensor | None = None

    def of(self, query: Tensor) -> Tensor | None:
        """lse [B, H, T], whichever way the heads were grouped; None where the kernel did not run."""
        if self.found is None or self.found.numel() != query.shape[0] * query.shape[1] * query.shape[2]:
            return None
        return self.found.reshape(query.shape[:3])

    def __torch_function__(self, function: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        kwargs = kwargs or {}
        if function is torch.nn.functional.scaled_dot_product_attention and _fused(*args[:3], **kwargs):
            out, self.found = _fused_attention(*args[:3], **kwargs)
            return out
        return function(*args, **kwargs)


def _fused(
    q: Tensor, k: Tensor, v: Tensor, *, attn_mask: Tensor | None = None, dropout_p: float = 0.0, **rest: Any
) -> bool:
    """Whether torch's choice for these tensors is its fused CPU kernel."""
    alike = q.ndim == k.ndim == v.ndim == 4 and q.shape[-1] == k.shape[-1] == v.shape[-1]
    dense = alike and all(part.stride(-1) == 1 and part.numel() and part.device.type == "cpu" for part in (q, k, v))
    free = attn_mask is None or (attn_mask.ndim == 4 and not attn_mask.requires_grad)
    grouped = rest.get("enable_gqa") or (alike and q.shape[1] == k.shape[1])
    return bool(dense and free and grouped and not dropout_p and q.shape[0] == k.shape[0])


def _fused_attention(
    q: Tensor, k: Tensor, v: Tensor, *, attn_mask: Tensor | None = None, **rest: Any
) -> tuple[Tensor, Tensor]:
    """Output and lse of torch's fused CPU kernel, called as scaled_dot_product_attention calls it.

    That function is on autocast's list and the kernel is not: here the tensors are made what autocast makes them there.
    """
    q, k, v = _as_used(q, k, v)
    if attn_mask is not None:
        if attn_mask.dtype == torch.bool:
            attn_mask = torch.zeros_like(attn_mask, dtype=q.dtype).masked_fill_(~attn_mask, -torch.inf)
        attn_mask = _as_used(attn_mask)[0]
    mask = None if attn_mask is None else attn_mask.expand(*q.shape[:3], k.shape[2])
    out, lse = torch.ops.aten._scaled_dot_product_flash_attention_for_cpu(
        q, k, v, 0.0, rest.get("is_causal", False), attn_mask=mask, scale=rest.get("scale")
    )
    # It says 0 for a row that sees nothing.
    return out, lse if attn_mask is None else lse.masked_fill(attn_mask.amax(-1) == -torch.inf, -torch.inf)
