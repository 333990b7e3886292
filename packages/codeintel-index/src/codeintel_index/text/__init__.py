"""What holds for any text: how it becomes search terms, and which parts of it are secrets."""
