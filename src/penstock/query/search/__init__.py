"""Search a held result. ``search`` takes four steps: ``pattern`` compiles what is searched for, ``hits`` finds the
positions, ``json_place`` or ``parents`` tells where each lies, and ``show_matches`` writes them with ``show_lines`` and
``key_fields``."""
