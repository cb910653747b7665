# SPDX-License-Identifier: GPL-2.0-only
"""The module etw with the kernel module: selftests/vm/lib/lib_python.c runs it as root.

Every test stops its sessions, so that the module can be removed at the end.
"""

import contextlib
import datetime
import gc
import ipaddress
import os
import subprocess
import sys
import tempfile
import threading
import time
import uuid
import weakref

import etw
from tap import equal, main, raises, same_events, test

BUILD = os.environ["ETW_BUILD"]
DIR = tempfile.mkdtemp(prefix="etw-python", dir="/run")
NOBODY = 65534


def path(name):
    return os.path.join(DIR, name)


@contextlib.contextmanager
def traced(name="Test-Python", session="python", **options):
    """A provider, enabled in a session whose file is read at the end: (provider, events)."""
    file = path("traced.etl")
    events = []
    with etw.Provider(name) as provider:
        with etw.start(session, file) as running:
            running.enable(provider, **options)
            yield provider, events
            info = running.query()
    equal(info.events_lost, 0, "events lost")
    events.extend(etw.open(file))


def run(code, *arguments, **options):
    """Another Python runs the code; its stdout."""
    done = subprocess.run([sys.executable, "-c", code, *arguments], capture_output=True, text=True,
                          timeout=200, **options)
    equal((done.returncode, done.stderr), (0, ""))
    return done.stdout


@test
def values_without_types():
    when = datetime.datetime(2026, 1, 31, 12, 34, 56, 789012, datetime.timezone.utc)
    some = uuid.UUID("01234567-89ab-cdef-0011-223344556677")
    with traced() as (provider, events):
        equal(provider.write("Values", {
            "yes": True, "no": False, "small": -1, "large": (1 << 64) - 1, "ratio": 0.25,
            "text": "gr\u00fc\u00df \U0001F600", "empty": "", "nul": "a\0b", "bytes": b"\0\xff",
            "guid": some, "time": when, "four": ipaddress.IPv4Address("127.0.0.1"),
            "six": ipaddress.IPv6Address("::1"), "numbers": [1, -2], "texts": ["a", "", "\u00e9"],
            "none": [], "large_numbers": [1 << 63, 1],
            "nested": {"a": 1, "inner": {"b": "two"}},
            "structs": [{"x": 1, "y": ["p", "q"]}, {"x": 2, "y": ["r"]}]}), 0)
    equal(len(events), 1)
    equal(events[0].fields, {
        "yes": True, "no": False, "small": -1, "large": (1 << 64) - 1, "ratio": 0.25,
        "text": "gr\u00fc\u00df \U0001F600", "empty": "", "nul": "a\0b", "bytes": "00ff",
        "guid": str(some), "time": "2026-01-31T12:34:56.7890120Z", "four": "127.0.0.1",
        "six": "::1", "numbers": [1, -2], "texts": ["a", "", "\u00e9"], "none": [],
        "large_numbers": [1 << 63, 1], "nested": {"a": 1, "inner": {"b": "two"}},
        "structs": [{"x": 1, "y": ["p", "q"]}, {"x": 2, "y": ["r"]}]})
    equal((events[0].name, events[0].schema, events[0].mode, events[0].truncated),
          ("Values", "tracelogging", "user", False))


@test
def values_with_types():
    values = {
        "int8": (-128, -128), "uint8": (255, 255), "int16": (-32768, -32768),
        "uint16": (65535, 65535), "int32": (-1 << 31, -1 << 31), "uint32": (0xffffffff,) * 2,
        "int64": (-1 << 63, -1 << 63), "uint64": ((1 << 64) - 1,) * 2, "float32": (1.5, 1.5),
        "float64": (-1e300, -1e300), "hexint8": (254, "0xFE"), "hexint16": (4660, "0x1234"),
        "hexint32": (0xdeadbeef, "0xDEADBEEF"), "hexint64": (1, "0x1"), "pointer": (16, "0x10"),
        "code_pointer": (16, "0x10"), "boolean": (True, True), "bool32": (True, True),
        "utf8": ("\u00e9", "\u00e9"), "utf16": ("\U0001F600", "\U0001F600"),
        "json": ('{"a":1}', '{"a":1}'), "xml": ("<a/>", "<a/>"), "binary": (b"", ""),
        "guid": (uuid.UUID(int=1), "00000000-0000-0000-0000-000000000001"),
        "filetime": (0, "1601-01-01T00:00:00.0000000Z"),
        "systemtime": (datetime.datetime(2000, 2, 29, 1, 2, 3, 4000, datetime.timezone.utc),
                       "2000-02-29T01:02:03.004Z"),
        "pid": (1, 1), "tid": (2, 2), "port": (443, 443), "ipv4": ("10.0.0.1", "10.0.0.1"),
        "ipv6": ("fe80::1", "fe80::1"), "win32error": (5, 5), "ntstatus": (-1073741790,
                                                                          "0xC0000022"),
        "hresult": (-2147024891, "0x80070005"),
    }
    equal(sorted(values), sorted(etw.TYPES))
    with traced() as (provider, events):
        provider.write("Types", {name: etw.TYPES[name](value)
                                 for name, (value, _) in values.items()})
        provider.write("Arrays", {name: etw.TYPES[name].array([value, value])
                                  for name, (value, _) in values.items()})
    got, arrays = (event.fields for event in events)
    wrong = {name: (got.get(name), want) for name, (_, want) in values.items()
             if str(got.get(name)).lower() != str(want).lower()}
    equal(wrong, {})
    wrong = {name: arrays.get(name) for name in values if arrays.get(name) != [got[name]] * 2}
    equal(wrong, {})


