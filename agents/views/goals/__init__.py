"""The list of goals and the pages of one goal. Thin views."""
