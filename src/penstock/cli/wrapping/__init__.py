"""Putting the gateway into an MCP client's configuration, and taking it out again. Read ``plan.py`` first.

``wrap_command``  what both commands do: find the files, plan, show, ask, write
``places``   where each client keeps its servers
``files``    one file: read, kept as a backup, replaced in one step
``plan``     what becomes of each server of a file, and the file's new text
``command_line``  command lines with the gateway in front, and without
``edits``    the least change of a text that makes one command line of another
``remotes``  the same for servers that are reached by URL
``servers``  what a text says about its servers, with the positions of it
``jsonc``    servers of JSON, with or without comments
``toml``     servers of TOML
``view``     how a plan looks
"""
