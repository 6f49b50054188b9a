"""Writes what scaled_dot_product_attention is called with as a file that tlmviz opens; copy it into your project.

with recorded() as calls: model(ids)
write("x.safetensors", calls, tokens)  # then: tlmviz run x.safetensors
"""

import contextlib
import json
from unittest import mock

import torch
from safetensors.torch import save_file
from torch.nn import functional as F


@contextlib.contextmanager
def recorded():  # type: ignore[no-untyped-def]
    calls, original = [], F.scaled_dot_product_attention

    def watched(query, key, value, attn_mask=None, dropout_p=0.0, is_causal=False, scale=None, **rest):  # type: ignore
        calls.append((query, key, value, attn_mask, is_causal, scale or query.shape[-1] ** -0.5))
        return original(query, key, value, attn_mask, dropout_p, is_causal, scale=scale, **rest)

    with mock.patch.object(F, "scaled_dot_product_attention", watched):
        yield calls


def write(path, calls, tokens, **about):  # type: ignore[no-untyped-def]
    tensors, layers = dict[str, torch.Tensor](), []
    for i, (*qkv, mask, causal, scale) in enumerate(calls):
        tensors |= {f"blocks.{i}.attn.{name}": x[0] for name, x in zip("qkv", qkv)}
        if mask is not None:
            mask = mask.float().log() if mask.dtype == torch.bool else mask  # log 1 = 0, log 0 = -inf
            mask = mask[(None,) * (4 - mask.ndim)][:1]
            causal = torch.equal(mask.float().cpu(), torch.full(mask.shape, -torch.inf).triu(1))
            tensors |= {} if causal else {f"blocks.{i}.mask.bias": mask}
        layers.append({"scale": scale, "mask": {"causal": causal}})
    about |= {"format": "tlmviz-trace", "format_version": "1", "made_by": "write_dump.py"}
    about |= {"tokens": json.dumps(list(tokens)), "layers": json.dumps(layers)}
    save_file({name: x.detach().cpu().clone().contiguous() for name, x in tensors.items()}, path, about)
