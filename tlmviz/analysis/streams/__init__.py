"""Measures of the chapter streams."""
