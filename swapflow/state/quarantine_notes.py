"""Notes about cycles that stand still, as Redis holds them: JSON, one field a cycle."""

import json
from collections.abc import Mapping
from datetime import datetime

from swapflow.engine.ports.live_state import QuarantineNote
from swapflow.messages import plain, restored


def encoded_note(note: QuarantineNote) -> str:
    """Convert a note to its text."""
    return json.dumps({"event": note.event, "why": plain(note.why), "since": plain(note.since)})


def decoded_notes(fields: Mapping[bytes, bytes]) -> dict[str, QuarantineNote]:
    """Read the notes of a hash; one that cannot be read is left out, and written anew."""
    notes = {}
    for cycle_id, text in fields.items():
        try:
            read = json.loads(text)
            notes[cycle_id.decode()] = QuarantineNote(
                event=int(read["event"]),
                why=restored(read["why"]),
                since=datetime.fromisoformat(read["since"]),
            )
        except (ValueError, TypeError, KeyError, AttributeError):
            continue
    return notes
