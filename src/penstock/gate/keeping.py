"""Put results into the store, and open them again for their owner.

The order is: commit, and only then name the handle. The call that gave a result is remembered, to be named when the
result is gone.
"""

from __future__ import annotations

import json
import threading
from collections import OrderedDict
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from penstock.core.act import receipts
from penstock.core.forms.converted import converted
from penstock.core.forms.document import read
from penstock.core.measure import measure
from penstock.errors import CallerError, PenstockError
from penstock.gate.admitting import Admitting, collector_waits
from penstock.gate.held import Layout
from penstock.gate.layouts import Layouts
from penstock.gate.records import HoldTerms, answered, hidden_record, record_of
from penstock.stores import Entry

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from penstock.config.model import Config
    from penstock.core import fit as core
    from penstock.core.answer.stand_in import StandIn
    from penstock.core.forms.converted import Convert
    from penstock.core.json.buffer import Bytes
    from penstock.gate.held import HeldReader
    from penstock.gate.owners import Owner
    from penstock.gate.records import Origin
    from penstock.stores import NewRecord, Store
    from penstock.unforeseen import Incidents

REMEMBERED: Final = 1_000  # calls whose handles were given out, to name the call to repeat when a result is gone
SHOWN_ARGUMENTS: Final = 400  # characters of the arguments of a call that is to be repeated


