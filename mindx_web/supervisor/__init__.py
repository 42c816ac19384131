"""`make up`: one process that sets up, starts, watches and stops the embedded servers and mindX itself.

Postgres and Valkey are also used by the tests; they need no Django.
"""
