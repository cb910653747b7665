# SPDX-License-Identifier: MIT
"""Sessions: start, query, flush and stop them, and enable providers in them.

Any thread may call any function at any time, except a provider's callback.
"""

import ctypes
import dataclasses
import enum
import os
import struct
import uuid
from ctypes import byref

from ._native import (EnableParameters, ERROR_MORE_DATA, FilterDescriptor, GUID,
                      Properties, check, encode_name, libetw, number, to_guid)

_TRACED_GUID = 0x20000
_MS_FLUSH_TIMER = 0x10
_NAME_ROOM = 4 * 1024 + 1
_QUERY, _STOP, _UPDATE, _FLUSH = 0, 1, 2, 3
_DISABLE, _ENABLE, _CAPTURE = 0, 1, 2
INFINITE = 0xFFFFFFFF


class Mode(enum.IntFlag):
    """EVENT_TRACE_*_MODE of <evntrace.h>, without the prefix."""

    SEQUENTIAL = 0x1
    CIRCULAR = 0x2
    APPEND = 0x4
    NEWFILE = 0x8
    PREALLOCATE = 0x20
    SECURE = 0x80
    REAL_TIME = 0x100
    DELAY_OPEN_FILE = 0x200
    BUFFERING = 0x400
    USE_KBYTES_FOR_SIZE = 0x2000
    SYSTEM_LOGGER = 0x2000000
    COMPRESSED = 0x4000000
    INDEPENDENT_SESSION = 0x8000000
    NO_PER_PROCESSOR_BUFFERING = 0x10000000


class Attach(enum.IntFlag):
    """What a session asks to be attached to each event: EVENT_ENABLE_PROPERTY_*."""

    SID = 0x1
    TS_ID = 0x2
    STACK_TRACE = 0x4
    PSM_KEY = 0x8
    IGNORE_KEYWORD_0 = 0x10
    PROVIDER_GROUP = 0x20
    PROCESS_START_KEY = 0x80
    EVENT_KEY = 0x100
    EXCLUDE_INPRIVATE = 0x200
    SOURCE_CONTAINER_TRACKING = 0x800
    USER_STACK = 0x10000000
    CONTEXT = 0x40000000


class Clock(enum.IntEnum):
    QPC = 1
    SYSTEM = 2
    CYCLES = 3


# ---------------------------------------------------------------------- filters

@dataclasses.dataclass(frozen=True)
class Filter:
    """A filter of any kind: EVENT_FILTER_TYPE_* and its data, see <evntprov.h>."""

    type: int
    data: bytes


def filter_pid(*pids):
    """Only registrations of these processes, which run now; at most eight."""
    return Filter(0x80000004, struct.pack("<%dI" % len(pids),
                                          *(number("a pid", pid) for pid in pids)))


def filter_executable(*names):
    """Only processes whose executable has one of these names."""
    return Filter(0x80000008, ";".join(names).encode("utf-16-le") + b"\0\0")


def filter_event_id(*ids, include=True):
    """Only events with these ids, or all others; at most 64."""
    return Filter(0x80000200, struct.pack("<BBH%dH" % len(ids), include, 0, len(ids),
                                          *(number("an id", id, 16) for id in ids)))


def filter_event_name(*names, include=True, level=0, any_keyword=0, all_keyword=0):
    """Only TraceLogging events with these names, or all others."""
    text = b"".join(encode_name(name, "an event's name") + b"\0" for name in names)
    return Filter(0x80000400, struct.pack(
        "<QQBBH", number("any_keyword", any_keyword, 64), number("all_keyword", all_keyword, 64),
        number("level", level, 8), include, len(names)) + text)


def filter_schematized(id, data, version=0):
    """Data for the provider's callback, which knows what it means."""
    return Filter(0x80000000, struct.pack("<HB5xQII", number("an id", id, 16), number(
        "version", version, 8), 0, 24 + len(data), 0) + data)


