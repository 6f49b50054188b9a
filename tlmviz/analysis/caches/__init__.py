"""Measures of the chapter caches."""
