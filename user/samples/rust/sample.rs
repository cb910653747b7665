// SPDX-License-Identifier: MIT
//! Writes three events into a log file of its own session, and reads them back.
//!
//!     rustc sample.rs -l etw -l tdh && sudo ./sample /tmp/rust.etl
mod etw;

use etw::*;
use std::ffi::{c_void, CStr, CString};
use std::{mem, ptr, slice};

const PROVIDER: GUID = GUID::from_u128(0x1f7a3d2e_5b64_4c0a_9e1d_0a7b6c5d4e3f);

/// EVENT_TRACE_PROPERTIES, and room for the two names behind it.
#[repr(C)]
struct Properties {
    head: EVENT_TRACE_PROPERTIES,
    name: [u8; 1025],
    file: [u8; 4097],
}

fn properties(file: &str) -> Properties {
    let mut p: Properties = unsafe { mem::zeroed() };
    p.head.Wnode.BufferSize = mem::size_of::<Properties>() as u32;
    p.head.Wnode.Flags = WNODE_FLAG_TRACED_GUID;
    p.head.LogFileMode = EVENT_TRACE_FILE_MODE_SEQUENTIAL;
    p.head.LoggerNameOffset = mem::size_of::<EVENT_TRACE_PROPERTIES>() as u32;
    p.head.LogFileNameOffset = p.head.LoggerNameOffset + 1025;
    p.file[..file.len()].copy_from_slice(file.as_bytes());
    p
}

fn check(what: &str, code: u32) -> Result<(), String> {
    if code == ERROR_SUCCESS { Ok(()) } else { Err(format!("{}: error {}", what, code)) }
}

fn write(file: &str) -> Result<(), String> {
    let name = CString::new("rust-sample").unwrap();
    let traits = traits("Sample-Rust");
    let (mut session, mut provider) = (0, 0);
    let descriptor = EVENT_DESCRIPTOR { Level: 4, Keyword: 1, Channel: 11, ..Default::default() };
    unsafe {
        check("EventRegister", EventRegister(&PROVIDER, None, ptr::null(), &mut provider))?;
        check("EventSetInformation", EventSetInformation(
            provider, EventProviderSetTraits, traits.as_ptr() as *const c_void, traits.len() as u32))?;
        check("StartTrace", StartTraceA(&mut session, name.as_ptr() as PCSTR, &mut properties(file).head))?;
        let enabled = EnableTraceEx2(session, &PROVIDER, EVENT_CONTROL_CODE_ENABLE_PROVIDER, 5, 0, 0, 1000, ptr::null());
        let mut result = check("EnableTraceEx2", enabled);
        for number in 1..=3 {
            // Build an event only if a session wants it.
            if EventProviderEnabled(provider, descriptor.Level, descriptor.Keyword) != 0 && result.is_ok() {
                let mut event = Event::new("Step");
                event.u32("Number", number).str("Text", "from Rust");
                result = check("EventWriteTransfer", event.write(provider, &traits, &descriptor, None));
            }
        }
        check("ControlTrace", ControlTraceA(session, ptr::null(), &mut properties("").head, EVENT_TRACE_CONTROL_STOP))?;
        EventUnregister(provider);
        result
    }
}

/// Called with each event of the file, its header first.
unsafe extern "system" fn on_event(record: *mut EVENT_RECORD) {
    let decoder = (*record).UserContext;
    let (mut event, mut text) = (ptr::null(), mem::zeroed());
    if etw_decode(decoder, record, &mut event) == 0 && !(*event).event.is_null() {
        etw_format_json(&mut text, decoder);
        println!("{} {}", CStr::from_ptr((*event).event).to_string_lossy(),
            String::from_utf8_lossy(slice::from_raw_parts(text.data, text.len)));
        etw_text_free(&mut text);
    }
}

fn read(file: &str) -> Result<(), String> {
    let path = CString::new(file).unwrap();
    unsafe {
        let decoder = etw_decoder_new();
        let mut logfile: EVENT_TRACE_LOGFILEA = mem::zeroed();
        logfile.LogFileName = path.as_ptr() as PCSTR;
        logfile.ProcessTraceMode = PROCESS_TRACE_MODE_EVENT_RECORD;
        logfile.EventRecordCallback = Some(on_event);
        logfile.Context = decoder;
        let trace = OpenTraceA(&mut logfile);
        if trace == INVALID_PROCESSTRACE_HANDLE {
            return Err(format!("OpenTrace: error {}", GetLastError()));
        }
        let code = ProcessTrace(&trace, 1, ptr::null(), ptr::null());
        CloseTrace(trace);
        etw_decoder_free(decoder);
        check("ProcessTrace", code)
    }
}

fn main() {
    let file = std::env::args().nth(1).unwrap_or_else(|| {
        eprintln!("usage: sample FILE");
        std::process::exit(2);
    });
    if let Err(error) = write(&file).and_then(|_| read(&file)) {
        eprintln!("sample: {}", error);
        std::process::exit(1);
    }
}
