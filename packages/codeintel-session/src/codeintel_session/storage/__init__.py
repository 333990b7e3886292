"""What a session leaves on disk: checkpoints, locks, and the files of the project it reads."""
