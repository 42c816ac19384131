"""What is known: components and their versions, experiences, embeddings.

Knows goals only as opaque ids; imports nothing from `agents`, `review` or `sandbox`.
"""
