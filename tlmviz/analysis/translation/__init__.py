"""Measures of the chapter translation."""
