"""Mistakes to try: each is one change of a line of the block, and the finding that names it; and the notes' own
lines."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from .block import BlockLine


@dataclass(frozen=True)
class Slip:
    """One mistake: the finding's kind, the line that it is made in, and what is written for what."""

    kind: str
    line: str
    right: str
    wrong: str


SLIPS = (
    Slip("head-lost", "Logits", "L_{ts}^{(h)}", "L_{ts}"),
    Slip("time-implicit", "Mix", "sum_{s<=t} ", ""),
    Slip("mask-letter", "Weights", "s<=t", "s<=s"),
    Slip("mask-turned", "Weights", "s<=t", "s>=t"),
    Slip("mask-strict", "Weights", "s<=t", "s<t"),
    Slip("mask-missing", "Weights", "s<=t", "s"),
    Slip("softmax-axis", "Weights", "softmax_{s<=t}", "softmax_{t}"),
    Slip("scale-missing", "Logits", "1/sqrt(dk) ", ""),
    Slip("scale-wrong", "Logits", "1/sqrt(dk)", "1/dk"),
    Slip("scaled-twice", "Weights", "(L_{ts}^{(h)})", "(1/sqrt(dk) L_{ts}^{(h)})"),
    Slip("rope-half", "Logits", "Qhat_{th}^k", "Q_{th}^k"),
    Slip("rope-position", "RoPE on K", "R_{sd}^k", "R_{td}^k"),
    Slip("rope-inverse", "RoPE on Q", "Q_{th}^d R_{td}^k", "Q_{thd} R_{t}^{kd}"),
    Slip("same-height", "Logits", "k}", "}^k"),
    Slip("thrice", "Logits", "Qhat_{th}^k", "Q_{th}^k R_{tk}^k"),
    Slip("left-free", "Narrow", "F_t^f", "F_t^{fe}"),
    Slip("lonely-sum", "Mix", "V_{s", "V_{t"),
    Slip("free-lost", "Queries", "WQ_{hf}", "WQ_{he}"),
    Slip("height", "Narrow", "F_t^f", "F_{tf}"),
    Slip("terms-differ", "Add", "Aout_t^f", "Aout_s^f"),
    Slip("kv-head", "Logits", "pi(h)", "h"),
    Slip("transposed", "Narrow", "W2_e^f", "W2^f_e"),
    Slip("dimension", "Narrow", "Z_t^e", "H'_t^e"),
    Slip("sum-free", "Mix", "sum_{s<=t}", "sum_{t}"),
    Slip("free-extra", "Merge", "Aout_t^f", "Aout_t^e"),
    Slip("rank", "Mix", "V_{sh}^d", "V_s^d"),
    Slip("unknown", "Queries", "WQ", "Wq"),
    Slip("map-transposed", "Mix", "A_{ts}", "A_{st}"),
    Slip("score-for-weight", "Mix", "A_", "L_"),
    Slip("key-for-value", "Mix", "V_", "K_"),
    Slip("roles-exchanged", "Logits", "Qhat_{th}^k Khat_{sh", "Qhat_{sh}^k Khat_{th"),
)


def slips_of(lines: Sequence[BlockLine]) -> list[tuple[Slip, str]]:
    """The mistakes that can be made in these lines, each with the wrong formula."""
    texts = {line.title: line.text for line in lines}
    found = []
    for slip in SLIPS:
        text = texts.get(slip.line, "")
        if slip.right in text:
            head, _, tail = text.rpartition(slip.right) if slip.kind == "same-height" else text.partition(slip.right)
            found.append((slip, head + slip.wrong + tail))
    return found


@dataclass(frozen=True)
class NotesLine:
    """A line as 003 prints it, and what the notes' own rules find in it; "" where they find nothing."""

    section: str
    text: str
    kind: str
    says: str = ""


SIZES = "t=5 s=5 u=4 h=3 f=8 g=8 d=4 k=4 m=4 e=16 r=2 ρ=6 c=8"
NOTES = (
    NotesLine("2", "U_t^e = H''_t^f W1_f^e", ""),
    NotesLine("2.1", "Q_{th}^d = Htilde_t^f WQ_{hf}^d", ""),
    NotesLine("2.1", "Qhat_{th}^k = Q_{th}^d R_{td}^k", ""),
    NotesLine("2.1", "L_{ts}^{(h)} = 1/sqrt(dk) Qhat_{th}^k Khat_{shk}", ""),
    NotesLine("2.1", "Y_{th}^d = sum_{s<=t} A_{ts}^{(h)} V_{sh}^d", ""),
    NotesLine(
        "2.1, 10", "Aout_t^f = Y_{th}^d WO_{hd}^f", "same-height", "h stands twice below: W_O^h_d^f would pair it too."
    ),
    NotesLine(
        "4.5",
        "L_{rtr's}^{(h)} = 1/sqrt(dk) Q_{rth}^d K_{r'shd} δ_r^{r'}",
        "left-free",
        "δ pairs r', the left keeps it; 0 hides nothing.",
    ),
    NotesLine("6.2", "K_{sh}^d = L_s^ρ P_{hρ}^d", ""),
    NotesLine("6.2", "q_{th}^ρ = Q_{th}^d P_{hρd}", "height", "ρ stands below on the right and above on the left."),
    NotesLine("6.2", "S_{ts}^{(h)} = 1/sqrt(dk) q_{th}^ρ L_s^ρ", "same-height", "ρ stands above both times."),
    NotesLine(
        "9", "L_{ts}^{(h)} = X_t^f M_{fc} X_s^c", "free-extra", "No h on the right: all heads share it, says the lemma."
    ),
    NotesLine(
        "9",
        "U_c^f = sum_h WV^{(h)d} WO_{hd}^f",
        "free-extra",
        "W_V has lost its lower index, the channel that it reads.",
    ),
)
