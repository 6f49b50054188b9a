"""Measures of the chapter positions."""
