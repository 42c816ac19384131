"""ScienceWorld played by plan rules in natural language: its adapter, the rules, and the harness of the benchmark."""
