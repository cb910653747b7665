# SPDX-License-Identifier: MIT
"""Event Tracing for Windows on Linux, for Python: write, control and read events.

    import etw

    with etw.Provider("Company.Component") as provider, etw.start("demo") as session:
        session.enable(provider, level=etw.Level.INFORMATION)
        provider.write("Step", {"Number": 7, "Name": "seven"}, level=etw.Level.INFORMATION)
        session.flush()
        with etw.listen(session) as events:
            print(events.read(timeout=10).fields)

Provider            writes events                           etw.provider
start(), attach(), sessions()   control sessions            etw.controller
open(), listen()    iterate over events                     etw.consumer
int8 ... hresult    types of fields                         etw.fields
EtwError            what functions of the libraries raise

Without the kernel module providers work and do nothing; log files can be read on any machine
with libetw.so.0 and libtdh.so.0. All calls into the libraries release the GIL. Each module
says which of its objects threads may share.
"""

from ._native import EtwError, guid_from_name
from .consumer import Event, Trace, listen, load_manifest, open, unload_manifest
from .controller import (Attach, Clock, Filter, INFINITE, Mode, Session, SessionInfo, attach,
                         filter_event_id, filter_event_name, filter_executable, filter_pid,
                         filter_schematized, sessions, start)
from .fields import Field, FieldType, TYPES
from .provider import (Control, Level, Opcode, Provider, activity, current_activity,
                       new_activity)

globals().update(TYPES)

__all__ = [
    "Attach", "Clock", "Control", "Event", "EtwError", "Field", "FieldType", "Filter",
    "INFINITE", "Level", "Mode", "Opcode", "Provider", "Session", "SessionInfo", "Trace",
    "activity", "attach", "current_activity", "filter_event_id", "filter_event_name",
    "filter_executable", "filter_pid", "filter_schematized", "guid_from_name", "listen",
    "load_manifest", "new_activity", "open", "sessions", "start", "unload_manifest",
] + sorted(TYPES)
