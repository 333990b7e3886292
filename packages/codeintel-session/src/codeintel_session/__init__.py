"""The session of codeintel: the machine, checkpoints, tasks and git."""
