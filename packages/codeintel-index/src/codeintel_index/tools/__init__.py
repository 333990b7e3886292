"""Programs that look at files directly: git's file list, ripgrep, and what stands in when they are missing."""
