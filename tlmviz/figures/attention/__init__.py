"""Pictures of the chapter attention."""
