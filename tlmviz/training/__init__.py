"""Training: data, loop and recipes. `python -m tlmviz.training <recipe> --data DIR`."""
