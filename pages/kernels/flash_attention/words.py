"""The words of the page FlashAttention: its claim. Each part has words of its own."""

CLAIM = "Softmax and weighted sum in one pass: no row and no map is ever stored."
