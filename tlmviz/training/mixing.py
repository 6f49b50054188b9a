"""What the mixing matrices of a finished model do on held-out text: measured for its card."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from jaxtyping import Float
from torch import Tensor

from tlmviz.analysis.streams.mixing import composite, places
from tlmviz.checkpoints.registry import load
from tlmviz.evaluation import bits_per_byte

from .. import kernels
from ..facades.language_model import LanguageModel
from ..layers.streams import Connection, gains
from ..recording import recording

HEADING = "## What mixes"
MOST_KEPT = 0.6  # mean diagonal up to which a matrix counts as one that mixes much


@dataclass(frozen=True)
class Report:
    """H_res of P sublayers at `tokens` held-out tokens, and what the model loses without it. `bound` is that of its
    logits.

    `diagonals` [P] is the mean over tokens of a matrix's mean diagonal: 1 carries each stream on as it is, 1/N mixes
    fully. `least` is the smallest mean diagonal of one matrix, `mixed` the share of those of at most MOST_KEPT,
    `largest` the largest entry off a diagonal. Errors are the worst token's distance of a row or column sum from 1;
    `forward` and `backward` (mean, largest over tokens) the gains of the product of all, `product` (least, largest) the
    entries of its mean over tokens. `bits` is held-out bits per byte; `identity`, `mean` and `static` what is added to
    it where H_res is the identity, its mean over those tokens, or made of its static logits alone.
    """

    streams: int
    bound: float | None
    tokens: int
    diagonals: list[float]
    least: float
    mixed: float
    largest: float
    rows: float
    columns: float
    forward: tuple[float, float]
    backward: tuple[float, float]
    product: tuple[float, float]
    bits: float
    identity: float
    mean: float
    static: float


def measure(lm: LanguageModel, documents: list[str]) -> Report:
    """All of `Report`, on these documents; a longer one than the context is cut into pieces."""
    bits, res = _bits(lm, documents), _matrices(lm, documents)
    names, n = [f"{place}.res" for place in places(lm.config.n_layers)], res.shape[-1]
    kept = res.diagonal(dim1=-2, dim2=-1).mean(-1)  # [P, T]
    rows, columns = kernels.sinkhorn_errors(res)
    whole = composite(res.double())
    forward, backward = gains(whole)
    means = res.mean(1)
    eye = torch.eye(n)

    def without(matrices: list[Tensor]) -> float:
        edits = {name: lambda x, record, matrix=matrix: matrix.expand_as(x) for name, matrix in zip(names, matrices)}
        return _bits(lm, documents, edits) - bits

    return Report(
        streams=n,
        bound=lm.config.connection.bound,
        tokens=res.shape[1],
        diagonals=kept.mean(1).tolist(),
        least=float(kept.min()),
        mixed=float((kept <= MOST_KEPT).float().mean()),
        largest=float((res - res * eye).max()),
        rows=float(rows.max()),
        columns=float(columns.max()),
        forward=(float(forward.mean()), float(forward.max())),
        backward=(float(backward.mean()), float(backward.max())),
        product=(float(whole.mean(0).min()), float(whole.mean(0).max())),
        bits=bits,
        identity=without([eye] * len(names)),
        mean=without(list(means)),
        static=without(_static(lm)),
    )


@torch.inference_mode()
def _static(lm: LanguageModel) -> list[Float[Tensor, "n n"]]:
    """Each sublayer's H_res without what depends on the token."""
    every = [join for block in lm.network.blocks for join in (block.join_attn, block.join_mlp)]
    joins = [join for join in every if isinstance(join, Connection)]
    silent = torch.zeros(1, 1, joins[0].streams, lm.config.d_model)  # streams of length 0 move no logit
    return [join.matrices(silent)[2][0, 0] for join in joins]


@torch.inference_mode()
def _matrices(lm: LanguageModel, documents: list[str]) -> Float[Tensor, "p t n n"]:
    """H_res of every sublayer at every token of these documents."""
    found, context = [], lm.config.context
    for document in documents:
        ids = lm.tokenizer.encode(document, bos=True)
        for start in range(0, len(ids), context):
            with recording(lambda name: name.endswith(".res")) as record:
                lm.network(torch.tensor([ids[start : start + context]]))
            found.append(torch.cat([record.values[f"{place}.res"] for place in places(lm.config.n_layers)]))
    return torch.cat(found, 1)


def _bits(lm: LanguageModel, documents: list[str], edits: dict[str, Any] | None = None) -> float:
    with recording(lambda name: False, edits):
        return bits_per_byte(lm.network, lm.tokenizer, documents)


def write_section(documents: list[str], folder: Path) -> None:
    """Put what is measured of a finished model into its card; nothing where no matrices are doubly stochastic."""
    lm = load(folder)
    assert isinstance(lm, LanguageModel)
    if lm.config.connection.kind == "manifold":
        card = folder / "card.md"
        text = card.read_text(encoding="utf-8").rstrip()
        card.write_text(f"{text}\n\n{card_section(measure(lm, documents))}", encoding="utf-8")


def card_section(report: Report) -> str:
    """The section of a model's card, heading included."""
    kept = report.diagonals
    lines = [
        f"H_res of all {len(kept)} sublayers at {report.tokens:,} tokens of the held-out stories, measured by "
        "`training.mixing.measure`. The mean diagonal of a matrix is 1 where every stream is carried on as it is and "
        f"{1 / report.streams:g} where all are mixed alike; it is lower where they change places.",
        *_bound(report),
        "",
        "| measured | |",
        "| --- | --- |",
        f"| mean diagonal | {sum(kept) / len(kept):.3f}; sublayers from {min(kept):.3f} to {max(kept):.3f}; least of "
        f"one matrix {report.least:.3f} |",
        f"| share of matrices with a mean diagonal of at most {MOST_KEPT} | {report.mixed:.1%} |",
        f"| largest entry off a diagonal | {report.largest:.3f} |",
        f"| largest row error, largest column error | {report.rows:.1e}, {report.columns:.1e} |",
        f"| gain of the product of all, forward: mean, largest | {report.forward[0]:.5f}, {report.forward[1]:.5f} |",
        f"| the same, backward | {report.backward[0]:.5f}, {report.backward[1]:.5f} |",
        f"| entries of that product, mean over tokens | {report.product[0]:.4f} to {report.product[1]:.4f} |",
        f"| bits per byte with H_res replaced by the identity | {report.identity:+.4f} |",
        f"| by its mean over tokens | {report.mean:+.4f} |",
        f"| by its static part | {report.static:+.4f} |",
        "",
        "What a replacement costs is an upper bound of what H_res is worth: the rest of the network is used to it.",
        "",
    ]
    return "\n".join([HEADING, "", *lines])


def _bound(report: Report) -> list[str]:
    """How it departs from the paper."""
    if report.bound is None:
        return []
    bound = f"{report.bound:g}"
    return [
        "",
        f"The paper's logits are free (Xie et al. 2025). Here a logit z is bounded to {bound} tanh(z / {bound}), so "
        "that the iterations suffice for any text: nothing in the loss asks for it.",
    ]
