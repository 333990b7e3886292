"""External changes to a session, and the files it protects."""
