"""The cases behind the insights of the mind, and their sums of days that are over. New tables: nobody waits."""

import django.contrib.postgres.fields
import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('agents', '0032_failures_and_recovery'),
    ]

    operations = [
        migrations.CreateModel(
            name='Correction',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('tool', models.CharField(max_length=64)),
                ('command', models.CharField(max_length=64)),
                ('parameter', models.CharField(max_length=64)),
                ('origin', models.CharField(max_length=16)),
                ('original', models.JSONField(null=True)),
                ('value', models.JSONField(null=True)),
                ('note', models.TextField(blank=True)),
                ('confidence', models.FloatField(default=1.0)),
                ('came', models.CharField(max_length=12)),
                ('at', models.DateTimeField()),
                ('agent', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='+', to='agents.agent')),
                ('goal', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='corrections', to='agents.goal')),
            ],
            options={
                'ordering': ['-at', '-id'],
                'indexes': [models.Index(fields=['-at', '-id'], name='correction_newest'), models.Index(fields=['agent', '-at', '-id'], name='correction_of_agent'), models.Index(fields=['origin', '-at', '-id'], name='correction_of_origin')],
                'constraints': [models.CheckConstraint(condition=models.Q(('came__in', ['succeeded', 'edited', 'refused', 'failed', 'unused'])), name='correction_came_known')],
            },
        ),
        migrations.CreateModel(
            name='MindDay',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('day', models.DateField()),
                ('measure', models.CharField(max_length=12)),
                ('what', models.CharField(max_length=16)),
                ('tool', models.CharField(blank=True, max_length=64)),
                ('came', models.CharField(blank=True, max_length=12)),
                ('cases', models.PositiveIntegerField()),
                ('amount', models.BigIntegerField(default=0)),
                ('buckets', django.contrib.postgres.fields.ArrayField(base_field=models.SmallIntegerField(), default=list, size=None)),
                ('counts', django.contrib.postgres.fields.ArrayField(base_field=models.IntegerField(), default=list, size=None)),
                ('agent', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='+', to='agents.agent')),
            ],
            options={
                'constraints': [models.UniqueConstraint(fields=('day', 'measure', 'agent', 'what', 'tool', 'came'), name='mind_day_once')],
            },
        ),
        migrations.CreateModel(
            name='Planning',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('source', models.CharField(choices=[('rule', 'Rule'), ('model', 'Model'), ('person', 'Person'), ('recovery', 'Recovery'), ('understanding', 'Understanding')], max_length=16)),
                ('is_valid', models.BooleanField()),
                ('attempts', models.PositiveSmallIntegerField()),
                ('waited_ms', models.PositiveIntegerField(null=True)),
                ('perceive_ms', models.PositiveIntegerField(null=True)),
                ('rules_ms', models.PositiveIntegerField(null=True)),
                ('understand_ms', models.PositiveIntegerField(null=True)),
                ('model_ms', models.PositiveIntegerField(null=True)),
                ('validate_ms', models.PositiveIntegerField(null=True)),
                ('total_ms', models.PositiveIntegerField()),
                ('at', models.DateTimeField()),
                ('agent', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='+', to='agents.agent')),
                ('goal', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='+', to='agents.goal')),
                ('plan', models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, related_name='planning', to='agents.plan')),
            ],
            options={
                'ordering': ['-at', '-id'],
                'indexes': [models.Index(fields=['-at', '-id'], name='planning_newest'), models.Index(fields=['agent', '-at', '-id'], name='planning_of_agent')],
            },
        ),
    ]
