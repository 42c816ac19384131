"""Failures: classified, mended by strategies that learn from what came of them."""
