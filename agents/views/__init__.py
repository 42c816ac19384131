"""Thin views: find the row, check the right, call one service, render."""
