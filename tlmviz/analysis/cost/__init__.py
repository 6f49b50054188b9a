"""Chapter Cost: what a model's layers, and its training on several devices, take in time and memory."""
