"""Snapshots of files: manifests and contents by their SHA-256, in a folder or a bucket; maintenance and comparison.

Imports only `sandbox.contract` and `sandbox.places`.
"""