@test
def bad_values_are_refused_and_nothing_is_written():
    with traced() as (provider, events):
        for kind, value in ((OverflowError, 1 << 64), (TypeError, None), (ValueError, {}),
                            (TypeError, [1, "x"]), (OverflowError, etw.hresult(-1 << 32))):
            raises(kind, provider.write, "Bad", {"v": value})
        for options in ({"opcode": 256}, {"channel": -1}, {"tags": 1 << 28}):
            raises(OverflowError, provider.write, "Bad", **options)
        raises(ValueError, provider.write, "Bad", {"v": "x" * 65536})
        raises(ValueError, provider.write, "B\0d")
        raises(TypeError, provider.write, "Bad", {7: 7})
        provider.write("Good")
    equal([event.name for event in events], ["Good"])


@test
def descriptors_and_activities():
    id, other = etw.new_activity(), etw.new_activity()
    assert id != other
    with traced() as (provider, events):
        provider.write("Request", {"n": 1}, level=etw.Level.WARNING, keyword=0x8000000000000001,
                       opcode=etw.Opcode.START, channel=12, activity=id, related=other)
        with etw.activity() as own:
            provider.write("Inside")
            equal(etw.current_activity(), own)
        provider.write("Outside")
    first, inside, outside = events
    equal((first.level, first.keyword, first.opcode, first.channel, first.id),
          (3, 0x8000000000000001, 1, 12, 0))
    equal((first.activity, first.related, first.name), (id, other, "Request/Start"))
    equal((inside.activity, inside.related, outside.activity), (own, None, None))
    equal((first.provider_name, first.provider), ("Test-Python", etw.guid_from_name("test-python")))
    equal((first.pid, first.tid), (os.getpid(), threading.get_native_id()))
    assert abs(first.time.timestamp() - time.time()) < 300, first.time


@test
def levels_and_keywords_filter():
    with traced(level=3, keyword=0x6, all_keyword=0x2) as (provider, events):
        assert provider.enabled(3, 2) and not provider.enabled(4, 2)
        assert not provider.enabled(3, 1)
        for level in range(6):
            for keyword in (0, 1, 2, 4, 6):
                provider.write("%d/%d" % (level, keyword), level=level, keyword=keyword)
    equal([event.name for event in events],
          ["%d/%d" % (level, keyword) for level in range(4) for keyword in (0, 2, 6)])


@test
def names_ids_and_processes_filter():
    with traced(filters=[etw.filter_event_name("b", "c")]) as (provider, events):
        for name in "abcd":
            provider.write(name)
    equal([event.name for event in events], ["b", "c"])
    with traced(filters=[etw.filter_event_id(2, 3, include=False)]) as (provider, events):
        for id in range(1, 5):
            provider.write_event(id, b"")
    equal([event.id for event in events], [1, 4])
    with traced(filters=[etw.filter_pid(1)]) as (provider, events):
        provider.write("from another process")
    equal(events, [])
    with traced(filters=[etw.filter_executable(os.path.basename(os.path.realpath(
            sys.executable)))]) as (provider, events):
        provider.write("by its executable")
    equal(len(events), 1)


