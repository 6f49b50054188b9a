"""Pictures of the chapter Beyond decoders."""
