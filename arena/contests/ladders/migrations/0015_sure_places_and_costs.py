from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('ladders', '0014_back_to_public_ladders'),
    ]

    operations = [
        migrations.AddField(
            model_name='entry',
            name='has_sure_place',
            field=models.BooleanField(default=False, help_text='Whether the last fit left no doubt about its place, however uncertain its rating was.'),
        ),
        migrations.AddField(
            model_name='entry',
            name='processor_s',
            field=models.FloatField(help_text='Mean processor seconds of its bot in its latest rated matches; null before the first.', null=True),
        ),
    ]
