"""Texts by what they mean, with a small model that comes with its weights.

``wordllama`` gives every token a vector, and a text the mean of its tokens: no network, no torch, 16 MB. The model is
for English.
"""

from __future__ import annotations

import importlib
import logging
import threading
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from penstock import ConfigError

if TYPE_CHECKING:
    from collections.abc import Iterable

MODEL: Final = "wordllama l2_supercat_256"
BEGINNING: Final = 2_000  # characters of a text that its vector is made of; the mean of a long text says little
ALIKE: Final = 0.15  # cosine; a text about another thing mostly has less, one about the same 0.2 to 0.6
BALANCE: Final = 60  # of reciprocal rank fusion: how little the first places count more than the next


class Model:
    """The model, loaded."""

    def __init__(self) -> None:
        try:
            package = importlib.import_module("wordllama")
            inference = importlib.import_module("wordllama.inference")
            tensors = importlib.import_module("safetensors")
            self._numpy: Any = importlib.import_module("numpy")
        except ModuleNotFoundError as error:
            raise ConfigError(
                f"--semantic: the package {error.name} is not installed",
                do="in the repository run: pip install --group semantic",
            ) from None
        logging.getLogger("wordllama").setLevel(logging.WARNING)
        folder = Path(package.__file__ or "").parent
        tokenizer = package.WordLlama.load_tokenizer(folder / "tokenizers" / "l2_supercat_tokenizer_config.json")
        with tensors.safe_open(
            folder / "weights" / "l2_supercat_256.safetensors", framework="np", device="cpu"
        ) as file:
            weights = file.get_tensor("embedding.weight")
        self._inference: Any = inference.WordLlamaInference(weights, tokenizer)
        self._lock = threading.Lock()

    def packed(self, texts: list[str]) -> list[bytes]:
        """Return the vector of each text, as it is kept: half the bytes are enough."""
        return [one.tobytes() for one in self._vectors(texts).astype(self._numpy.float16)]

    def alike(self, question: str, parts: Iterable[tuple[list[int], bytes]]) -> list[tuple[int, float]]:
        """Return the numbers of the texts that are about what a question is about, and how much. ``parts`` are numbers
        with their vectors in one piece."""
        wanted = self._vectors([question.lower()])[0]
        pairs: list[tuple[int, float]] = []
        for numbers, data in parts:
            matrix = self._numpy.frombuffer(data, dtype=self._numpy.float16).reshape(len(numbers), -1)
            likeness = matrix.astype(self._numpy.float32) @ wanted
            pairs += [(numbers[place], float(likeness[place])) for place in self._numpy.nonzero(likeness >= ALIKE)[0]]
        return pairs

    def _vectors(self, texts: list[str]) -> Any:
        """Return a matrix of float32, one row of length 1 for each text; a text without a word has nothing but
        zeros."""
        with self._lock:
            made = self._inference.embed([text or " " for text in texts], norm=True)
        made[made != made] = 0  # noqa: PLR0124  (not a number: the length was 0)
        return made


def fused(*orders: Iterable[int]) -> list[int]:
    """Return one order out of several: by reciprocal rank fusion, what is near the top of all comes first."""
    scores: dict[int, float] = {}
    for order in orders:
        for place, number in enumerate(order):
            scores[number] = scores.get(number, 0.0) + 1 / (BALANCE + place)
    return sorted(scores, key=lambda number: (-scores[number], number))
