"""Agents as things that are made, limited, paused and told things: what each is set to, its models and budgets."""
