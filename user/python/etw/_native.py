# SPDX-License-Identifier: MIT
"""The C libraries: structures, functions, and Windows' error codes as exceptions."""

import ctypes
import errno
import hashlib
import operator
import struct
import uuid
from ctypes import POINTER, c_char_p, c_int, c_size_t, c_uint, c_void_p
from ctypes import c_uint8, c_uint16, c_uint32, c_uint64

ERROR_SUCCESS = 0
ERROR_ALREADY_EXISTS = 183
ERROR_CANCELLED = 1223
ERROR_MORE_DATA = 234
ERROR_CTX_CLOSE_PENDING = 7007

# Codes of include/etw/winerror.h that the libraries return: name, errno, text
_CODES = {
    2: ("ERROR_FILE_NOT_FOUND", errno.ENOENT, "there is no such file"),
    3: ("ERROR_PATH_NOT_FOUND", errno.ENOENT, "there is no such folder"),
    5: ("ERROR_ACCESS_DENIED", errno.EACCES, "this needs a right that the caller does not have"),
    6: ("ERROR_INVALID_HANDLE", errno.EBADF, "the handle is not valid, or no longer"),
    8: ("ERROR_NOT_ENOUGH_MEMORY", errno.ENOMEM, "there is no memory or no free buffer"),
    13: ("ERROR_INVALID_DATA", errno.EINVAL, "the data is not valid"),
    14: ("ERROR_OUTOFMEMORY", errno.ENOMEM, "there is no memory"),
    24: ("ERROR_BAD_LENGTH", errno.EINVAL, "a length is wrong"),
    50: ("ERROR_NOT_SUPPORTED", errno.EOPNOTSUPP, "this does not exist on Linux"),
    87: ("ERROR_INVALID_PARAMETER", errno.EINVAL, "an argument is not valid"),
    112: ("ERROR_DISK_FULL", errno.ENOSPC, "the disk is full"),
    161: ("ERROR_BAD_PATHNAME", errno.EINVAL, "the path is missing or not that of a file"),
    183: ("ERROR_ALREADY_EXISTS", errno.EEXIST, "the name or the GUID is in use"),
    234: ("ERROR_MORE_DATA", errno.EMSGSIZE, "it is larger than the buffer"),
    534: ("ERROR_ARITHMETIC_OVERFLOW", errno.EMSGSIZE, "the event is larger than 64 KB"),
    998: ("ERROR_NOACCESS", errno.EFAULT, "memory is not readable"),
    1117: ("ERROR_IO_DEVICE", errno.EIO, "the disk failed"),
    1168: ("ERROR_NOT_FOUND", errno.ENOENT, "it was not found"),
    1223: ("ERROR_CANCELLED", errno.ECANCELED, "the reader ended it"),
    1392: ("ERROR_FILE_CORRUPT", errno.EBADMSG, "this is not a log file"),
    1450: ("ERROR_NO_SYSTEM_RESOURCES", errno.ENOSPC, "a limit of the system is reached"),
    1460: ("ERROR_TIMEOUT", errno.ETIMEDOUT,
           "callbacks of the provider are still running; the change is in force"),
    1465: ("ERROR_XML_PARSE_ERROR", errno.EINVAL, "the manifest is not well-formed"),
    1784: ("ERROR_INVALID_USER_BUFFER", errno.EINVAL, "the buffer is not valid"),
    1901: ("ERROR_INVALID_TIME", errno.EINVAL, "the times are in the wrong order"),
    2402: ("ERROR_ACTIVE_CONNECTIONS", errno.EBUSY, "the session is being stopped"),
    4200: ("ERROR_WMI_GUID_NOT_FOUND", errno.ENOENT, "there is no such provider"),
    4201: ("ERROR_WMI_INSTANCE_NOT_FOUND", errno.ENOENT, "there is no such session"),
    4208: ("ERROR_WMI_SERVER_UNAVAILABLE", errno.ENODEV,
           "the kernel module is not loaded, or /dev/etw cannot be opened; run etw doctor"),
}


class EtwError(OSError):
    """A function of libetw or libtdh failed.

    winerror is the Windows error code (5), name its name ("ERROR_ACCESS_DENIED"), function
    the function that returned it ("StartTrace"); errno is the nearest error of Linux.
    """

    def __init__(self, function, code, what=None):
        name, number, text = _CODES.get(code, (None, 0, None))
        self.name = name or "error %d" % code
        text = "%s: %s (%d)%s" % (function, self.name, code, ": " + text if text else "")
        super().__init__(number, text, what)
        self.function = function
        self.winerror = code


def check(function, code, what=None):
    """Raise EtwError unless code is ERROR_SUCCESS."""
    if code:
        raise EtwError(function, code, what)


def number(what, value, bits=32):
    """An argument that C would cut to so many bits."""
    value = operator.index(value)
    if not 0 <= value < 1 << bits:
        raise OverflowError("%s must be from 0 to %#x, not %d" % (what, (1 << bits) - 1, value))
    return value


