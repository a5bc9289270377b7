"""Call the place of a match in the queue by the term of start-time fair queueing."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("matches", "0008_messages_and_decisions")]

    operations = [
        migrations.RemoveIndex("match", "match_by_state"),
        migrations.RenameField("match", "turn", "virtual_start"),
        migrations.AlterField(
            "match",
            "virtual_start",
            models.FloatField(
                default=0.0,
                help_text="Virtual start time in start-time fair queueing; "
                "of equal priority the lower is played earlier.",
            ),
        ),
        migrations.AddIndex(
            "match",
            models.Index(fields=["state", "-priority", "virtual_start", "id"], name="match_by_state"),
        ),
    ]
