"""Networks assembled from layers, and the checkpoints they are read from."""
