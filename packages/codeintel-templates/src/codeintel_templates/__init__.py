"""The files codeintel puts into a project, and the copier that does it."""
