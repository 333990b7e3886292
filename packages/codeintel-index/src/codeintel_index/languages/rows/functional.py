"""Rows of the languages in which functions are written as clauses or equations."""

from codeintel_index.languages.row import LanguageRow

ELIXIR = LanguageRow(
    id="elixir",
    suffixes=(".ex", ".exs"),
    grammar=("tree_sitter_elixir", "language"),
    queries=("elixir.scm",),
    comments=("comment",),
    strings=("string", "charlist", "sigil", "quoted_atom"),
    holes=("interpolation",),
    interpreters=("elixir",),
    clauses=True,
    extra="languages",
)

HASKELL = LanguageRow(
    id="haskell",
    suffixes=(".hs", ".hsc"),
    grammar=("tree_sitter_haskell", "language"),
    queries=("haskell.scm",),
    comments=("comment", "haddock"),
    strings=("string", "char", "quasiquote_body"),
    interpreters=("runhaskell", "runghc"),
    clauses=True,
    extra="languages",
)
