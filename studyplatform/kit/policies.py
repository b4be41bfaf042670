"""A policy answers None (allowed) or the refusal itself, so the "no" already knows its reason."""

from studyplatform.kit.errors import AppError

Verdict = AppError | None


def enforce(verdict: Verdict) -> None:
    """Raise the refusal, if it is one."""
    if verdict is not None:
        raise verdict


def abilities(**verdicts: Verdict) -> dict[str, bool]:
    """What is allowed, by name: what a template or an island needs to show the right buttons."""
    return {name: verdict is None for name, verdict in verdicts.items()}
