import django.db.models.deletion
from django.db import migrations, models

import arena.fields


class Migration(migrations.Migration):
    dependencies = [("comparisons", "0003_names_of_sprt_tools")]

    operations = [
        migrations.RenameField("comparison", "next_turn", "next_virtual_start"),
        migrations.AlterField(
            "comparison",
            "next_virtual_start",
            models.FloatField(default=0.0, help_text="Virtual start time of its next match in the queue, in seconds."),
        ),
        migrations.AlterField(
            model_name='comparison',
            name='baseline',
            field=models.ForeignKey(help_text='Version it is compared with.', on_delete=django.db.models.deletion.CASCADE, related_name='+', to='bots.botversion'),
        ),
        migrations.AlterField(
            model_name='comparison',
            name='elo0',
            field=models.FloatField(default=0.0, help_text='Normalized Elo of the hypothesis that the version is not better.'),
        ),
        migrations.AlterField(
            model_name='comparison',
            name='elo1',
            field=models.FloatField(default=20.0, help_text='Normalized Elo of the hypothesis that the version is better.'),
        ),
        migrations.AlterField(
            model_name='comparison',
            name='opponents',
            field=models.ManyToManyField(help_text='In a field: opponents of both, who are played in turn, by id.', related_name='+', to='bots.botversion'),
        ),
        migrations.AlterField(
            model_name='comparison',
            name='pairs',
            field=models.PositiveIntegerField(default=0, help_text='Number of units that were counted.'),
        ),
        migrations.AlterField(
            model_name='comparison',
            name='promote_if_better',
            field=models.BooleanField(default=False, help_text='Whether it is promoted to the ladders if better.'),
        ),
        migrations.AlterField(
            model_name='comparison',
            name='result_counts',
            field=models.JSONField(default=list, help_text='Number of units by result, the worst first: see `sprt.Unit`.'),
        ),
        migrations.AlterField(
            model_name='comparison',
            name='state_detail',
            field=arena.fields.MessageField(blank=True, default=None, editable=False, help_text='Details for the owner only.', null=True),
        ),
        migrations.AlterField(
            model_name='comparison',
            name='state_reason',
            field=arena.fields.MessageField(blank=True, default=None, editable=False, help_text='Reason of the state; null where there is none.', null=True),
        ),
        migrations.AlterField(
            model_name='comparison',
            name='version',
            field=models.ForeignKey(help_text='Version in question.', on_delete=django.db.models.deletion.CASCADE, related_name='comparisons', to='bots.botversion'),
        ),
        migrations.AlterField(
            model_name='comparisonmatch',
            name='in_flight',
            field=models.BooleanField(default=True, help_text='Whether it is neither counted nor given up yet.'),
        ),
        migrations.AlterField(
            model_name='comparisonmatch',
            name='number',
            field=models.PositiveIntegerField(help_text='Number of the unit, starting at 1. In a field two matches make one unit.'),
        ),
        migrations.AlterField(
            model_name='comparisonmatch',
            name='of_baseline',
            field=models.BooleanField(default=False, help_text='In a field: whether the baseline plays it.'),
        ),
    ]