@test
def threads_lose_nothing_and_keep_their_order():
    count, threads = 500, 4

    def work(index):
        for number in range(count):
            equal(provider.write("Work", {"thread": index, "number": number}), 0)

    # Enough buffers for all of it, should nobody read meanwhile
    with etw.Provider("Test-Python") as provider, \
            etw.start("python", buffer_kb=64, minimum_buffers=16) as session:
        session.enable(provider)
        with etw.listen(session) as trace:
            workers = [threading.Thread(target=work, args=(i,)) for i in range(threads)]
            for worker in workers:
                worker.start()
            for worker in workers:
                worker.join()
            info = session.stop()
            events = list(trace)
    equal((info.events_lost, info.real_time_buffers_lost), (0, 0))
    equal(len(events), count * threads)
    for index in range(threads):
        equal([e.fields["number"] for e in events if e.fields["thread"] == index],
              list(range(count)), "thread %d" % index)
    times = [event.timestamp for event in events]
    equal(times, sorted(times))


@test
def files_agree_with_the_command():
    file = path("many.etl")
    with etw.Provider("Test-Python") as provider, etw.start("python", file) as session:
        session.enable(provider, attach=etw.Attach.SID | etw.Attach.STACK_TRACE)
        for number in range(300):
            provider.write("Step", {"n": number, "text": "x" * number}, level=number % 6,
                           keyword=number)
        equal(os.path.samefile(session.query().file, file), True)
    done = subprocess.run([BUILD + "/etw", "dump", "--json", file], capture_output=True, text=True)
    equal((done.returncode, done.stderr), (0, ""))
    got = [event.as_dict() for event in etw.open(file, header=True)]
    equal(len(got), 301)
    same_events(got, done.stdout.splitlines())
    equal([one["fields"]["n"] for one in got[1:]], list(range(300)))
    event = next(etw.open(file))
    equal([kind for kind, _ in event.items], [2, 6])
    assert event.stack, "no stack"


@test
def several_files_merge_and_times_select():
    files = [path("one.etl"), path("two.etl")]
    with etw.Provider("Test-Python") as provider, etw.start("one", files[0]) as one, \
            etw.start("two", files[1]) as two:
        one.enable(provider, level=1)
        two.enable(provider, level=2, filters=[etw.filter_event_name("two")])
        for number in range(20):
            provider.write("two" if number % 2 else "one", {"n": number}, level=1 + number % 2)
            # Each session relates its clock to the time of day by itself.
            time.sleep(0.01)
    events = list(etw.open(*files))
    equal([event.fields["n"] for event in events], list(range(20)))
    equal([event.fields["n"] for event in etw.open(*files, start=events[5].timestamp,
                                                   end=events[9].timestamp)], list(range(5, 10)))
    with etw.open(*files) as trace:
        equal(len(trace.headers), 2)
        equal((next(trace).name, next(trace).name), ("one", "two"))
    equal(list(trace), [])
    equal(raises(etw.EtwError, etw.open, path("none.etl")).winerror, 2)
    equal(raises(etw.EtwError, etw.open, files[0], DIR).winerror, 161)
    with open(path("text"), "w", encoding="utf-8") as file:
        file.write("no trace" * 1000)
    equal(raises(etw.EtwError, etw.open, path("text")).winerror, 1392)


@test
def live_events_come_while_the_session_runs():
    with etw.Provider("Test-Python") as provider, etw.start("python", flush_ms=100) as session:
        session.enable(provider)
        with etw.listen("PYTHON") as trace:
            raises(TimeoutError, trace.read, timeout=0.2)
            for number in range(3):
                provider.write("Step", {"n": number})
                equal(trace.read(timeout=60).fields, {"n": number})
            threading.Timer(0.5, session.stop).start()
            equal(list(trace), [])
            equal(trace.read(timeout=1), None)


@test
def closing_ends_a_reader_in_another_thread():
    seen = []

    def read():
        for event in trace:
            seen.append(event.name)

    with etw.Provider("Test-Python") as provider, etw.start("python", flush_ms=100) as session:
        session.enable(provider)
        trace = etw.listen(session)
        reader = threading.Thread(target=read)
        reader.start()
        provider.write("Step")
        while not seen:
            time.sleep(0.05)
        trace.close()
        reader.join(60)
        equal((reader.is_alive(), seen), (False, ["Step"]))


@test
def a_collected_trace_ends_its_reader():
    """The garbage collector runs in the reader's thread, which then decodes an event."""
    inside, dropped = threading.Event(), threading.Event()
    with etw.Provider("Test-Python") as provider, etw.start("python", flush_ms=100) as session:
        session.enable(provider)
        trace = etw.listen(session)
        trace.cycle = trace
        decoder, thread = trace._source.decoder, trace._source.thread
        decode = decoder.decode

        def late(*arguments):
            inside.set()
            dropped.wait(60)
            gc.collect()
            decode(*arguments)

        decoder.decode = late
        provider.write("Step")
        assert inside.wait(60)
        gone = weakref.ref(trace)
        gc.disable()
        del trace
        dropped.set()
        thread.join(60)
        gc.enable()
        equal((thread.is_alive(), gone()), (False, None))


