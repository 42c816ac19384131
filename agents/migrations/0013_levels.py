"""Designs and choices of rules that people review before there is a plan; their bytes can never change."""

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models


FORWARD = """
CREATE FUNCTION agents_leveldocument_immutable() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION 'level document % is immutable: a change is a new version', OLD.id
        USING ERRCODE = 'integrity_constraint_violation';
END $$;

CREATE TRIGGER level_document_immutable BEFORE UPDATE ON agents_leveldocument FOR EACH ROW
    WHEN (OLD.document IS DISTINCT FROM NEW.document OR OLD.digest IS DISTINCT FROM NEW.digest
        OR OLD.goal_id IS DISTINCT FROM NEW.goal_id OR OLD.kind IS DISTINCT FROM NEW.kind
        OR OLD.number IS DISTINCT FROM NEW.number OR OLD.by_id IS DISTINCT FROM NEW.by_id
        OR OLD.state <> 'awaiting_review')
    EXECUTE FUNCTION agents_leveldocument_immutable();
"""
BACKWARD = """
DROP TRIGGER level_document_immutable ON agents_leveldocument;
DROP FUNCTION agents_leveldocument_immutable();
"""


class Migration(migrations.Migration):

    dependencies = [
        ('agents', '0010_parts_and_wishes'),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.AddField(
            model_name='agent',
            name='people_only',
            field=models.BooleanField(default=False, help_text='On: no policy approves a plan of this agent. Off: a policy in force may, as far as it reaches; without one a person decides every plan all the same.', verbose_name='plans are decided by people only'),
        ),
        migrations.AddField(
            model_name='agent',
            name='review_design',
            field=models.BooleanField(default=False, help_text='A goal that comes with a design is planned only after a reviewer approved the design.', verbose_name='review written designs'),
        ),
        migrations.AddField(
            model_name='agent',
            name='review_selection',
            field=models.BooleanField(default=False, help_text='After a rule was chosen, a reviewer confirms it or chooses another that applies, before the plan.', verbose_name='review the choice of rules'),
        ),
        migrations.CreateModel(
            name='LevelDocument',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('kind', models.CharField(choices=[('design', 'design'), ('selection', 'choice of rules')], max_length=12)),
                ('number', models.PositiveIntegerField()),
                ('document', models.BinaryField()),
                ('digest', models.CharField(max_length=64)),
                ('state', models.CharField(default='awaiting_review', max_length=16)),
                ('reason', models.TextField(blank=True)),
                ('chosen', models.JSONField(blank=True, default=dict)),
                ('created_at', models.DateTimeField(auto_now_add=True)),
                ('decided_at', models.DateTimeField(blank=True, null=True)),
                ('by', models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('decided_by', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('goal', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='level_documents', to='agents.goal')),
            ],
            options={
                'ordering': ['-id'],
                'indexes': [models.Index(condition=models.Q(('state', 'awaiting_review')), fields=['id'], name='level_waiting_oldest')],
                'constraints': [models.CheckConstraint(condition=models.Q(('state__in', ['awaiting_review', 'approved', 'sent_back', 'rejected', 'superseded', 'cancelled', 'unreviewed'])), name='level_state_known'), models.CheckConstraint(condition=models.Q(('kind__in', ['design', 'selection'])), name='level_kind_known'), models.CheckConstraint(condition=models.Q(('digest__regex', '^[0-9a-f]{64}$')), name='level_digest_is_sha256'), models.UniqueConstraint(fields=('goal', 'kind', 'number'), name='level_number_once_per_goal'), models.UniqueConstraint(condition=models.Q(('state', 'awaiting_review')), fields=('goal', 'kind'), name='one_waiting_level_per_goal')],
            },
        ),
        migrations.RunSQL(FORWARD, BACKWARD),
    ]
