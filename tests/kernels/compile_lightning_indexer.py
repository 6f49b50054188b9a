"""What is compiled of the lightning indexer."""

import triton.language as tl

from tlmviz.kernels.lightning_indexer_triton import index_scores_kernel

NUMBERS = "heads queries keys dim q_b q_h q_t q_d k_b k_s k_d w_b w_t w_h"
SIGNATURE = dict(q="*bf16", k="*bf16", w="*fp32", out="*fp32") | dict.fromkeys(NUMBERS.split(), "i32")
CONSTANTS = dict(CAUSAL=True, ACC=tl.float32, BLOCK_T=64, BLOCK_S=64, BLOCK_D=128)
DOUBLE = dict(q="*fp64", k="*fp64", w="*fp64", out="*fp64")

CASES = [
    (index_scores_kernel, SIGNATURE, CONSTANTS),
    (index_scores_kernel, SIGNATURE | dict(q="*fp32", k="*fp32"), CONSTANTS | dict(CAUSAL=False, BLOCK_D=32)),
    (index_scores_kernel, SIGNATURE | DOUBLE, CONSTANTS | dict(ACC=tl.float64, BLOCK_T=16, BLOCK_S=16, BLOCK_D=16)),
]
