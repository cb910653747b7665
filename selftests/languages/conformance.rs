// SPDX-License-Identifier: GPL-2.0-only
//! Rust's part of the conformance suite; conformance.py says what each part does.
#[path = "../../user/samples/rust/etw.rs"]
mod etw;

use etw::*;
use std::ffi::{c_void, CStr, CString};
use std::io::Write;
use std::{mem, ptr, slice};

const PROVIDER: GUID = GUID::from_u128(0xc0f0a3e1_6b1d_4d5e_8f2a_7d3c1b2a4f60);

fn guid(text: &str) -> GUID {
    GUID::from_u128(u128::from_str_radix(&text.replace('-', ""), 16).expect("GUID"))
}

fn guid_bytes(id: GUID) -> Vec<u8> {
    let mut bytes = id.data1.to_le_bytes().to_vec();
    bytes.extend(id.data2.to_le_bytes());
    bytes.extend(id.data3.to_le_bytes());
    bytes.extend(id.data4);
    bytes
}

fn unescape(text: &str) -> String {
    text.replace("\\\\", "\x01").replace("\\n", "\n").replace("\\t", "\t").replace("\\0", "\0").replace('\x01', "\\")
}

fn counted(bytes: Vec<u8>) -> Vec<u8> {
    let mut all = (bytes.len() as u16).to_le_bytes().to_vec();
    all.extend(bytes);
    all
}

/// The in-type, the out-type, and the bytes of one value.
fn value(kind: &str, text: &str) -> (u8, u8, Vec<u8>) {
    macro_rules! number {
        ($rust:ty) => {
            text.parse::<$rust>().expect(text).to_le_bytes().to_vec()
        };
    }
    match kind {
        "int8" => (tl::INT8, 0, number!(i8)),
        "uint8" => (tl::UINT8, 0, number!(u8)),
        "int16" => (tl::INT16, 0, number!(i16)),
        "uint16" => (tl::UINT16, 0, number!(u16)),
        "int32" => (tl::INT32, 0, number!(i32)),
        "uint32" => (tl::UINT32, 0, number!(u32)),
        "int64" => (tl::INT64, 0, number!(i64)),
        "uint64" => (tl::UINT64, 0, number!(u64)),
        "hexint32" => (tl::HEXINT32, 0, number!(u32)),
        "hexint64" => (tl::HEXINT64, 0, number!(u64)),
        "float32" => (tl::FLOAT, 0, number!(f32)),
        "float64" => (tl::DOUBLE, 0, number!(f64)),
        "boolean" => (tl::UINT8, tl::OUT_BOOLEAN, number!(u8)),
        "filetime" => (tl::FILETIME, tl::OUT_DATETIME_UTC, number!(u64)),
        "guid" => (tl::GUID, 0, guid_bytes(guid(text))),
        "utf8" => (tl::COUNTED_STRING, tl::OUT_UTF8, counted(unescape(text).into_bytes())),
        "utf16" => {
            let units = unescape(text).encode_utf16().flat_map(|unit| unit.to_le_bytes()).collect();
            (tl::COUNTED_UTF16, 0, counted(units))
        }
        "binary" => {
            let bytes = (0..text.len()).step_by(2).map(|i| u8::from_str_radix(&text[i..i + 2], 16).expect("hex"));
            (tl::BINARY, 0, counted(bytes.collect()))
        }
        _ => panic!("unknown type {}", kind),
    }
}

fn add_field(event: &mut Event, name: &str, kind: &str, text: &str) {
    if let Some(kind) = kind.strip_suffix("[]") {
        let elements: Vec<&str> = if text.is_empty() { vec![] } else { text.split('|').collect() };
        let example = if kind.starts_with("utf") { "" } else { "0" };
        let (in_type, out_type, _) = value(kind, elements.first().unwrap_or(&example));
        event.describe(name, in_type | tl::ARRAY, out_type).count(elements.len() as u16);
        for element in elements {
            event.raw(&value(kind, element).2);
        }
        return;
    }
    let (kind, times) = kind.split_once('*').unwrap_or((kind, "1"));
    let (in_type, out_type, bytes) = value(kind, &text.repeat(times.parse().expect("a number")));
    event.describe(name, in_type, out_type).raw(&bytes);
}

fn check(what: &str, code: u32) -> Result<(), String> {
    if code == ERROR_SUCCESS { Ok(()) } else { Err(format!("{}: error {}", what, code)) }
}

type Started = (Event, EVENT_DESCRIPTOR, Option<GUID>);

fn begin(columns: &[&str]) -> Started {
    let descriptor = EVENT_DESCRIPTOR {
        Level: columns[2].parse().expect("level"),
        Opcode: columns[3].parse().expect("opcode"),
        Keyword: columns[4].strip_prefix("0x").map_or(0, |hex| u64::from_str_radix(hex, 16).expect("keyword")),
        Channel: 11,
        ..Default::default()
    };
    (Event::new(columns[1]), descriptor, (columns[5] != "-").then(|| guid(columns[5])))
}

