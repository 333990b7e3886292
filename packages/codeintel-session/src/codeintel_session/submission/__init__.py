"""One submission from the client's data to the reply."""
