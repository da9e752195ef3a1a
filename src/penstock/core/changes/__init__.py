"""Compare two results of one call. Each file is pure: bytes in, changes out.

``compare``  two versions of a document, of whatever kind: all changes, in words and as JSON
``values``   two JSON values: what was added, removed and changed at which path
``cut``      the rows of a document, or of two those that stand in places where these differ
``rows``     two arrays: which items are the same, which were changed, by their key or by their place
``keys``     the column by which rows are told apart
``steps``    two lists gone through in step: the parts that differ, and what stands in their place
``spans``    two texts by blocks of bytes: from where to where they differ
``lines``    two texts: which lines were added and removed
``since``    what a notice says of an earlier result
"""
