"""Torch references: the specification of every kernel, and what runs on a CPU.

One module per family; `kernels/<family>.py` is its public side and `kernels/<family>_triton.py` its
Triton side. Shapes as in the package's docstring.
"""
