"""The steps of a feed-forward part that is experts: the router's scores, and what the chosen say."""

from __future__ import annotations

from collections.abc import Callable

import torch

from tlmviz.analysis.sources import quote
from tlmviz.layers import Experts

from .matrices import Product, Step
from .reader import Reader

TAPS = ("router_logits", "scores", "bias", "chosen", "weights", "out")
REFERENCE = "003 section 6.3; DeepSeek-V3, Eq. 12-16."


def route(r: Reader) -> Step:
    """The router: one number for each token and expert."""
    tap, name = r.input(2)
    logits, scores, part = r["mlp.router_logits"], r["mlp.scores"], r.config.experts
    shape = r.shape(T=r.length, E=part.count)
    plus = ", a bias per expert is added" if part.bias else ""
    return Step(
        "route",
        f"A product scores all {part.count} experts for each token{plus}, and the {part.chosen} highest read it.",
        (quote(Experts.route, "scores = self.scores("), quote(Experts.route, "chosen = self.chosen(")),
        rf"s_t = \mathrm{{{part.score}}}(x_t\, W_{{router}}),\qquad "
        rf"\mathrm{{chosen}}_t = \mathrm{{top}}_{{{part.chosen}}}(s_t{' + b' if part.bias else ''})",
        REFERENCE,
        r.python("mlp.router_logits"),
        (r.panel("scores", scores, shape, x="expert"), r.panel("router's logits", logits, shape, x="expert")),
        Product(r[tap], r.block.mlp.router.weight.T, logits, None, name, "W_router", column="expert"),
    )


def mix(r: Reader) -> Step:
    """The chosen experts' sum."""
    part, out, layer = r.config.experts, r["mlp.out"], r.trace.routing(r.layer)
    shared = ", and a shared expert reads every token" if part.shared_width else ""
    return Step(
        "experts",
        f"What the {part.chosen} chosen say is added up by weights that are made of their scores without the "
        f"bias{shared}.",
        (quote(Experts.mix, "said = ["), quote(Experts.forward, "return self.out(")),
        r"y_t = \sum_{e \in \mathrm{chosen}_t} g_{te}\, f_e(x_t)" + (r" + f_{shared}(x_t)" if shared else ""),
        REFERENCE,
        r.python("mlp.out"),
        (
            r.panel(
                "mixing weights",
                layer.mixing.masked_fill(layer.mixing == 0, torch.nan),
                r.shape(T=r.length, E=part.count),
                x="expert",
                kind="probability",
            ),
            r.stream("experts' output", out),
        ),
    )


BUILDERS: dict[str, Callable[[Reader], Step]] = {"route": route, "experts": mix}
