#![no_main]

#[path = "../oracle.rs"]
#[allow(dead_code, reason = "one target calls one of its functions")]
mod oracle;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| oracle::config(bytes.len(), bytes));
