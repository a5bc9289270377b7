"""Store series of games: their length, the deal of each game, and the series scores."""

from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('matches', '0009_virtual_start'),
    ]

    operations = [
        migrations.AddField(
            model_name='leg',
            name='deal',
            field=models.JSONField(help_text="All chance of the leg where it isn't that of the match. Secret.", null=True),
        ),
        migrations.AddField(
            model_name='match',
            name='series',
            field=models.JSONField(help_text='Length of the series, the fields of engine.series.SeriesLength; null where every participant sits on every seat once.', null=True),
        ),
        migrations.AddField(
            model_name='participant',
            name='series_score',
            field=models.FloatField(help_text='Sum of its scores in the games of a series; null until finished, and without a series.', null=True),
        ),
        migrations.AlterField(
            model_name='attempt',
            name='underway',
            field=models.JSONField(help_text='The leg that is played, as far as its worker has reported. Keys: leg (from 1), seating, actions (as in a record), and in a series series_scores. Secret. Null before the first report, and once the attempt has ended.', null=True),
        ),
        migrations.AlterField(
            model_name='leg',
            name='seating',
            field=models.JSONField(help_text='Participant index at each seat; empty until finished for the later games of a series.'),
        ),
        migrations.AlterField(
            model_name='match',
            name='deal',
            field=models.JSONField(help_text='All chance of a leg, the same in each; of a series, that of its first game. Secret until the match is over.'),
        ),
        migrations.AlterField(
            model_name='participant',
            name='points',
            field=models.FloatField(help_text='Mean over the legs of the share of opponents left behind, ties count half; of a series 1 for who is ahead, ½ for each if level; null until finished.', null=True),
        ),
    ]
