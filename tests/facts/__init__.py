"""What a model reads is true: of every form, data is made whose truth is known, and every statement is compared."""
