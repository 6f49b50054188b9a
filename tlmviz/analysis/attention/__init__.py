"""Measures of the chapter attention."""
