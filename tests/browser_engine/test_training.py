"""The engine that trains: its gradients, its loss and its step are torch's in float64."""

from __future__ import annotations

import base64
import json
import subprocess
from typing import Any

import numpy as np
import pytest
import torch
from torch.nn import functional

from tests.javascript.node import FUSED, ROOT, node

DRIVER = ROOT / "tests/browser_engine/learn.mjs"
MODELS: dict[str, dict[str, Any]] = {
    "rope": {},
    "learned positions, MLP": {"positions": "learned", "hidden": 128},
    "no positions, no mask, one layer": {"positions": "none", "layers": 1, "causal": False},
    "no norm, odd sizes": {"norm": False, "width": 24, "heads": 3, "vocab": 13},
    "four layers, all parts": {
        "length": 48,
        "width": 64,
        "heads": 4,
        "layers": 4,
        "hidden": 256,
        "vocab": 50,
        "clip": 0.1,
    },
    "three layers, heads of four": {"length": 64, "vocab": 30, "layers": 3, "width": 20, "heads": 5, "hidden": 36},
    "no mask, length off the spans": {"length": 20, "vocab": 30, "causal": False, "hidden": 64},
    "causal, length off the spans": {"length": 44, "vocab": 9, "heads": 1, "norm": False, "positions": "learned"},
}


def numbers(text: str) -> np.ndarray:
    return np.frombuffer(base64.b64decode(text), np.float32).astype(float)


def trained(flags: list[str]) -> dict[str, tuple[dict[str, Any], dict[str, Any]]]:
    """Of each model what the engine was asked, and its answer; one process for all."""
    asked = {}
    for seed, (name, settings) in enumerate(MODELS.items()):
        draw = np.random.default_rng(seed)
        size = 4 * settings.get("length", 32)
        targets = draw.integers(0, settings.get("vocab", 16), size)
        targets[draw.random(size) < 0.3] = -1  # without a loss
        asked[name] = {
            "settings": {"batch": 4, "warmup": 0, **settings},
            "tokens": draw.integers(0, settings.get("vocab", 16), size).tolist(),
            "targets": targets.tolist(),
            "noise": (0.05 * draw.standard_normal(2000)).tolist(),
        }
    run = subprocess.run(
        node(*flags, str(DRIVER)),
        input=json.dumps({"runs": list(asked.values())}).encode(),
        capture_output=True,
        cwd=ROOT,
        timeout=120,
    )
    assert run.returncode == 0, run.stderr.decode()
    return dict(zip(asked, zip(asked.values(), json.loads(run.stdout))))


@pytest.fixture(scope="module", params=["plain", "fused"])
def answers(request):
    """Both kinds of kernels."""
    return trained([FUSED] if request.param == "fused" else [])


def parameters(answer: dict[str, Any], block: str) -> dict[str, torch.Tensor]:
    """By name, in float64."""
    flat = torch.tensor(numbers(answer[block]))
    found = {}
    for tensor in answer["tensors"]:
        values = flat[tensor["place"] :][: tensor["rows"] * tensor["columns"]]
        found[tensor["name"]] = values.view(tensor["rows"], tensor["columns"]).clone()
    return found


def rotated(x: torch.Tensor) -> torch.Tensor:
    """RoPE of [B, H, T, D], pairs of neighbours."""
    length, dim = x.shape[-2:]
    angles = torch.arange(length)[:, None] * 10000.0 ** (-2 * torch.arange(dim // 2, dtype=torch.float64) / dim)[None]
    even, odd = x[..., 0::2], x[..., 1::2]
    return torch.stack(
        [even * angles.cos() - odd * angles.sin(), even * angles.sin() + odd * angles.cos()], -1
    ).flatten(-2)


def forward(w: dict[str, torch.Tensor], c: dict[str, Any], tokens: torch.Tensor):
    """Logits [B, T, V] and the last layer's maps [B, H, T, T], as plainly as possible."""

    def norm(x: torch.Tensor, name: str) -> torch.Tensor:
        return x * torch.rsqrt((x**2).mean(-1, keepdim=True) + 1e-5) * w[name] if c["norm"] else x

    length, dim = c["length"], c["width"] // c["heads"]
    x = w["token_emb"][tokens] + (w["pos_emb"] if c["positions"] == "learned" else 0)
    for layer in range(c["layers"]):
        attn, mlp = f"blocks.{layer}.attn", f"blocks.{layer}.mlp"
        qkv = norm(x, f"{attn}.norm") @ w[f"{attn}.qkv"]
        q, k, v = qkv.view(-1, length, 3, c["heads"], dim).permute(2, 0, 3, 1, 4)
        if c["positions"] == "rope":
            q, k = rotated(q), rotated(k)
        scores = q @ k.transpose(-1, -2) / dim**0.5
        if c["causal"]:
            scores = scores.masked_fill(torch.ones(length, length).triu(1).bool(), -torch.inf)
        maps = scores.softmax(-1)
        x = x + (maps @ v).transpose(1, 2).reshape(-1, length, c["width"]) @ w[f"{attn}.out"]
        if c["hidden"]:
            inner = norm(x, f"{mlp}.norm") @ w[f"{mlp}.up"]
            x = x + functional.gelu(inner, approximate="tanh") @ w[f"{mlp}.down"]
    return (norm(x, "norm") @ w["head"])[..., : c["vocab"]], maps


@pytest.mark.parametrize("name", MODELS)
def test_gradients_loss_map_and_step_are_torchs(answers, name):
    asked, answer = answers[name]
    c = answer["settings"]
    w = {key: value.requires_grad_() for key, value in parameters(answer, "before").items()}
    tokens = torch.tensor(asked["tokens"]).view(4, -1)
    logits, maps = forward(w, c, tokens)
    loss = functional.cross_entropy(logits.flatten(0, 1), torch.tensor(asked["targets"]), ignore_index=-1)
    loss.backward()
    np.testing.assert_allclose(numbers(answer["logits"]), logits.detach().flatten().numpy(), rtol=1e-5, atol=1e-5)
    assert answer["loss"] == pytest.approx(loss.item(), rel=1e-6)
    np.testing.assert_allclose(numbers(answer["map"]), maps[-1, -1].detach().flatten().numpy(), rtol=0, atol=2e-6)
    gradients, after = parameters(answer, "gradients"), parameters(answer, "after")
    for key, value in w.items():
        off = (gradients[key] - value.grad).norm() / value.grad.norm()
        assert off < 1e-5, f"{key}: {off:.1e}"
    torch.nn.utils.clip_grad_norm_(w.values(), c["clip"])
    torch.optim.Adam(w.values(), c["rate"], betas=(0.9, 0.99), eps=1e-8).step()
    for key, value in w.items():
        # Adam's first step is rate times the sign: where a gradient is rounding, so is its sign
        clear = value.grad.abs() > 1e-6
        np.testing.assert_allclose(
            after[key][clear].numpy(), value.detach()[clear].numpy(), rtol=0, atol=1e-5, err_msg=key
        )


def test_fused_kernels_are_those_that_run_where_they_can(answers, request):
    kinds = [trained(flags)["rope"][1]["gradients"] for flags in ([], [FUSED])]
    assert kinds[0] != kinds[1]  # one rounding less
