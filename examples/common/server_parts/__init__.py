"""What every example's server has in common. Each ``server.py`` puts this folder beside its own on the path.

``complaints``  bad arguments: which one, what was expected, an example
``sample``      the folder that is made when none is named: whole or not at all, and once
"""
