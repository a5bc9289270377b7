"""The tables of release 0.1.0, in one step. A database that has them keeps the migrations that made them."""

import arena.core.messages
import django.db.models.deletion
import django.utils.timezone
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):
    replaces = [
        ("comparisons", "0001_initial"),
        ("comparisons", "0002_reasons_as_messages"),
        ("comparisons", "0003_names_of_sprt_tools"),
        ("comparisons", "0004_virtual_start"),
        ("comparisons", "0005_changed_options"),
    ]

    initial = True

    dependencies = [
        ("bots", "0001_release_0_1_0"),
        ("matches", "0001_release_0_1_0"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name='Comparison',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('edition', models.CharField(max_length=40)),
                ('changed_options', models.JSONField(default=dict, help_text="The rule options that differ from the edition's, with their values.")),
                ('mode', models.CharField(choices=[('head_to_head', 'Head To Head'), ('field', 'Field')], default='head_to_head', max_length=20)),
                ('elo0', models.FloatField(default=0.0, help_text='Normalized Elo of the hypothesis that the version is not better.')),
                ('elo1', models.FloatField(default=20.0, help_text='Normalized Elo of the hypothesis that the version is better.')),
                ('promote_if_better', models.BooleanField(default=False, help_text='Whether it is promoted to the ladders if better.')),
                ('state', models.CharField(choices=[('running', 'Running'), ('better', 'Better'), ('not_better', 'Not Better'), ('undecided', 'Undecided'), ('stopped', 'Stopped')], default='running', max_length=12)),
                ('state_reason', arena.core.messages.MessageField(blank=True, default=None, editable=False, help_text='Reason of the state; null where there is none.', null=True)),
                ('state_detail', arena.core.messages.MessageField(blank=True, default=None, editable=False, help_text='Details for the owner only.', null=True)),
                ('result_counts', models.JSONField(default=list, help_text='Number of units by result, the worst first: see `sprt.Unit`.')),
                ('pairs', models.PositiveIntegerField(default=0, help_text='Number of units that were counted.')),
                ('llr', models.FloatField(default=0.0, help_text='Log-likelihood ratio.')),
                ('created_at', models.DateTimeField(default=django.utils.timezone.now)),
                ('decided_at', models.DateTimeField(null=True)),
                ('promoted_at', models.DateTimeField(null=True)),
                ('next_virtual_start', models.FloatField(default=0.0, help_text='Virtual start time of its next match in the queue, in seconds.')),
                ('baseline', models.ForeignKey(help_text='Version it is compared with.', on_delete=django.db.models.deletion.CASCADE, related_name='+', to='bots.botversion')),
                ('opponents', models.ManyToManyField(help_text='In a field: opponents of both, who are played in turn, by id.', related_name='+', to='bots.botversion')),
                ('owner', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='comparisons', to=settings.AUTH_USER_MODEL)),
                ('version', models.ForeignKey(help_text='Version in question.', on_delete=django.db.models.deletion.CASCADE, related_name='comparisons', to='bots.botversion')),
            ],
            options={
                'ordering': ['-pk'],
            },
        ),
        migrations.CreateModel(
            name='ComparisonMatch',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('number', models.PositiveIntegerField(help_text='Number of the unit, starting at 1. In a field two matches make one unit.')),
                ('of_baseline', models.BooleanField(default=False, help_text='In a field: whether the baseline plays it.')),
                ('in_flight', models.BooleanField(default=True, help_text='Whether it is neither counted nor given up yet.')),
                ('comparison', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='comparison_matches', to='comparisons.comparison')),
                ('match', models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, related_name='comparison_match', to='matches.match')),
            ],
        ),
        migrations.AddIndex(
            model_name='comparison',
            index=models.Index(condition=models.Q(('state', 'running')), fields=['id'], name='comparison_running'),
        ),
        migrations.AddIndex(
            model_name='comparison',
            index=models.Index(fields=['owner', '-id'], name='comparisons_of_owner'),
        ),
        migrations.AddIndex(
            model_name='comparisonmatch',
            index=models.Index(condition=models.Q(('in_flight', True)), fields=['comparison'], name='comparison_match_in_flight'),
        ),
        migrations.AddConstraint(
            model_name='comparisonmatch',
            constraint=models.UniqueConstraint(fields=('comparison', 'number', 'of_baseline'), name='one_match_per_unit_and_side'),
        ),
    ]