@test
def sessions_are_found_queried_and_changed():
    id = uuid.uuid4()
    with etw.start("pythön", buffer_kb=16, maximum_buffers=50, flush_ms=500, guid=id,
                   clock=etw.Clock.SYSTEM) as session:
        info = session.query()
        equal((info.name, info.guid, info.buffer_kb, info.maximum_buffers, info.clock, info.file),
              ("pythön", id, 16, 50, 2, ""))
        assert info.mode & etw.Mode.REAL_TIME
        equal([one.name for one in etw.sessions()], ["pythön"])
        session.update(maximum_buffers=60)
        with etw.attach("PYTHÖN".replace("Ö", "ö")) as same:
            equal((same.handle, same.name), (session.handle, "pythön"))
            equal(same.query().maximum_buffers, 60)
        equal(session.flush().events_lost, 0)
    equal(etw.sessions(), [])


@test
def errors_name_the_function_and_the_code():
    error = raises(etw.EtwError, etw.attach, "no such session")
    equal((error.winerror, error.name, error.function),
          (4201, "ERROR_WMI_INSTANCE_NOT_FOUND", "QueryTrace"))
    assert isinstance(error, OSError) and "no such session" in str(error), error
    error = raises(etw.EtwError, etw.listen, "no such session")
    equal((error.winerror, error.function), (4201, "OpenTrace"))
    with etw.start("python") as session:
        equal(raises(etw.EtwError, etw.start, "Python").winerror, 183)
        equal(raises(ValueError, session.enable, "not a GUID").args[0][:12], "'not a GUID'")
        raises(TypeError, session.enable, 7)
        equal(raises(etw.EtwError, session.enable, uuid.uuid4(), attach=0x80000000).winerror, 87)
    error = raises(etw.EtwError, session.stop)
    equal((error.winerror, error.filename), (4201, "python"))
    equal(raises(etw.EtwError, etw.start, "").winerror, 87)
    equal(raises(etw.EtwError, etw.start, "x" * 1025).winerror, 87)
    raises(ValueError, etw.start, "a\0b")
    raises(TypeError, etw.start, 7)
    equal(raises(etw.EtwError, etw.start, "python", path("none/x.etl")).function, "StartTrace")
    raises(ValueError, etw.Provider, "")
    raises(ValueError, etw.Provider, "Name", "not a GUID")
    equal(etw.sessions(), [])


@test
def nobody_may_write_and_not_control():
    code = """if True:
        import etw, os, sys
        from etw._native import libtdh
        libtdh()        # nobody need not be able to read the library's folder
        os.setgroups([]); os.setgid(65534); os.setuid(65534)
        def code(function, *arguments):
            try:
                function(*arguments)
            except etw.EtwError as error:
                return error.winerror
        guid = etw.guid_from_name("Test-Nobody")
        print(code(etw.start, "nobody"), code(etw.attach, "python"), code(etw.listen, "python"),
              code(etw.sessions))
        with etw.Provider("Test-Nobody") as provider:
            print(provider.write("Step", {"n": 1}))
    """
    with etw.start("python", path("nobody.etl")) as session:
        session.enable("*Test-Nobody")
        equal(run(code), "5 5 5 5\n0\n")
    equal([event.fields for event in etw.open(path("nobody.etl"))], [{"n": 1}])


@test
def lost_events_return_a_code_and_are_counted():
    with etw.Provider("Test-Python") as provider, etw.start("python", buffer_kb=4) as session:
        session.enable(provider)
        equal(provider.write("Large", {"text": "x" * 5000}), 234)
        equal(provider.write("Larger", {"a": "x" * 40000, "b": "x" * 40000}), 534)
        equal(session.query().events_lost, 2)


