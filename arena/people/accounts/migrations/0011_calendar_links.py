from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ("accounts", "0010_counted_announcements"),
    ]

    operations = [
        migrations.AddField(
            model_name="user",
            name="calendar_link_number",
            field=models.PositiveIntegerField(
                default=0, editable=False, help_text="Number of the link to its calendar; the earlier ones work no more."
            ),
        ),
    ]
