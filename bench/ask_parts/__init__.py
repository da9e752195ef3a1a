"""Questions as a model would first write them, with answers that Python computes. Read question.py first.

``question``   a document, its questions, and how an answer is compared with the truth
``documents``  the documents, made from a seed, and the questions about each
``reader``     asks a question, and mends it by the note of the answer, as a model would
"""
