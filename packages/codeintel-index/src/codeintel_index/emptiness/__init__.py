"""Whether lines show work or only its shell: a stub, an empty body, a promise to implement.

`words` judges text, `statements` one body, `ranges` which definitions a range speaks of; `rows` is the table of what
each grammar calls things. To serve a further language is to add a row there.
"""

from codeintel_index.emptiness.ranges import is_empty_implementation

__all__ = ["is_empty_implementation"]
