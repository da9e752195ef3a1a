"""Ask questions of held results and count what the answers cost. Read question.py first, then judge.py.

``question`` says what a question is and what settles it; ``judge`` holds a result, reads the notice, makes the call and
compares both with the truth. The other files make results, one family of forms each, and compute the truth of every
question from the values that they put in, never by Penstock: ``records``, ``nested``, ``streams`` (JSON); ``tables``,
``lines``, ``changes``, ``pages`` (text); ``formats`` (languages of their own).
"""
