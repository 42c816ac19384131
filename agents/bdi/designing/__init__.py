"""Designing a solution of several components: what is needed, what there is, and the design as a text that people read.

Pure. ArchitectZero (agents.system.architect) searches and asks; here is how it decides and writes.
"""
