"""Backup and restore: a dump and the snapshots it names, made so that neither ever lacks what the other needs.

`manage.py backup` writes beside a running mindX; `python -m mindx_web.backup restore` reads into one that does not run.
"""
