"""What an operator would look at when something seems wrong, looked at in one go (`manage.py doctor`).

Each module holds checks of one subject; a check is a generator of findings and never changes anything.
"""
