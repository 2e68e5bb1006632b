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
    let top = if native.exists() {
        native
    } else {
        Path::new("../../..")
    };
    let (bindings, compiled) = (
        top.join("examples/bindings"),
        top.join(".packaging/compiled"),
    );
    assert!(
        compiled.exists(),
        "the library is neither in native/ nor around the crate, as in a checkout; `./package` makes a crate that has it"
    );
    if build.get_compiler().is_like_gnu() {
        // It tidies up before a part takes 1 GB.
        build
            .flag("--param=ggc-min-expand=10")
            .flag("--param=ggc-min-heapsize=65536");
    }
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
    build.compile("schedpol");
}
