"""Page Latents."""
