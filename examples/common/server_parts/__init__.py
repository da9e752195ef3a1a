"""The parts that the servers of the examples share. Each ``server.py`` puts this folder on the path.

``start``       the command line of a server, its start and its end
``settings``    a settings file: its sections, checked, with the shipped ones for what it leaves out
``complaints``  wrong arguments: which one, what was expected, an example
``paths``       a folder that names are relative to, and the refusal of names that leave it
``globs``       globs of a caller and of .gitignore files
``answers``     texts as answers of tools
``sqlite``      opens a SQLite file that several servers may make at the same time
"""
