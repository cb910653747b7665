// SPDX-License-Identifier: MIT
//! The functions and structures of libetw and libtdh for Rust, without any crate.
//!
//! Names, parameters and layouts are those of `windows_sys::Win32::System::Diagnostics::Etw`, with
//! handles as u64 (they have types of their own in some versions of that crate); what differs is
//! the name after `link`. `Event` below builds TraceLogging events.
#![allow(non_snake_case, non_camel_case_types, non_upper_case_globals, dead_code)]

use std::ffi::c_void;
use std::os::raw::c_char;

pub type PCSTR = *const u8;
pub type REGHANDLE = u64;
pub type CONTROLTRACE_HANDLE = u64;
pub type PROCESSTRACE_HANDLE = u64;

pub const ERROR_SUCCESS: u32 = 0;
pub const ERROR_MORE_DATA: u32 = 234;
pub const INVALID_PROCESSTRACE_HANDLE: PROCESSTRACE_HANDLE = u64::MAX;
pub const WNODE_FLAG_TRACED_GUID: u32 = 0x20000;
pub const EVENT_TRACE_FILE_MODE_SEQUENTIAL: u32 = 0x1;
pub const EVENT_TRACE_REAL_TIME_MODE: u32 = 0x100;
pub const EVENT_TRACE_CONTROL_QUERY: u32 = 0;
pub const EVENT_TRACE_CONTROL_STOP: u32 = 1;
pub const EVENT_TRACE_CONTROL_FLUSH: u32 = 3;
pub const EVENT_CONTROL_CODE_ENABLE_PROVIDER: u32 = 1;
pub const PROCESS_TRACE_MODE_REAL_TIME: u32 = 0x100;
pub const PROCESS_TRACE_MODE_EVENT_RECORD: u32 = 0x1000_0000;
pub const EventProviderSetTraits: i32 = 2;
pub const EVENT_DATA_DESCRIPTOR_TYPE_EVENT_METADATA: u32 = 1;
pub const EVENT_DATA_DESCRIPTOR_TYPE_PROVIDER_METADATA: u32 = 2;

#[repr(C)]
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
pub struct GUID {
    pub data1: u32,
    pub data2: u16,
    pub data3: u16,
    pub data4: [u8; 8],
}

impl GUID {
    pub const fn from_u128(uuid: u128) -> GUID {
        GUID {
            data1: (uuid >> 96) as u32,
            data2: (uuid >> 80) as u16,
            data3: (uuid >> 64) as u16,
            data4: (uuid as u64).to_be_bytes(),
        }
    }
}

