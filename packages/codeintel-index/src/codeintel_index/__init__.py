"""Code search for people and agents: ripgrep, tree-sitter symbols and hybrid search. Stands alone."""
