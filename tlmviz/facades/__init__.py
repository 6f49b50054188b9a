"""What a user holds of a model: a class for each kind, which reads text and gives traces, text, probabilities or
vectors."""
