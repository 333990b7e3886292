"""The words and shapes of codeintel: phases, the contract file, payload models, violations."""
