"""What a replacement puts aside, what could not be read, and the metadata that tus clients ask for."""

from django.db import migrations, models
from django.utils.translation import get_language_info

KEPT = (
    "filename", "source", "source_bytes", "failure_detail", "duration", "width", "height", "has_audio", "facts",
)  # fmt: skip


def set_aside(apps, schema_editor):
    """Replacements that are being uploaded right now: their former contents are still those of the row."""
    videos = apps.get_model("files", "VideoAsset").objects.filter(stage="uploading", version__isnull=False)
    for video in videos:
        former = {name: getattr(video, name) for name in KEPT} | {"version": video.version.hex, "step": ""}
        if video.is_playable:
            former |= {"stage": "complete", "failure": "", "percent": 100}
        else:
            former |= {"stage": "failed", "failure": "processing_failed", "percent": 0}
        video.former = former
        video.save(update_fields=["former"])


def name_languages(apps, schema_editor):
    """Captions that are called by the tag of their language."""
    tracks = apps.get_model("files", "CaptionTrack").objects.filter(label=models.F("language"))
    for pk, language in list(tracks.values_list("pk", "language")):
        try:
            name = "Unknown language" if language == "und" else str(get_language_info(language.lower())["name"])
        except KeyError:
            continue
        tracks.model.objects.filter(pk=pk).update(label=name)


class Migration(migrations.Migration):
    dependencies = [("files", "0003_kept_files")]

    operations = [
        migrations.AddField("upload", "metadata", models.TextField(blank=True, default="", help_text="The Upload-Metadata header, as the client sent it."), preserve_default=False),
        migrations.AddField("videoasset", "former", models.JSONField(null=True, help_text="What a video was before its replacement, until that is proven.")),
        migrations.AddField("videoasset", "former_bytes", models.PositiveBigIntegerField(default=0, help_text="The former original, while both are kept.")),
        migrations.AddField("videoasset", "replacement_failure", models.CharField(blank=True, default="", max_length=300, help_text="Why the last one was not taken."), preserve_default=False),
        migrations.AddField("videoasset", "picture_lost", models.FloatField(default=0, help_text="Seconds of the picture that could not be read.")),
        migrations.AddField("videoasset", "sound_lost", models.FloatField(default=0, help_text="Seconds of the sound that could not be read.")),
        migrations.RunPython(set_aside, migrations.RunPython.noop),
        migrations.RunPython(name_languages, migrations.RunPython.noop),
    ]
