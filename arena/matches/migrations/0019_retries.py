from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('matches', '0018_for_a_group_only'),
    ]

    operations = [
        migrations.RemoveField(
            model_name='match',
            name='published_at',
        ),
        migrations.AddField(
            model_name='match',
            name='retry_at',
            field=models.DateTimeField(help_text='When it is tried again after a failed attempt; null before the first one.', null=True),
        ),
    ]
