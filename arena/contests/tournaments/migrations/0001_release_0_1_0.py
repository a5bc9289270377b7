"""The tables of release 0.1.0, in one step. A database that has them keeps the migrations that made them."""

import arena.core.messages
import arena.contests.tournaments.models
import django.db.models.deletion
import django.utils.timezone
from django.conf import settings
from django.db import migrations, models


FORMER_NAMES = [
    ("tournaments_entrant", "left_in_round", "left_in"),
    ("tournaments_round", "attempt", "take"),
    ("tournaments_tournament", "forecast_after_round", "chances_round"),
    ("tournaments_tournament", "max_entrants", "most_entrants"),
    ("tournaments_tournament", "max_entrants_per_author", "most_of_owner"),
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
        ("tournaments", "0001_initial"),
        ("tournaments", "0002_messages"),
        ("tournaments", "0003_plain_names"),
        ("tournaments", "0004_game_points"),
        ("tournaments", "0005_changed_options"),
        ("tournaments", "0006_stopped_with_author"),
    ]

    initial = True

    dependencies = [
        ("bots", "0001_release_0_1_0"),
        ("matches", "0001_release_0_1_0"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name='Round',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('number', models.PositiveIntegerField(help_text='Round number, starting at 1.')),
                ('attempt', models.PositiveIntegerField(default=0, help_text='Number of times the round had been played before.')),
                ('is_latest_attempt', models.BooleanField(default=True, help_text='Whether it counts; false once it was replayed.')),
                ('replay_reason', arena.core.messages.MessageField(blank=True, default=None, editable=False, help_text='Why it was replayed; null while its results count.', null=True)),
                ('started_at', models.DateTimeField(default=django.utils.timezone.now)),
                ('finished_at', models.DateTimeField(null=True)),
            ],
            options={
                'ordering': ['tournament', 'number', 'attempt'],
            },
        ),
        migrations.CreateModel(
            name='Entrant',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('updates_automatically', models.BooleanField(default=True, help_text='Newer accepted versions take over until entries close.')),
                ('state', models.CharField(choices=[('checking', 'Checking'), ('ready', 'Ready'), ('failed', 'Failed'), ('withdrawn', 'Withdrawn'), ('disqualified', 'Disqualified')], default='checking', max_length=12)),
                ('state_reason', arena.core.messages.MessageField(blank=True, default=None, editable=False, help_text='Why it failed its check or left.', null=True)),
                ('state_detail', arena.core.messages.MessageField(blank=True, default=None, editable=False, help_text='Fault in its check, for its owner and the organiser only.', null=True)),
                ('stopped_with_author', models.BooleanField(default=False, help_text='Whether it was withdrawn when its author was suspended.')),
                ('number', models.PositiveIntegerField(help_text='Seed, starting at 1; null until versions are frozen.', null=True)),
                ('rating', models.FloatField(help_text='Rating on the ladder when it was seeded, in Elo.', null=True)),
                ('left_in_round', models.PositiveIntegerField(help_text="First round that it doesn't play any more.", null=True)),
                ('place', models.PositiveIntegerField(help_text='Final place; ties share a place.', null=True)),
                ('created_at', models.DateTimeField(default=django.utils.timezone.now)),
                ('bot', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='tournament_entries', to='bots.bot')),
                ('version', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='tournament_entries', to='bots.botversion')),
            ],
            options={
                'ordering': ['tournament', 'number', 'pk'],
            },
        ),
        migrations.CreateModel(
            name='Check',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('created_at', models.DateTimeField(default=django.utils.timezone.now)),
                ('match', models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, related_name='tournament_check', to='matches.match')),
                ('version', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='tournament_checks', to='bots.botversion')),
                ('entrant', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='checks', to='tournaments.entrant')),
            ],
            options={
                'ordering': ['pk'],
            },
        ),
        migrations.CreateModel(
            name='Pairing',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('board', models.PositiveIntegerField(help_text='Number of the board, starting at 1.')),
                ('name', models.CharField(blank=True, help_text='Group, or place in the bracket.', max_length=12)),
                ('must_decide', models.BooleanField(default=False, help_text="Whether it can't end even.")),
                ('is_over', models.BooleanField(default=False)),
                ('played', models.BooleanField(default=False, help_text='False for byes and walkovers.')),
                ('round', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='pairings', to='tournaments.round')),
            ],
            options={
                'ordering': ['round', 'board'],
            },
        ),
        migrations.CreateModel(
            name='Tournament',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('slug', models.SlugField(max_length=70, unique=True)),
                ('title', models.CharField(max_length=60)),
                ('description', models.TextField(blank=True, max_length=2000)),
                ('game', models.CharField(max_length=40)),
                ('edition', models.CharField(max_length=40)),
                ('changed_options', models.JSONField(default=dict, help_text="The rule options that differ from the edition's, with their values.")),
                ('settings', models.JSONField(help_text='The fields of arena.contests.tournaments.settings.Settings.')),
                ('is_rated', models.BooleanField(default=False, help_text='Whether its matches count for the ladder, too.')),
                ('is_low_priority', models.BooleanField(default=False, help_text='Whether its matches are played when nothing else waits.')),
                ('entries_close_at', models.DateTimeField(blank=True, help_text='When entries close and versions are frozen; null: when the organiser starts it.', null=True)),
                ('max_entrants', models.PositiveIntegerField(default=64)),
                ('max_entrants_per_author', models.PositiveIntegerField(default=1, help_text='Maximum number of bots of one author.')),
                ('state', models.CharField(choices=[('draft', 'Draft'), ('open', 'Open'), ('checking', 'Checking'), ('running', 'Running'), ('paused', 'Paused'), ('finished', 'Finished'), ('cancelled', 'Cancelled')], default='draft', max_length=10)),
                ('state_reason', arena.core.messages.MessageField(blank=True, default=None, editable=False, help_text='Why it is paused or cancelled.', null=True)),
                ('secret', models.CharField(default=arena.contests.tournaments.models.new_secret, help_text='Secret from which all deals are drawn; revealed after the end.', max_length=64)),
                ('commitment', models.CharField(help_text='SHA-256 of the secret, public from the start.', max_length=64)),
                ('next_turn', models.FloatField(default=0.0, help_text='Position of its next match in the order of the queue.')),
                ('forecast', models.JSONField(help_text="Chances by seed, each with the bot's slug; null before the first simulation.", null=True)),
                ('forecast_after_round', models.PositiveIntegerField(help_text='Number of rounds that were over for the forecast.', null=True)),
                ('created_at', models.DateTimeField(default=django.utils.timezone.now)),
                ('started_at', models.DateTimeField(null=True)),
                ('finished_at', models.DateTimeField(null=True)),
                ('last_advanced_at', models.DateTimeField(default=django.utils.timezone.now, help_text='When it was last advanced.')),
                ('organiser', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='tournaments', to=settings.AUTH_USER_MODEL)),
            ],
            options={
                'ordering': ['-pk'],
            },
        ),
        migrations.AddField(
            model_name='round',
            name='tournament',
            field=models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='rounds', to='tournaments.tournament'),
        ),
        migrations.AddField(
            model_name='entrant',
            name='tournament',
            field=models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='entrants', to='tournaments.tournament'),
        ),
        migrations.CreateModel(
            name='PairingMatch',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('number', models.PositiveSmallIntegerField(help_text='Number of the match in its pairing, starting at 1.')),
                ('counts', models.BooleanField(default=True, help_text='False if another one replaces it, or none is needed.')),
                ('failed', models.BooleanField(default=False, help_text='Whether the arena failed to play it, until the tournament is resumed.')),
                ('created_at', models.DateTimeField(default=django.utils.timezone.now)),
                ('match', models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, related_name='pairing_match', to='matches.match')),
                ('pairing', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='pairing_matches', to='tournaments.pairing')),
            ],
            options={
                'verbose_name_plural': 'pairing matches',
                'ordering': ['pairing', 'number'],
                'constraints': [models.UniqueConstraint(condition=models.Q(('counts', True)), fields=('pairing', 'number'), name='one_counting_match_per_number')],
            },
        ),
        migrations.CreateModel(
            name='PairingSeat',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('index', models.PositiveSmallIntegerField(help_text='Seat in the first leg; index of the participant in matches.')),
                ('points', models.FloatField(help_text='Points of the pairing; null until it is over.', null=True)),
                ('game_points', models.FloatField(help_text='Sum of its game points; null until the pairing is over.', null=True)),
                ('entrant', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='pairing_seats', to='tournaments.entrant')),
                ('pairing', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='seats', to='tournaments.pairing')),
            ],
            options={
                'ordering': ['pairing', 'index'],
                'constraints': [models.UniqueConstraint(fields=('pairing', 'index'), name='one_seat_per_index')],
            },
        ),
        migrations.AddIndex(
            model_name='pairing',
            index=models.Index(condition=models.Q(('is_over', False)), fields=['round'], name='pairings_going_on'),
        ),
        migrations.AddConstraint(
            model_name='pairing',
            constraint=models.UniqueConstraint(fields=('round', 'board'), name='one_pairing_per_board'),
        ),
        migrations.AddIndex(
            model_name='tournament',
            index=models.Index(fields=['state', '-id'], name='tournaments_by_state'),
        ),
        migrations.AddConstraint(
            model_name='round',
            constraint=models.UniqueConstraint(fields=('tournament', 'number', 'attempt'), name='one_round_per_attempt'),
        ),
        migrations.AddConstraint(
            model_name='round',
            constraint=models.UniqueConstraint(condition=models.Q(('is_latest_attempt', True)), fields=('tournament', 'number'), name='one_current_round'),
        ),
        migrations.AddConstraint(
            model_name='entrant',
            constraint=models.UniqueConstraint(fields=('tournament', 'bot'), name='one_entrant_per_bot'),
        ),
        migrations.AddConstraint(
            model_name='entrant',
            constraint=models.UniqueConstraint(fields=('tournament', 'number'), name='one_entrant_per_number'),
        ),
        migrations.RunPython(name_checks_as_before, migrations.RunPython.noop),
    ]
