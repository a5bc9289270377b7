from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('ladders', '0015_sure_places_and_costs'),
    ]

    operations = [
        migrations.AddField(
            model_name='ladder',
            name='house_ratings',
            field=models.JSONField(help_text="What fixes the first ratings of the house's bots, as published when the season opened; or null.", null=True),
        ),
        migrations.AddField(
            model_name='entry',
            name='is_known',
            field=models.BooleanField(default=False, help_text='Whether it began with a rating that was measured beforehand, and so has a rank from the start.'),
        ),
    ]