#[repr(C)]
#[derive(Clone, Copy, Default)]
pub struct EVENT_DESCRIPTOR {
    pub Id: u16,
    pub Version: u8,
    pub Channel: u8,
    pub Level: u8,
    pub Opcode: u8,
    pub Task: u16,
    pub Keyword: u64,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct EVENT_DATA_DESCRIPTOR {
    pub Ptr: u64,
    pub Size: u32,
    pub Reserved: u32,
}

#[repr(C)]
pub struct EVENT_FILTER_DESCRIPTOR {
    pub Ptr: u64,
    pub Size: u32,
    pub Type: u32,
}

#[repr(C)]
pub struct ENABLE_TRACE_PARAMETERS {
    pub Version: u32,
    pub EnableProperty: u32,
    pub ControlFlags: u32,
    pub SourceId: GUID,
    pub EnableFilterDesc: *mut EVENT_FILTER_DESCRIPTOR,
    pub FilterDescCount: u32,
}

#[repr(C)]
#[derive(Clone, Copy, Default)]
pub struct WNODE_HEADER {
    pub BufferSize: u32,
    pub ProviderId: u32,
    pub HistoricalContext: u64,
    pub TimeStamp: i64,
    pub Guid: GUID,
    pub ClientContext: u32,
    pub Flags: u32,
}

#[repr(C)]
#[derive(Clone, Copy, Default)]
pub struct EVENT_TRACE_PROPERTIES {
    pub Wnode: WNODE_HEADER,
    pub BufferSize: u32,
    pub MinimumBuffers: u32,
    pub MaximumBuffers: u32,
    pub MaximumFileSize: u32,
    pub LogFileMode: u32,
    pub FlushTimer: u32,
    pub EnableFlags: u32,
    pub AgeLimit: i32,
    pub NumberOfBuffers: u32,
    pub FreeBuffers: u32,
    pub EventsLost: u32,
    pub BuffersWritten: u32,
    pub LogBuffersLost: u32,
    pub RealTimeBuffersLost: u32,
    pub LoggerThreadId: usize,
    pub LogFileNameOffset: u32,
    pub LoggerNameOffset: u32,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct EVENT_HEADER {
    pub Size: u16,
    pub HeaderType: u16,
    pub Flags: u16,
    pub EventProperty: u16,
    pub ThreadId: u32,
    pub ProcessId: u32,
    pub TimeStamp: i64,
    pub ProviderId: GUID,
    pub EventDescriptor: EVENT_DESCRIPTOR,
    pub ProcessorTime: u64,
    pub ActivityId: GUID,
}

#[repr(C)]
pub struct EVENT_RECORD {
    pub EventHeader: EVENT_HEADER,
    pub BufferContext: [u8; 4],
    pub ExtendedDataCount: u16,
    pub UserDataLength: u16,
    pub ExtendedData: *const c_void,
    pub UserData: *const c_void,
    pub UserContext: *mut c_void,
}

pub type PEVENT_RECORD_CALLBACK = Option<unsafe extern "system" fn(*mut EVENT_RECORD)>;
pub type PENABLECALLBACK = Option<
    unsafe extern "system" fn(*const GUID, u32, u8, u64, u64, *const EVENT_FILTER_DESCRIPTOR, *mut c_void),
>;

/// EVENT_TRACE_LOGFILEA; CurrentEvent and LogfileHeader, which readers need rarely, are bytes.
#[repr(C)]
pub struct EVENT_TRACE_LOGFILEA {
    pub LogFileName: PCSTR,
    pub LoggerName: PCSTR,
    pub CurrentTime: i64,
    pub BuffersRead: u32,
    pub ProcessTraceMode: u32,
    pub CurrentEvent: [u64; 11],
    pub LogfileHeader: [u64; 35],
    pub BufferCallback: Option<unsafe extern "system" fn(*mut EVENT_TRACE_LOGFILEA) -> u32>,
    pub BufferSize: u32,
    pub Filled: u32,
    pub EventsLost: u32,
    pub EventRecordCallback: PEVENT_RECORD_CALLBACK,
    pub IsKernelTrace: u32,
    pub Context: *mut c_void,
}

#[link(name = "etw")]
extern "system" {
    pub fn EventRegister(id: *const GUID, callback: PENABLECALLBACK, context: *const c_void, handle: *mut REGHANDLE) -> u32;
    pub fn EventUnregister(handle: REGHANDLE) -> u32;
    pub fn EventSetInformation(handle: REGHANDLE, class: i32, information: *const c_void, length: u32) -> u32;
    pub fn EventProviderEnabled(handle: REGHANDLE, level: u8, keyword: u64) -> u8;
    pub fn EventWriteTransfer(
        handle: REGHANDLE, descriptor: *const EVENT_DESCRIPTOR, activity: *const GUID, related: *const GUID,
        count: u32, data: *const EVENT_DATA_DESCRIPTOR,
    ) -> u32;
    pub fn StartTraceA(handle: *mut CONTROLTRACE_HANDLE, name: PCSTR, properties: *mut EVENT_TRACE_PROPERTIES) -> u32;
    pub fn ControlTraceA(
        handle: CONTROLTRACE_HANDLE, name: PCSTR, properties: *mut EVENT_TRACE_PROPERTIES, code: u32,
    ) -> u32;
    pub fn EnableTraceEx2(
        handle: CONTROLTRACE_HANDLE, provider: *const GUID, code: u32, level: u8, any: u64, all: u64, timeout: u32,
        parameters: *const ENABLE_TRACE_PARAMETERS,
    ) -> u32;
    pub fn OpenTraceA(logfile: *mut EVENT_TRACE_LOGFILEA) -> PROCESSTRACE_HANDLE;
    pub fn ProcessTrace(
        handles: *const PROCESSTRACE_HANDLE, count: u32, start: *const i64, end: *const i64,
    ) -> u32;
    pub fn CloseTrace(handle: PROCESSTRACE_HANDLE) -> u32;
    pub fn GetLastError() -> u32;
}

// ------------------------------------------------- <etw/decode.h>, which Windows does not have

#[repr(C)]
pub struct etw_decoded {
    pub record: *const EVENT_RECORD,
    pub source: i32,
    pub provider: *const c_char,
    pub event: *const c_char,
    pub task: *const c_char,
    pub opcode: *const c_char,
    pub level: *const c_char,
    pub channel: *const c_char,
    pub message: *const c_char,
    pub attributes: *const c_char,
    pub decode_guid: GUID,
    pub tags: u32,
    pub field_count: u16,
    pub symbol: *const c_char,
    pub control_guid: GUID,
    pub mode: *const c_char,
}

#[repr(C)]
pub struct etw_text {
    pub data: *mut u8,
    pub len: usize,
    pub cap: usize,
    pub error: i32,
}

#[link(name = "tdh")]
extern "C" {
    pub fn etw_decoder_new() -> *mut c_void;
    pub fn etw_decoder_free(decoder: *mut c_void);
    pub fn etw_decode(decoder: *mut c_void, record: *const EVENT_RECORD, event: *mut *const etw_decoded) -> i32;
    pub fn etw_format_json(text: *mut etw_text, decoder: *mut c_void) -> i32;
    pub fn etw_text_free(text: *mut etw_text);
}

// --------------------------------------------------------------------------- TraceLogging

/// In-types and out-types of fields, as in TraceLoggingProvider.h; add ARRAY for an array.
pub mod tl {
    pub const INT8: u8 = 3;
    pub const UINT8: u8 = 4;
    pub const INT16: u8 = 5;
    pub const UINT16: u8 = 6;
    pub const INT32: u8 = 7;
    pub const UINT32: u8 = 8;
    pub const INT64: u8 = 9;
    pub const UINT64: u8 = 10;
    pub const FLOAT: u8 = 11;
    pub const DOUBLE: u8 = 12;
    pub const BINARY: u8 = 14;
    pub const GUID: u8 = 15;
    pub const FILETIME: u8 = 17;
    pub const HEXINT32: u8 = 20;
    pub const HEXINT64: u8 = 21;
    pub const COUNTED_UTF16: u8 = 22;
    pub const COUNTED_STRING: u8 = 23;
    pub const STRUCT: u8 = 24;
    pub const ARRAY: u8 = 64;
    pub const OUT_DEFAULT: u8 = 0;
    pub const OUT_BOOLEAN: u8 = 3;
    pub const OUT_UTF8: u8 = 35;
    pub const OUT_DATETIME_UTC: u8 = 38;
}

/// The traits of a provider: its name, for EventSetInformation() and for each event.
pub fn traits(name: &str) -> Vec<u8> {
    let mut traits = ((name.len() + 3) as u16).to_le_bytes().to_vec();
    traits.extend(name.as_bytes());
    traits.push(0);
    traits
}

/// An event: metadata that name and describe its fields, and the bytes of their values.
pub struct Event {
    meta: Vec<u8>,
    data: Vec<u8>,
}

impl Event {
    pub fn new(name: &str) -> Event {
        let mut meta = vec![0, 0, 0]; // its size, set by write(), and no tags
        meta.extend(name.as_bytes());
        meta.push(0);
        Event { meta, data: Vec::new() }
    }

