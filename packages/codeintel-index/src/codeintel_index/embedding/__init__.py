"""Text to vectors. One protocol, one table of models, nothing downloaded."""
