"""What the agent reads: the reply, its notices, its truncation, and the brief after a context loss."""
