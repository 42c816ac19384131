"""Beliefs: perceived in the workspace, told by people, denied, and kept consistent as steps change the world.

Imports no other room of the mind.
"""
