"""After a failed step: why it failed, which of six strategies the approval allows, and which one is used.

Imports `plans`, `outcome` and `understanding`.
"""
