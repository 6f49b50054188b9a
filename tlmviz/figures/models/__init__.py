"""Pictures of the chapter models."""
