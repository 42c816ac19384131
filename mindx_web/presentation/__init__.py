"""How things are said and drawn: pure functions from values to words, code points and shapes.

Templates reach them through the tags and filters of `mindx_web.templatetags.mindx`.
"""
