"""Part "Two MLAs": a latent array, which shortens what is read, beside DeepSeek's MLA, which narrows what is kept."""
