"""The helper within the jail: file commands and programs, one request at a time.

Standard library only and free of imports from the rest of mindX: the jail's Python runs it.
"""
