"""Chapter Words: text to pairs, the gradients that move word vectors, and measures of what they learned."""
