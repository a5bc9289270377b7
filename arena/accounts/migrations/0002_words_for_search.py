
import django.db.models.functions.text
from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('accounts', '0001_initial'),
    ]

    operations = [
        migrations.AddField(
            model_name='user',
            name='username_upper',
            field=models.GeneratedField(db_persist=True, expression=django.db.models.functions.text.Upper('username'), help_text='For who searches: made once, not for every author in every search.', output_field=models.TextField()),
        ),
    ]
