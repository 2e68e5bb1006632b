// SPDX-License-Identifier: Apache-2.0
//! The functions of the C ABI, as `schedpol.h` declares them, and its texts as bytes.

use std::{
    os::raw::{c_char, c_int},
    ptr, slice,
};

pub const ABI_VERSION: c_int = 1;
pub const OK: c_int = 0;
pub const REFUSED: c_int = 1;
pub const NO_ENGINE: c_int = 2;
pub const NO_MEMORY: c_int = 3;
pub const UNSUPPORTED: c_int = 5;

#[repr(C)]
pub struct Text {
    data: *const c_char,
    length: usize,
}

extern "C" {
    pub fn schedpol_abi_version() -> c_int;
    pub fn schedpol_version() -> *const c_char;
    pub fn schedpol_evaluate(request: *const c_char, length: usize, reply: *mut Text) -> c_int;
    pub fn schedpol_engine_new(
        documents: *const Text,
        count: usize,
        engine: *mut u64,
        errors: *mut Text,
    ) -> c_int;
    pub fn schedpol_engine_with(
        engine: u64,
        documents: *const Text,
        count: usize,
        changed: *mut u64,
        errors: *mut Text,
    ) -> c_int;
    pub fn schedpol_engine_without(
        engine: u64,
        documents: *const Text,
        count: usize,
        changed: *mut u64,
        errors: *mut Text,
    ) -> c_int;
    pub fn schedpol_engine_problems(engine: u64, problems: *mut Text) -> c_int;
    pub fn schedpol_engine_free(engine: u64) -> c_int;
    pub fn schedpol_decide(
        engine: u64,
        object: *const c_char,
        object_length: usize,
        asked: *const c_char,
        asked_length: usize,
        decision: *mut Text,
    ) -> c_int;
    pub fn schedpol_review(
        engine: u64,
        review: *const c_char,
        length: usize,
        phase: c_int,
        reply: *mut Text,
    ) -> c_int;
    pub fn schedpol_yaml_to_json(yaml: *const c_char, length: usize, json: *mut Text) -> c_int;
    fn schedpol_text_free(text: *mut Text);
}

impl Text {
    /// For the call that it is given to; it is not to be freed.
    pub fn borrowed(bytes: &[u8]) -> Self {
        Text {
            data: bytes.as_ptr().cast(),
            length: bytes.len(),
        }
    }
}

/// Calls `f(place of a text)`: what became of it, and the text, whose memory is given back.
pub fn call(f: impl FnOnce(*mut Text) -> c_int) -> (c_int, Vec<u8>) {
    let mut text = Text {
        data: ptr::null(),
        length: 0,
    };
    let status = f(&mut text);
    if text.data.is_null() {
        return (status, Vec::new());
    }
    // SAFETY: the library wrote a text of that length, which is freed once it is copied.
    unsafe {
        let bytes = slice::from_raw_parts(text.data.cast::<u8>(), text.length).to_vec();
        schedpol_text_free(&mut text);
        (status, bytes)
    }
}
