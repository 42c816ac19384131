"""Runs of modular agents as rows: started, taken step by step under a lease, opened, edited and continued.

What a step does is pure (`agents.bdi.modular`). May import everything below `agents.cycle`; nothing here knows a page.
"""
