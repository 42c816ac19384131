"""Agents say which language model plans for them and how far; what models were asked is kept."""

import django.core.validators
import django.db.models.deletion
from django.contrib.postgres.operations import AddConstraintNotValid
from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('agents', '0025_only_what_is_immutable'),
        ('library', '0004_model_call'),
    ]

    operations = [
        migrations.CreateModel(
            name='Generation',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('turn', models.PositiveIntegerField()),
                ('attempt', models.PositiveIntegerField()),
                ('problems', models.JSONField(default=list)),
                ('cannot', models.TextField(blank=True)),
                ('at', models.DateTimeField(auto_now_add=True)),
            ],
            options={
                'ordering': ['pk'],
            },
        ),
        migrations.AddField(
            model_name='agent',
            name='cost_per_day',
            field=models.DecimalField(blank=True, decimal_places=4, help_text='US dollars that its models may cost in a day (UTC); empty: no limit.', max_digits=10, null=True, validators=[django.core.validators.MinValueValidator(0)]),
        ),
        migrations.AddField(
            model_name='agent',
            name='max_repair_attempts',
            field=models.PositiveSmallIntegerField(db_default=2, default=2, help_text="How often a model's plan with problems goes back to it before a person is asked for one.", validators=[django.core.validators.MaxValueValidator(10)]),
        ),
        migrations.AddField(
            model_name='agent',
            name='model',
            field=models.CharField(blank=True, db_default='', default='', help_text='As LiteLLM spells it, such as anthropic/… or openai/…; empty: the one in MINDX_MODEL.', max_length=200),
        ),
        migrations.AddField(
            model_name='agent',
            name='tokens_per_day',
            field=models.PositiveIntegerField(blank=True, help_text='Tokens that its models may read and write in a day (UTC); empty: no limit.', null=True),
        ),
        migrations.AddField(
            model_name='agent',
            name='uses_model',
            field=models.BooleanField(db_default=True, default=True, help_text='Off: where no rule applies, a person writes the plan, also when a model is set up.', verbose_name='a model plans where no rule does'),
        ),
        AddConstraintNotValid(
            model_name='agent',
            constraint=models.CheckConstraint(condition=models.Q(('max_repair_attempts__lte', 10)), name='agent_repairs_bounded', violation_error_message='At most 10.'),
        ),
        migrations.AddField(
            model_name='generation',
            name='call',
            field=models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to='library.modelcall'),
        ),
        migrations.AddField(
            model_name='generation',
            name='goal',
            field=models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='generations', to='agents.goal'),
        ),
        migrations.AddConstraint(
            model_name='generation',
            constraint=models.UniqueConstraint(fields=('goal', 'turn', 'attempt'), name='generation_once'),
        ),
    ]
