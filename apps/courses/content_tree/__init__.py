"""Everything that the authors of a course write, as one plain value: the content tree (docs/adr/0063-content-trees.md).

A tree names rows by uid, never by primary key, so it can be stored, compared and applied to another course. Modules
here know no database: ``queries.content_tree`` reads trees, ``services.applying`` makes a course equal to one.
"""

from apps.courses.content_tree.contents import Contents, contents_of, replace_contents
from apps.courses.content_tree.corrections import Correction, Corrections, select_corrections, with_corrections
from apps.courses.content_tree.differences import (
    FieldChange,
    ItemChange,
    LessonChange,
    QuestionChange,
    TreeDifference,
    diff_trees,
)
from apps.courses.content_tree.shape import FORMAT, Tree, check_format, hash_tree, lessons_of, questions_of, quizzes_of
from apps.courses.content_tree.text_differences import Paragraph, Run, compare_texts, count_changed_words

__all__ = [
    "FORMAT",
    "Contents",
    "Correction",
    "Corrections",
    "FieldChange",
    "ItemChange",
    "LessonChange",
    "Paragraph",
    "QuestionChange",
    "Run",
    "Tree",
    "TreeDifference",
    "check_format",
    "compare_texts",
    "contents_of",
    "count_changed_words",
    "diff_trees",
    "hash_tree",
    "lessons_of",
    "questions_of",
    "quizzes_of",
    "replace_contents",
    "select_corrections",
    "with_corrections",
]
