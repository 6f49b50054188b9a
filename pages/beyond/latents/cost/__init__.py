"""Part "Cost": self-attention among N inputs beside M latents that read them, as areas to scale and in measured time."""
