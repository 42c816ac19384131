"""What a candidate is measured by: earlier goals and recorded calls, done anew beside its parent, and the gate (pure).

Imports no other room of evolution.
"""
