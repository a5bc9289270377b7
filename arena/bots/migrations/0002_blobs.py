import django.db.models.deletion
import django.utils.timezone
from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [("bots", "0001_initial")]

    operations = [
        migrations.CreateModel(
            name="Blob",
            fields=[
                ("sha256", models.CharField(help_text="Hexadecimal.", max_length=64, primary_key=True, serialize=False)),
                ("content", models.BinaryField(help_text="A zip as `archive.pack` makes it, zlib.")),
                ("size", models.PositiveIntegerField(help_text="Bytes of the content, as it is kept.")),
            ],
        ),
        migrations.RenameField(model_name="botversion", old_name="source", new_name="content"),
        migrations.AddField(
            model_name="botversion",
            name="source",
            field=models.ForeignKey(
                help_text="The files as they were uploaded.",
                null=True,
                on_delete=django.db.models.deletion.PROTECT,
                related_name="+",
                to="bots.blob",
            ),
        ),
        migrations.AddField(
            model_name="botversion",
            name="binary",
            field=models.ForeignKey(
                help_text="What is run, where that isn't the source.",
                null=True,
                on_delete=django.db.models.deletion.PROTECT,
                related_name="+",
                to="bots.blob",
            ),
        ),
        migrations.AddField(
            model_name="botversion",
            name="language",
            field=models.CharField(
                default="python", help_text="A key of arena.runner.languages.LANGUAGES.", max_length=20
            ),
        ),
        migrations.AddField(
            model_name="botversion",
            name="build_log",
            field=models.TextField(blank=True, default="", help_text="What the compiler said, for its owner only."),
            preserve_default=False,
        ),
        migrations.AddField(
            model_name="botversion",
            name="build_told_at",
            field=models.DateTimeField(
                default=django.utils.timezone.now, help_text="When a worker was last told to build it."
            ),
        ),
        migrations.AlterField(
            model_name="botversion",
            name="size",
            field=models.PositiveIntegerField(help_text="Bytes of all uploaded files, unpacked."),
        ),
        migrations.AlterField(
            model_name="botversion",
            name="state",
            field=models.CharField(
                choices=[
                    ("building", "Building"),
                    ("checking", "Checking"),
                    ("accepted", "Accepted"),
                    ("rejected", "Rejected"),
                ],
                default="checking",
                max_length=10,
            ),
        ),
    ]
