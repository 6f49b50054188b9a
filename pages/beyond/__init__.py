"""Chapter Beyond decoders."""
