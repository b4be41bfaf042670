"""Short texts forgave all accents. Existing questions keep forgiving accents; new ones ask their author."""

from django.db import migrations


def keep_forgiving(apps, schema_editor):
    Question = apps.get_model("courses", "Question")
    rows = Question.objects.filter(kind="text").select_related("quiz__lesson__course")
    for question in rows.iterator(chunk_size=500):
        if "ignores_accents" not in question.answer:
            question.answer |= {"ignores_accents": True, "language": question.quiz.lesson.course.language}
            question.save(update_fields=["answer"])


class Migration(migrations.Migration):
    dependencies = [("courses", "0014_learning_paths")]

    operations = [migrations.RunPython(keep_forgiving, migrations.RunPython.noop)]
