"""Decisions on designs and choices of rules (append-only), and notices about them."""

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models


TABLE = "review_leveldecision"


class Migration(migrations.Migration):

    dependencies = [
        ('agents', '0013_levels'),
        ('review', '0009_held_decision'),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name='LevelDecision',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('digest', models.CharField(max_length=64)),
                ('verdict', models.CharField(choices=[('approve', 'Approve'), ('reject', 'Reject'), ('request_changes', 'Request Changes')], max_length=16)),
                ('via', models.CharField(default='browser', max_length=8)),
                ('comment', models.TextField(blank=True)),
                ('choice', models.JSONField(blank=True, default=dict)),
                ('at', models.DateTimeField()),
                ('previous_hash', models.CharField(blank=True, max_length=64)),
                ('hash', models.CharField(max_length=64, unique=True)),
            ],
            options={
                'ordering': ['id'],
            },
        ),
        migrations.CreateModel(
            name='LevelTold',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('end_at', models.DateTimeField(null=True)),
            ],
        ),
        migrations.AddField(
            model_name='notice',
            name='level_document',
            field=models.ForeignKey(null=True, on_delete=django.db.models.deletion.CASCADE, related_name='notices', to='agents.leveldocument'),
        ),
        migrations.AlterField(
            model_name='notice',
            name='intent_plan',
            field=models.ForeignKey(null=True, on_delete=django.db.models.deletion.CASCADE, related_name='notices', to='agents.intentplan'),
        ),
        migrations.AddConstraint(
            model_name='notice',
            constraint=models.UniqueConstraint(fields=('user', 'kind', 'level_document'), name='level_notice_once'),
        ),
        migrations.AddConstraint(
            model_name='notice',
            constraint=models.CheckConstraint(condition=models.Q(('intent_plan__isnull', True), ('level_document__isnull', True), _connector='XOR'), name='notice_is_about_one_thing'),
        ),
        migrations.AddField(
            model_name='leveldecision',
            name='by',
            field=models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='level_decisions', to=settings.AUTH_USER_MODEL),
        ),
        migrations.AddField(
            model_name='leveldecision',
            name='document',
            field=models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='decisions', to='agents.leveldocument'),
        ),
        migrations.AddField(
            model_name='leveltold',
            name='document',
            field=models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, related_name='told', to='agents.leveldocument'),
        ),
        migrations.AddConstraint(
            model_name='leveldecision',
            constraint=models.UniqueConstraint(fields=('document',), name='one_decision_per_level_document'),
        ),
        migrations.AddIndex(
            model_name='leveltold',
            index=models.Index(condition=models.Q(('end_at__isnull', True)), fields=['id'], name='level_told_open'),
        ),
        migrations.RunSQL(
            f"CREATE TRIGGER {TABLE}_is_append_only BEFORE UPDATE OR DELETE ON {TABLE}"
            " FOR EACH ROW EXECUTE FUNCTION review_refuse_change()",
            f"DROP TRIGGER {TABLE}_is_append_only ON {TABLE}",
        ),
    ]
