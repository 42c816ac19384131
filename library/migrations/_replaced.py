"""The migrations that made these tables before 0.1.0. A database that has all of them is up to date; one that has
some must first be brought to the last commit that had them (docs/operations.md)."""

REPLACED = [
    ("library", "0001_initial"),
    ("library", "0002_initial"),
    ("library", "0003_lists_of_experiences"),
    ("library", "0004_model_call"),
    ("library", "0005_model_days"),
    ("library", "0006_calls_by_time"),
    ("library", "0007_firmware"),
    ("library", "0008_agents"),
    ("library", "0009_vectors_nobody_searches"),
    ("library", "0010_unembedded_experiences"),
    ("library", "0011_only_usable_answers_are_kept"),
    ("library", "0012_unchecked_experiences"),
    ("library", "0013_components_are_described"),
]
