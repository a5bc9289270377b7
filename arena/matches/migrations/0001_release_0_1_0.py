"""The tables of release 0.1.0, in one step. A database that has them keeps the migrations that made them."""

import arena.core.messages
import django.db.models.deletion
import django.utils.timezone
from django.db import migrations, models


FORMER_NAMES = [
    ("matches_leg", "decisions", "plies"),
]
"""Table, column, and the column's name when it was created: PostgreSQL keeps that in the name of its check."""


def name_checks_as_before(apps, schema_editor):
    """Give the checks of renamed columns the names that they have in databases from before."""
    if schema_editor.connection.vendor == "postgresql":
        for table, column, former in FORMER_NAMES:
            names = f'"{table}_{column}_check" TO "{table}_{former}_check"'
            schema_editor.execute(f'ALTER TABLE "{table}" RENAME CONSTRAINT {names}')


class Migration(migrations.Migration):
    replaces = [
        ("matches", "0001_initial"),
        ("matches", "0002_points_of_many"),
        ("matches", "0003_worker_levels"),
        ("matches", "0004_turns_and_counts"),
        ("matches", "0005_counts_and_newest"),
        ("matches", "0006_legs_underway"),
        ("matches", "0007_lists"),
        ("matches", "0008_messages_and_decisions"),
        ("matches", "0009_virtual_start"),
        ("matches", "0010_series"),
        ("matches", "0011_worker_hint_messages"),
        ("matches", "0012_record_hash"),
        ("matches", "0013_changed_options"),
        ("matches", "0014_slow_bots"),
        ("matches", "0015_ends"),
        ("matches", "0016_drained_and_cancelled"),
    ]

    initial = True

    dependencies = [
        ("bots", "0001_release_0_1_0"),
    ]

    operations = [
        migrations.CreateModel(
            name='WorkerStatus',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('worker', models.CharField(help_text='Host name.', max_length=100, unique=True)),
                ('seen_at', models.DateTimeField(default=django.utils.timezone.now)),
                ('sandbox', models.CharField(blank=True, help_text='Name of the sandbox in use; empty when none works.', max_length=40)),
                ('level', models.CharField(blank=True, help_text='A key of LEVELS; empty when no sandbox works.', max_length=4)),
                ('hint', arena.core.messages.MessageField(blank=True, default=None, editable=False, help_text='What to install or to allow for the best level.', null=True)),
                ('report', models.JSONField(default=dict, help_text='The fields of arena.runner.sandbox.base.Report.')),
                ('checked_at', models.DateTimeField(help_text='When the layers were last tried.', null=True)),
                ('drained_at', models.DateTimeField(help_text='Since when it takes no matches, as staff wants it; null if it takes them.', null=True)),
            ],
            options={
                'verbose_name_plural': 'worker statuses',
            },
        ),
        migrations.CreateModel(
            name='Match',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('game', models.CharField(max_length=40)),
                ('edition', models.CharField(max_length=40)),
                ('options', models.JSONField(help_text='Every rule option in force.')),
                ('changed_options', models.JSONField(default=dict, help_text="The rule options that differ from the edition's, with their values; in lists, too.")),
                ('rules_version', models.PositiveIntegerField()),
                ('limits', models.JSONField(help_text='The fields of arena.runner.program.Limits.')),
                ('deal', models.JSONField(help_text='All chance of a leg, the same in each; of a series, that of its first game. Secret until the match is over.')),
                ('series', models.JSONField(help_text='Length of the series, the fields of engine.series.SeriesLength; null where every participant sits on every seat once.', null=True)),
                ('state', models.CharField(choices=[('queued', 'Queued'), ('running', 'Running'), ('finished', 'Finished'), ('void', 'Void')], default='queued', max_length=10)),
                ('priority', models.SmallIntegerField(default=0, help_text='Matches of higher priority are played earlier.')),
                ('virtual_start', models.FloatField(default=0.0, help_text='Virtual start time in start-time fair queueing; of equal priority the lower is played earlier.')),
                ('delay_s', models.FloatField(default=0.0, help_text='The part of the virtual start time by which it is put off since its bots are slow.')),
                ('void_reason', arena.core.messages.MessageField(blank=True, default=None, editable=False, help_text='Why there is no result.', null=True)),
                ('created_at', models.DateTimeField(default=django.utils.timezone.now)),
                ('published_at', models.DateTimeField(default=django.utils.timezone.now, help_text='When a worker was last told of it.')),
                ('started_at', models.DateTimeField(null=True)),
                ('finished_at', models.DateTimeField(null=True)),
                ('settled_at', models.DateTimeField(help_text='When all parts of the site had processed its end.', null=True)),
            ],
            options={
                'verbose_name_plural': 'matches',
                'ordering': ['-pk'],
                'indexes': [models.Index(fields=['state', '-priority', 'virtual_start', 'id'], name='match_by_state'), models.Index(fields=['state', '-id'], name='match_newest_by_state'), models.Index(fields=['game', 'edition', '-id'], name='match_newest_of_edition'), models.Index(fields=['finished_at'], name='match_by_end'), models.Index(condition=models.Q(('settled_at', None), ('state__in', ['finished', 'void'])), fields=['id'], name='match_unsettled')],
            },
        ),
        migrations.CreateModel(
            name='Leg',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('number', models.PositiveSmallIntegerField(help_text='Number of the leg, starting at 1.')),
                ('seating', models.JSONField(help_text='Participant index at each seat; empty until finished for the later games of a series.')),
                ('deal', models.JSONField(help_text="All chance of the leg where it isn't that of the match. Secret.", null=True)),
                ('salt', models.CharField(max_length=64)),
                ('deal_hash', models.CharField(max_length=64)),
                ('record', models.BinaryField(help_text='Record of the leg: JSON compressed with zlib; null until finished.', null=True)),
                ('record_hash', models.CharField(blank=True, help_text='Hash that binds the record (engine/replay.py); empty until finished.', max_length=64)),
                ('reason', models.CharField(blank=True, max_length=40)),
                ('decisions', models.PositiveIntegerField(help_text='Number of actions of all seats.', null=True)),
                ('match', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='legs', to='matches.match')),
            ],
            options={
                'ordering': ['match', 'number'],
            },
        ),
        migrations.CreateModel(
            name='Attempt',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('number', models.PositiveSmallIntegerField(help_text='Number of the attempt, starting at 1.')),
                ('worker', models.CharField(max_length=200)),
                ('token', models.CharField(help_text='Secret that is needed to store the result.', max_length=32, unique=True)),
                ('started_at', models.DateTimeField(default=django.utils.timezone.now)),
                ('heartbeat_at', models.DateTimeField(default=django.utils.timezone.now)),
                ('ended_at', models.DateTimeField(null=True)),
                ('ending', models.CharField(blank=True, choices=[('stored', 'Stored'), ('lost', 'Lost'), ('failed', 'Failed'), ('cancelled', 'Cancelled')], max_length=10)),
                ('error', arena.core.messages.MessageField(blank=True, default=None, editable=False, help_text='Why the arena failed.', null=True)),
                ('underway', models.JSONField(help_text='The leg that is played, as far as its worker has reported. Keys: leg (from 1), seating, actions (as in a record), and in a series series_scores. Secret. Null before the first report, and once the attempt has ended.', null=True)),
                ('match', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='attempts', to='matches.match')),
            ],
            options={
                'ordering': ['match', 'number'],
            },
        ),
        migrations.CreateModel(
            name='Participant',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('index', models.PositiveSmallIntegerField()),
                ('points', models.FloatField(help_text='Mean over the legs of the share of opponents left behind, ties count half; of a series 1 for who is ahead, ½ for each if level; null until finished.', null=True)),
                ('series_score', models.FloatField(help_text='Sum of its scores in the games of a series; null until finished, and without a series.', null=True)),
                ('elapsed_s', models.FloatField(help_text='Seconds that its starts and answers took in all legs; null until finished.', null=True)),
                ('waited_s', models.FloatField(help_text='The part of these seconds in which it used no processor; null until finished.', null=True)),
                ('match', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='participants', to='matches.match')),
                ('version', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='participations', to='bots.botversion')),
            ],
            options={
                'ordering': ['match', 'index'],
            },
        ),
        migrations.CreateModel(
            name='LegSeat',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('seat', models.PositiveSmallIntegerField()),
                ('place', models.PositiveSmallIntegerField(help_text='1 is first; ties share a place.')),
                ('score', models.FloatField()),
                ('verdict', models.CharField(choices=[('ok', 'ok'), ('illegal', 'illegal'), ('malformed', 'malformed'), ('timeout', 'timeout'), ('crash', 'crash'), ('memory', 'memory'), ('output', 'output'), ('start', 'start')], max_length=10)),
                ('stderr', models.TextField(blank=True, help_text='End of its log, for its owner only.')),
                ('fault', models.JSONField(help_text='Keys: message, sent, request. For its owner only.', null=True)),
                ('leg', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='seats', to='matches.leg')),
                ('participant', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='leg_seats', to='matches.participant')),
            ],
            options={
                'ordering': ['leg', 'seat'],
            },
        ),
        migrations.CreateModel(
            name='Trial',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('created_at', models.DateTimeField(default=django.utils.timezone.now)),
                ('match', models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, related_name='trial', to='matches.match')),
                ('version', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='trials', to='bots.botversion')),
            ],
            options={
                'ordering': ['pk'],
            },
        ),
        migrations.CreateModel(
            name='VerdictCount',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('verdict', models.CharField(choices=[('ok', 'ok'), ('illegal', 'illegal'), ('malformed', 'malformed'), ('timeout', 'timeout'), ('crash', 'crash'), ('memory', 'memory'), ('output', 'output'), ('start', 'start')], max_length=10)),
                ('legs', models.PositiveIntegerField(default=0)),
                ('version', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='verdict_counts', to='bots.botversion')),
            ],
        ),
        migrations.AddConstraint(
            model_name='leg',
            constraint=models.UniqueConstraint(fields=('match', 'number'), name='one_leg_per_number'),
        ),
        migrations.AddIndex(
            model_name='attempt',
            index=models.Index(fields=['ended_at'], name='attempt_by_end'),
        ),
        migrations.AddConstraint(
            model_name='attempt',
            constraint=models.UniqueConstraint(fields=('match', 'number'), name='one_attempt_per_number'),
        ),
        migrations.AddConstraint(
            model_name='attempt',
            constraint=models.UniqueConstraint(condition=models.Q(('ended_at', None)), fields=('match',), name='one_open_attempt'),
        ),
        migrations.AddIndex(
            model_name='participant',
            index=models.Index(fields=['version', '-match'], name='participations_newest'),
        ),
        migrations.AddConstraint(
            model_name='participant',
            constraint=models.UniqueConstraint(fields=('match', 'index'), name='one_participant_per_index'),
        ),
        migrations.AddIndex(
            model_name='legseat',
            index=models.Index(condition=models.Q(('verdict', 'ok'), _negated=True), fields=['participant'], name='seats_at_fault'),
        ),
        migrations.AddConstraint(
            model_name='legseat',
            constraint=models.UniqueConstraint(fields=('leg', 'seat'), name='one_row_per_seat'),
        ),
        migrations.AddConstraint(
            model_name='verdictcount',
            constraint=models.UniqueConstraint(fields=('version', 'verdict'), name='one_count_per_verdict'),
        ),
        migrations.RunPython(name_checks_as_before, migrations.RunPython.noop),
    ]
