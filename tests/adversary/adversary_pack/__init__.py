"""Agents that cheat, agents that do not, and what the server and the guard make of both.

`table` holds the rows, `stages` the sessions they are played in, `run` plays them, `page` writes what came of it.
"""
