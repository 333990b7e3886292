"""The simulation of the benchmark, small: the same tasks, the same way of playing them."""

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from codeintel_server.testing import own_world

sys.path.append(str(Path(__file__).parents[2] / "benchmarks" / "learning"))


@pytest.fixture(scope="module")  # no longer: the tests after them have the machine's home
def _own_world(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    with pytest.MonkeyPatch.context() as environment:
        own_world(environment, tmp_path_factory.mktemp("state"))
        yield
