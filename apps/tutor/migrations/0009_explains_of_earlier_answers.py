from django.db import migrations


def note_explained_quizzes(apps, schema_editor):
    """Answers written before ``explains`` existed: what they cite of quizzes may be an explanation."""
    Citation = apps.get_model("tutor", "Citation")
    Passage = apps.get_model("tutor", "Passage")
    rows = Citation.objects.filter(lesson__kind="quiz", answer__explains=[]).select_related("answer")
    found = {}
    for row in rows.iterator():
        kind = Passage.objects.filter(uid=row.passage_uid).values_list("kind", flat=True).first()
        if kind in {None, "explanation"}:
            found.setdefault(row.answer, set()).add(row.lesson_id)
    for answer, lessons in found.items():
        answer.explains = sorted(lessons)
        answer.save(update_fields=["explains"])


class Migration(migrations.Migration):
    dependencies = [("tutor", "0008_todos_and_topics")]

    operations = [migrations.RunPython(note_explained_quizzes, migrations.RunPython.noop)]