fn write(table: &str) -> Result<(), String> {
    let text = std::fs::read_to_string(table).map_err(|error| error.to_string())?;
    let traits = traits("Test-Conformance");
    let mut provider = 0;
    unsafe {
        check("EventRegister", EventRegister(&PROVIDER, None, ptr::null(), &mut provider))?;
        check("EventSetInformation", EventSetInformation(
            provider, EventProviderSetTraits, traits.as_ptr() as *const c_void, traits.len() as u32))?;
        if EventProviderEnabled(provider, 0, 0) == 0 {
            return Err("no session has enabled the provider".to_string());
        }
    }
    let mut current: Option<Started> = None;
    for line in text.lines().chain(["event"]).filter(|line| !line.starts_with('#')) {
        let columns: Vec<&str> = line.split('\t').collect();
        match (columns[0], &mut current) {
            ("event", before) => {
                if let Some((event, descriptor, activity)) = before {
                    check("EventWriteTransfer", event.write(provider, &traits, descriptor, activity.as_ref()))?;
                }
                current = (columns.len() > 1).then(|| begin(&columns));
            }
            ("struct", Some((event, ..))) => {
                event.structure(columns[1], columns[2].parse().expect("members"));
            }
            ("field", Some((event, ..))) => add_field(event, columns[1], columns[2], columns[3]),
            _ => return Err(format!("bad line: {}", line)),
        }
    }
    check("EventUnregister", unsafe { EventUnregister(provider) })
}

unsafe extern "system" fn on_event(record: *mut EVENT_RECORD) {
    let header = &(*record).EventHeader;
    if header.ProviderId != PROVIDER {
        return;
    }
    let decoder = (*record).UserContext;
    let (mut event, mut text) = (ptr::null(), mem::zeroed());
    let result = etw_decode(decoder, record, &mut event) | etw_format_json(&mut text, decoder);
    let d = &header.EventDescriptor;
    let (id, zero) = (header.ActivityId, GUID::default());
    let hex: String = id.data4.iter().map(|byte| format!("{:02x}", byte)).collect();
    let activity = match id == zero {
        true => "null".to_string(),
        false => format!("\"{:08x}-{:04x}-{:04x}-{}-{}\"", id.data1, id.data2, id.data3, &hex[..4], &hex[4..]),
    };
    // No name in the table needs escapes.
    println!("{{\"event\":\"{}\",\"level\":{},\"opcode\":{},\"keyword\":\"{:#x}\",\"activity\":{},\"fields\":{}}}",
        CStr::from_ptr((*event).event).to_string_lossy(), d.Level, d.Opcode, d.Keyword, activity,
        if result == 0 { std::str::from_utf8(slice::from_raw_parts(text.data, text.len)).expect("UTF-8") } else { "null" });
    etw_text_free(&mut text);
}

fn read(name: &str, live: bool) -> Result<(), String> {
    let name = CString::new(name).map_err(|error| error.to_string())?;
    unsafe {
        let mut logfile: EVENT_TRACE_LOGFILEA = mem::zeroed();
        logfile.ProcessTraceMode = PROCESS_TRACE_MODE_EVENT_RECORD;
        if live {
            logfile.LoggerName = name.as_ptr() as PCSTR;
            logfile.ProcessTraceMode |= PROCESS_TRACE_MODE_REAL_TIME;
        } else {
            logfile.LogFileName = name.as_ptr() as PCSTR;
        }
        logfile.EventRecordCallback = Some(on_event);
        logfile.Context = etw_decoder_new();
        let trace = OpenTraceA(&mut logfile);
        if trace == INVALID_PROCESSTRACE_HANDLE {
            return Err(format!("OpenTrace: error {}", GetLastError()));
        }
        eprintln!("ready");
        let code = ProcessTrace(&trace, 1, ptr::null(), ptr::null());
        CloseTrace(trace);
        etw_decoder_free(logfile.Context);
        std::io::stdout().flush().expect("stdout");
        check("ProcessTrace", code)
    }
}

fn main() {
    let arguments: Vec<String> = std::env::args().collect();
    let result = match (arguments.get(1).map(|s| s.as_str()), arguments.get(2)) {
        (Some("write"), Some(table)) => write(table),
        (Some("read"), Some(file)) => read(file, false),
        (Some("listen"), Some(session)) => read(session, true),
        _ => Err("usage: conformance write TABLE | read FILE | listen SESSION".to_string()),
    };
    if let Err(error) = result {
        eprintln!("{}", error);
        std::process::exit(1);
    }
}
