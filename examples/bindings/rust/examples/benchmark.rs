// SPDX-License-Identifier: Apache-2.0
//! Decisions a second, bytes in and bytes out: benchmark DIRECTORY THREADS SECONDS

use std::{
    env, fs, thread,
    time::{Duration, Instant},
};

fn main() {
    let arguments: Vec<String> = env::args().collect();
    let read = |name: &str| fs::read(format!("{}/{name}", arguments[1])).expect(name);
    let threads: usize = arguments[2].parse().expect("threads");
    let seconds: f64 = arguments[3].parse().expect("seconds");
    let engine = schedpol::Engine::new(&[read("policies.json")]).expect("an engine");
    let pod = read("pod.json");
    let end = Instant::now() + Duration::from_secs_f64(seconds);
    let work = || {
        let mut count = 0_u64;
        while Instant::now() < end {
            let decision = engine.decide_json(&pod, b"").expect("a decision");
            assert!(decision.starts_with(br#"{"allowed":true"#));
            count += 1;
        }
        count
    };
    let count: u64 = thread::scope(|scope| {
        let all: Vec<_> = (0..threads).map(|_| scope.spawn(work)).collect();
        all.into_iter()
            .map(|one| one.join().expect("a count"))
            .sum()
    });
    println!("{}", (count as f64 / seconds) as u64);
}
