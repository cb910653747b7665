# SPDX-License-Identifier: MIT
"""Consumers: the events of log files and of running sessions.

    for event in etw.open("trace.etl"):
        print(event.time, event.name, event.fields)

A Trace belongs to one thread at a time; different ones may be used at once. close() may come
from any thread. Files are read in the thread that iterates, a buffer at a time; a session by a
thread of its own, which lets the kernel wait, and then drop what is counted as lost to this
consumer, while 65,536 events have not been taken.
"""

import atexit
import collections
import ctypes
import datetime
import json
import os
import struct
import threading
import uuid
import weakref
from ctypes import POINTER, byref, string_at

from ._native import (BufferCallback, Decoded, ERROR_CANCELLED, EtwError, EventCallback, ITEM,
                      LOGFILE_BUFFER_CALLBACK, LOGFILE_EVENT_CALLBACK, LOGFILE_HEADER,
                      LOGFILE_LOGGER, LOGFILE_MODE, LOGFILE_NAME, LOGFILE_SIZE, RECORD, Text,
                      check, encode_name, libetw, libtdh, number)

_REAL_TIME, _EVENT_RECORD = 0x100, 0x10000000
_INVALID = (1 << 64) - 1
_EPOCH = datetime.datetime(1601, 1, 1, tzinfo=datetime.timezone.utc)
_ZERO = bytes(16)
_HEADER_CLASS = uuid.UUID("68fdd900-4a3e-11d1-84f4-0000f80464e3").bytes_le
_LEVELS = ("always", "critical", "error", "warning", "info", "verbose")	# of etw dump --json
_SCHEMAS = {0: "manifest", 1: "classic", 3: "tracelogging", 100: "string"}
_RELATED, _STACK32, _STACK64 = 1, 5, 6
_BACKLOG = 65536


def _text(name):
    return None if name is None else name.decode("utf-8", "replace")


