"""What one pass leaves: `Trace`, made by tlmviz's own models, by arrays, or from a file."""
