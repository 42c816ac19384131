"""The pages of plan rules: reading, writing, trying, importing, and what they cover. Thin views.

Imports `library`.
"""
