"""Snapshots of files: manifests over contents by their SHA-256, in a folder or a bucket; upkeep and comparison.

Imports only `sandbox.contract` and `sandbox.places`.
"""
