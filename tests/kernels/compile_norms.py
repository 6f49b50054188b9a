"""What is compiled of the row kernels: rows in one block and in several, each type once."""

import triton.language as tl

from tlmviz.kernels import norms_triton as kernels

SHORT = dict(ONE_BLOCK=True, ACC=tl.float32, BLOCK_R=4, BLOCK_N=1024)
LONG = dict(ONE_BLOCK=False, ACC=tl.float32, BLOCK_R=1, BLOCK_N=4096)
DOUBLE = dict(ONE_BLOCK=False, ACC=tl.float64, BLOCK_R=2, BLOCK_N=64)
SIZES = dict(rows="i32", length="i32")


def pointers(names, kind="bf16"):
    return {name: f"*{kind}" for name in names.split()}


SOFTMAX = pointers("x out") | SIZES
SOFTMAX_BACK = pointers("p grad dx") | SIZES
NORM = pointers("x weight bias out") | pointers("mean rstd", "fp32") | SIZES | dict(eps="fp32")
NORM_BACK = pointers("x weight grad dx") | pointers("mean rstd", "fp32") | SIZES
PARAMETERS = pointers("x grad") | pointers("mean rstd dweight dbias", "fp32") | SIZES | dict(chunk="i32")
BOTH = dict(CENTRE=True, WEIGHT=True, BIAS=True)


def double(signature):
    return {name: "*fp64" if kind.startswith("*") else kind for name, kind in signature.items()}


def absent(signature, *names):
    """A missing weight or bias arrives as None, which Triton takes as a constant."""
    return {name: kind for name, kind in signature.items() if name not in names}


CASES = [
    (kernels.softmax_kernel, SOFTMAX, SHORT),
    (kernels.softmax_kernel, SOFTMAX, LONG),
    (kernels.softmax_kernel, double(SOFTMAX), DOUBLE),
    (kernels.softmax_backward_kernel, SOFTMAX_BACK, SHORT),
    (kernels.softmax_backward_kernel, SOFTMAX_BACK, LONG),
    (kernels.norm_kernel, NORM, SHORT | BOTH),
    (kernels.norm_kernel, NORM, LONG | BOTH),
    (kernels.norm_kernel, double(NORM), DOUBLE | BOTH),
    (
        kernels.norm_kernel,
        absent(NORM, "weight", "bias"),
        LONG | dict(CENTRE=False, WEIGHT=False, BIAS=False, weight=None, bias=None),
    ),
    (kernels.norm_backward_kernel, NORM_BACK, SHORT | dict(CENTRE=True, WEIGHT=True)),
    (kernels.norm_backward_kernel, NORM_BACK, LONG | dict(CENTRE=True, WEIGHT=True)),
    (kernels.norm_backward_kernel, absent(NORM_BACK, "weight"), SHORT | dict(CENTRE=False, WEIGHT=False, weight=None)),
    (kernels.norm_parameters_kernel, PARAMETERS, dict(ACC=tl.float32, BLOCK_R=32, BLOCK_N=128)),
]
