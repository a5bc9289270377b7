
import django.db.models.functions.text
from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('bots', '0005_tokens'),
    ]

    operations = [
        migrations.AddField(
            model_name='bot',
            name='name_upper',
            field=models.GeneratedField(db_persist=True, expression=django.db.models.functions.text.Upper('name'), help_text='For who searches: made once, not for every bot in every search.', output_field=models.TextField()),
        ),
    ]
