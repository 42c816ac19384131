"""Every question to a language model is a row."""

import django.db.models.deletion
import django.db.models.functions.datetime
from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('library', '0003_lists_of_experiences'),
    ]

    operations = [
        migrations.CreateModel(
            name='ModelCall',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('purpose', models.CharField(max_length=32)),
                ('state', models.CharField(choices=[('asked', 'Asked'), ('answered', 'Answered'), ('cached', 'Cached'), ('failed', 'Failed')], default='asked', max_length=16)),
                ('agent', models.CharField(blank=True, max_length=64)),
                ('goal', models.CharField(blank=True, max_length=64)),
                ('model', models.CharField(max_length=200)),
                ('answered_by', models.CharField(blank=True, max_length=200)),
                ('request_digest', models.CharField(max_length=64)),
                ('messages', models.JSONField()),
                ('answer', models.TextField(blank=True)),
                ('failure', models.CharField(blank=True, max_length=32)),
                ('detail', models.TextField(blank=True)),
                ('tries', models.PositiveIntegerField(default=0)),
                ('tokens_in', models.PositiveIntegerField(default=0)),
                ('tokens_out', models.PositiveIntegerField(default=0)),
                ('tokens_are_guessed', models.BooleanField(default=True)),
                ('cost', models.DecimalField(blank=True, decimal_places=8, max_digits=14, null=True)),
                ('latency_ms', models.PositiveIntegerField(blank=True, null=True)),
                ('at', models.DateTimeField(db_default=django.db.models.functions.datetime.Now())),
                ('fresh_until', models.DateTimeField(blank=True, null=True)),
                ('cached_from', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to='library.modelcall')),
            ],
            options={
                'ordering': ['-pk'],
                'indexes': [models.Index(condition=models.Q(('state', 'answered')), fields=['request_digest'], name='model_call_by_request'), models.Index(fields=['agent', 'at'], name='model_call_by_agent_and_time'), models.Index(fields=['goal'], name='model_call_by_goal')],
            },
        ),
    ]