    /// The name and the types of the next field; its value follows by raw(), counted() or count().
    pub fn describe(&mut self, name: &str, in_type: u8, out_type: u8) -> &mut Event {
        self.meta.extend(name.as_bytes());
        self.meta.push(0);
        if out_type == 0 {
            self.meta.push(in_type);
        } else {
            self.meta.extend([in_type | 128, out_type]);
        }
        self
    }

    pub fn raw(&mut self, bytes: &[u8]) -> &mut Event {
        self.data.extend(bytes);
        self
    }

    /// The number of an array's elements, which follow.
    pub fn count(&mut self, count: u16) -> &mut Event {
        self.raw(&count.to_le_bytes())
    }

    /// A counted string or bytes: at most 65,535.
    pub fn counted(&mut self, bytes: &[u8]) -> &mut Event {
        self.count(bytes.len() as u16).raw(bytes)
    }

    pub fn u32(&mut self, name: &str, value: u32) -> &mut Event {
        self.describe(name, tl::UINT32, tl::OUT_DEFAULT).raw(&value.to_le_bytes())
    }

    pub fn i64(&mut self, name: &str, value: i64) -> &mut Event {
        self.describe(name, tl::INT64, tl::OUT_DEFAULT).raw(&value.to_le_bytes())
    }

    pub fn str(&mut self, name: &str, value: &str) -> &mut Event {
        self.describe(name, tl::COUNTED_STRING, tl::OUT_UTF8).counted(value.as_bytes())
    }

    /// The next `members` fields are members of a structure.
    pub fn structure(&mut self, name: &str, members: u8) -> &mut Event {
        self.describe(name, tl::STRUCT, members)
    }

    /// EventWriteTransfer(): ERROR_SUCCESS, also if no session wants it.
    pub fn write(
        &mut self, provider: REGHANDLE, traits: &[u8], descriptor: &EVENT_DESCRIPTOR, activity: Option<&GUID>,
    ) -> u32 {
        let size = self.meta.len() as u16;
        self.meta[..2].copy_from_slice(&size.to_le_bytes());
        let piece = |bytes: &[u8], kind| EVENT_DATA_DESCRIPTOR {
            Ptr: bytes.as_ptr() as u64,
            Size: bytes.len() as u32,
            Reserved: kind,
        };
        let pieces = [
            piece(traits, EVENT_DATA_DESCRIPTOR_TYPE_PROVIDER_METADATA),
            piece(&self.meta, EVENT_DATA_DESCRIPTOR_TYPE_EVENT_METADATA),
            piece(&self.data, 0),
        ];
        let activity = activity.map_or(std::ptr::null(), |id| id as *const GUID);
        unsafe { EventWriteTransfer(provider, descriptor, activity, std::ptr::null(), 3, pieces.as_ptr()) }
    }
}
