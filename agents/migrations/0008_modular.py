import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models

class Migration(migrations.Migration):

    dependencies = [
        ('agents', '0007_entailment_thresholds'),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name='ModularRun',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('task', models.TextField()),
                ('edit', models.TextField(blank=True)),
                ('state', models.CharField(default='ready', max_length=16)),
                ('reason', models.TextField(blank=True)),
                ('head', models.PositiveIntegerField()),
                ('until', models.PositiveIntegerField(blank=True, null=True)),
                ('waits_for', models.JSONField(blank=True, default=list)),
                ('lease_owner', models.CharField(blank=True, max_length=120)),
                ('lease_fence', models.PositiveIntegerField(default=0)),
                ('lease_until', models.DateTimeField(blank=True, null=True)),
                ('created_at', models.DateTimeField(auto_now_add=True)),
                ('ended_at', models.DateTimeField(blank=True, null=True)),
                ('agent', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to='agents.agent')),
                ('by', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('root', models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='agents.modularrun')),
                ('workspace', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to='agents.workspace')),
            ],
            options={
                'ordering': ['-id'],
            },
        ),
        migrations.CreateModel(
            name='ModularStep',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('number', models.PositiveIntegerField()),
                ('module_type', models.CharField(max_length=16)),
                ('module', models.CharField(max_length=120)),
                ('added', models.JSONField(default=list)),
                ('document', models.JSONField()),
                ('snapshot', models.CharField(max_length=64)),
                ('now', models.CharField(max_length=40)),
                ('at', models.DateTimeField(auto_now_add=True)),
                ('by', models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('run', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='steps', to='agents.modularrun')),
            ],
            options={
                'ordering': ['number'],
            },
        ),
        migrations.AddField(
            model_name='modularrun',
            name='base',
            field=models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='branches', to='agents.modularstep'),
        ),
        migrations.CreateModel(
            name='ModularCall',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('number', models.PositiveIntegerField()),
                ('key', models.CharField(max_length=120)),
                ('goal', models.OneToOneField(on_delete=django.db.models.deletion.PROTECT, related_name='modular_call', to='agents.goal')),
                ('run', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='calls', to='agents.modularrun')),
            ],
            options={
                'ordering': ['id'],
                'constraints': [models.UniqueConstraint(fields=('run', 'number', 'key'), name='modular_call_once')],
            },
        ),
        migrations.CreateModel(
            name='ModularAnswer',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('number', models.PositiveIntegerField()),
                ('key', models.CharField(max_length=120)),
                ('kind', models.CharField(max_length=16)),
                ('answer', models.JSONField()),
                ('at', models.DateTimeField(auto_now_add=True)),
                ('by', models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('run', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='answers', to='agents.modularrun')),
            ],
            options={
                'ordering': ['id'],
                'constraints': [models.UniqueConstraint(fields=('run', 'number', 'key'), name='modular_answer_once')],
            },
        ),
        migrations.AddConstraint(
            model_name='modularstep',
            constraint=models.UniqueConstraint(fields=('run', 'number'), name='modular_step_once'),
        ),
        migrations.AddIndex(
            model_name='modularrun',
            index=models.Index(condition=models.Q(('state__in', ['ready', 'running', 'waiting'])), fields=['id'], name='modular_run_moving'),
        ),
        migrations.AddConstraint(
            model_name='modularrun',
            constraint=models.CheckConstraint(condition=models.Q(('state__in', ['ready', 'running', 'waiting', 'paused', 'ended'])), name='modular_run_state_known'),
        ),
    ]
