"""JSON bytes without objects: scan finds validity, depth and positions, index keeps them, path names them."""