class Event:
    """An event; it owns its data, so it may be kept.

    provider        the GUID of its provider (uuid.UUID)
    provider_name   its name, or None
    name            of the event as "etw dump" prints it, or None
    id, version, channel, level, opcode, task, keyword      numbers of its descriptor
    task_name, opcode_name, level_name, channel_name    or None
    keyword_names   a list
    attributes      "name=value;...", or None
    tags            28 bits of a TraceLogging event
    pid, tid, cpu   who wrote it, and where
    timestamp       100 ns since 1601, UTC; time is the same as a datetime
    activity, related       uuid.UUID or None
    schema          "tracelogging", "manifest", "classic", "string", or None: not known
    fields          a dict of its values, as "etw dump --json" has them
    payload         its bytes; rest is those behind the fields
    message         its text in a manifest with the values in it, or None
    mode            "kernel" or "user", who wrote it; None: not known
    stack           list of addresses, the innermost first
    items           list of (type, bytes): the other extended items
    truncated       does the payload end before the fields do?
    """

    __slots__ = ("_provider", "_activity", "_json", "_fields", "provider_name", "name", "id",
                 "version", "channel", "level", "opcode", "task", "keyword", "task_name",
                 "opcode_name", "level_name", "channel_name", "keyword_names", "attributes",
                 "tags", "pid", "tid", "cpu", "timestamp", "schema", "payload", "rest",
                 "message", "mode", "items", "truncated")

    @property
    def provider(self):
        return uuid.UUID(bytes_le=self._provider)

    @property
    def activity(self):
        return None if self._activity == _ZERO else uuid.UUID(bytes_le=self._activity)

    @property
    def time(self):
        return _EPOCH + datetime.timedelta(microseconds=self.timestamp // 10)

    @property
    def fields(self):
        if self._fields is None:
            self._fields = json.loads(self._json) if self._json else {}
        return self._fields

    @property
    def related(self):
        for kind, data in self.items:
            if kind == _RELATED:
                return uuid.UUID(bytes_le=data)
        return None

    @property
    def stack(self):
        for kind, data in self.items:
            if kind in (_STACK32, _STACK64):
                size = 4 if kind == _STACK32 else 8
                count = (len(data) - 8) // size
                return list(struct.unpack_from("<%d%s" % (count, "I" if size == 4 else "Q"),
                                               data, 8))
        return []

    def as_dict(self):
        """It as a dict for json.dumps(), with the names and values of "etw dump --json".

        Without the raw timestamp, names of processes and threads, loss, and the extended
        items other than related and stack, which are in items.
        """
        second, rest = divmod(self.timestamp, 10000000)
        time = _EPOCH + datetime.timedelta(seconds=second)
        out = {
            "time": "%s.%07dZ" % (time.strftime("%Y-%m-%dT%H:%M:%S"), rest),
            "provider": str(self.provider), "provider_name": self.provider_name, "id": self.id,
            "version": self.version, "channel": self.channel, "level": self.level,
            "opcode": self.opcode, "task": self.task, "keyword": "0x%x" % self.keyword,
            "pid": self.pid, "tid": self.tid, "cpu": self.cpu, "schema": self.schema,
            "event": self.name,
        }
        out.update((key, value) for key, value in self._known() if value)
        if self.schema is None:
            out["data"] = self.payload.hex()
        else:
            out["fields"] = self.fields
        if self.message is not None:
            out["message"] = self.message
        return out

    def _known(self):
        """What as_dict() has only if there is something."""
        level = _LEVELS[self.level] if self.level < len(_LEVELS) else self.level_name
        return (
            ("mode", self.mode), ("activity", self.activity and str(self.activity)),
            ("related", self.related and str(self.related)), ("level_name", level),
            ("channel_name", self.channel_name), ("task_name", self.task and self.task_name),
            ("opcode_name", self.opcode_name), ("keyword_names", self.keyword_names),
            ("attributes", self.attributes), ("tags", self.tags and "0x%x" % self.tags),
            ("truncated", self.truncated), ("rest", self.rest.hex()),
            ("stack", ["0x%x" % address for address in self.stack]))

    def __repr__(self):
        return "<etw.Event %s %s %r>" % (self.provider_name or self.provider, self.name,
                                         self.fields)


def _event_name(decoded, opcode_number, task_number, classic):
    """As etw_decoded_name() of user/tdh/decode makes it."""
    opcode = _text(decoded.opcode)
    opcode = opcode[4:] if opcode and opcode.startswith("win:") else opcode
    event = _text(decoded.event)
    if event:
        if decoded.source != 3 or not opcode or not opcode_number or event.endswith(opcode):
            return event
        return event + "/" + opcode
    task = _text(decoded.task)
    if not task or not (task_number or classic):
        return _text(decoded.symbol)
    task = task[4:] if task.startswith("win:") else task
    return task + "/" + opcode if opcode and (opcode_number or classic) else task


class _Decoder:
    """etw_decoder of libtdh, for one thread at a time."""

    def __init__(self):
        self.handle = None
        self.tdh = libtdh()
        self.text = Text()
        self.size = ctypes.c_size_t()
        self.decoded = POINTER(Decoded)()
        self.handle = self.tdh.etw_decoder_new()
        if not self.handle:
            raise MemoryError("etw_decoder_new")

    def __del__(self):
        # Not in a close(): another thread may be decoding, and its frame has this object.
        if self.handle:
            self.tdh.etw_decoder_free(self.handle)
            self.tdh.etw_text_free(self.text)

    def take(self, function):
        """The text that a function of <etw/decode.h> appends, and what it returned."""
        text = self.text
        text.len = 0
        result = function(byref(text), self.handle)
        return (string_at(text.data, text.len) if text.len else b""), result

    def event(self, address):
        """The Event of an EVENT_RECORD, and whether it is the header of a trace."""
        event = Event()
        (_, kind, flags, _, event.tid, event.pid, event.timestamp, event._provider, event.id,
         event.version, event.channel, event.level, event.opcode, event.task, event.keyword, _,
         event._activity, cpu, _, item_count, size, items, data, _) = RECORD.unpack(
             string_at(address, RECORD.size))
        event.cpu = cpu if flags & 0x200 else cpu & 0xFF
        event.payload = string_at(data, size) if size else b""
        event.items = _items(items, item_count) if item_count else ()
        self.decode(event, address, flags)
        return event, event._provider == _HEADER_CLASS and flags & 0x100 and not event.opcode

    def decode(self, event, address, flags):
        result = self.tdh.etw_decode(self.handle, address, byref(self.decoded))
        event._json, event._fields, event.truncated, event.message = b"", None, False, None
        event.rest = b""
        if result == -12:
            raise MemoryError("etw_decode")
        decoded = self.decoded.contents
        event.schema = _SCHEMAS.get(decoded.source) if not result else None
        event.provider_name = _text(decoded.provider)
        event.task_name, event.opcode_name = _text(decoded.task), _text(decoded.opcode)
        event.level_name, event.mode = _text(decoded.level), _text(decoded.mode)
        event.channel_name, event.attributes = _text(decoded.channel), _text(decoded.attributes)
        event.keyword_names, event.tags = self.keywords() if event.keyword else [], decoded.tags
        event.name = _event_name(decoded, event.opcode, event.task, decoded.source == 1)
        if not result:
            event._json, result = self.take(self.tdh.etw_format_json)
            event.truncated = bool(result)
            rest = self.tdh.etw_decode_rest(self.handle, self.size)
            event.rest = string_at(rest, self.size.value) if self.size.value else b""
            if decoded.message:
                event.message = _text(self.take(self.tdh.etw_format_message)[0])


    def keywords(self):
        names = []
        while True:
            name = self.tdh.etw_decode_keyword(self.handle, len(names))
            if name is None:
                return names
            names.append(_text(name))


def _items(address, count):
    """The extended items but the metadata of TraceLogging and of the provider."""
    out = []
    for at in range(address, address + 16 * count, 16):
        _, kind, _, size, data = ITEM.unpack(string_at(at, 16))
        if kind not in (11, 12):
            out.append((kind, string_at(data, size)))
    return out


def _callback(kind, source, name):
    """A method as a callback that does not keep its source: the thread that reads has it."""
    source = weakref.ref(source)
    return kind(lambda argument: getattr(source(), name)(argument))


class _Source:
    """Opened traces and the callbacks on them; what both kinds of Trace have in common."""

    def __init__(self, names, live, with_header):
        self.decoder = _Decoder()
        self.events = collections.deque()
        self.error = None
        self.with_header = with_header
        self.on_event = _callback(EventCallback, self, "add")
        self.on_buffer = _callback(BufferCallback, self, "end_of_buffer")
        self.headers = []
        self.handles = (ctypes.c_uint64 * len(names))()
        self.opened = 0
        self.closed = False
        try:
            for name in names:
                self.open(name, live)
        except BaseException:
            self.close()
            raise

    def open(self, name, live):
        path = ctypes.create_string_buffer(encode_name(os.fspath(name), "a name"))
        block = ctypes.create_string_buffer(LOGFILE_SIZE)
        struct.pack_into("<Q", block, LOGFILE_LOGGER if live else LOGFILE_NAME,
                         ctypes.addressof(path))
        struct.pack_into("<I", block, LOGFILE_MODE, _EVENT_RECORD | (_REAL_TIME if live else 0))
        for at, callback in ((LOGFILE_BUFFER_CALLBACK, self.on_buffer),
                             (LOGFILE_EVENT_CALLBACK, self.on_event)):
            struct.pack_into("<Q", block, at, ctypes.cast(callback, ctypes.c_void_p).value)
        handle = libetw.OpenTraceA(block)
        if handle == _INVALID:
            raise EtwError("OpenTrace", libetw.GetLastError(), os.fspath(name))
        self.handles[self.opened] = handle
        self.opened += 1
        self.headers.append(_header(block))

    def add(self, address):
        try:
            event, is_header = self.decoder.event(address)
            if not is_header or self.with_header:
                self.put(event)
        except BaseException as error:		# it must not reach C
            self.error = error

    def close(self):
        """A ProcessTrace() that runs in another thread ends soon."""
        self.closed = True
        for handle in self.handles[:self.opened]:
            libetw.CloseTrace(handle)

    def stop(self, wait):
        self.close()


def _header(block):
    """What TRACE_LOGFILE_HEADER says of a trace."""
    (size, _, build, cpus, end, _, _, mode, buffers, _, pointer, lost, _) = struct.unpack_from(
        "<IIIIqIIIIIIII", block, LOGFILE_HEADER)
    boot, frequency, start, clock, buffers_lost = struct.unpack_from("<qqqII", block,
                                                                    LOGFILE_HEADER + 248)
    return {"buffer_size": size, "cpus": cpus, "start_time": start, "end_time": end, "mode": mode,
            "buffers": buffers, "pointer_size": pointer, "events_lost": lost,
            "buffers_lost": buffers_lost, "boot_time": boot, "frequency": frequency,
            "clock": clock, "build": build}


class _FileSource(_Source):
    """Reads in the caller's thread; ProcessTrace() returns after each buffer with events."""

    put = property(lambda self: self.events.append)

    def end_of_buffer(self, _):
        return 0 if self.events or self.error or self.closed else 1

    def fill(self, start, end):
        """Read until there are events; False at the end of the files, and if they are closed."""
        code = libetw.ProcessTrace(self.handles, self.opened, start, end)
        if self.closed:
            return False
        if self.error:
            error, self.error = self.error, None
            raise error
        if code and code != ERROR_CANCELLED:
            raise EtwError("ProcessTrace", code)
        return code == ERROR_CANCELLED


class _LiveSource(_Source):
    """Reads in a thread of its own."""

    def __init__(self, name, with_header):
        self.change = threading.Condition()
        self.waiting = self.full = self.ended = False
        super().__init__([name], True, with_header)
        self.thread = threading.Thread(target=self.run, name="etw.listen", daemon=True)
        _running.add(self)
        try:
            self.thread.start()
        except BaseException:
            _running.discard(self)
            self.close()
            raise

    def put(self, event):
        self.events.append(event)
        if self.waiting:
            with self.change:
                self.change.notify_all()
        if len(self.events) >= _BACKLOG:
            with self.change:
                self.full = True
                while len(self.events) > _BACKLOG // 2 and not self.closed:
                    self.change.wait()
                self.full = False

    def end_of_buffer(self, _):
        return 0 if self.error or self.closed else 1

    def run(self):
        code = libetw.ProcessTrace(self.handles, 1, None, None)
        with self.change:
            if code and code != ERROR_CANCELLED and not self.error and not self.closed:
                self.error = EtwError("ProcessTrace", code)
            self.ended = True
            self.change.notify_all()
        _running.discard(self)

    def take(self, timeout):
        """The next event; None at the end of the session; TimeoutError."""
        while True:
            try:
                event = self.events.popleft()
            except IndexError:
                if not self.wait(timeout):
                    return None
                continue
            if self.full and len(self.events) <= _BACKLOG // 2:
                with self.change:
                    self.change.notify_all()
            return event

    def wait(self, timeout):
        with self.change:
            self.waiting = True
            try:
                if not self.change.wait_for(lambda: self.events or self.ended, timeout):
                    raise TimeoutError("no event within %g s" % timeout)
            finally:
                self.waiting = False
            if self.events:
                return True
            if self.error:
                error, self.error = self.error, None
                raise error
            return False

    def stop(self, wait):
        self.close()
        with self.change:
            self.change.notify_all()
        if wait and threading.current_thread() is not self.thread:
            self.thread.join()


_running = set()		# live sources whose thread has not ended


@atexit.register
def _stop_all():
    """A thread of ours must not call into an interpreter that ends."""
    for source in list(_running):
        source.stop(True)


class Trace:
    """An iterator over events, from open() or listen(); close() or a with block ends it.

    headers     for each file, or the session, a dict of its TRACE_LOGFILE_HEADER
    """

    def __init__(self, source, start=None, end=None):
        self._source, self._start, self._end = source, start, end
        self._more = True
        self.headers = source.headers

    def __iter__(self):
        return self

    def __next__(self):
        event = self.read()
        if event is None:
            raise StopIteration
        return event

    def read(self, timeout=None):
        """The next event, or None at the end.

        TimeoutError: a session had none for so many seconds; reading may go on.
        """
        source = self._source
        if source is None:
            return None
        if isinstance(source, _LiveSource):
            return source.take(timeout)
        while not source.events:
            if not self._more:
                return None
            self._more = source.fill(self._start, self._end)
        return source.events.popleft()

    def close(self):
        """End reading; events that were not taken are dropped."""
        source, self._source = self._source, None
        if source is not None:
            source.stop(True)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def __del__(self):
        # This may run in any thread, also in the one that reads, within a callback.
        if getattr(self, "_source", None) is not None and libetw is not None:
            self._source.stop(False)


def _filetime(time):
    if time is None:
        return None
    if isinstance(time, datetime.datetime):
        time = (time.astimezone() - _EPOCH) // datetime.timedelta(microseconds=1) * 10
    return byref(ctypes.c_uint64(number("a time", time, 64)))


def open(*files, start=None, end=None, header=False):
    """The events of log files in the order of time; several files are merged.

    start, end  only events between these: a datetime, or 100 ns since 1601
    header      also the first event of each file, EventTrace/Header, which describes it

    Losses are events "Lost" of the provider "Etw-Ledger" in the place where they happened.
    """
    if not files:
        raise TypeError("open() needs a file")
    start, end = _filetime(start), _filetime(end)
    return Trace(_FileSource(list(files), False, header), start, end)


def listen(session, header=False):
    """The events of a running session as they come, until it is stopped or this is closed.

    session is a Session or a name. The first consumer of a session also gets what waits in
    it. Losses are events, see open().
    """
    return Trace(_LiveSource(getattr(session, "name", session), header))


def load_manifest(path):
    """Decode by this manifest, too, in the whole process; installed ones need no call."""
    check("TdhLoadManifest", libtdh().TdhLoadManifestA(encode_name(os.fspath(path), "a path")),
          os.fspath(path))


def unload_manifest(path):
    """Undo load_manifest()."""
    check("TdhUnloadManifest", libtdh().TdhUnloadManifestA(
        encode_name(os.fspath(path), "a path")), os.fspath(path))
