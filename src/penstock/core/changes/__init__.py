"""Compare two results of one call. Each file is pure: bytes in, changes out.

``compare``  two versions of a document: what differs, in words and as JSON
``rows``     two versions of a table: which rows are the same, changed, added or removed
``values``   two JSON values: which parts differ, by path
``lines``    two texts: which lines were added and removed
``since``    what a notice says about an earlier result of the same call
"""
