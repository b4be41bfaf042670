"""The files and videos that a tree names: what must be kept for it, and what an archive replaces."""

import copy
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from apps.courses.content_tree.shape import Tree, lessons_of
from studyplatform.kit.text.content import COURSE_FILES


@dataclass(frozen=True)
class Contents:
    """By uid: ``files`` are course files, whose uploads have the same uids and are among ``uploads`` too."""

    uploads: frozenset[str]
    videos: frozenset[str]
    files: frozenset[str]


def contents_of(tree: Tree) -> Contents:
    """Return what a tree needs beside itself."""
    files = {file["uid"] for file in tree["files"]}
    uploads = {lesson["file"] for lesson in lessons_of(tree) if lesson["file"]} | files
    if tree["picture"] is not None:
        uploads.add(tree["picture"]["upload"])
    videos = {lesson["video"] for lesson in lessons_of(tree) if lesson["video"]}
    return Contents(frozenset(uploads), frozenset(videos), frozenset(files))


def replace_contents(
    tree: Tree,
    *,
    uploads: Mapping[str, str] | None = None,
    videos: Mapping[str, str] | None = None,
    files: Mapping[str, str] | None = None,
) -> Tree:
    """Return the tree with other contents, also in the addresses that its texts use. What is not named stays."""
    uploads, videos, files = uploads or {}, videos or {}, files or {}
    addresses = {f"{COURSE_FILES}{old}": f"{COURSE_FILES}{new}" for old, new in files.items()}
    new: Tree = _with_addresses(copy.deepcopy(tree), addresses)
    for file in new["files"]:
        file["uid"] = files.get(file["uid"], file["uid"])
    if new["picture"] is not None:
        new["picture"]["upload"] = uploads.get(new["picture"]["upload"], new["picture"]["upload"])
    for lesson in lessons_of(new):
        lesson["file"] = uploads.get(lesson["file"], lesson["file"])
        lesson["video"] = videos.get(lesson["video"], lesson["video"])
        for row in lesson["downloads"]:
            row["file"] = files.get(row["file"], row["file"])
    return new


def _with_addresses(value: Any, addresses: Mapping[str, str]) -> Any:
    if isinstance(value, str):
        for old, new in addresses.items() if COURSE_FILES in value else ():
            value = value.replace(old, new)
        return value
    if isinstance(value, dict):
        return {key: _with_addresses(one, addresses) for key, one in value.items()}
    if isinstance(value, list):
        return [_with_addresses(one, addresses) for one in value]
    return value
