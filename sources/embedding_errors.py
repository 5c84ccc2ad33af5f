"""What can go wrong when a model makes vectors."""


class EmbeddingError(Exception):
    """The vectors could not be had now; the text says why, for staff."""
