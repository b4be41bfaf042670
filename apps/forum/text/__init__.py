"""The text of posts and messages: Markdown with a limit, mentions, images of the writer, and code in colors.

Everything that a person writes in the discussions goes through :func:`check` and :func:`render`, and what they see
beforehand comes from the same :func:`render`.
"""

from apps.forum.text.length import MOST, check, is_visible, length, normalize, storable
from apps.forum.text.markdown import excerpt, files_in, mentioned, render, render_message

__all__ = [
    "MOST",
    "check",
    "excerpt",
    "files_in",
    "is_visible",
    "length",
    "mentioned",
    "normalize",
    "render",
    "render_message",
    "storable",
]
