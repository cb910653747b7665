# SPDX-License-Identifier: GPL-2.0-only
"""The conformance suite: what one language writes, every other one reads.

Each language has a program with three commands, of which this file is Python's:

    write TABLE       writes the events of events.txt by the provider below; fails if a session
                      has not enabled it, or one loses an event
    read FILE         prints those of its events that are in a log file, in the order of time
    listen SESSION    prints "ready" on stderr, then those of a session, until it stops

An event is printed as a line of JSON: event, level, opcode, keyword ("0x..."), activity, fields.
Errors go to stderr and end it with 1. "all DIR" runs the suite as root in the virtual machine;
DIR has the programs that run.sh built.
"""

import json
import os
import subprocess
import sys
import tempfile

import etw
from tap import equal, main, test

PROVIDER = "c0f0a3e1-6b1d-4d5e-8f2a-7d3c1b2a4f60"
RUST = "1f7a3d2e-5b64-4c0a-9e1d-0a7b6c5d4e3f"		# the providers of the samples
GO = "3d0a9c55-0c5b-4f7e-8d43-6b1f2a9e7c10"
NODE = "9b0f6f7e-2f43-4a77-b0c4-5f1d6e8a3b21"
HERE = os.path.dirname(os.path.abspath(__file__))
TABLE = os.path.join(HERE, "events.txt")


def lines():
    with open(TABLE, encoding="utf-8") as file:
        return [line.rstrip("\n").split("\t") for line in file if not line.startswith("#")]


# ----------------------------------------------------------------- Python's program

def unescape(text):
    for code, character in (("\\\\", "\x01"), ("\\n", "\n"), ("\\t", "\t"), ("\\0", "\0"),
                            ("\x01", "\\")):
        text = text.replace(code, character)
    return text


def value(kind, text):
    if kind.startswith("utf"):
        return unescape(text)
    if kind == "guid":
        return etw.fields.uuid.UUID(text)
    if kind == "binary":
        return bytes.fromhex(text)
    return float(text) if kind.startswith("float") else int(text)


def field(kind, text):
    if kind.endswith("[]"):
        kind = kind[:-2]
        return etw.TYPES[kind].array([value(kind, part) for part in text.split("|")] if text
                                     else [])
    kind, _, times = kind.partition("*")
    return etw.TYPES[kind](value(kind, text * int(times or 1)))


def take(rows, count, make):
    """The next fields, a structure counted as one."""
    out = {}
    while rows and rows[0][0] != "event" and len(out) < count:
        kind, name, *rest = rows.pop(0)
        out[name] = take(rows, int(rest[0]), make) if kind == "struct" else make(*rest)
    return out


def events(make):
    rows = lines()
    while rows:
        _, name, level, opcode, keyword, activity = rows.pop(0)
        yield (name, int(level), int(opcode), int(keyword, 0), None if activity == "-" else activity,
               take(rows, len(rows), make))


def write():
    with etw.Provider("Test-Conformance", PROVIDER) as provider:
        if not provider.enabled():
            sys.exit("no session has enabled the provider")
        for name, level, opcode, keyword, activity, fields in events(lambda kind, text, _: field(kind, text)):
            code = provider.write(name, fields, level=level, opcode=opcode, keyword=keyword,
                                  activity=activity and etw.fields.uuid.UUID(activity))
            if code:
                sys.exit("write: error %d" % code)


def show(trace):
    print("ready", file=sys.stderr, flush=True)
    for event in trace:
        if str(event.provider) == PROVIDER:
            name = event.name
            if event.opcode:			# the name as text has the opcode's, too
                name = name.partition("/")[0]
            print(json.dumps({"event": name, "level": event.level, "opcode": event.opcode,
                              "keyword": "0x%x" % event.keyword,
                              "activity": event.activity and str(event.activity),
                              "fields": event.fields}))


# ------------------------------------------------------------------------ the suite

def expected():
    """The lines of every reader, from the last column of the table."""
    def make(kind, text, result):
        result = json.loads(result)
        return result * int(kind.partition("*")[2]) if "*" in kind else result

    return [{"event": name, "level": level, "opcode": opcode, "keyword": "0x%x" % keyword,
             "activity": activity, "fields": fields}
            for name, level, opcode, keyword, activity, fields in events(make)]


def languages(folder):
    """How to run each language's program, and the languages that cannot run: name, why."""
    found = {"python": [sys.executable, os.path.join(HERE, "conformance.py")]}
    missing = []
    for name, program, package in (("rust", "conformance-rust", "rustc"), ("go", "conformance-go", "golang-go")):
        if os.path.exists(os.path.join(folder, program)):
            found[name] = [os.path.join(folder, program)]
        else:
            missing.append((name, package))
    if os.path.exists(os.path.join(folder, "node", "node_modules", "koffi")):
        os.environ["ETW_NODE_MODULE"] = os.path.join(folder, "node", "etw.mjs")
        found["node"] = ["/usr/bin/node", os.path.join(HERE, "conformance.mjs")]
    else:
        missing.append(("node", "nodejs, npm"))
    return found, missing


def end(process, what):
    """The stdout of a program that must succeed."""
    out, err = process.communicate(timeout=200)
    equal((process.returncode, err.replace("ready\n", "")), (0, ""), what)
    return out


