"""Notes by what they mean, beside the words they have: an option, with a small model that comes with its weights.

``wordllama`` gives every token a vector, and a text the mean of its tokens: no network, no torch, 16 MB. A note has one
vector, of its title and the beginning of its text; they are made behind the answers and kept in the index.
"""

from __future__ import annotations

import importlib
import logging
import threading
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from penstock import ConfigError
from vault_server.notes import FRONT

if TYPE_CHECKING:
    from collections.abc import Iterable

    from vault_server.index import Hit
    from vault_server.vault import Vault

MODEL: Final = "wordllama l2_supercat_256"
BEGINNING: Final = 2_000  # characters of a note that its vector is made of; the mean of a long text says little
BATCH: Final = 256  # notes in one transaction
AT_ONCE: Final = 512  # new notes whose vectors a search makes before it answers
ALIKE: Final = 0.15  # cosine; a text about another thing mostly has less, one about the same 0.2 to 0.6
BALANCE: Final = 60  # of reciprocal rank fusion: how little the first places count more than the next


class Model:
    """The model, loaded."""

    def __init__(self) -> None:
        try:
            package = importlib.import_module("wordllama")
            inference = importlib.import_module("wordllama.inference")
            tensors = importlib.import_module("safetensors")
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

    def vectors(self, texts: list[str]) -> Any:
        """A matrix of float32, one row of length 1 for each text; a text without a word has nothing but zeros."""
        with self._lock:
            made = self._inference.embed([text or " " for text in texts], norm=True)
        made[made != made] = 0  # noqa: PLR0124  (not a number: the length was 0)
        return made


@dataclass(frozen=True, slots=True, kw_only=True)
class Alike:
    """Notes by likeness, the most alike first, and how many notes have no vector yet."""

    hits: tuple[tuple[int, float], ...]
    missing: int


class Meaning:
    """The vectors of a vault's notes."""

    def __init__(self, vault: Vault, model: Model) -> None:
        self._vault, self._model = vault, model
        self._numpy: Any = importlib.import_module("numpy")
        self._filling = threading.Lock()

    def start(self) -> None:
        """Begin to make vectors, once the vault has been read."""
        threading.Thread(target=self._fill_first, name="vault-meaning", daemon=True).start()

    def alike(self, question: str, among: set[int] | None) -> Alike:
        """The notes that are about what a question is about; ``among`` some files only, or all of them."""
        missing = self._vault.index.count_without_vector(MODEL)
        if 0 < missing <= AT_ONCE:
            self._fill(wait=True)
            missing = self._vault.index.count_without_vector(MODEL)
        wanted = self._model.vectors([question.lower()])[0]
        found: list[tuple[int, float]] = []
        for numbers, data in self._vault.index.vectors(MODEL):
            matrix = self._numpy.frombuffer(data, dtype=self._numpy.float16).reshape(len(numbers), -1)
            likeness = matrix.astype(self._numpy.float32) @ wanted
            found += [(numbers[place], float(likeness[place])) for place in self._numpy.nonzero(likeness >= ALIKE)[0]]
        found = [pair for pair in found if among is None or pair[0] in among]
        found.sort(key=lambda pair: (-pair[1], pair[0]))
        return Alike(hits=tuple(found), missing=missing)

    def _fill_first(self) -> None:
        try:
            self._vault.ready.result()
            self._fill(wait=True)
        except Exception as error:  # noqa: BLE001  (a thread: the log is the one place to tell it)
            logging.getLogger(__name__).warning("the vectors of notes could not be made: %s", error)

    def _fill(self, *, wait: bool) -> None:
        """Make the vectors that are missing."""
        index = self._vault.index
        if not self._filling.acquire(blocking=wait):
            return
        try:
            while rows := index.without_vector(MODEL, BATCH):
                texts = [f"{title}. {FRONT.sub('', text)[:BEGINNING]}" for _, title, text in rows]
                made = self._model.vectors(texts).astype(self._numpy.float16)
                index.put_vectors(MODEL, [(row[0], one.tobytes()) for row, one in zip(rows, made, strict=True)])
        finally:
            self._filling.release()


def fused(by_words: Iterable[Hit], by_meaning: Iterable[tuple[int, float]]) -> list[int]:
    """One order out of two: by reciprocal rank fusion, notes that are near the top of both come first."""
    scores: dict[int, float] = {}
    for place, hit in enumerate(by_words):
        scores[hit.id] = 1 / (BALANCE + place)
    for place, (number, _) in enumerate(by_meaning):
        scores[number] = scores.get(number, 0.0) + 1 / (BALANCE + place)
    return sorted(scores, key=lambda number: (-scores[number], number))
