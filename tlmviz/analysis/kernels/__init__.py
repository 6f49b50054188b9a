"""Measures of the chapter kernels."""
