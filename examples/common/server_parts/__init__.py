"""The parts that the servers of the examples share. Each ``server.py`` puts this folder beside its own on the path.

``complaints``  bad arguments: which one, what was expected, an example
``ignored``     which paths .gitignore files name
``paths``       a folder that names are relative to
``settings``    a settings file: its sections, checked, with the shipped ones for what it leaves out
``start``       the start of a server, or a line that says what to install
``sample``      the folder that is made when none is named: whole or not at all, and once
"""