# --------------------------------------------------------------------- sessions

@dataclasses.dataclass(frozen=True)
class SessionInfo:
    """A session's settings and counters; see EVENT_TRACE_PROPERTIES of <evntrace.h>."""

    name: str
    guid: uuid.UUID
    file: str			# path of the log file, or ""
    mode: Mode
    clock: int
    buffer_kb: int
    minimum_buffers: int
    maximum_buffers: int
    maximum_file_size: int
    flush_timer: int		# ms if the mode has 0x10, else seconds
    number_of_buffers: int
    free_buffers: int
    buffers_written: int
    events_lost: int		# no buffer could take them
    log_buffers_lost: int	# could not be written to the file
    real_time_buffers_lost: int	# could not be delivered to a consumer


class _Block:
    """EVENT_TRACE_PROPERTIES with room for both names."""

    def __init__(self, path=b""):
        size = ctypes.sizeof(Properties)
        room = max(_NAME_ROOM, len(path) + 1)
        self.memory = ctypes.create_string_buffer(size + _NAME_ROOM + room)
        self.head = Properties.from_buffer(self.memory)
        self.head.wnode_size = len(self.memory)
        self.head.wnode_flags = _TRACED_GUID
        self.head.name_offset = size
        self.head.file_offset = size + _NAME_ROOM
        self.memory[size + _NAME_ROOM:size + _NAME_ROOM + len(path)] = path

    def text(self, offset):
        return self.memory.raw[offset:].split(b"\0", 1)[0].decode("utf-8", "surrogateescape")

    def info(self):
        head = self.head
        return SessionInfo(
            self.text(head.name_offset), uuid.UUID(bytes_le=bytes(head.guid.bytes)),
            self.text(head.file_offset) if head.file_offset else "", Mode(head.mode), head.clock,
            head.buffer_size, head.minimum_buffers, head.maximum_buffers, head.maximum_file_size,
            head.flush_timer, head.number_of_buffers, head.free_buffers, head.buffers_written,
            head.events_lost, head.log_buffers_lost, head.real_time_buffers_lost)


class Session:
    """A running session, from start() or attach().

    The end of a with block stops a session of start(), and leaves one of attach() alone.
    A session outlives the program unless it is stopped.
    """

    def __init__(self, name, handle, owned):
        self.name, self.handle, self._owned = name, handle, owned

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self._owned:
            self.stop()

    def __repr__(self):
        return "<etw.Session %s>" % self.name

    def enable(self, provider, level=0, keyword=0, all_keyword=0, *, filters=(), attach=0,
               timeout_ms=1000, source=None):
        """Enable a provider, or change how it is enabled.

        provider    a Provider, a UUID, a GUID as a string, or "*NAME" for the GUID of a
                    TraceLogging provider's name; it need not be registered yet
        level       up to this one; 0 is all
        keyword     one of these bits; 0 is all. all_keyword: and all of these
        filters     filter_pid(...) and so on, each kind once
        attach      Attach: SID, STACK_TRACE ...
        timeout_ms  how long to wait for the provider's callbacks: EtwError 1460 after that,
                    with the change in force; 0 does not wait
        """
        self._enable(provider, _ENABLE, level, keyword, all_keyword, filters, attach, timeout_ms,
                     source)

    def disable(self, provider, timeout_ms=1000):
        """Disable a provider."""
        self._enable(provider, _DISABLE, 0, 0, 0, (), 0, timeout_ms, None)

    def capture_state(self, provider, filters=(), timeout_ms=1000):
        """Ask a provider to write its state."""
        self._enable(provider, _CAPTURE, 0, 0, 0, filters, 0, timeout_ms, None)

    def _enable(self, provider, control, level, keyword, all_keyword, filters, attach, timeout_ms,
                source):
        filters = list(filters)
        array = (FilterDescriptor * max(1, len(filters)))()
        for to, one in zip(array, filters):
            to.ptr, to.size, to.type = one.data, len(one.data), one.type
        parameters = EnableParameters(2, number("attach", attach), 0, GUID.of(source or uuid.UUID(int=0)),
                                      array if filters else None, len(filters))
        guid = to_guid(provider)
        check("EnableTraceEx2", libetw.EnableTraceEx2(
            self.handle, byref(GUID.of(guid)), control, number("level", level, 8),
            number("keyword", keyword, 64), number("all_keyword", all_keyword, 64),
            number("timeout_ms", timeout_ms), byref(parameters)), str(guid))

    def query(self):
        """Its settings and counters: SessionInfo."""
        return self._control(_QUERY, _Block())

    def flush(self):
        """Deliver what was written before the call, to consumers and to the file."""
        return self._control(_FLUSH, _Block())

    def update(self, maximum_buffers=0, flush_ms=0):
        """Change these; 0 keeps the value."""
        block = _Block()
        block.head.maximum_buffers = number("maximum_buffers", maximum_buffers)
        block.head.flush_timer = number("flush_ms", flush_ms)
        block.head.mode = self.query().mode & Mode.REAL_TIME | (_MS_FLUSH_TIMER if flush_ms else 0)
        block.head.file_offset = 0
        return self._control(_UPDATE, block)

    def stop(self):
        """Stop it: its file is complete then, and consumers can read the rest."""
        self._owned = False
        return self._control(_STOP, _Block())

    def _control(self, code, block):
        check("ControlTrace", libetw.ControlTraceA(self.handle, None, block.memory, code),
              self.name)
        return block.info()


