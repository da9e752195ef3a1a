"""What the servers of the examples share. Each ``server.py`` puts this folder beside its own on the path.

``complaints``  bad arguments: which one, what was expected, an example
``paths``       a folder that names are relative to
``sample``      the folder that is made when none is named: whole or not at all, and once
"""
