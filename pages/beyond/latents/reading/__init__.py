"""Part "Reading a digit": each latent's map over a picture that is chosen or drawn."""