class Keeper:
    """Hold results in a store, and open those of an owner. Threads may share it."""

    def __init__(
        self,
        store: Store,
        config: Config,
        *,
        now: Callable[[], float],
        new_handle: Callable[[], str],
        convert: Convert,
        failed: Callable[[PenstockError], None],
        incidents: Incidents,
    ) -> None:
        """Take a store and settings. ``convert`` makes JSON of other languages; ``failed`` is called with the reason
        when the store did not keep a result."""
        self.store = store
        self.config = config
        self.admitting = Admitting()
        self.layouts = Layouts(convert)
        self._now = now
        self._new_handle = new_handle
        self._convert = convert
        self._failed = failed
        self._incidents = incidents
        self._lock = threading.Lock()
        self._calls: OrderedDict[tuple[str, str], str] = OrderedDict()  # what to do when the result is gone

    def keep(self, hold: core.Hold, origin: Origin, owner: Owner) -> StandIn:
        """Commit to the store, then name the handle. If the store fails, the answer says that the rest was not kept."""
        handle = self._new_handle()
        ttl = self.config.rule_for(origin.tool).ttl
        keeping = HoldTerms(store=self.store, owner=owner.name, share=owner.share, now=self._now(), ttl=ttl)
        hidden = [self._new_handle() for _ in hold.extras.hidden]
        named = zip(hold.extras.hidden, hidden, strict=True)
        records = [hidden_record(one, origin, keeping, handle=name) for one, name in named]
        has_text = bool(hold.document.raw) or not hidden
        if not has_text:  # the first of the blocks is what there is to open
            handle = hidden[0]
        stand_in = hold.stand_in(handle, ttl, hidden)
        if has_text:
            held = replace(origin, aside=hold.extras.aside)
            record = record_of(hold.document, hold.measure, held, keeping, handle=handle)
            records.append(answered(record, stand_in, hold.preview.shown, origin.note))
        if not self._commit(records):
            return hold.stand_in(None)
        if hold.document.raw and hold.document.is_indexed:
            self.layouts.remember(owner.name, handle, Layout(index=hold.document.index))
        self._note_call(owner.name, handle, origin, records[-1])
        return stand_in

    def _commit(self, records: Sequence[NewRecord]) -> bool:
        """Put records into the store. False if it failed, whatever the reason: then no handle may be named."""
        try:
            for record in records:
                self.store.put(record)
        except PenstockError as error:
            self._failed(error)
            return False
        except Exception as error:  # noqa: BLE001
            self._incidents.note(error, "putting a result into the store", "it was not kept, and its answer says so")
            return False
        return True

    def keep_document(self, raw: Bytes, origin: Origin, owner: Owner) -> Entry:
        """Hold a document that was made here, and tell of it."""
        with collector_waits(len(raw)), self.admitting.reading(len(raw)):
            document = converted(read(raw), self._convert)
            ttl = self.config.rule_for(origin.tool).ttl
            terms = HoldTerms(store=self.store, owner=owner.name, share=owner.share, now=self._now(), ttl=ttl)
            record = record_of(document, measure(document), origin, terms, handle=self._new_handle())
        self.store.put(record)
        if document.is_indexed:
            self.layouts.remember(owner.name, record.handle, Layout(index=document.index))
        self._note_call(owner.name, record.handle, origin, record)
        return Entry(handle=record.handle, meta=record.meta, stored=0)

    def open(self, caller: Owner, handle: str) -> HeldReader:
        """Open what the caller holds under a handle. Raises the same error for one that is gone, foreign or unknown."""
        owner = caller.name
        held = self.store.get(owner, handle)
        if held is None:
            raise self._gone(owner, handle)
        return self.layouts.open(held, owner, caller.share)

    def open_tables(self, caller: Owner, handle: str) -> HeldReader:
        """Open it with its tables: those of a long text in another language are made now."""
        return self.layouts.with_tables(self.open(caller, handle))

    def forget(self, owner: str, handle: str) -> None:
        """Let go of what is kept at hand of a result that is dropped."""
        self.layouts.forget(owner, handle)

    def touch(self, opened: HeldReader, call: receipts.ReadCall) -> None:
        """Note that a held result was read, by which call, and what of it."""
        expires = None
        if self.config.refresh_on_read:
            ttl = self.config.rule_for(opened.held.meta.tool).ttl
            expires = None if ttl is None else self._now() + ttl
        try:
            ranges = b"".join(opened.receipts)
            seen = receipts.noted_call(opened.held.entry.seen, call, ranges)
            self.store.touch(opened.owner or "", opened.held.entry.handle, expires=expires, seen=seen)
        except Exception:  # noqa: BLE001
            return  # a store that can only be read still gives answers

    def renew(self, owner: Owner, handle: str) -> bool:
        """Give a held result its whole lifetime again. Returns False if it is gone, or if the store fails."""
        try:
            held = self.store.get(owner.name, handle)
            if held is None:
                return False
            ttl = self.config.rule_for(held.meta.tool).ttl
            expires = None if ttl is None else self._now() + ttl
            self.store.touch(owner.name, handle, expires=expires)
        except PenstockError:
            return False
        return True

    def _gone(self, owner: str, handle: str) -> CallerError:
        """Raise the one error for an unknown, a foreign, an expired and an evicted handle: the caller cannot tell them
        apart. Only the owner's own calls are remembered, so naming the call to repeat reveals nothing."""
        with self._lock:
            do = self._calls.get((owner, handle))
        do = do or (
            "repeat the original call: the result expired, was evicted or dropped, or belongs to another user, token, "
            "server command or folder"
        )
        return CallerError(f"there is no held result {handle[:40]!r}", do=do)

    def _note_call(self, owner: str, handle: str, origin: Origin, record: NewRecord) -> None:
        """Remember what to do when the result is gone, in words: arguments may be as long as any result."""
        do = "it has expired or was removed; "
        if origin.filter is not None:
            do += f"filter {origin.source} again with {origin.filter[:300]}"
        elif origin.source is not None:
            do += f"edit {origin.source} again"
        else:
            written = record.meta.arguments[: 2 * SHOWN_ARGUMENTS].decode("utf-8", "ignore")
            if len(record.meta.arguments) <= 2 * SHOWN_ARGUMENTS:  # longer ones would take a while
                written = json.dumps(origin.arguments, ensure_ascii=False, default=str)
            do += f"repeat the call: {origin.tool} {written[:SHOWN_ARGUMENTS]}"
        with self._lock:
            self._calls[owner, handle] = do
            while len(self._calls) > REMEMBERED:
                self._calls.popitem(last=False)
