"""One project composed: its configuration, library, index and session."""
