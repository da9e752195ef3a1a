"""A Unity project's scenes and console as an MCP server. Read ``tools`` first; ``app`` starts it.

``app``        the command line, and the server put together
``tools``      what a client can call: manage_scene, manage_gameobject, read_console
``project``    the folder: its scenes, which of them is open, what was read already
``assets``     what a guid stands for: scripts and prefabs, by their .meta files
``documents``  a scene file cut into its documents, without reading what is in them
``fields``     single fields of a document, and a whole one as JSON values
``scene``      the objects of a scene in the order of its tree; ``tree`` puts them together
``prefabs``    copies of what is inside a prefab, for each of its instances
``changes``    what an instance changes of its prefab
``details``    everything that the file says of one object
``console``    the entries of an Editor.log

What it shares with the other examples, as the complaints about bad arguments, is ``examples/common/server_parts``.
"""
