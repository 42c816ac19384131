"""The mind as pure decisions: perceive, deliberate, plan, resolve, validate.

Nothing here touches Django, a file, a clock or the network; services load rows, ask these functions and store the
answers.
"""
