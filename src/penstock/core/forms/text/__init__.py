"""Forms of text, one in each file. None imports another: without its line in ``registry`` a form is gone."""
