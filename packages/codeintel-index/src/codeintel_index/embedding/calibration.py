"""What a similarity is worth. Models differ in how alike they find texts that have nothing to do with each other.

Each is asked about the same questions: pairs that ask for the same thing, pairs that share words and ask for another,
and all that were put together at random. A score of 0 then means as alike as two questions at random; 0.7, more alike
than nine in ten that share words and ask for another thing; 1, the same text. Between them it is a straight line.
"""

from dataclasses import dataclass

import numpy as np

from codeintel_index.embedding.models import Embedder, Vectors

SURE = 0.7
MISTAKEN = 0.1  # the share of near misses that may score above SURE
SAME = (
    ("how is the user authenticated", "where do we check who the user is at login"),
    ("validate the e-mail address", "check that an email is well formed"),
    ("retry a failed request", "requests are sent again after an error"),
    ("read the configuration file", "load settings from disk"),
    ("open a database connection", "connect to the database"),
    ("write log messages to a file", "file logging handler"),
    ("parse command line arguments", "argument parsing of the cli"),
    ("cache results of a query", "query result caching"),
    ("remove expired sessions", "clean up sessions that timed out"),
    ("convert an object to json", "json serialization of objects"),
    ("upload an image", "image upload handling"),
    ("sort the search results", "ordering of search results"),
    ("compute the total price of an order", "order total calculation"),
    ("send a notification to subscribers", "notify all subscribers"),
    ("limit how many requests a client may send", "request rate limiting per client"),
    ("split text into tokens", "tokenizer that cuts text into words"),
    ("render a page from a template", "template rendering of pages"),
    ("encrypt the password before it is stored", "password hashing on save"),
    ("schedule a job for later", "delayed job scheduling"),
    ("undo the last change", "revert the latest edit"),
    ("compress the response body", "gzip compression of responses"),
    ("match a url to a route", "route matching for urls"),
    ("watch files for changes", "file change watcher"),
    ("translate messages into other languages", "localization of messages"),
)
NEAR_MISSES = (
    ("how is the user authenticated", "how is the user deleted"),
    ("open a database connection", "open a file"),
    ("read the configuration file", "read the request body"),
    ("write log messages to a file", "write the response to the socket"),
    ("retry a failed request", "log a failed request"),
    ("remove expired sessions", "create a new session"),
    ("convert an object to json", "compare two objects"),
    ("upload an image", "resize an image"),
    ("sort the search results", "count the search results"),
    ("render a page from a template", "find the path of a template"),
    ("schedule a job for later", "cancel a job"),
    ("match a url to a route", "print all routes"),
)


@dataclass(frozen=True, slots=True)
class Calibration:
    """Similarities that mean nothing (`chance`) and that mean the same (`sure`) for one model."""

    chance: float
    sure: float

    def score(self, similarity: float) -> float:
        """Convert a similarity to a score, 0..1."""
        return float(np.interp(similarity, (self.chance, self.sure, 1.0), (0.0, SURE, 1.0)))


def calibrate(model: Embedder) -> Calibration:
    """Ask a model about the pairs above. Takes as long as some eighty short texts."""
    left, right = (model.embed_queries([pair[side] for pair in SAME]) for side in (0, 1))
    random = (left @ right.T)[~np.eye(len(SAME), dtype=bool)]
    chance = float(np.median(random))
    sure = float(max(np.quantile(similarities(model, NEAR_MISSES), 1 - MISTAKEN), random.max()))
    return Calibration(chance, float(np.clip(sure, chance + 1e-3, 1 - 1e-3)))


def similarities(model: Embedder, pairs: tuple[tuple[str, str], ...]) -> Vectors:
    """Compute the cosine of each pair of questions, shape [n]."""
    left, right = (model.embed_queries([pair[side] for pair in pairs]) for side in (0, 1))
    found: Vectors = (left * right).sum(axis=1)
    return found