def start(command, *arguments, user=None):
    return subprocess.Popen([*command, *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                            text=True, encoding="utf-8", user=user, group=user,
                            extra_groups=None if user is None else [])


def compare(output, who):
    got = [json.loads(line) for line in output.splitlines()]
    for one, want in zip(got, expected()):
        if one != want:
            equal({key: one.get(key) for key in one if key != "fields"},
                  {key: want[key] for key in want if key != "fields"}, who)
            for key in {**one["fields"], **want["fields"]}:
                equal(one["fields"].get(key), want["fields"].get(key),
                      "%s: %s.%s" % (who, want["event"], key))
            equal(one, want, who)
    equal(len(got), len(expected()), who + ": events")


def one_writes_all_read(writer, found, folder):
    file = os.path.join(folder, writer + ".etl")
    with etw.start("conformance-file", file) as session, etw.start("conformance-live") as live:
        for each in (session, live):
            each.enable(PROVIDER)
        readers = {name: start(command, "listen", "conformance-live") for name, command in found.items()}
        for reader in readers.values():
            equal(reader.stderr.readline(), "ready\n")
        end(start(found[writer], "write", TABLE, user=65534), "write")
        for each in (session, live):
            info = each.stop()
            equal((info.events_lost, info.log_buffers_lost, info.real_time_buffers_lost), (0, 0, 0))
    outputs = {name + " listens": end(reader, name + " listens") for name, reader in readers.items()}
    for name, command in found.items():
        outputs[name + " reads"] = end(start(command, "read", file), name + " reads")
    wrong = []
    for who, output in outputs.items():
        try:
            compare(output, who)
        except AssertionError as error:
            wrong.append(str(error))
    assert not wrong, "\n".join(wrong)


def fails(command, *arguments, text, user=None):
    process = start(command, *arguments, user=user)
    _, err = process.communicate(timeout=200)
    equal(process.returncode, 1, " ".join(arguments))
    assert any(word in err for word in text), "%s: %r" % (arguments, err)


def errors_are_reported(command):
    fails(command, "read", "/nonexistent", text=("error 2", "(2)", "no such file"))
    fails(command, "read", TABLE, text=("1392", "not a log file"))
    fails(command, "listen", "no such session", text=("4201", "no such file"))
    fails(command, "write", TABLE, text=("no session has enabled",))
    with etw.start("conformance-live"):
        fails(command, "listen", "conformance-live", text=("error 5", "(5)", "not permitted"), user=65534)


def command(*arguments):
    done = subprocess.run(arguments, capture_output=True, text=True, timeout=200)
    equal((done.returncode, done.stderr if done.returncode else ""), (0, ""), " ".join(arguments))
    return done.stdout


def sample_works(name, guid, *program):
    """What a sample writes is read by it, by the command and by Python."""
    file = "/run/sample-%s.etl" % name
    build = os.environ["ETW_BUILD"]
    if guid is None:			# it starts its own session
        printed = command(*program, file)
    else:
        command(build + "/etw", "start", "sample", "--file", file)
        try:
            command(build + "/etw", "enable", "sample", guid)
            command(*program, "write")
        finally:
            command(build + "/etw", "stop", "sample")
        printed = command(*program, "read", file)
    want = [{"Number": number, "Text": "from " + name} for number in (1, 2, 3)]
    equal([json.loads(line)["fields"] for line in
           command(build + "/etw", "dump", "--json", file).splitlines()[1:]], want)
    equal([(event.name, event.fields) for event in etw.open(file)], [("Step", each) for each in want])
    equal(printed.count("from " + name), 3, printed)


def shown_program_works(guid, *program):
    """What docs/languages.md shows writes an event with Number 7."""
    with etw.start("shown", "/run/shown.etl") as session:
        session.enable(guid)
        command(*program)
    equal([(event.name, event.fields["Number"], event.level, event.keyword)
           for event in etw.open("/run/shown.etl")], [("Step", 7, 4, 1)])


def shown_python_works(program):
    printed = command(sys.executable, program).splitlines()
    equal(len(printed), 3)
    for number, line in enumerate(printed):
        assert line.endswith("Company.Component Step {'Number': %d, 'Size': 7, 'Parts': ['a', 'b']}"
                             % number), line
    equal(etw.sessions(), [])


def run_all(programs):
    found, missing = languages(programs)
    folder = tempfile.mkdtemp(dir="/run")
    os.environ["PYTHONUTF8"] = "1"

    def add(name, function, *arguments):
        def run():
            function(*arguments)
        run.__name__ = name
        test(run)

    for name in found:
        add(name + " writes, " + " ".join(found) + " read", one_writes_all_read, name, found, folder)
        add(name + " reports errors", errors_are_reported, found[name])
    add("the program in Python that is shown", shown_python_works, os.path.join(programs, "shown.py"))
    if "rust" in found:
        add("the program in Rust that is shown", shown_program_works, RUST, os.path.join(programs, "shown-rust"))
        add("the sample in Rust", sample_works, "Rust", None, os.path.join(programs, "sample-rust"))
    if "go" in found:
        add("the program in Go that is shown", shown_program_works, GO, os.path.join(programs, "shown-go"))
        add("the sample in Go", sample_works, "Go", GO,
            os.path.join(programs, "sample-go"))
    if "node" in found:
        add("the program in Node that is shown", shown_program_works, NODE, "/usr/bin/node",
            os.path.join(programs, "node", "shown.mjs"))
        add("the sample in Node", sample_works, "Node", NODE,
            "/usr/bin/node", os.path.join(programs, "node", "sample.mjs"))
    for name, package in missing:
        add("%s # SKIP install the package %s" % (name, package), lambda: None)
    main()


if __name__ == "__main__":
    if sys.argv[1:] == ["write", TABLE]:
        write()
    elif len(sys.argv) == 3 and sys.argv[1] in ("read", "listen", "all"):
        try:
            if sys.argv[1] == "all":
                run_all(sys.argv[2])
            else:
                show(etw.open(sys.argv[2]) if sys.argv[1] == "read" else etw.listen(sys.argv[2]))
        except etw.EtwError as error:
            sys.exit(str(error))
    else:
        sys.exit("usage: conformance.py write TABLE | read FILE | listen SESSION | all DIR")
