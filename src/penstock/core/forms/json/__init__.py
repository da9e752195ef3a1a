"""The forms of JSON, one a file. None imports another: to delete a form, delete its file and its line in
``recognise.py``. The document is then read by a more general form."""
