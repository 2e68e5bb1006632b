// SPDX-License-Identifier: Apache-2.0
//! Links the `libschedpol` in SCHEDPOL_LIB_DIR, or compiles the library: that of the checkout, or the one that a
//! published crate brings along in `native/`.

use std::{env, path::Path};

fn main() {
    println!("cargo:rerun-if-env-changed=SCHEDPOL_LIB_DIR");
    if let Ok(directory) = env::var("SCHEDPOL_LIB_DIR") {
        println!("cargo:rustc-link-search=native={directory}");
        println!("cargo:rustc-link-lib=dylib=schedpol");
        println!("cargo:rustc-link-arg=-Wl,-rpath,{directory}");
        return;
    }
    let mut build = cc::Build::new();
    build
        .cpp(true)
        .std("c++20")
        .opt_level(2)
        .debug(false)
        .warnings(false);
    let native = Path::new("native");
    if native.exists() {
        build.include(native).file(native.join("schedpol.cpp"));
    } else {
        let bindings = Path::new("..");
        let top = bindings.join("../..");
        let compiled = top.join(".packaging/compiled");
        build
            .include(top.join("include"))
            .define("SCHEDPOL_COMPILED", None)
            .file(bindings.join("schedpol.cpp"))
            .files(
                ["schedpol.cpp", "cluster.cpp", "insight.cpp", "json.cpp"]
                    .map(|name| compiled.join(name)),
            );
        for watched in [
            top.join("include"),
            compiled,
            bindings.join("schedpol.cpp"),
            bindings.join("engine_table.hpp"),
        ] {
            println!("cargo:rerun-if-changed={}", watched.display());
        }
    }
    build.compile("schedpol");
}
