# SPDX-License-Identifier: GPL-2.0-only
"""Tests in Python: functions with @test, run in order, results as TAP."""

import json
import os
import sys
import traceback

# Members of etw dump --json that etw.Event.as_dict() leaves out, as it documents
LEFT_OUT = {
    "timestamp", "process_name", "process_path", "thread_name", "loss", "sid", "login_session",
    "app", "container", "pid_namespace", "context", "process_start_key", "event_key",
    "given_time", "event_schema", "provider_traits", "control_guid", "instance",
}

_tests = []


def test(function):
    _tests.append(function)
    return function


def equal(got, want, what=""):
    if got != want:
        raise AssertionError("%s%s%r, expected %r" % (what, ": " if what else "", got, want))


def raises(kind, function, *arguments, **options):
    """The exception of this kind that the call raises."""
    try:
        result = function(*arguments, **options)
    except kind as error:
        return error
    raise AssertionError("returned %r, expected %s" % (result, kind.__name__))


def same_events(got, lines, what=""):
    """Are dicts of as_dict() those of the lines of etw dump --json?"""
    want = [json.loads(line) for line in lines]
    equal(len(got), len(want), what)
    for one, other in zip(got, want):
        equal(one, {key: other[key] for key in other if key not in LEFT_OUT}, what)


def main():
    failed = 0
    print("1..%d" % len(_tests), flush=True)
    for number, function in enumerate(_tests, 1):
        name = function.__name__.replace("_", " ")
        try:
            function()
            print("ok %d - %s" % (number, name), flush=True)
        except BaseException:
            failed += 1
            print("not ok %d - %s" % (number, name))
            for line in traceback.format_exc().splitlines():
                print("# " + line)
            sys.stdout.flush()
    sys.stdout.flush()
    sys.stderr.flush()
    sys.exit(1 if failed else 0)
