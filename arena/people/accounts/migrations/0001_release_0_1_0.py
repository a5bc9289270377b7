"""The tables of release 0.1.0, in one step. A database that has them keeps the migrations that made them."""

import django.contrib.auth.models
import django.contrib.auth.validators
import django.db.models.deletion
import django.db.models.functions.text
import django.utils.timezone
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):
    replaces = [
        ("accounts", "0001_initial"),
        ("accounts", "0002_words_for_search"),
        ("accounts", "0003_help_texts"),
        ("accounts", "0004_limited_actions"),
        ("accounts", "0005_sign_up_modes"),
        ("accounts", "0006_wrong_codes"),
        ("accounts", "0007_suspension"),
    ]

    initial = True

    dependencies = [
        ('auth', '0012_alter_user_first_name_max_length'),
    ]

    operations = [
        migrations.CreateModel(
            name='User',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('password', models.CharField(max_length=128, verbose_name='password')),
                ('last_login', models.DateTimeField(blank=True, null=True, verbose_name='last login')),
                ('is_superuser', models.BooleanField(default=False, help_text='Designates that this user has all permissions without explicitly assigning them.', verbose_name='superuser status')),
                ('username', models.CharField(error_messages={'unique': 'A user with that username already exists.'}, help_text='Required. 150 characters or fewer. Letters, digits and @/./+/-/_ only.', max_length=150, unique=True, validators=[django.contrib.auth.validators.UnicodeUsernameValidator()], verbose_name='username')),
                ('first_name', models.CharField(blank=True, max_length=150, verbose_name='first name')),
                ('last_name', models.CharField(blank=True, max_length=150, verbose_name='last name')),
                ('email', models.EmailField(blank=True, max_length=254, verbose_name='email address')),
                ('is_staff', models.BooleanField(default=False, help_text='Designates whether the user can log into this admin site.', verbose_name='staff status')),
                ('is_active', models.BooleanField(default=True, help_text='Designates whether this user should be treated as active. Unselect this instead of deleting accounts.', verbose_name='active')),
                ('date_joined', models.DateTimeField(default=django.utils.timezone.now, verbose_name='date joined')),
                ('username_upper', models.GeneratedField(db_persist=True, expression=django.db.models.functions.text.Upper('username'), help_text='The username in capitals, for searches.', output_field=models.TextField())),
                ('is_house', models.BooleanField(default=False, help_text='Whether it is the house, which owns the sample bots; they play each other, too.')),
                ('awaits_approval', models.BooleanField(default=False, help_text='Whether staff has not yet let this new user in; the action Approve does.')),
                ('suspended_at', models.DateTimeField(blank=True, editable=False, help_text='Since when its bots may not play; null if they may.', null=True)),
                ('is_banned', models.BooleanField(default=False, editable=False, help_text='Whether its suspension refuses sign-in, too.')),
                ('groups', models.ManyToManyField(blank=True, help_text='The groups this user belongs to. A user will get all permissions granted to each of their groups.', related_name='user_set', related_query_name='user', to='auth.group', verbose_name='groups')),
                ('user_permissions', models.ManyToManyField(blank=True, help_text='Specific permissions for this user.', related_name='user_set', related_query_name='user', to='auth.permission', verbose_name='user permissions')),
            ],
            options={
                'verbose_name': 'user',
                'verbose_name_plural': 'users',
                'abstract': False,
            },
            managers=[
                ('objects', django.contrib.auth.models.UserManager()),
            ],
        ),
        migrations.CreateModel(
            name='Invitation',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('digest', models.CharField(help_text='SHA-256 of the token, hexadecimal.', max_length=64, unique=True)),
                ('note', models.CharField(blank=True, help_text='For whom it is, for staff.', max_length=200)),
                ('email', models.EmailField(blank=True, help_text='Address that the form is filled in with; nothing is sent to it.', max_length=254)),
                ('created_at', models.DateTimeField(default=django.utils.timezone.now)),
                ('expires_at', models.DateTimeField(help_text='Until when it can be used.')),
                ('used_at', models.DateTimeField(blank=True, null=True)),
                ('created_by', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('used_by', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to=settings.AUTH_USER_MODEL)),
            ],
            options={
                'ordering': ['-pk'],
            },
        ),
        migrations.CreateModel(
            name='LimitedAction',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('kind', models.CharField(choices=[('sign_up', 'Sign Up'), ('wrong_password', 'Wrong Password'), ('wrong_password_from_address', 'Wrong Password From Address'), ('wrong_code', 'Wrong Code')], max_length=30)),
                ('key', models.CharField(help_text='Hash of an address, or of an address and a username.', max_length=64)),
                ('at', models.DateTimeField(default=django.utils.timezone.now)),
            ],
            options={
                'indexes': [models.Index(fields=['kind', 'key', 'at'], name='limited_actions_of_key'), models.Index(fields=['at'], name='limited_actions_by_age')],
            },
        ),
    ]
