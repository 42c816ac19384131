"""Pages that belong to no single app: the overview and the error pages."""
