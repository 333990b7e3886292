"""Programs that look at files directly: git's file list, ripgrep, and what replaces them when they are missing."""
