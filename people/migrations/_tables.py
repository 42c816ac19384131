"""What the first migrations of our apps have in common: they make dozens of tables and do nothing else."""

from django.db import migrations
from django.db.backends.base.schema import BaseDatabaseSchemaEditor
from django.db.migrations.state import ProjectState


class Tables(migrations.Migration):
    """Lets the state take all operations before anything is made of it.

    Django renders whatever is related to a new model again after each operation, and to a person nearly everything is:
    for our tables a third of what migrating a new database costs.
    """

    def apply(
        self, project_state: ProjectState, schema_editor: BaseDatabaseSchemaEditor, collect_sql: bool = False
    ) -> ProjectState:
        """Make the tables, from models as they are at the end of this migration."""
        if collect_sql:
            return super().apply(project_state, schema_editor, collect_sql)
        before = project_state.clone()
        project_state.__dict__.pop("apps", None)
        for operation in self.operations:
            operation.state_forwards(self.app_label, project_state)
        for operation in self.operations:
            operation.database_forwards(self.app_label, schema_editor, before, project_state)
        return project_state
