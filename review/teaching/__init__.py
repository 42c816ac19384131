"""What an edit teaches: values for a person's next goals, and changes proposed to a rule.

Imports `deciding` and below.
"""
