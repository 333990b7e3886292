"""The dense half of the search: vectors in Chroma that follow the rows of the store."""
