"""Pictures of the chapter Numbers."""
