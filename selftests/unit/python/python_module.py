# SPDX-License-Identifier: GPL-2.0-only
"""Tests of the module etw on the host; python_module.sh runs them in the top folder."""

import ctypes
import datetime
import gc
import glob
import os
import re
import subprocess
import tempfile
import threading
import uuid
import weakref

import etw
from etw import _native, fields, provider
from tap import equal, main, raises, same_events, test

BUILD = os.environ["ETW_BUILD"]
TRACES = sorted(glob.glob("selftests/libfuzzer/corpus/etl/*") + glob.glob(os.path.join(
    os.environ.get("ETW_CORPUS", "../shared/corpus"), "etl", "*.etl")))


def compiles(text):
    """Nothing if gcc takes the C text after our headers, else what it says."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "test.c")
        with open(path, "w", encoding="utf-8") as file:
            file.write("#include <assert.h>\n#include <stddef.h>\n#include <evntrace.h>\n"
                       "#include <TraceLoggingProvider.h>\n#include <etw/decode.h>\n" + text)
        return subprocess.run(["gcc", "-fsyntax-only", "-Iinclude", path], capture_output=True,
                              text=True).stderr


@test
def structures_have_the_layout_of_the_headers():
    types = {_native.GUID: "GUID", _native.EventDescriptor: "EVENT_DESCRIPTOR",
             _native.DataDescriptor: "EVENT_DATA_DESCRIPTOR",
             _native.FilterDescriptor: "EVENT_FILTER_DESCRIPTOR",
             _native.EnableParameters: "ENABLE_TRACE_PARAMETERS",
             _native.Properties: "EVENT_TRACE_PROPERTIES", _native.Decoded: "struct etw_decoded",
             _native.Text: "struct etw_text"}
    fields = {_native.EnableParameters: ("source", "SourceId", "filters", "EnableFilterDesc"),
              _native.Properties: ("guid", "Wnode.Guid", "mode", "LogFileMode", "events_lost",
                                   "EventsLost", "name_offset", "LoggerNameOffset"),
              _native.Decoded: ("provider", "provider", "decode_guid", "decode_guid", "symbol",
                                "symbol", "mode", "mode"),
              _native.EventDescriptor: ("level", "Level", "keyword", "Keyword")}
    text = "".join("static_assert(sizeof(%s) == %d, \"\");\n" % (name, ctypes.sizeof(kind))
                   for kind, name in types.items())
    for kind, names in fields.items():
        for ours, theirs in zip(names[::2], names[1::2]):
            text += "static_assert(offsetof(%s, %s) == %d, \"\");\n" % (
                types[kind], theirs, getattr(kind, ours).offset)
    text += "static_assert(sizeof(EVENT_RECORD) == %d, \"\");\n" % _native.RECORD.size
    text += "static_assert(sizeof(EVENT_TRACE_LOGFILEA) == %d, \"\");\n" % _native.LOGFILE_SIZE
    for name, at in (("LoggerName", _native.LOGFILE_LOGGER), ("ProcessTraceMode", _native.LOGFILE_MODE),
                     ("LogfileHeader", _native.LOGFILE_HEADER),
                     ("BufferCallback", _native.LOGFILE_BUFFER_CALLBACK),
                     ("EventCallback", _native.LOGFILE_EVENT_CALLBACK)):
        text += "static_assert(offsetof(EVENT_TRACE_LOGFILEA, %s) == %d, \"\");\n" % (name, at)
    equal(compiles(text), "")
    assert compiles("static_assert(sizeof(GUID) == 15, \"\");")


@test
def constants_are_those_of_the_headers():
    same = {"EVENT_TRACE_%s_MODE" % one.name: one for one in etw.Mode}
    for name in ("SEQUENTIAL", "CIRCULAR", "APPEND", "NEWFILE", "PREALLOCATE"):
        same["EVENT_TRACE_FILE_MODE_" + name] = same.pop("EVENT_TRACE_%s_MODE" % name)
    for name in ("USE_KBYTES_FOR_SIZE", "NO_PER_PROCESSOR_BUFFERING"):
        same["EVENT_TRACE_" + name] = same.pop("EVENT_TRACE_%s_MODE" % name)
    same.update({"EVENT_ENABLE_PROPERTY_" + one.name: one for one in etw.Attach})
    same.update({"EVENT_TRACE_TYPE_" + one.name: one for one in (
        etw.Opcode.INFO, etw.Opcode.START, etw.Opcode.STOP, etw.Opcode.RESUME,
        etw.Opcode.SUSPEND)})
    same.update({"TRACE_LEVEL_" + one.name: one for one in etw.Level if one})
    for kind, one in (("PID", etw.filter_pid(1)), ("EXECUTABLE_NAME", etw.filter_executable("a")),
                      ("EVENT_ID", etw.filter_event_id(1)),
                      ("EVENT_NAME", etw.filter_event_name("a")),
                      ("SCHEMATIZED", etw.filter_schematized(1, b""))):
        same["EVENT_FILTER_TYPE_" + kind] = one.type
    equal(compiles("".join("static_assert(%s == %#xu, \"\");\n" % pair for pair in same.items())), "")


@test
def error_codes_are_those_of_the_header():
    with open("include/etw/winerror.h", encoding="utf-8") as file:
        codes = {int(code): name for name, code in
                 re.findall(r"^#define (ERROR_\w+)\s+(\d+)\b", file.read(), re.M)}
    equal({code: codes.get(code) for code in _native._CODES},
          {code: entry[0] for code, entry in _native._CODES.items()})
    equal(codes[_native.ERROR_CANCELLED], "ERROR_CANCELLED")


@test
def types_have_the_numbers_of_the_macros():
    """A type as a macro of TraceLoggingProvider.h defines it."""
    names = {"float32": "Float32", "boolean": "Boolean", "bool32": "Bool", "guid": "Guid",
             "filetime": "FileTimeUtc", "systemtime": "SystemTimeUtc", "pid": "Pid", "tid": "Tid",
             "port": "Port", "ipv4": "IPv4Address", "win32error": "WinError",
             "ntstatus": "NTStatus", "hresult": "HResult", "pointer": "Pointer",
             "code_pointer": "CodePointer", "hexint64": "HexUInt64", "hexint8": "HexUInt8"}
    names.update({name: name.replace("uint", "UInt").replace("int", "Int", 1) if name[0] == "i"
                  else name.replace("uint", "UInt") for name in
                  ("int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64")})
    text = "#define IN(c, i, o) i\n#define OUT(c, i, o) o\n#define X(f, t) f(t)\n"
    for name, macro in names.items():
        kind = etw.TYPES[name]
        text += "#define GET_IN_%s(...) IN(__VA_ARGS__)\n" % name
        for part, number in (("IN", kind.in_type), ("OUT", kind.out_type)):
            text += "#define %s_%s(...) %s(__VA_ARGS__)\n" % (part, name, part)
            text += "static_assert(%s_%s(ETW_TL_T_%s) == %d, \"%s\");\n" % (part, name, macro,
                                                                           number, name)
    equal(compiles(text), "")


@test
def metadata_are_those_of_tracelogging():
    meta, data = fields.encode("Event", {"n": etw.uint32(7), "s": "ab", "a": etw.int8.array([1])})
    equal(meta, b"\x13\0\0Event\0" b"n\0\x08" b"s\0\x97\x23" b"a\0\x43")
    equal(data, b"\7\0\0\0" b"\2\0ab" b"\1\0\1")
    meta, data = fields.encode("E", {"o": {"x": True, "y": [{"z": 1.0}]}}, tags=0x1)
    equal(meta, (len(meta)).to_bytes(2, "little") + b"\x80\x80\x80\1" b"E\0" b"o\0\x98\2"
          b"x\0\x84\3" b"y\0\xd8\1" b"z\0\x0c")
    equal(data, b"\1" b"\1\0" + bytes(6) + b"\xf0\x3f")
    equal(fields.encode("E", {"f": etw.uint8(1, tags=1 << 27)})[0][4:], b"\0f\0\x84\x80\x40")
    equal(provider._traits("P", uuid.UUID(int=0)), b"\x17\0P\0\x13\0\1" + bytes(16))


@test
def guids_come_from_names():
    equal(str(etw.guid_from_name("Company.Component")), "24c4f725-d690-5da9-50da-f8a2557d333b")
    equal(etw.guid_from_name("COMPANY.component"), etw.guid_from_name("company.Component"))
    raises(ValueError, etw.guid_from_name, "")
    raises(ValueError, etw.guid_from_name, "a\0")
    raises(ValueError, etw.Provider, "", uuid.uuid4())
    raises(ValueError, etw.Provider, "a\0b", uuid.uuid4())


@test
def values_that_do_not_fit_are_refused():
    for kind, value in ((OverflowError, 1 << 64), (OverflowError, -1 << 64), (TypeError, None),
                        (TypeError, object()), (ValueError, {}), (TypeError, [1, "x"]),
                        (TypeError, [1, 2.5]), (TypeError, ["x", 1]), (TypeError, [{"a": 1}, 7]),
                        (TypeError, [{"a": 1}, "ab"]), (TypeError, [{"a": 1}, {"b": 1}]),
                        (OverflowError, etw.uint8(256)), (OverflowError, etw.int8(-129)),
                        (TypeError, etw.uint8("x")), (TypeError, etw.utf8(7)),
                        (OverflowError, etw.port(65536)), (OverflowError, etw.filetime(-1)),
                        (OverflowError, etw.float32(1e300)), (OverflowError, etw.pid(-1)),
                        (OverflowError, etw.hresult((-1 << 31) - 1)),
                        (OverflowError, etw.hresult(1 << 32)), (OverflowError, etw.ntstatus(-1 << 40)),
                        (TypeError, etw.hresult("x"))):
        raises(kind, fields.encode, "Bad", {"v": value})
    equal(str(raises(TypeError, fields.encode, "Bad", {"v": [1, "x"]})),
          "'x' is not a value of the type int64")
    equal(fields.encode("E", {"v": etw.hresult(-1)})[1], b"\xff" * 4)
    raises(OverflowError, etw.uint8, 1, tags=1 << 28)
    raises(OverflowError, fields.encode, "E", {}, tags=1 << 28)


@test
def numbers_that_do_not_fit_are_refused():
    with etw.Provider("Test-Python") as one:
        for write in (lambda **options: one.write("E", **options), one.enabled,
                      lambda **options: one.write_string("text", **options),
                      lambda **options: one.write_event(1, **options)):
            write(level=255, keyword=(1 << 64) - 1)
            for options in ({"level": 256}, {"level": -1}, {"keyword": 1 << 64}, {"keyword": -1}):
                raises(OverflowError, write, **options)
        for options in ({"opcode": 256}, {"channel": -1}, {"version": 256}, {"task": 1 << 16}):
            raises(OverflowError, one.write_event, 1, **options)
        raises(OverflowError, one.write_event, 1 << 16)
        raises(TypeError, one.write_event, "x")
    session = etw.Session("x", 0, False)
    for options in ({"level": 256}, {"keyword": -1}, {"all_keyword": 1 << 64}, {"attach": -1},
                    {"timeout_ms": 1 << 32}):
        raises(OverflowError, session.enable, uuid.uuid4(), **options)
    for options in ({"buffer_kb": -1}, {"flush_ms": 1 << 32}, {"mode": 1 << 32}):
        raises(OverflowError, etw.start, "x", **options)
    raises(OverflowError, etw.filter_event_id, 1 << 16)
    raises(OverflowError, etw.filter_pid, -1)
    raises(OverflowError, etw.open, TRACES[0], start=-1)


@test
def providers_work_without_the_kernel_module():
    with etw.Provider("Test-Python", group=uuid.uuid4(), on_control=lambda *_: None) as one:
        equal((one.enabled(), one.write("Event", {"bad": object()}), one.write_event(1, b"x"),
               one.write_string("text")), (False, 0, 0, 0))
    one.close()
    equal(one.write("Event"), 0)
    raises(TypeError, etw.Provider, 7)


@test
def controllers_say_that_the_module_is_missing():
    for function, arguments in ((etw.start, ("x",)), (etw.attach, ("x",)), (etw.sessions, ()),
                                (etw.listen, ("x",))):
        error = raises(etw.EtwError, function, *arguments)
        equal((error.winerror, error.name), (4208, "ERROR_WMI_SERVER_UNAVAILABLE"))
        assert "etw doctor" in str(error)


@test
def files_agree_with_the_command():
    assert len(TRACES) >= 4, TRACES
    seen = set()
    for path in TRACES:
        done = subprocess.run([BUILD + "/etw", "dump", "--json", "--processes", "--stack-events", path],
                              capture_output=True, text=True)
        equal(done.returncode, 0, path + done.stderr)
        got = [event.as_dict() for event in etw.open(path, header=True)]
        same_events(got, done.stdout.splitlines(), path)
        seen.update(*got)
    for key in ("level_name", "opcode_name", "task_name", "rest", "truncated", "related", "data"):
        assert key in seen, key


@test
def events_select_by_time_and_survive_the_trace():
    path = TRACES[0]
    trace = etw.open(path, header=True)
    header = next(trace)
    trace.close()
    trace.close()
    equal(header.name, "EventTrace/Header")
    assert header.as_dict()["fields"]["BufferSize"] == trace.headers[0]["buffer_size"]
    late = datetime.datetime(2100, 1, 1, tzinfo=datetime.timezone.utc)
    equal(list(etw.open(path, start=late, header=True)), [])
    error = raises(etw.EtwError, list, etw.open(path, start=late, end=header.time))
    equal(error.name, "ERROR_INVALID_TIME")
    raises(TypeError, etw.open)
    raises(TypeError, etw.open, 7)
    raises(ValueError, etw.open, "a\0b")


@test
def a_file_closed_by_another_thread_ends_its_reader():
    """close() while the reader is in a callback, about to decode."""
    trace = etw.open(TRACES[0], header=True)
    decoder, inside, closed, end = trace._source.decoder, threading.Event(), threading.Event(), []
    decode = decoder.decode

    def late(*arguments):
        inside.set()
        closed.wait(60)
        decode(*arguments)

    def read():
        try:
            end.append(len(list(trace)))
        except BaseException as error:
            end.append(error)

    decoder.decode = late
    reader = threading.Thread(target=read)
    reader.start()
    assert inside.wait(60)
    trace.close()
    closed.set()
    reader.join(60)
    assert len(end) == 1 and end[0] in (0, 1), end
    equal(trace.read(), None)
    gone = weakref.ref(decoder)
    del decoder, decode, late, reader, read
    gc.collect()
    equal(gone(), None, "the decoder")


if __name__ == "__main__":
    main()
