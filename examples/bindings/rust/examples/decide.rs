// SPDX-License-Identifier: Apache-2.0
//! Decides on two pods by policies: one is changed, one is denied.
//!
//! cargo run --example decide DIRECTORY, which has policies.json, pod.json and denied.json

use std::{env, fs, path::PathBuf, process::ExitCode};

use schedpol::{Asked, Decision, Engine, Error};

/// What became of the object: the patch of one that is allowed; why another one is denied, and what would help.
fn show(decision: &Decision) {
    let name = decision.object["metadata"]["name"]
        .as_str()
        .unwrap_or_default();
    println!(
        "{name}: {}",
        if decision.allowed {
            "allowed"
        } else {
            "denied"
        }
    );
    for operation in &decision.patch {
        println!("  {} {} {}", operation.op, operation.path, operation.value);
    }
    for reason in decision.reasons() {
        println!("  {}", reason.message);
    }
    for change in &decision.nearest_fix {
        println!("  it would be allowed with {}: {}", change.field, change.to);
    }
}

fn run(read: impl Fn(&str) -> Vec<u8>) -> Result<(), Error> {
    let engine = Engine::new(&[read("policies.json")])?;
    for problem in engine.problems()? {
        println!("problem: {}", problem.message);
    }
    for file in ["pod.json", "denied.json"] {
        show(&engine.decide(&read(file), &Asked::default())?);
    }
    Ok(())
}

fn main() -> ExitCode {
    let directory = PathBuf::from(env::args().nth(1).expect("a directory"));
    match run(|name| fs::read(directory.join(name)).expect(name)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(Error::Refused(problems)) => {
            for problem in problems {
                println!("{} at {}", problem.code, problem.field);
            }
            ExitCode::FAILURE
        }
        Err(error) => {
            println!("{error}");
            ExitCode::FAILURE
        }
    }
}
