"""Imprecise commands of known meaning: how many are understood exactly, asked about, or silently taken wrongly."""
