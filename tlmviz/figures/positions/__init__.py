"""Pictures of the chapter positions."""
