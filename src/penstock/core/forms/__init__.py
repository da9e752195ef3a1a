"""What a document is. Read document.py first."""
