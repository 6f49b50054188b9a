"""Measures of models with experts: who reads what, how evenly, and what an edit of the routing changes."""
