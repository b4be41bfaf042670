"""Many cases of one rule in one test, where a test of each would cost more than what it checks."""

import inspect
import traceback
from collections.abc import Callable, Iterable
from functools import wraps
from typing import Any

import pytest


def all_cases(names: str, cases: Iterable[Any]) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Like ``pytest.mark.parametrize``, but one test runs all cases and reports each that fails.

    The other arguments of the test are fixtures, made once. So this is for tests that change nothing: what one case
    writes, the next one finds.
    """
    arguments = names.replace(",", " ").split()
    listed = [dict(zip(arguments, case if len(arguments) > 1 else (case,), strict=True)) for case in cases]
    assert listed, "no cases"

    def decorate(test: Callable[..., None]) -> Callable[..., None]:
        @wraps(test)
        def run_all(**fixtures: Any) -> None:
            failures = []
            for case in listed:
                try:
                    test(**case, **fixtures)
                except (Exception, pytest.fail.Exception):
                    said = ", ".join(f"{name}={str(value)[:200]!r}" for name, value in case.items())
                    failures.append(f"With {said}:\n{traceback.format_exc(limit=-2)}")
            assert not failures, f"{len(failures)} of {len(listed)} cases fail.\n\n" + "\n".join(failures)

        of_fixtures = [one for one in inspect.signature(test).parameters.values() if one.name not in arguments]
        vars(run_all)["__signature__"] = inspect.Signature(of_fixtures)
        return run_all

    return decorate
