from django.db import migrations, models

FILL_RANGES = """
UPDATE ladders_entry SET
    place_low = rank_low,
    place_high = rank_high + (
        SELECT COUNT(*) FROM ladders_entry AS other
        WHERE other.ladder_id = ladders_entry.ladder_id AND other.state = 'active' AND NOT other.is_ranked
    )
WHERE rank_low IS NOT NULL
"""
"""Any bot without a rank may be above or below: the next fit finds narrower ranges."""
FILL_PLACES = """
UPDATE ladders_ratingpoint SET place = counted.place
FROM (
    SELECT point.id AS id, ROW_NUMBER() OVER (
        PARTITION BY entry.ladder_id, point.day ORDER BY point.rating DESC, point.deviation, entry.id
    ) AS place
    FROM ladders_ratingpoint AS point JOIN ladders_entry AS entry ON entry.id = point.entry_id
) AS counted
WHERE counted.id = ladders_ratingpoint.id
"""


class Migration(migrations.Migration):

    dependencies = [
        ('ladders', '0016_house_ratings'),
    ]

    operations = [
        migrations.AddField(
            model_name='entry',
            name='place_low',
            field=models.PositiveIntegerField(help_text='Best plausible place among all bots of the list; null if not ranked.', null=True),
        ),
        migrations.AddField(
            model_name='entry',
            name='place_high',
            field=models.PositiveIntegerField(help_text='Worst plausible place among all bots of the list; null if not ranked.', null=True),
        ),
        migrations.AddField(
            model_name='ratingpoint',
            name='place',
            field=models.PositiveIntegerField(help_text='Place on that day among all bots of the list, ranked or not.', null=True),
        ),
        migrations.AddIndex(
            model_name='entry',
            index=models.Index('ladder', 'state', models.F('rating').desc(), 'deviation', 'id', name='entry_on_list'),
        ),
        migrations.RunSQL(FILL_RANGES, migrations.RunSQL.noop),
        migrations.RunSQL(FILL_PLACES, migrations.RunSQL.noop),
        migrations.RunSQL(
            "UPDATE ladders_ladder SET is_stale = TRUE WHERE closed_at IS NULL", migrations.RunSQL.noop
        ),
    ]
