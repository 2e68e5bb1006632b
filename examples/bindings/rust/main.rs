// SPDX-License-Identifier: Apache-2.0
//! schedpol from Rust: evaluates a request, reviews a pod and decides on another by the policies in a directory.

use std::{env, fs, os::raw::c_char, path::PathBuf, process::ExitCode, slice};

#[repr(C)]
struct Text {
    data: *const c_char,
    length: usize,
}

#[repr(C)]
struct Engine {
    _opaque: [u8; 0],
}

#[link(name = "schedpol")]
extern "C" {
    fn schedpol_abi_version() -> i32;
    fn schedpol_evaluate(request: *const c_char, length: usize) -> Text;
    fn schedpol_engine_new(json: *const c_char, length: usize, errors: *mut Text) -> *mut Engine;
    fn schedpol_review(engine: *const Engine, review: *const c_char, length: usize) -> Text;
    fn schedpol_decide(engine: *const Engine, object: *const c_char, length: usize) -> Text;
    fn schedpol_engine_free(engine: *mut Engine);
    fn schedpol_text_free(text: Text);
}

/// Copies a text and gives its memory back.
fn take(text: Text) -> String {
    assert!(!text.data.is_null(), "out of memory");
    let bytes = unsafe { slice::from_raw_parts(text.data.cast::<u8>(), text.length) };
    let copy = String::from_utf8_lossy(bytes).into_owned();
    unsafe { schedpol_text_free(text) };
    copy
}

fn main() -> ExitCode {
    let directory = PathBuf::from(env::args().nth(1).unwrap_or_else(|| ".".into()));
    let read = |name: &str| fs::read(directory.join(name)).expect(name);
    assert_eq!(unsafe { schedpol_abi_version() }, 1);

    let bytes = read("request.json");
    let reply = take(unsafe { schedpol_evaluate(bytes.as_ptr().cast(), bytes.len()) });
    println!("evaluate: {reply}");

    let bytes = read("policies.json");
    let (data, length) = (std::ptr::null(), 0);
    let mut errors = Text { data, length };
    let engine = unsafe { schedpol_engine_new(bytes.as_ptr().cast(), bytes.len(), &mut errors) };
    if engine.is_null() {
        println!("errors: {}", take(errors));
        return ExitCode::FAILURE;
    }
    let bytes = read("review.json");
    let reply = take(unsafe { schedpol_review(engine, bytes.as_ptr().cast(), bytes.len()) });
    println!("review: {reply}");
    let bytes = read("pod.json");
    let reply = take(unsafe { schedpol_decide(engine, bytes.as_ptr().cast(), bytes.len()) });
    println!("decide: {reply}");
    unsafe { schedpol_engine_free(engine) };
    ExitCode::SUCCESS
}
