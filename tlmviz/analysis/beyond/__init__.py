"""Chapter Beyond decoders: what is measured of models that are no plain decoders."""
