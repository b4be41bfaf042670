"""What the sample pages read."""

from uuid import UUID

from studyplatform.samples.models import SampleEntry

# What a browser sees before it changes anything; saved with its first change.
STARTERS = [
    (UUID("5a3b1e0e-0000-4000-8000-000000000001"), SampleEntry.Kind.TODO, "Draw the slant on paper", True),
    (UUID("5a3b1e0e-0000-4000-8000-000000000002"), SampleEntry.Kind.TODO, "Watch lesson 2.4 again", False),
    (UUID("5a3b1e0e-0000-4000-8000-000000000003"), SampleEntry.Kind.TODO, "Ask why there is only one line", False),
    (UUID("5a3b1e0e-0000-4000-8000-000000000006"), SampleEntry.Kind.MCP, "Connect an MCP client", False),
    (UUID("5a3b1e0e-0000-4000-8000-000000000007"), SampleEntry.Kind.MCP, "Ask it to add a to-do", False),
    (UUID("5a3b1e0e-0000-4000-8000-000000000004"), SampleEntry.Kind.GUEST, "Emmy Noether", False),
    (UUID("5a3b1e0e-0000-4000-8000-000000000005"), SampleEntry.Kind.GUEST, "Srinivasa Ramanujan", False),
]


def entries_of(browser: UUID | None, kind: str) -> list[SampleEntry]:
    """The entries of a browser, oldest first; the starters for one that has changed nothing yet (None)."""
    if browser is None:
        return [
            SampleEntry(uid=uid, kind=its_kind, text=text, is_done=is_done)
            for uid, its_kind, text, is_done in STARTERS
            if its_kind == kind
        ]
    return list(SampleEntry.objects.filter(browser=browser, kind=kind).order_by("pk"))
