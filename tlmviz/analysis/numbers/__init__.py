"""Chapter Numbers: how large the numbers of a model are, and what formats and scales make of them."""
