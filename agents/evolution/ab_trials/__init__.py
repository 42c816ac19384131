"""A/B trials of two versions of a component: what one takes, its cases, and how it begins and ends.

A live one is a canary of one half (`activation`), a replayed one a replay (`replays`) that ends early.
"""
