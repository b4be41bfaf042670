"""The fields of study, so that an instructor of a new site can choose one. Staff may rename and add to them."""

from django.db import migrations

from studyplatform.kit.db.new_database import RunOnNewDatabase

SUBJECTS = {
    "mathematics": "Mathematics",
    "statistics": "Statistics",
    "computing": "Computing",
    "physics": "Physics",
    "biology": "Biology",
    "earth-science": "Earth science",
    "astronomy": "Astronomy",
    "history": "History",
    "languages": "Languages",
    "writing": "Writing",
    "music": "Music",
    "art-and-design": "Art and design",
    "economics": "Economics",
}


def add_subjects(apps, schema_editor):
    subject = apps.get_model("courses", "Subject")
    rows = [subject(slug=slug, name=name, position=place) for place, (slug, name) in enumerate(SUBJECTS.items())]
    subject.objects.bulk_create(rows, ignore_conflicts=True)


class Migration(migrations.Migration):
    dependencies = [("courses", "0004_catalogue_orders")]

    operations = [RunOnNewDatabase(add_subjects, migrations.RunPython.noop)]
