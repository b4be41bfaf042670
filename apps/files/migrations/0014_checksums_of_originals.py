from django.db import migrations, models

# A video's row takes its checksum over from the upload it was made of.
COPY = """
    UPDATE files_videoasset SET source_sha256 = COALESCE(
        (SELECT sha256 FROM files_upload WHERE files_upload.uid = files_videoasset.version), ''
    ) WHERE source <> ''"""


class Migration(migrations.Migration):
    dependencies = [("files", "0013_orders_of_files")]

    operations = [
        migrations.AddField(
            model_name="videoasset",
            name="source_sha256",
            field=models.CharField(blank=True, default="", editable=False, help_text="Of the original, in hex.", max_length=64),
            preserve_default=False,
        ),
        migrations.AddField(
            model_name="binnedoriginal",
            name="sha256",
            field=models.CharField(blank=True, default="", editable=False, help_text="In hex.", max_length=64),
            preserve_default=False,
        ),
        migrations.RunSQL(COPY, migrations.RunSQL.noop),
    ]
