"""What the island of the library begins with."""

from typing import Any

from apps.files.api.library_serializers import file_out, folder_out, folder_ref
from apps.files.listing import COUNT_LIMIT, cursor_after


def first_answer(context: dict[str, Any]) -> dict[str, Any]:
    """What the page shows, in the shape of ``GET /api/v1/files/``: no call of the island is needed. No queries."""
    folder, page = context["here"], context["page"]
    files = list(page)
    if not context["q"]:
        for file in files:
            file.folder = folder  # known already
    return {
        "folder": folder_ref(folder) if folder is not None else None,
        "trail": [folder_ref(one) for one in context["above"]],
        "folders": [folder_out(one, one.file_count, context["sharing"][one.uid]) for one in context["folders"]],
        "files": [file_out(one, context["sharing"][one.uid]) for one in files],
        "count": min(context["total"], COUNT_LIMIT),
        "is_count_exact": context["total"] <= COUNT_LIMIT,
        "next": cursor_after(context["sort"], files[-1]) if page.has_next() else None,
    }
