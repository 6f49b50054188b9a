"""Checkpoints: from names and folders to models, and back."""
