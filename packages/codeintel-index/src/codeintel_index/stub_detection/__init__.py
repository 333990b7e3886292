"""Whether lines show work or only its shell: a stub, an empty body, a promise to implement.

`words` judges text, `statements` one body, `judge` which definitions a range covers. What a grammar calls the parts
of a stub is in the language's own file (`StubRules`).
"""
