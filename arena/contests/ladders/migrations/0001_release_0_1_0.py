"""The tables of release 0.1.0, in one step. A database that has them keeps the migrations that made them."""

import arena.core.messages
import arena.contests.ladders.models
import django.db.models.deletion
import django.utils.timezone
from django.conf import settings
from django.db import migrations, models


FORMER_NAMES = [
    ("ladders_entry", "rank_low", "rank_best"),
    ("ladders_entry", "rank_high", "rank_worst"),
]
"""Table, column, and the column's name when it was created: PostgreSQL keeps that in the name of its check."""


def name_checks_as_before(apps, schema_editor):
    """Give the checks of renamed columns the names that they have in databases from before."""
    if schema_editor.connection.vendor == "postgresql":
        for table, column, former in FORMER_NAMES:
            names = f'"{table}_{column}_check" TO "{table}_{former}_check"'
            schema_editor.execute(f'ALTER TABLE "{table}" RENAME CONSTRAINT {names}')


def create_waiting_indexes(apps, schema_editor):
    """Create indexes that Django would create at the end, by the names that the tables have then."""
    while schema_editor.deferred_sql:
        schema_editor.execute(schema_editor.deferred_sql.pop(0))


class Migration(migrations.Migration):
    replaces = [
        ("ladders", "0001_initial"),
        ("ladders", "0002_seasons_and_fits"),
        ("ladders", "0003_what_was_there"),
        ("ladders", "0004_one_of_each"),
        ("ladders", "0005_field_names"),
        ("ladders", "0006_reasons_as_messages"),
        ("ladders", "0007_help_texts"),
        ("ladders", "0008_virtual_start"),
        ("ladders", "0009_paused_and_stopped"),
        ("ladders", "0010_what_fitting_at_is"),
    ]

    initial = True

    dependencies = [
        ("bots", "0001_release_0_1_0"),
        ("matches", "0001_release_0_1_0"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name='Ladder',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('game', models.CharField(max_length=40)),
                ('edition', models.CharField(max_length=40)),
                ('season', models.PositiveIntegerField(default=1, help_text='Season number, starting at 1.')),
                ('title', models.CharField(max_length=80)),
                ('opened_at', models.DateTimeField(default=django.utils.timezone.now)),
                ('closed_at', models.DateTimeField(blank=True, null=True)),
                ('paused_at', models.DateTimeField(help_text='Since when no new matches are paired, as staff wants it; null if they are.', null=True)),
                ('secret', models.CharField(default=arena.contests.ladders.models.new_secret, help_text='Secret that all deals of the season are derived from; published when the season has ended.', max_length=64)),
                ('commitment', models.CharField(help_text='Hash of the secret, published when the season opens; hexadecimal.', max_length=64)),
                ('last_number', models.PositiveIntegerField(default=0, help_text='Number of matches created.')),
                ('last_sequence', models.PositiveIntegerField(default=0, help_text='Number of rated matches in the ledger.')),
                ('next_virtual_start', models.FloatField(default=0.0, help_text='Virtual start time of its next match in the queue, in seconds.')),
                ('match_seconds', models.FloatField(default=5.0, help_text='Mean duration of its recent matches, in seconds.')),
                ('anchor_mean', models.FloatField(default=1500.0, help_text='Mean rating of its anchors, which fixes the scale.')),
                ('dispersion', models.FloatField(default=0.95, help_text="Dispersion of a match's score; below 1 where legs cancel the luck of the deal.")),
                ('pair_interaction_sd', models.FloatField(help_text='Standard deviation, in Elo, of the results of pairs from those their ratings predict.', null=True)),
                ('spread', models.FloatField(default=200.0, help_text="Standard deviation of the active bots' ratings, in Elo.")),
                ('top_rating', models.FloatField(help_text='Lowest rating of the best tenth of the active bots.', null=True)),
                ('fitted_sequence', models.PositiveIntegerField(default=0, help_text='Number of the last line of the ledger in the last fit.')),
                ('fitted_at', models.DateTimeField(null=True)),
                ('fitting_at', models.DateTimeField(help_text='When the running fit began or last reported; or null.', null=True)),
                ('is_stale', models.BooleanField(default=False, help_text='Whether entries were added, paused or resumed since the last fit.')),
            ],
            options={
                'ordering': ['game', 'pk'],
                'constraints': [models.UniqueConstraint(fields=('game', 'edition', 'season'), name='one_ladder_per_season'), models.UniqueConstraint(condition=models.Q(('closed_at', None)), fields=('game', 'edition'), name='one_open_season')],
            },
        ),
        migrations.CreateModel(
            name='Fit',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('sequence', models.PositiveIntegerField(help_text='Number of the last line of the ledger in the fit.')),
                ('entries', models.PositiveIntegerField()),
                ('dispersion', models.FloatField()),
                ('pair_interaction_sd', models.FloatField(null=True)),
                ('seconds', models.FloatField()),
                ('created_at', models.DateTimeField(default=django.utils.timezone.now)),
                ('ladder', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='fits', to='ladders.ladder')),
            ],
            options={
                'ordering': ['ladder', 'pk'],
            },
        ),
        migrations.CreateModel(
            name='Entry',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('state', models.CharField(choices=[('active', 'Active'), ('suspended', 'Suspended'), ('retired', 'Retired')], default='active', max_length=10)),
                ('state_reason', arena.core.messages.MessageField(blank=True, default=None, editable=False, help_text='Why the entry is suspended.', null=True)),
                ('stopped_with_author', models.BooleanField(default=False, help_text='Whether it is suspended since its author is, and plays again when the author may.')),
                ('is_anchor', models.BooleanField(default=False, help_text="Whether the mean rating of entries like this one fixes the ladder's scale.")),
                ('first_rating', models.FloatField(default=1500.0)),
                ('first_deviation', models.FloatField(default=300.0)),
                ('rating', models.FloatField(default=1500.0, help_text='Rating in Elo.')),
                ('deviation', models.FloatField(default=300.0, help_text='Standard deviation of the rating, in Elo.')),
                ('matches', models.PositiveIntegerField(default=0, help_text='Number of rated matches.')),
                ('points', models.FloatField(default=0.0, help_text='Sum of the points of its rated matches.')),
                ('opponents', models.PositiveIntegerField(default=0, help_text='Number of different opponents in rated matches.')),
                ('is_ranked', models.BooleanField(default=False, help_text='Whether its rating is certain enough for a rank.')),
                ('in_fit', models.BooleanField(help_text="Whether it was active in the ladder's last fit; null if it wasn't part of it.", null=True)),
                ('recent_legs', models.CharField(blank=True, help_text='Its last rated legs since it was last resumed, oldest first: x for a fault, . for none.', max_length=60)),
                ('rank_low', models.PositiveIntegerField(help_text='Best plausible rank; null if not ranked.', null=True)),
                ('rank_high', models.PositiveIntegerField(help_text='Worst plausible rank; null if not ranked.', null=True)),
                ('group', models.PositiveIntegerField(help_text="Group of entries that can't be told apart from its best; 1 is the best group.", null=True)),
                ('rated_at', models.DateTimeField(help_text='When its last match was rated.', null=True)),
                ('paired_at', models.DateTimeField(default=django.utils.timezone.now, help_text='When a match was last queued for it, or when it entered.')),
                ('created_at', models.DateTimeField(auto_now_add=True)),
                ('last_match', models.ForeignKey(help_text='Its last rated match.', null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to='matches.match')),
                ('parent', models.ForeignKey(help_text='Entry of the version it replaced.', null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='children', to='ladders.entry')),
                ('version', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='entries', to='bots.botversion')),
                ('ladder', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='entries', to='ladders.ladder')),
            ],
            options={
                'verbose_name_plural': 'entries',
            },
        ),
        migrations.CreateModel(
            name='LadderMatch',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('number', models.PositiveIntegerField(help_text='Number of the match on the ladder, starting at 1, which determines its deal; null for old ones.', null=True)),
                ('in_flight', models.BooleanField(default=True, help_text='Whether it is neither rated nor given up.')),
                ('sequence', models.PositiveIntegerField(help_text='Line of the ledger, starting at 1, that counts the match.', null=True)),
                ('void_sequence', models.PositiveIntegerField(help_text='Line of the ledger that excludes the match; the line of its result if it never counted.', null=True)),
                ('void_reason', arena.core.messages.MessageField(blank=True, default=None, editable=False, help_text="Why the match doesn't count.", null=True)),
                ('created_at', models.DateTimeField(default=django.utils.timezone.now)),
                ('ladder', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='ladder_matches', to='ladders.ladder')),
                ('match', models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, related_name='ladder_match', to='matches.match')),
            ],
            options={
                'verbose_name_plural': 'ladder matches',
            },
        ),
        migrations.CreateModel(
            name='PairStat',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('seats', models.PositiveSmallIntegerField(help_text='Number of seats, which is also the number of legs of each match.')),
                ('matches', models.PositiveIntegerField(default=0)),
                ('halves', models.PositiveBigIntegerField(default=0, help_text='Half points of `low` in all legs: 2 for a better place, 1 for a shared one.')),
                ('squares', models.PositiveBigIntegerField(default=0, help_text='Sum of the squared half points of `low` per match.')),
                ('high', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='+', to='ladders.entry')),
                ('ladder', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='pair_stats', to='ladders.ladder')),
                ('low', models.ForeignKey(help_text='The entry with the lower id.', on_delete=django.db.models.deletion.CASCADE, related_name='+', to='ladders.entry')),
            ],
        ),
        migrations.CreateModel(
            name='RatingChange',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('before', models.FloatField()),
                ('after', models.FloatField()),
                ('deviation', models.FloatField(default=300.0, help_text='Standard deviation after the match, in Elo.')),
                ('entry', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='changes', to='ladders.entry')),
                ('ladder_match', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='changes', to='ladders.laddermatch')),
            ],
            options={
                'ordering': ['pk'],
            },
        ),
        migrations.CreateModel(
            name='RatingPoint',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('day', models.DateField()),
                ('rating', models.FloatField()),
                ('deviation', models.FloatField()),
                ('rank', models.PositiveIntegerField(help_text='Rank on that day; null if not ranked.', null=True)),
                ('matches', models.PositiveIntegerField(help_text='Number of rated matches until then.')),
                ('entry', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='history', to='ladders.entry')),
            ],
            options={
                'ordering': ['entry', 'day'],
            },
        ),
        migrations.CreateModel(
            name='Suspicion',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('z', models.FloatField(help_text='Deviation of the score from the expected one, in standard deviations.')),
                ('matches', models.PositiveIntegerField()),
                ('found_at', models.DateTimeField(default=django.utils.timezone.now)),
                ('dismissed_at', models.DateTimeField(blank=True, help_text='When staff dismissed the report; null if they did not.', null=True)),
                ('opponent', models.ForeignKey(help_text='Author of the opponents.', on_delete=django.db.models.deletion.CASCADE, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('entry', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='collusion_reports', to='ladders.entry')),
            ],
            options={
                'ordering': ['-found_at'],
                'constraints': [models.UniqueConstraint(fields=('entry', 'opponent'), name='one_suspicion_per_owner')],
            },
        ),
        # It was created by this name, which its indexes keep in databases from before.
        migrations.RunPython(create_waiting_indexes, migrations.RunPython.noop),
        migrations.RenameModel("Suspicion", "CollusionReport"),
        migrations.AddIndex(
            model_name='entry',
            index=models.Index(models.F('ladder'), models.F('state'), models.OrderBy(models.F('is_ranked'), descending=True), models.OrderBy(models.F('rating'), descending=True), models.F('deviation'), models.F('id'), name='entry_standing'),
        ),
        migrations.AddIndex(
            model_name='entry',
            index=models.Index(models.F('ladder'), models.F('state'), models.F('rating'), name='entry_by_rating'),
        ),
        migrations.AddIndex(
            model_name='entry',
            index=models.Index(models.F('ladder'), models.F('state'), models.OrderBy(models.F('deviation'), descending=True), name='entry_by_uncertainty'),
        ),
        migrations.AddIndex(
            model_name='entry',
            index=models.Index(models.F('ladder'), models.F('state'), models.F('paired_at'), name='entry_by_pairing'),
        ),
        migrations.AddConstraint(
            model_name='entry',
            constraint=models.UniqueConstraint(fields=('ladder', 'version'), name='one_entry_per_version'),
        ),
        migrations.AddIndex(
            model_name='laddermatch',
            index=models.Index(condition=models.Q(('in_flight', True)), fields=['ladder'], name='ladder_match_in_flight'),
        ),
        migrations.AddConstraint(
            model_name='laddermatch',
            constraint=models.UniqueConstraint(fields=('ladder', 'number'), name='one_ladder_match_per_number'),
        ),
        migrations.AddConstraint(
            model_name='laddermatch',
            constraint=models.UniqueConstraint(fields=('ladder', 'sequence'), name='one_rated_match_per_sequence'),
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
        migrations.AddIndex(
            model_name='ratingchange',
            index=models.Index(fields=['entry', 'id'], name='changes_of_entry'),
        ),
        migrations.AddConstraint(
            model_name='ratingchange',
            constraint=models.UniqueConstraint(fields=('ladder_match', 'entry'), name='one_change_per_entry'),
        ),
        migrations.AddConstraint(
            model_name='ratingpoint',
            constraint=models.UniqueConstraint(fields=('entry', 'day'), name='one_point_per_day'),
        ),
        migrations.RunPython(name_checks_as_before, migrations.RunPython.noop),
    ]
