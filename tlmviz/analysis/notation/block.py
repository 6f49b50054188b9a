"""The lines of a pre-norm decoder block (003 section 2) for one model, as formulas that can be run and compared."""

from __future__ import annotations

from dataclasses import dataclass

import torch

from tlmviz.config import ModelConfig

from .running import Result, evaluate
from .tensors import Named, Table

# float32: weights are recomputed from scores and their lse, and where scores reach 100 these round by 1e-5.
SAME = 3e-5


@dataclass(frozen=True)
class BlockLine:
    """One line: what it is called, its formula, the tensor that it makes, and a sentence on it."""

    title: str
    text: str
    makes: str
    says: str


def lines_of(config: ModelConfig, layer: int) -> tuple[BlockLine, ...]:
    """The lines of a layer in the order they run; they follow what the model has: RoPE or not, groups, biases, a
    gate."""
    grouped = config.n_kv_heads != config.n_heads
    g, of = ("g", "pi(h)") if grouped else ("h", "h")
    return (*_projections(config, g), *_attending(config, layer, of), *_feeding(config))


def _bias(there: bool, text: str) -> str:
    return f" + {text}" if there else ""


def _projections(config: ModelConfig, g: str) -> list[BlockLine]:
    q, k, v = config.attention.biases[:3]
    found = [
        BlockLine("Norm", "Htilde_t^f = LN1(H_t^f)", "Htilde", "Each token's vector gets one size."),
        BlockLine(
            "Queries", f"Q_{{th}}^d = Htilde_t^f WQ_{{hf}}^d{_bias(q, 'bQ_h^d')}", "Q", "f is summed, above and below."
        ),
        BlockLine(
            "Keys", f"K_{{s{g}}}^d = Htilde_s^f WK_{{{g}f}}^d{_bias(k, f'bK_{g}^d')}", "K", "The same at position s."
        ),
        BlockLine(
            "Values", f"V_{{s{g}}}^d = Htilde_s^f WV_{{{g}f}}^d{_bias(v, f'bV_{g}^d')}", "V", "What a key hands on."
        ),
    ]
    if config.positions.kind == "rope":
        turn = "R_{td}^k turns pairs of d by the angle of position t; t stands twice below and is not summed."
        found += [
            BlockLine("RoPE on Q", "Qhat_{th}^k = Q_{th}^d R_{td}^k", "Qhat", turn),
            BlockLine(
                "RoPE on K",
                f"Khat_{{s{g}}}^k = K_{{s{g}}}^d R_{{sd}}^k",
                "Khat",
                "The key turns by its own position s.",
            ),
        ]
    return found


def _attending(config: ModelConfig, layer: int, of: str) -> list[BlockLine]:
    rope, alibi = config.positions.kind == "rope", config.positions.kind == "alibi"
    own = config.attention.scale
    scale = "1/sqrt(dk)" if own is None else f"{own:.9g}"
    one, other = ("Qhat_{th}^k", f"Khat_{{s{of}k}}") if rope else ("Q_{th}^d", f"K_{{s{of}d}}")
    window = config.layer(layer).window
    where = "s<=t" + (f", t-s<{window}" if window else "")
    summed = "k" if rope else "d"
    logits = f"{summed} is summed; t, s and h stay: one number for every query, key and head."
    return [
        BlockLine("Logits", f"L_{{ts}}^{{(h)}} = {scale} {one} {other}{' - m_h (t-s)' if alibi else ''}", "L", logits),
        BlockLine(
            "Weights", f"A_{{ts}}^{{(h)}} = softmax_{{{where}}}(L_{{ts}}^{{(h)}})", "A", "Shares of the keys t sees."
        ),
        BlockLine(
            "Mix", f"Y_{{th}}^d = sum_{{{where}}} A_{{ts}}^{{(h)}} V_{{s{of}}}^d", "Y", "Sums over time are written."
        ),
        BlockLine(
            "Merge",
            f"Aout_t^f = Y_{{th}}^d WO^h_d^f{_bias(config.attention.o_bias, 'bO^f')}",
            "Aout",
            "h and d are both summed. The notes write h below in both, against their own rule.",
        ),
        BlockLine("Add", "H'_t^f = H_t^f + Aout_t^f", "H'", "What attention found joins the stream."),
    ]


def _feeding(config: ModelConfig) -> list[BlockLine]:
    part = config.feedforward
    if part.gated:
        middle = [
            BlockLine(
                "Gate", "G_t^e = H''_t^f WG_f^e", "G", "This model gates its MLP (SwiGLU); the notes' has U alone."
            ),
            BlockLine(
                "Open", "Z_t^e = sigma(G_t^e) (H''_t^f W1_f^e)", "Z", "e stands twice above and stays free: one by one."
            ),
        ]
    else:
        middle = [
            BlockLine(
                "Widen",
                f"U_t^e = H''_t^f W1_f^e{_bias(part.bias, 'b1^e')}",
                "U",
                "From the model's width to the MLP's.",
            ),
            BlockLine("Open", "Z_t^e = sigma(U_t^e)", "Z", "The activation, one by one."),
        ]
    return [
        BlockLine("Norm 2", "H''_t^f = LN2(H'_t^f)", "H''", "Again one size for each token."),
        *middle,
        BlockLine(
            "Narrow", f"F_t^f = Z_t^e W2_e^f{_bias(part.bias, 'b2^f')}", "F", "e is summed: back to the stream's width."
        ),
        BlockLine("Add 2", "Hout_t^f = H'_t^f + F_t^f", "Hout", "The block's output."),
    ]


@dataclass(frozen=True)
class Compared:
    """A result beside the model's own tensor of that name: the largest difference, relative to its largest number.

    `seen` are the cells that were compared: logits that no head sees (ALiBi's, of later keys) are left out.
    """

    own: Named
    error: float
    seen: torch.Tensor


def compare(result: Result, table: Table) -> Compared | None:
    """The result against the tensor that its left side names; None where there is none of that name and shape."""
    left = result.checked.line.left
    own = None if left is None or result.value is None else table.tensors.get(left.name)
    if own is None or result.value is None or own.shape != tuple(result.value.shape):
        return None
    seen = torch.ones(own.shape, dtype=torch.bool)
    if left is not None and left.name == "L":
        seen = _earlier(own.shape)
    difference = (result.value - own.value)[seen].abs()
    largest = own.value[seen].abs().max().clamp(min=1e-9)
    return Compared(own, float(difference.max() / largest), seen)


def _earlier(shape: tuple[int, ...]) -> torch.Tensor:
    """The cells [T, S, H] in which the key is not later than the query."""
    t, s = torch.arange(shape[0])[:, None, None], torch.arange(shape[1])[None, :, None]
    return (s <= t).expand(shape)


def run_lines(lines: tuple[BlockLine, ...], table: Table) -> list[tuple[BlockLine, Result, Compared | None]]:
    """Every line, run and compared."""
    found = []
    for line in lines:
        result = evaluate(line.text, table)
        found.append((line, result, compare(result, table)))
    return found
