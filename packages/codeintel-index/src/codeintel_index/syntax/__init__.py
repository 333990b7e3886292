"""From bytes to definitions, symbols and chunks, by tree-sitter. Everything here is pure: bytes in, values out."""
