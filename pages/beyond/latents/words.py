"""The words of the page Latents: its claim. Each part has words of its own."""

CLAIM = "A few learned rows read a picture, then one another: attention whose cost does not grow with N²."
