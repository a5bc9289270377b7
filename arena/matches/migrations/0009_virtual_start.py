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
        migrations.AlterField(
            model_name='attempt',
            name='number',
            field=models.PositiveSmallIntegerField(help_text='Number of the attempt, starting at 1.'),
        ),
        migrations.AlterField(
            model_name='attempt',
            name='token',
            field=models.CharField(help_text='Secret that is needed to store the result.', max_length=32, unique=True),
        ),
        migrations.AlterField(
            model_name='attempt',
            name='underway',
            field=models.JSONField(help_text='The leg that is played, as far as its worker has reported. Keys: leg (from 1), actions (as in a record). Secret. Null before the first report, and once the attempt has ended.', null=True),
        ),
        migrations.AlterField(
            model_name='leg',
            name='number',
            field=models.PositiveSmallIntegerField(help_text='Number of the leg, starting at 1.'),
        ),
        migrations.AlterField(
            model_name='leg',
            name='record',
            field=models.BinaryField(help_text='Record of the leg: JSON compressed with zlib; null until finished.', null=True),
        ),
        migrations.AlterField(
            model_name='legseat',
            name='fault',
            field=models.JSONField(help_text='Keys: message, sent, request. For its owner only.', null=True),
        ),
        migrations.AlterField(
            model_name='legseat',
            name='place',
            field=models.PositiveSmallIntegerField(help_text='1 is first; ties share a place.'),
        ),
        migrations.AlterField(
            model_name='legseat',
            name='stderr',
            field=models.TextField(blank=True, help_text='End of its log, for its owner only.'),
        ),
        migrations.AlterField(
            model_name='match',
            name='deal',
            field=models.JSONField(help_text='All chance of a leg, the same in each. Secret until the match is over.'),
        ),
        migrations.AlterField(
            model_name='match',
            name='priority',
            field=models.SmallIntegerField(default=0, help_text='Matches of higher priority are played earlier.'),
        ),
        migrations.AlterField(
            model_name='match',
            name='settled_at',
            field=models.DateTimeField(help_text='When all parts of the site had processed its end.', null=True),
        ),
        migrations.AlterField(
            model_name='participant',
            name='points',
            field=models.FloatField(help_text='Mean over the legs of the share of opponents left behind, ties count half; null until finished.', null=True),
        ),
    ]
