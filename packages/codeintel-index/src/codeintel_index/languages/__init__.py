"""Languages: each is one file of this folder, its query beside it, and one row in `table.py`; nothing else names
one.
"""
