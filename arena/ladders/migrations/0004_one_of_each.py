from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("ladders", "0003_what_was_there")]

    operations = [
        migrations.AlterField(
            model_name='ladder',
            name='commitment',
            field=models.CharField(help_text='The hash of the secret, public from the start: hexadecimal.', max_length=64),
        ),
        migrations.RemoveField(
            model_name='entry',
            name='active',
        ),
        migrations.AddConstraint(
            model_name='ladder',
            constraint=models.UniqueConstraint(fields=('game', 'edition', 'season'), name='one_ladder_per_season'),
        ),
        migrations.AddConstraint(
            model_name='ladder',
            constraint=models.UniqueConstraint(condition=models.Q(('closed_at', None)), fields=('game', 'edition'), name='one_open_season'),
        ),
        migrations.AddConstraint(
            model_name='laddermatch',
            constraint=models.UniqueConstraint(fields=('ladder', 'number'), name='one_ladder_match_per_number'),
        ),
        migrations.AddConstraint(
            model_name='laddermatch',
            constraint=models.UniqueConstraint(fields=('ladder', 'void_sequence'), name='one_void_per_sequence'),
        ),
        migrations.AddConstraint(
            model_name='pairstat',
            constraint=models.UniqueConstraint(fields=('low', 'high', 'seats'), name='one_stat_per_pair_and_seats'),
        ),
        migrations.AddConstraint(
            model_name='pairstat',
            constraint=models.CheckConstraint(condition=models.Q(('low__lt', models.F('high'))), name='low_before_high'),
        ),
        migrations.AddConstraint(
            model_name='ratingpoint',
            constraint=models.UniqueConstraint(fields=('entry', 'day'), name='one_point_per_day'),
        ),
        migrations.AddConstraint(
            model_name='suspicion',
            constraint=models.UniqueConstraint(fields=('entry', 'opponent'), name='one_suspicion_per_owner'),
        ),
    ]
