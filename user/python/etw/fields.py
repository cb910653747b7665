# SPDX-License-Identifier: MIT
"""The types of TraceLogging's fields, and how values of Python become fields.

A value without a type gets one from what it is:

    bool                    boolean
    int                     int64; uint64 if it is 2**63 or more
    float                   float64
    str                     utf8
    bytes, bytearray        binary
    uuid.UUID               guid
    datetime.datetime       filetime (one without a time zone is local time)
    ipaddress.IPv4Address, ipaddress.IPv6Address    ipv4, ipv6
    dict                    a structure with these members
    list, tuple             an array of what its first element is; an empty one of int64

Any other type is chosen by calling it: etw.uint32(7), etw.uint32.array([1, 2, 3]).
"""

import datetime
import ipaddress
import struct
import uuid

from ._native import number

_EPOCH = datetime.datetime(1601, 1, 1, tzinfo=datetime.timezone.utc)
_TICK = datetime.timedelta(microseconds=1)
_STRUCT, _VCOUNT, _CHAIN = 24, 64, 128
_LIMIT = 65535		# elements of an array, bytes of a string


class Field:
    """A value and its type; tags are 28 bits for the provider's own use."""

    __slots__ = ("type", "value", "is_array", "tags")

    def __init__(self, type, value, is_array=False, tags=0):
        self.type, self.value, self.is_array = type, value, is_array
        self.tags = number("tags", tags, 28)


class FieldType:
    """A type: its name, Windows' in-type and out-type, and the bytes of a value."""

    __slots__ = ("name", "in_type", "out_type", "pack")

    def __init__(self, name, in_type, out_type, pack):
        self.name, self.in_type, self.out_type, self.pack = name, in_type, out_type, pack

    def __call__(self, value, tags=0):
        return Field(self, value, False, tags)

    def array(self, values, tags=0):
        """An array of this type."""
        return Field(self, values, True, tags)

    def __repr__(self):
        return "etw." + self.name

    def encode(self, value):
        try:
            return self.pack(value)
        except (struct.error, OverflowError, AttributeError, TypeError) as error:
            # struct.error is for both
            too_large = isinstance(error, OverflowError) or (
                isinstance(error, struct.error) and isinstance(value, int))
            raise (OverflowError if too_large else TypeError)(
                "%r is not a value of the type %s" % (value, self.name)) from None


def _limited(data):
    if len(data) > _LIMIT:
        raise ValueError("%d bytes; a field has at most %d" % (len(data), _LIMIT))
    return len(data).to_bytes(2, "little") + data


def _utf8(value):
    return _limited(value.encode("utf-8", "surrogateescape"))


def _utf16(value):
    return _limited(value.encode("utf-16-le", "surrogatepass"))


def _binary(value):
    return _limited(bytes(memoryview(value)))


