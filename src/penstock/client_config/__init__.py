"""Find, read and change the files in which MCP clients keep their servers. Read ``plan.py`` first.

``penstock wrap`` and ``unwrap`` change them; ``run``, ``serve`` and ``doctor`` read them.

``places``   where each client keeps its servers
``files``    one file: read, kept as a backup, replaced in one step
``plan``     what becomes of each server of a file, and the file's new text
``command_line``  command lines with the gateway in front, and without
``edits``    the least change of a text that makes one command line of another
``remotes``  the same for servers that are reached by URL
``servers``  what a text says about its servers, with the positions of it
``jsonc``    servers of JSON, with or without comments
``toml``     servers of TOML
``yaml``     servers of YAML
``together`` several servers behind one gateway, and back
``expand``   the servers of a file as they would be started, with the environment's variables filled in
"""
