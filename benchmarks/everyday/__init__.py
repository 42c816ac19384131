"""Everyday goals in plain words, planned without a model and carried out: how many are reached, and how."""
