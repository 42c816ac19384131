"""Approvals of other frameworks: programs elsewhere ask, people decide here, and the answer is bound to what was shown.

mindX does not run the calls. May import review's models, words, errors and rights below it.
"""