def start(name, file=None, *, mode=None, buffer_kb=0, minimum_buffers=0, maximum_buffers=0,
          maximum_file_mb=0, flush_ms=0, clock=0, guid=None):
    """Start a session: one for consumers without a file, else one that writes this file.

    mode is for others: etw.Mode.CIRCULAR, or both etw.Mode.SEQUENTIAL | etw.Mode.REAL_TIME.
    0 is the default of every number. An existing file is overwritten.
    """
    path = b"" if file is None else encode_name(os.path.abspath(os.fspath(file)), "a path")
    block = _Block(path)
    head = block.head
    if file is None:
        head.file_offset = 0
    head.guid = GUID.of(guid or uuid.UUID(int=0))
    head.clock, head.buffer_size = number("clock", clock), number("buffer_kb", buffer_kb)
    head.minimum_buffers = number("minimum_buffers", minimum_buffers)
    head.maximum_buffers = number("maximum_buffers", maximum_buffers)
    head.maximum_file_size = number("maximum_file_mb", maximum_file_mb)
    if mode is None:
        mode = Mode.REAL_TIME if file is None else Mode.SEQUENTIAL
    head.mode = number("mode", mode) | (_MS_FLUSH_TIMER if flush_ms else 0)
    head.flush_timer = number("flush_ms", flush_ms)
    handle = ctypes.c_uint64()
    check("StartTrace", libetw.StartTraceA(byref(handle), encode_name(name, "a session's name"),
                                           block.memory), name)
    return Session(name, handle.value, True)


def attach(name):
    """A session that runs already."""
    block = _Block()
    check("QueryTrace", libetw.ControlTraceA(0, encode_name(name, "a session's name"),
                                             block.memory, _QUERY), name)
    return Session(block.info().name, block.head.handle, False)


def sessions():
    """All running sessions that the caller may query: a list of SessionInfo."""
    blocks = [_Block() for _ in range(64)]
    array = (ctypes.c_void_p * len(blocks))(*[ctypes.addressof(b.memory) for b in blocks])
    count = ctypes.c_uint32()
    code = libetw.QueryAllTracesA(array, len(blocks), byref(count))
    if code != ERROR_MORE_DATA:
        check("QueryAllTraces", code)
    return [block.info() for block in blocks[:count.value]]
