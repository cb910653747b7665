# SPDX-License-Identifier: MIT
"""Providers: register, and write events.

Any thread may call any method at any time, and several threads may write by one Provider.
"""

import atexit
import contextlib
import ctypes
import enum
import inspect
import uuid
from ctypes import byref

from . import fields as _fields
from ._native import (DataDescriptor, ERROR_ALREADY_EXISTS, EnableCallback, EtwError,
                      EventDescriptor, GUID, check, check_provider_name, guid_from_name, libetw,
                      number, to_guid)

CHANNEL_TRACELOGGING = 11
_EVENT_METADATA, _PROVIDER_METADATA = 1, 2
_SET_TRAITS = 2
_KEYWORDS = (1 << 64) - 1


class Level(enum.IntEnum):
    """Levels of events; lower is more severe, and ALWAYS passes every level filter."""

    ALWAYS = 0
    CRITICAL = 1
    ERROR = 2
    WARNING = 3
    INFORMATION = 4
    VERBOSE = 5


class Opcode(enum.IntEnum):
    """What an event is in the course of an operation."""

    INFO = 0
    START = 1
    STOP = 2
    DC_START = 3
    DC_STOP = 4
    EXTENSION = 5
    REPLY = 6
    RESUME = 7
    SUSPEND = 8
    SEND = 9


class Control(enum.IntEnum):
    """Why a provider's callback is called."""

    DISABLE = 0
    ENABLE = 1
    CAPTURE_STATE = 2


def _traits(name, group):
    data = name.encode("utf-8") + b"\0"
    if group is not None:
        data += (19).to_bytes(2, "little") + b"\1" + to_guid(group).bytes_le
    if len(data) + 2 > 65535:
        raise ValueError("the name of a provider is too long")
    return (len(data) + 2).to_bytes(2, "little") + data


