"""Policies return None (allowed) or the refusal, which names the reason."""

from studyplatform.kit.errors import AppError

Verdict = AppError | None


def enforce(verdict: Verdict) -> None:
    """Raise the refusal, if there is one."""
    if verdict is not None:
        raise verdict


def abilities(**verdicts: Verdict) -> dict[str, bool]:
    """Whether each verdict allows its action, by name, so that templates and islands show the right buttons."""
    return {name: verdict is None for name, verdict in verdicts.items()}