@test
def callbacks_learn_of_sessions():
    seen = []

    def on_control(*what):
        seen.append(what)
        if what[0] == etw.Control.CAPTURE_STATE:
            provider.write("State", {"n": 7}, level=1)

    with etw.Provider("Test-Python", on_control=on_control) as provider:
        with etw.start("python", path("state.etl")) as session:
            session.enable(provider, level=4, keyword=0xff, all_keyword=0xf, timeout_ms=60000)
            equal(seen, [(etw.Control.ENABLE, 4, 0xff, 0xf)])
            session.capture_state(provider, timeout_ms=60000)
            equal(seen[1][0], etw.Control.CAPTURE_STATE)
            session.disable(provider, timeout_ms=60000)
            equal(seen[2][0], etw.Control.DISABLE)
    equal([event.fields for event in etw.open(path("state.etl"))], [{"n": 7}])


@test
def a_provider_of_a_running_session_writes_in_its_first_callback():
    group, seen = uuid.uuid4(), []

    def on_control(control, level, any_keyword, all_keyword, *, provider):
        seen.append((control, level, any_keyword, all_keyword))
        if control == etw.Control.ENABLE:
            seen.append((provider.enabled(), provider.write("First", {"n": 1}, level=1),
                         provider.write_event(7)))

    with etw.start("python", path("first.etl")) as session:
        session.enable("*Test-Python", level=4, keyword=0xff)
        with etw.Provider("Test-Python", group=group, on_control=on_control) as provider:
            equal(seen, [(etw.Control.ENABLE, 4, 0xff, 0), (True, 0, 0)])
            equal(provider.write_event(8), 0)
        equal(session.query().events_lost, 0)
    first, second, third = etw.open(path("first.etl"))
    equal((first.name, first.fields, second.id, third.id), ("First", {"n": 1}, 7, 8))
    equal((second.provider_name, third.provider_name), ("Test-Python",) * 2)


@test
def manifests_decode():
    guid = uuid.UUID("7d1f5a30-1111-4222-8333-444455556666")
    with open(path("p.man"), "w", encoding="utf-8") as file:
        file.write("""<instrumentationManifest
            xmlns="http://schemas.microsoft.com/win/2004/08/events"><instrumentation><events>
            <provider name="Test-Manifest" guid="{%s}" symbol="P" resourceFileName="p"
             messageFileName="p"><events><event value="7" version="1" level="win:Warning"
             template="t" symbol="Seven" message="$(string.m)"/></events><templates>
            <template tid="t"><data name="Number" inType="win:UInt32"/>
            <data name="Name" inType="win:UnicodeString"/></template></templates></provider>
            </events></instrumentation><localization><resources culture="en-US"><stringTable>
            <string id="m" value="%%2 has %%1"/></stringTable></resources></localization>
            </instrumentationManifest>""" % guid)
    with etw.Provider("Test-Manifest", guid) as provider, \
            etw.start("python", path("m.etl")) as session:
        session.enable(provider)
        data = (42).to_bytes(4, "little") + "seven\0".encode("utf-16-le")
        equal(provider.write_event(7, data, version=1, level=3), 0)
        provider.write_string("a string")
    first = next(etw.open(path("m.etl")))
    equal((first.schema, first.fields, first.payload), (None, {}, data))
    etw.load_manifest(path("p.man"))
    one, two = etw.open(path("m.etl"))
    etw.unload_manifest(path("p.man"))
    equal((one.schema, one.provider_name, one.name, one.fields, one.message),
          ("manifest", "Test-Manifest", "Seven", {"Number": 42, "Name": "seven"},
           "seven has 42"))
    equal((two.schema, list(two.fields.values())), ("string", ["a string"]))
    raises(etw.EtwError, etw.load_manifest, path("none.man"))


@test
def a_forked_child_writes():
    with traced() as (provider, events):
        provider.write("Parent")
        child = os.fork()
        if not child:
            os._exit(provider.write("Child"))
        equal(os.waitpid(child, 0), (child, 0))
    equal([(event.name, event.pid) for event in events],
          [("Parent", os.getpid()), ("Child", child)])


@test
def a_program_may_end_with_everything_open():
    code = """if True:
        import etw, sys
        provider = etw.Provider("Test-Python", on_control=lambda *_: None)
        session = etw.attach("python")
        session.enable(provider)
        provider.write("Last")
        trace = etw.listen(session)
        print(trace.read(timeout=60).name)
    """
    with etw.start("python", flush_ms=100):
        equal(run(code), "Last\n")


@test
def an_interrupt_ends_waiting():
    code = """if True:
        import etw, signal, threading, os
        trace = etw.listen("python")
        threading.Timer(0.5, os.kill, (os.getpid(), signal.SIGINT)).start()
        try:
            next(trace)
        except KeyboardInterrupt:
            print("interrupted")
    """
    with etw.start("python"):
        equal(run(code), "interrupted\n")


if __name__ == "__main__":
    main()
