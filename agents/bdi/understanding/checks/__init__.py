"""What keeps a reading from being taken as it is: conditions, unsupported wishes, dropped words, empty steps.

Imports `asides`, `reading`, `values`, `names` and `words`.
"""