# ------------------------------------------------------------------ structures

class GUID(ctypes.Structure):
    _fields_ = [("bytes", c_uint8 * 16)]

    @classmethod
    def of(cls, value):
        return cls.from_buffer_copy(value.bytes_le)


class EventDescriptor(ctypes.Structure):
    _fields_ = [("id", c_uint16), ("version", c_uint8), ("channel", c_uint8),
                ("level", c_uint8), ("opcode", c_uint8), ("task", c_uint16),
                ("keyword", c_uint64)]
    _layout = struct.Struct("<HBBBBHQ")

    @classmethod
    def of(cls, *values):
        """Of all members; OverflowError, TypeError."""
        try:
            return cls.from_buffer_copy(cls._layout.pack(*values))
        except struct.error:
            for (name, kind), value in zip(cls._fields_, values):
                number(name, value, 8 * ctypes.sizeof(kind))
            raise


class DataDescriptor(ctypes.Structure):
    _fields_ = [("ptr", c_char_p), ("size", c_uint32), ("type", c_uint32)]


class FilterDescriptor(ctypes.Structure):
    _fields_ = [("ptr", c_char_p), ("size", c_uint32), ("type", c_uint32)]


class EnableParameters(ctypes.Structure):
    _fields_ = [("version", c_uint32), ("property", c_uint32), ("flags", c_uint32),
                ("source", GUID), ("filters", POINTER(FilterDescriptor)),
                ("filter_count", c_uint32)]


class Properties(ctypes.Structure):
    """EVENT_TRACE_PROPERTIES, its WNODE_HEADER included."""

    _fields_ = [
        ("wnode_size", c_uint32), ("wnode_provider", c_uint32), ("handle", c_uint64),
        ("wnode_time", c_uint64), ("guid", GUID), ("clock", c_uint32), ("wnode_flags", c_uint32),
        ("buffer_size", c_uint32), ("minimum_buffers", c_uint32), ("maximum_buffers", c_uint32),
        ("maximum_file_size", c_uint32), ("mode", c_uint32), ("flush_timer", c_uint32),
        ("enable_flags", c_uint32), ("age_limit", c_uint32), ("number_of_buffers", c_uint32),
        ("free_buffers", c_uint32), ("events_lost", c_uint32), ("buffers_written", c_uint32),
        ("log_buffers_lost", c_uint32), ("real_time_buffers_lost", c_uint32),
        ("thread_id", c_uint64), ("file_offset", c_uint32), ("name_offset", c_uint32),
    ]


class Decoded(ctypes.Structure):
    """struct etw_decoded of <etw/decode.h>."""

    _fields_ = [
        ("record", c_void_p), ("source", c_int), ("provider", c_char_p), ("event", c_char_p),
        ("task", c_char_p), ("opcode", c_char_p), ("level", c_char_p), ("channel", c_char_p),
        ("message", c_char_p), ("attributes", c_char_p), ("decode_guid", GUID),
        ("tags", c_uint32), ("field_count", c_uint16), ("symbol", c_char_p),
        ("control_guid", GUID), ("mode", c_char_p),
    ]


class Text(ctypes.Structure):
    """struct etw_text of <etw/decode.h>."""

    _fields_ = [("data", c_void_p), ("len", c_size_t), ("cap", c_size_t), ("error", c_int)]


# EVENT_HEADER and the rest of an EVENT_RECORD, 112 bytes
RECORD = struct.Struct("<HHHHIIq16sHBBBBHQQ16sHHHHQQQ")
# EVENT_HEADER_EXTENDED_DATA_ITEM, 16 bytes
ITEM = struct.Struct("<HHHHQ")
# Bytes of an EVENT_TRACE_LOGFILEA, and the offsets of what is used
LOGFILE_SIZE = 448
LOGFILE_NAME, LOGFILE_LOGGER, LOGFILE_MODE = 0, 8, 28
LOGFILE_HEADER, LOGFILE_BUFFER_CALLBACK, LOGFILE_EVENT_CALLBACK = 120, 400, 424

EventCallback = ctypes.CFUNCTYPE(None, c_void_p)
BufferCallback = ctypes.CFUNCTYPE(c_uint32, c_void_p)
EnableCallback = ctypes.CFUNCTYPE(None, c_void_p, c_uint32, c_uint8, c_uint64, c_uint64,
                                  POINTER(FilterDescriptor), c_void_p)


# ------------------------------------------------------------------- functions

def _declare(library, functions):
    for name, (result, *arguments) in functions.items():
        function = getattr(library, name)
        function.restype = result
        function.argtypes = arguments


