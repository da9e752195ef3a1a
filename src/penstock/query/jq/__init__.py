"""Run jq programs: ``lexer`` cuts a program into words, ``program`` plans it, ``filter`` runs the plan."""
