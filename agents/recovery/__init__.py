"""Failures: classified, mended by strategies that learn from their results."""
