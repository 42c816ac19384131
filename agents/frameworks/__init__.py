"""Agents of other frameworks at work on goals. Their loops decide; each tool they call is a goal that people review.

`contract` and the adapters (`of_…`) know no Django; `asking`, `runs` and `turns` stand between them and the house.
"""
