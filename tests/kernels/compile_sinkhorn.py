"""What is compiled of the Sinkhorn kernels, at both ends of the sizes of a matrix."""

import triton.language as tl

from tlmviz.kernels import sinkhorn_triton as kernels

NUMBERS = dict(count="i32", n="i32", iterations="i32")
FORWARD = dict(logits="*fp32", out="*fp32", sums="*fp32") | NUMBERS
BACKWARD = dict(scaled="*fp32", sums="*fp32", grad="*bf16", dlogits="*bf16") | NUMBERS
SMALL = dict(ACC=tl.float32, N=4, BLOCK_M=32)
LARGE = dict(ACC=tl.float32, N=16, BLOCK_M=2)
SINGLE = dict(ACC=tl.float64, N=1, BLOCK_M=512)

CASES = [
    (kernels.sinkhorn_kernel, FORWARD, SMALL | dict(SAVE=False)),
    (kernels.sinkhorn_kernel, FORWARD | dict(logits="*bf16"), LARGE | dict(SAVE=True)),
    (kernels.sinkhorn_kernel, FORWARD | dict(logits="*fp64", out="*fp64", sums="*fp64"), SINGLE | dict(SAVE=True)),
    (kernels.sinkhorn_backward_kernel, BACKWARD, SMALL),
    (kernels.sinkhorn_backward_kernel, BACKWARD | dict(grad="*fp32", dlogits="*fp32"), LARGE),
]
