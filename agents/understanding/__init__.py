"""Commands without a rule: files, tables, earlier runs and models are loaded for the pure reading."""