libetw = ctypes.CDLL("libetw.so.0")
_declare(libetw, {
    "GetLastError": (c_uint32,),
    # EventRegister() and the traits at once
    "etw_tl_register": (c_uint32, POINTER(GUID), c_char_p, c_void_p, c_void_p, POINTER(c_uint64),
                        POINTER(c_void_p)),
    "EventUnregister": (c_uint32, c_uint64),
    "EventSetInformation": (c_uint32, c_uint64, c_int, c_char_p, c_uint32),
    "EventProviderEnabled": (c_uint8, c_uint64, c_uint8, c_uint64),
    "EventWriteTransfer": (c_uint32, c_uint64, POINTER(EventDescriptor), POINTER(GUID),
                           POINTER(GUID), c_uint32, POINTER(DataDescriptor)),
    "EventWriteString": (c_uint32, c_uint64, c_uint8, c_uint64, c_char_p),
    "EventActivityIdControl": (c_uint32, c_uint32, POINTER(GUID)),
    "StartTraceA": (c_uint32, POINTER(c_uint64), c_char_p, c_void_p),
    "ControlTraceA": (c_uint32, c_uint64, c_char_p, c_void_p, c_uint32),
    "QueryAllTracesA": (c_uint32, POINTER(c_void_p), c_uint32, POINTER(c_uint32)),
    "EnableTraceEx2": (c_uint32, c_uint64, POINTER(GUID), c_uint32, c_uint8, c_uint64, c_uint64,
                       c_uint32, POINTER(EnableParameters)),
    "OpenTraceA": (c_uint64, c_void_p),
    "ProcessTrace": (c_uint32, POINTER(c_uint64), c_uint32, POINTER(c_uint64), POINTER(c_uint64)),
    "CloseTrace": (c_uint32, c_uint64),
})

_libtdh = None


def libtdh():
    """libtdh, loaded when the first event is decoded: a provider does not need it."""
    global _libtdh
    if _libtdh is None:
        library = ctypes.CDLL("libtdh.so.0")
        _declare(library, {
            "TdhLoadManifestA": (c_uint32, c_char_p),
            "TdhUnloadManifestA": (c_uint32, c_char_p),
            "etw_decoder_new": (c_void_p,),
            "etw_decoder_free": (None, c_void_p),
            "etw_decode": (c_int, c_void_p, c_void_p, POINTER(POINTER(Decoded))),
            "etw_decode_rest": (c_void_p, c_void_p, POINTER(c_size_t)),
            "etw_decode_keyword": (c_char_p, c_void_p, c_uint),
            "etw_format_json": (c_int, POINTER(Text), c_void_p),
            "etw_format_message": (c_uint8, POINTER(Text), c_void_p),
            "etw_text_free": (None, POINTER(Text)),
        })
        _libtdh = library
    return _libtdh


# ------------------------------------------------------------ GUIDs and names

def encode_name(name, what):
    """A name or path for the A functions, which read UTF-8 up to the first NUL."""
    if isinstance(name, bytes):
        data = name
    elif isinstance(name, str):
        data = name.encode("utf-8", "surrogateescape")
    else:
        raise TypeError("%s must be a string, not %s" % (what, type(name).__name__))
    if b"\0" in data:
        raise ValueError("%s contains a NUL" % what)
    return data


def check_provider_name(name):
    """It ends with the first NUL in what libetw gets, and in its GUID's hash it does not."""
    if not isinstance(name, str):
        raise TypeError("the name of a provider must be a string, not %s" % type(name).__name__)
    if not name or "\0" in name:
        raise ValueError("not a name of a provider: %r" % name)


def guid_from_name(name):
    """The GUID that tools derive from the name of a TraceLogging provider.

    It is the same as in .NET's EventSource and in "etw enable SESSION '*NAME'"; the case of
    the name does not matter.
    """
    check_provider_name(name)
    space = bytes.fromhex("482c2db2c39047c887f81a15bfc130fb")
    upper = "".join(c.upper() if len(c.upper()) == 1 else c for c in name)
    data = bytearray(hashlib.sha1(space + upper.encode("utf-16-be")).digest()[:16])
    data[7] = data[7] & 0x0F | 0x50
    return uuid.UUID(bytes_le=bytes(data))


def to_guid(value):
    """A UUID of a UUID, a string with a GUID, "*NAME", or an object with a member guid."""
    if isinstance(value, uuid.UUID):
        return value
    if isinstance(value, str):
        if value.startswith("*"):
            return guid_from_name(value[1:])
        try:
            return uuid.UUID(value)
        except ValueError:
            raise ValueError("%r is not a GUID; the GUID of a TraceLogging provider is \"*NAME\""
                             % value) from None
    guid = getattr(value, "guid", None)
    if not isinstance(guid, uuid.UUID):
        raise TypeError("a provider must be a UUID, a string or a Provider, not %s"
                        % type(value).__name__)
    return guid


def size_check():
    """The sizes that the headers give: a wrong one would overwrite memory."""
    sizes = {GUID: 16, EventDescriptor: 16, DataDescriptor: 16, FilterDescriptor: 16,
             EnableParameters: 48, Properties: 120, Decoded: 136, Text: 32}
    return [kind.__name__ for kind, size in sizes.items() if ctypes.sizeof(kind) != size]
