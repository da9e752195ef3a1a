"""Security scans as an MCP server whose answers stay small. Read ``tools`` first; ``app`` starts it.

``app``         the command line, and the server put together
``settings``    the YAML file: ``mcp``, ``scan``, and Penstock's own settings
``tools``       what a client can call: scan, get_findings, generate_sbom
``results``     the form of an answer about findings, within its limits
``truncation``  which findings are shown, and a count of those that are hidden; pure
``finding``     one finding, whichever engine has made it: severity, place, fingerprint
``scans``       runs engines side by side, and remembers the latest scans
``engines``     bandit, detect-secrets and programs that write SARIF: how each is called, and how its report is read
``process``     one engine's process: a time limit, a limit of its output, no way into the scanned folder's code
``paths``       names that a client gives, and the files of a scan: inside the allowed folder, or refused
``sbom``        CycloneDX for a requirements file or for this environment

What it shares with the other examples, as the complaints about bad arguments, is ``examples/common/server_parts``.
"""
