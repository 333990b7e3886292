"""The logs of a project: their hash chain, the records of what was judged, and the replay of a session from them."""