class Provider:
    """A registration, which ends with close(), the end of a with block, or the process.

    name    of the provider, which each TraceLogging event carries
    guid    default: the one that tools derive from the name, see guid_from_name()
    group   the GUID of a provider group to join
    on_control  called as on_control(control, level, any_keyword, all_keyword) when a session
            enables or disables the provider or asks for its state (Control). It runs on a
            thread of libetw's, one call at a time, may write events and must not control
            sessions. Exceptions go to sys.unraisablehook. If a session has enabled the
            provider already, the first call comes before Provider() returns, when no name
            is bound to it: a callback that writes takes it by a keyword-only parameter:
            def on_control(control, level, any_keyword, all_keyword, *, provider)

    While no session has enabled the provider, or without the kernel module, writing does
    nothing. After fork() a child may go on writing.
    """

    def __init__(self, name, guid=None, group=None, on_control=None):
        check_provider_name(name)
        # Set before the first callback, which registering waits for, and which may write.
        self._handle = ctypes.c_uint64()
        self.guid = guid_from_name(name) if guid is None else to_guid(guid)
        self.name = name
        self._traits = _traits(name, group)
        self._callback = EnableCallback(_caller(self, on_control)) if on_control else None
        check("EventRegister", libetw.etw_tl_register(
            byref(GUID.of(self.guid)), self._traits, ctypes.cast(
                self._callback, ctypes.c_void_p) if on_control else None, None,
            byref(self._handle), byref(ctypes.c_void_p())), name)
        if self._callback:
            # libetw may call it until close(), whoever still has the object.
            _with_callback.add(self)
        # Registering goes on without traits that are refused.
        code = libetw.EventSetInformation(self._handle, _SET_TRAITS, self._traits,
                                          len(self._traits))
        if code and code != ERROR_ALREADY_EXISTS:
            self.close()
            raise EtwError("EventSetInformation", code, name)

    def close(self):
        """End the registration; waits for a callback that is running. Harmless if repeated.

        Not while another thread writes by this object.
        """
        handle, self._handle = self._handle, ctypes.c_uint64()
        _with_callback.discard(self)
        if handle:
            libetw.EventUnregister(handle)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def __del__(self):
        if getattr(self, "_handle", 0) and libetw is not None:
            self.close()

    def __repr__(self):
        return "<etw.Provider %s {%s}>" % (self.name, self.guid)

    def enabled(self, level=0, keyword=0):
        """Does a session accept events of this level and keyword? Costs no system call."""
        if not (0 <= level <= 255 and 0 <= keyword <= _KEYWORDS):
            number("level", level, 8)
            number("keyword", keyword, 64)
        return bool(libetw.EventProviderEnabled(self._handle, level, keyword))

    def write(self, event, fields=None, *, level=Level.VERBOSE, keyword=0, opcode=0, channel=11,
              tags=0, activity=None, related=None):
        """Write a TraceLogging event: it carries the names and types of its fields.

            provider.write("Request", {"Url": url, "Status": etw.uint16(200)}, level=4)

        etw.fields says how values get their types. Only the level and the keyword are looked
        at if no session wants the event, so what else is wrong (TypeError, ValueError,
        OverflowError) shows only if one does. activity and related are UUIDs; without an
        activity the event has the thread's.

        Returns 0, also if no session wants the event, or the Windows code with which the
        event was lost, for instance 8 when no buffer was free: the session counts the loss,
        so most programs ignore it.
        """
        if not self.enabled(level, keyword):
            return 0
        meta, data = _fields.encode(event, fields or {}, tags)
        descriptor = EventDescriptor.of(0, 0, channel, level, opcode, 0, keyword)
        pieces = (DataDescriptor * 3)()
        for piece, part, kind in zip(pieces, (self._traits, meta, data),
                                     (_PROVIDER_METADATA, _EVENT_METADATA, 0)):
            piece.ptr, piece.size, piece.type = part, len(part), kind
        return self._send(descriptor, activity, related, 3, pieces)

    def write_event(self, id, data=b"", *, version=0, channel=0, level=0, opcode=0, task=0,
                    keyword=0, activity=None, related=None):
        """Write an event of a manifest: data is its payload as the template lays it out."""
        descriptor = EventDescriptor.of(id, version, channel, level, opcode, task, keyword)
        data = bytes(data)
        piece = DataDescriptor(data, len(data), 0)
        return self._send(descriptor, activity, related, 1 if data else 0,
                          ctypes.pointer(piece) if data else None)

    def write_string(self, text, level=Level.VERBOSE, keyword=0):
        """Write a string as an event without a name."""
        data = text.encode("utf-16-le", "surrogatepass") + b"\0"
        return libetw.EventWriteString(self._handle, number("level", level, 8),
                                       number("keyword", keyword, 64), data)

    def _send(self, descriptor, activity, related, count, pieces):
        return libetw.EventWriteTransfer(
            self._handle, byref(descriptor),
            None if activity is None else byref(GUID.of(activity)),
            None if related is None else byref(GUID.of(related)), count, pieces)


def _takes_provider(function):
    try:
        parameter = inspect.signature(function).parameters.get("provider")
    except (TypeError, ValueError):		# a builtin function need not have a signature
        return False
    return parameter is not None and parameter.kind is parameter.KEYWORD_ONLY


def _caller(provider, on_control):
    options = {"provider": provider} if _takes_provider(on_control) else {}

    def call(_source, control, level, any_keyword, all_keyword, _filter, _context):
        on_control(Control(control), level, any_keyword, all_keyword, **options)
    return call


_with_callback = set()


@atexit.register
def _close_all():
    """libetw's thread must not call into an interpreter that ends."""
    for provider in list(_with_callback):
        provider.close()


# -------------------------------------------------------------------- activities

def new_activity():
    """A new activity id, unique on this machine until it reboots."""
    return _activity(3, uuid.UUID(int=0))


def current_activity():
    """The activity id of this thread; zero if it has none."""
    return _activity(1, uuid.UUID(int=0))


@contextlib.contextmanager
def activity(id=None):
    """Events that this thread writes within belong to this activity, by default a new one.

        with etw.activity() as id:
            provider.write("Start", opcode=etw.Opcode.START)

    The id belongs to the thread: tasks of asyncio share it, so pass activity= there.
    """
    id = new_activity() if id is None else id
    before = _activity(4, id)
    try:
        yield id
    finally:
        _activity(2, before)


def _activity(control, id):
    guid = GUID.of(id)
    check("EventActivityIdControl", libetw.EventActivityIdControl(control, byref(guid)))
    return uuid.UUID(bytes_le=bytes(guid.bytes))
