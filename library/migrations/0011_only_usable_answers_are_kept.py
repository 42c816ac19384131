"""Only answers that their asker could use are given again; what failed counts what it used; secrets are masked.

Of an answer that was kept before nobody knows whether it could be used, so none of them answers again. A call that
failed held what had been set aside for it, though budgets and sums never counted that.
"""

from django.db import migrations, models

_FORGET = """
    -- short lock: of the rows of a week alone, which only a call that is answered from them reads
    UPDATE library_modelcall SET fresh_until = NULL WHERE fresh_until IS NOT NULL
"""
_GIVE_BACK = """
    -- short lock: of the rows of failed calls alone, which nothing writes again
    UPDATE library_modelcall SET tokens_in = 0, tokens_out = 0, cost = 0, tokens_are_guessed = false
    WHERE state = 'failed' AND tokens_are_guessed
"""


class Migration(migrations.Migration):
    dependencies = [("library", "0010_unembedded_experiences")]

    operations = [
        migrations.AddField(
            "modelcall", "masked", models.CharField(blank=True, db_default="", default="", max_length=500)
        ),
        migrations.RunSQL(_FORGET, migrations.RunSQL.noop),
        migrations.RunSQL(_GIVE_BACK, migrations.RunSQL.noop),
    ]
