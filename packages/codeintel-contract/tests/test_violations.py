"""The one error of the protocol carries its key and values, and survives being copied."""

import copy
import pickle

import pytest

from codeintel_contract.violations import ContractViolation


def test_carries_a_key_its_problems_and_the_values_of_the_message() -> None:
    violation = ContractViolation("hints.h", problems=("a: missing",), count=2, key="Q1")
    assert violation.key == "hints.h"
    assert violation.problems == ("a: missing",)
    assert violation.values == {"count": 2, "key": "Q1"}


def test_needs_nothing_but_the_key() -> None:
    violation = ContractViolation("hints.h")
    assert (violation.problems, violation.values) == ((), {})


def test_reads_as_its_key_with_the_values_if_it_has_any() -> None:
    assert str(ContractViolation("hints.h", problems=("p",))) == "hints.h"
    assert str(ContractViolation("hints.h", n=1)) == "hints.h {'n': 1}"
    assert repr(ContractViolation("hints.h")) == "ContractViolation('hints.h')"


@pytest.mark.parametrize("again", [copy.copy, copy.deepcopy, lambda error: pickle.loads(pickle.dumps(error))])
def test_a_copy_says_the_same(again: object) -> None:
    assert callable(again)
    copied = again(ContractViolation("hints.h", problems=("p",), n=1))
    assert (copied.key, copied.problems, copied.values) == ("hints.h", ("p",), {"n": 1})
