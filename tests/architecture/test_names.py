"""Every column that people read as a name or title goes through the rule of names (kit/names.py)."""

from django.apps import apps
from django.db import models

from studyplatform.kit.names import NameField

WORDS = ("name", "title", "headline", "subject", "label")
OTHER_RULES = {
    "billing.BooksDifference.subject": "the id of what was compared",
    "billing.EarningsMilestone.name": "a choice",
    "courses.Lesson.file_name": "file names (files/file_types.py)",
    "courses.QuestionImport.file_name": "file names",
    "files.BinnedOriginal.filename": "file names",
    "files.CaptionDraft.filename": "file names",
    "files.File.name": "file names",
    "files.File.sort_name": "derived from the name",
    "files.Folder.name": "file names",
    "files.Folder.sort_name": "derived from the name",
    "files.Rendition.name": "written by the encoder",
    "files.Upload.filename": "file names",
    "courses.CourseFile.name": "file names",
    "courses.LessonDownload.name": "file names",
    "courses.OutlineChange.subject": "a title as it was",
    "files.VideoAsset.filename": "file names",
    "forum.MessageFile.name": "file names",
    "kit.Version.name": "the name of a table",
}


def test_every_name_goes_through_the_rule_of_names():
    found = set()
    for model in apps.get_models():
        if not model.__module__.startswith(("apps.", "studyplatform.")):
            continue
        for field in model._meta.local_fields:
            is_name = any(field.name == word or field.name.endswith((f"_{word}", "filename")) for word in WORDS)
            if type(field) is models.CharField and is_name and not isinstance(field, NameField):
                found.add(f"{model._meta.app_label}.{model.__name__}.{field.name}")

    assert found == set(OTHER_RULES)