def _filetime(value):
    if isinstance(value, int):
        return value.to_bytes(8, "little")
    return ((value.astimezone() - _EPOCH) // _TICK * 10).to_bytes(8, "little")


def _systemtime(value):
    value = value.astimezone(datetime.timezone.utc)
    return struct.pack("<8H", value.year, value.month, value.isoweekday() % 7, value.day,
                       value.hour, value.minute, value.second, value.microsecond // 1000)


def _ipv4(value):
    return ipaddress.IPv4Address(value).packed


def _ipv6(value):
    return _limited(ipaddress.IPv6Address(value).packed)


def _boolean(value):
    return b"\1" if value else b"\0"


def _bool32(value):
    return b"\1\0\0\0" if value else b"\0\0\0\0"


def _number(code):
    return struct.Struct("<" + code).pack


def _unsigned(size):
    """Of codes that are written as signed numbers, too."""
    def pack(value):
        return value.to_bytes(size, "little", signed=value < 0)
    return pack


# The in-types and out-types of TraceLoggingProvider.h
TYPES = {name: FieldType(name, *rest) for name, *rest in (
    ("int8", 3, 0, _number("b")), ("uint8", 4, 0, _number("B")),
    ("int16", 5, 0, _number("h")), ("uint16", 6, 0, _number("H")),
    ("int32", 7, 0, _number("i")), ("uint32", 8, 0, _number("I")),
    ("int64", 9, 0, _number("q")), ("uint64", 10, 0, _number("Q")),
    ("float32", 11, 0, _number("f")), ("float64", 12, 0, _number("d")),
    ("hexint8", 4, 4, _number("B")), ("hexint16", 6, 4, _number("H")),
    ("hexint32", 20, 0, _number("I")), ("hexint64", 21, 0, _number("Q")),
    ("pointer", 21, 0, _number("Q")), ("code_pointer", 21, 37, _number("Q")),
    ("boolean", 4, 3, _boolean), ("bool32", 13, 0, _bool32),
    ("utf8", 23, 35, _utf8), ("utf16", 22, 0, _utf16), ("json", 23, 12, _utf8),
    ("xml", 23, 11, _utf8), ("binary", 14, 0, _binary),
    ("guid", 15, 0, lambda value: value.bytes_le),
    ("filetime", 17, 38, _filetime), ("systemtime", 18, 38, _systemtime),
    ("pid", 8, 5, _number("I")), ("tid", 8, 6, _number("I")),
    ("port", 6, 7, lambda value: value.to_bytes(2, "big")),
    ("ipv4", 8, 8, _ipv4), ("ipv6", 14, 9, _ipv6),
    ("win32error", 8, 13, _number("I")), ("ntstatus", 8, 14, _unsigned(4)),
    ("hresult", 7, 15, _unsigned(4)),
)}
globals().update(TYPES)

_BY_CLASS = {
    bool: TYPES["boolean"], float: TYPES["float64"], str: TYPES["utf8"],
    bytes: TYPES["binary"], bytearray: TYPES["binary"], memoryview: TYPES["binary"],
    uuid.UUID: TYPES["guid"], datetime.datetime: TYPES["filetime"],
    ipaddress.IPv4Address: TYPES["ipv4"], ipaddress.IPv6Address: TYPES["ipv6"],
}


def type_of(value):
    """The type of a value that was given without one."""
    found = _BY_CLASS.get(type(value))
    if found:
        return found
    for kind, found in _BY_CLASS.items():
        if isinstance(value, kind):
            return found
    if isinstance(value, int):
        return TYPES["uint64"] if value >= 1 << 63 else TYPES["int64"]
    raise TypeError("a field cannot have a value of the type %s: %r"
                    % (type(value).__name__, value))


def _tag_bytes(tags):
    """28 bits in up to four bytes of seven, the highest first; the last has bit 7 clear."""
    groups = [tags >> shift & 0x7F for shift in (21, 14, 7, 0)]
    while len(groups) > 1 and not groups[-1]:
        groups.pop()
    return bytes([group | _CHAIN for group in groups[:-1]] + groups[-1:])


def _name(name):
    if not isinstance(name, str):
        raise TypeError("a name must be a string, not %s" % type(name).__name__)
    if "\0" in name:
        raise ValueError("a name contains a NUL: %r" % name)
    return name.encode("utf-8", "surrogateescape") + b"\0"


def _describe(name, in_type, out_type, tags):
    """A field in the event's metadata."""
    if tags:
        return _name(name) + bytes((in_type | _CHAIN, out_type | _CHAIN)) + _tag_bytes(tags)
    if out_type:
        return _name(name) + bytes((in_type | _CHAIN, out_type))
    return _name(name) + bytes((in_type,))


def _struct(name, members, shape, tags, meta, data):
    if not 1 <= len(members) <= 127:
        raise ValueError("a structure has 1 to 127 members, not %d: %s" % (len(members), name))
    meta.append(_describe(name, _STRUCT | shape, len(members), tags))
    for member, value in members.items():
        add_field(member, value, meta, data)


def _struct_array(name, values, tags, meta, data):
    """All elements must have the members, and the types, of the first."""
    first = None
    for value in values:
        if not isinstance(value, dict):
            raise TypeError("%r is not a structure, as the first element of %s is" % (value, name))
        own = []
        _struct(name, value, _VCOUNT, tags, own, data)
        if first is None:
            first = own
            meta.extend(own)
        elif own != first:
            raise TypeError("the structures in an array must have the same fields: %s" % name)


def _array(name, field_type, values, tags, meta, data):
    values = list(values)
    if len(values) > _LIMIT:
        raise ValueError("%d elements; an array has at most %d" % (len(values), _LIMIT))
    data.append(len(values).to_bytes(2, "little"))
    if field_type is None and values and isinstance(values[0], dict):
        _struct_array(name, values, tags, meta, data)
        return
    if field_type is None:
        field_type = type_of(values[0]) if values else TYPES["int64"]
        if field_type.name == "int64" and any(isinstance(value, int) and value >= 1 << 63
                                              for value in values):
            field_type = TYPES["uint64"]
    meta.append(_describe(name, field_type.in_type | _VCOUNT, field_type.out_type, tags))
    data.extend(field_type.encode(value) for value in values)


def add_field(name, value, meta, data):
    """Append the pieces of a field to the metadata and to the payload."""
    tags = 0
    if isinstance(value, Field):
        tags = value.tags
        if not value.is_array:
            meta.append(_describe(name, value.type.in_type, value.type.out_type, tags))
            data.append(value.type.encode(value.value))
            return
        _array(name, value.type, value.value, tags, meta, data)
    elif isinstance(value, dict):
        _struct(name, value, 0, tags, meta, data)
    elif isinstance(value, (list, tuple)):
        _array(name, None, value, tags, meta, data)
    else:
        field_type = type_of(value)
        meta.append(_describe(name, field_type.in_type, field_type.out_type, tags))
        data.append(field_type.encode(value))


def encode(name, fields, tags=0):
    """An event's TraceLogging metadata and its payload."""
    meta, data = [_tag_bytes(number("tags", tags, 28)), _name(name)], []
    for field, value in fields.items():
        add_field(field, value, meta, data)
    meta = b"".join(meta)
    if len(meta) + 2 > _LIMIT:
        raise ValueError("the names of an event take over 64 KB")
    return (len(meta) + 2).to_bytes(2, "little") + meta, b"".join(data)
