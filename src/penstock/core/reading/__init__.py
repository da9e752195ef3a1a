"""Parts of a held document: pages of whole items, windows of text, outlines of trees, texts cut at words."""
