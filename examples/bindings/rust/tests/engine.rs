// SPDX-License-Identifier: Apache-2.0
//! An engine and its decisions, what is refused, the conformance vectors, and threads.

use std::{
    env, fs,
    path::PathBuf,
    process::Command,
    sync::{
        atomic::{AtomicU64, Ordering},
        Arc, RwLock,
    },
    thread,
    time::{Duration, Instant},
};

use schedpol::{
    as_created, evaluate, evaluate_json, suggest, Asked, Engine, Error, Phase, Running,
    SuggestOptions, User, Value,
};

fn top() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../..")
}
fn read(name: &str) -> Vec<u8> {
    fs::read(top().join("examples/bindings").join(name)).expect(name)
}
fn engine() -> Engine {
    Engine::new(&[read("policies.json")]).expect("an engine")
}
fn json(bytes: &[u8]) -> Value {
    serde_json::from_slice(bytes).expect("JSON")
}
fn gpu_team() -> Value {
    json(&read("policies.json"))["items"][2].clone()
}

#[test]
fn the_crate_is_of_the_version_of_the_library() {
    assert_eq!(schedpol::version(), env!("CARGO_PKG_VERSION"));
}

#[test]
fn the_example_prints_the_decisions() {
    let example = env::current_exe()
        .unwrap()
        .parent()
        .unwrap()
        .join("../examples/decide");
    let done = Command::new(example)
        .arg(top().join("examples/bindings"))
        .output()
        .expect("the example");
    let wanted = fs::read_to_string(top().join("tests/examples/bindings_decisions.txt")).unwrap();
    assert_eq!(String::from_utf8(done.stdout).unwrap(), wanted);
    assert!(done.status.success());
}

#[test]
fn a_pod_is_changed_and_another_one_denied() {
    let changed = engine()
        .decide(&read("pod.json"), &Asked::default())
        .unwrap();
    assert!(changed.allowed);
    assert_eq!(changed.object["spec"]["priorityClassName"], "batch");
    assert_eq!(changed.patch[0].path, "/spec/priorityClassName");
    assert_eq!(changed.reasons().count(), 0);
    let denied = engine()
        .decide(&read("denied.json"), &Asked::default())
        .unwrap();
    assert!(!denied.allowed && denied.patch.is_empty());
    assert_eq!(denied.object, json(&read("denied.json")));
    assert_eq!(
        denied.reasons().next().unwrap().code,
        "SchedulerNameNotAllowed"
    );
    assert_eq!(denied.nearest_fix[0].field, "spec.schedulerName");
}

#[test]
fn what_nothing_governs_is_told() {
    let sandboxed = br#"{"kind": "Pod", "spec": {"runtimeClassName": "gvisor"}}"#;
    let decision = engine().decide(sandboxed, &Asked::default()).unwrap();
    assert!(decision.allowed);
    let told = &decision.ungoverned;
    assert_eq!(told.len(), 1);
    assert_eq!(told[0].field, "spec.runtimeClassName");
    assert_eq!(told[0].value, "gvisor");
}

#[test]
fn what_is_asked_besides_is_asked() {
    let pod = json(&read("pod.json"));
    let asked = Asked {
        old: Some(pod.clone()),
        namespace: Some("research".into()),
        user: Some(User {
            name: "jo".into(),
            groups: vec!["dev".into()],
        }),
        phase: Some(Phase::Validating),
    };
    let decision = engine().decide(pod.to_string().as_bytes(), &asked).unwrap();
    assert!(decision.allowed && decision.patch.is_empty());
    let elsewhere = Asked {
        namespace: Some("shop".into()),
        ..Asked::default()
    };
    let error = engine()
        .decide(pod.to_string().as_bytes(), &elsewhere)
        .unwrap_err();
    assert_eq!(
        (error.code(), error.field()),
        ("InvalidRequest", "object.metadata.namespace")
    );
}

#[test]
fn what_cannot_be_read_is_an_error_with_code_and_field() {
    let policies = read("policies.json");
    let gpu_team = gpu_team().to_string();
    let cases: [(&[&[u8]], &str, &str); 4] = [
        (&[b""], "FieldValueInvalid", "documents[0]"),
        (
            &[&policies, br#"{"kind": "Gateway"}"#],
            "FieldValueNotSupported",
            "documents[1].kind",
        ),
        (&[gpu_team.as_bytes()], "FieldValueRequired", "systems"),
        (&[], "FieldValueRequired", "systems"),
    ];
    for (documents, code, field) in cases {
        let error = Engine::new(documents).unwrap_err();
        assert_eq!((error.code(), error.field()), (code, field));
        assert!(!error.to_string().is_empty());
    }
    let objects: [(&[u8], &str, &str); 3] = [
        (b"", "InvalidJson", "object"),
        (br#"{}, "user": {"name": "admin"}"#, "InvalidJson", "object"),
        (br#"{"spec": 5}"#, "InvalidObject", "object.spec"),
    ];
    for (object, code, field) in objects {
        let error = engine().decide(object, &Asked::default()).unwrap_err();
        assert_eq!((error.code(), error.field()), (code, field));
    }
}

#[test]
fn an_engine_changes_by_another_one() {
    let engine = engine();
    let allows = |engine: &Engine| {
        engine
            .decide(&read("pod.json"), &Asked::default())
            .unwrap()
            .allowed
    };
    let gpu_team = gpu_team();
    let stricter = engine.without(&[gpu_team.to_string()]).unwrap();
    assert!(allows(&engine) && !allows(&stricter));
    assert!(allows(&stricter.with(&[gpu_team.to_string()]).unwrap()));
    assert!(engine.with(&[read("policies.json")]).is_err());
    let mut wrong = gpu_team;
    wrong["spec"] = serde_json::json!({"allowed": []});
    let broken = engine.with(&[wrong.to_string()]).unwrap();
    drop(engine);
    assert_eq!(
        broken.problems().unwrap()[0].field,
        "SchedulingPolicy[gpu-team].spec.allowed"
    );
    assert!(!allows(&broken));
}

#[test]
fn a_review_is_answered_by_one() {
    let answered = json(
        &engine()
            .review(&read("review.json"), Phase::Mutating)
            .unwrap(),
    );
    assert_eq!(answered["response"]["status"]["code"], 403);
    let garbage = json(&engine().review(b"garbage", Phase::Validating).unwrap());
    assert_eq!(garbage["response"]["allowed"], false);
}

#[test]
fn an_operation_is_evaluated() {
    let compare = |b: &str| evaluate("quantity.compare", &serde_json::json!({"a": "1Gi", "b": b}));
    assert_eq!(compare("1G").unwrap()["compare"], 1);
    let error = compare("many").unwrap_err();
    assert_eq!((error.code(), error.field()), ("InvalidObject", "b"));
}

#[test]
fn yaml_is_read_where_libyaml_is() {
    match schedpol::yaml_to_json(b"kind: Pod\n---\nkind: Job\n") {
        Err(Error::Unsupported) => println!("SKIPPED: the library is built without libyaml"),
        read => assert_eq!(
            json(&read.unwrap())["items"],
            serde_json::json!([{"kind": "Pod"}, {"kind": "Job"}])
        ),
    }
}

/// With SCHEDPOL_REPLIES, a directory with the replies of the library itself, byte for byte.
#[test]
fn the_conformance_vectors() {
    let mut vectors = 0;
    for file in fs::read_dir(top().join("tests/conformance"))
        .unwrap()
        .map(|entry| entry.unwrap().path())
    {
        let mut replies = Vec::new();
        for line in fs::read_to_string(&file).unwrap().lines() {
            let bytes = evaluate_json(line.as_bytes()).unwrap();
            let (request, reply) = (json(line.as_bytes()), json(&bytes));
            let expected = request["expected"].as_object().unwrap();
            assert_eq!(reply["id"], request["id"]);
            assert_eq!(
                reply.get("error").is_some(),
                expected.contains_key("error"),
                "{line}"
            );
            let plain = expected.iter().filter(|(name, value)| {
                *name != "error" && !value.is_array() && !value.is_object()
            });
            for (name, value) in plain {
                let empty = value == false || value == 0 || value == "";
                let answered = reply["result"].get(name);
                assert!(
                    answered.map_or(empty, |answered| answered == value),
                    "{line}"
                );
            }
            vectors += 1;
            replies.extend_from_slice(&bytes);
            replies.push(b'\n');
        }
        if let Ok(directory) = env::var("SCHEDPOL_REPLIES") {
            assert_eq!(
                replies,
                fs::read(PathBuf::from(directory).join(file.file_name().unwrap())).unwrap()
            );
        }
    }
    assert!(vectors > 800);
}

fn is_shared<T: Send + Sync>(_: &T) {}

/// For SCHEDPOL_STRESS_SECONDS, or two.
#[test]
fn threads_share_engines_that_others_make_and_drop() {
    let seconds = env::var("SCHEDPOL_STRESS_SECONDS").map_or(2.0, |text| text.parse().unwrap());
    let until = Instant::now() + Duration::from_secs_f64(seconds);
    let shared = RwLock::new(Arc::new(engine()));
    is_shared(&shared);
    let objects = [read("pod.json"), read("denied.json")];
    let wanted = objects
        .each_ref()
        .map(|object| engine().decide_json(object, b"").unwrap());
    let decisions = AtomicU64::new(0);
    thread::scope(|scope| {
        for number in 0..8 {
            let (shared, objects, wanted) = (&shared, &objects, &wanted);
            let decisions = &decisions;
            scope.spawn(move || {
                while Instant::now() < until {
                    let engine = Arc::clone(&shared.read().unwrap());
                    for (object, decision) in objects.iter().zip(wanted) {
                        assert_eq!(&engine.decide_json(object, b"").unwrap(), decision);
                    }
                    if number % 4 == 0 {
                        let gpu_team = [gpu_team().to_string()];
                        let stricter = engine.without(&gpu_team).unwrap();
                        *shared.write().unwrap() = Arc::new(stricter.with(&gpu_team).unwrap());
                    }
                    decisions.fetch_add(2, Ordering::Relaxed);
                }
            });
        }
    });
    println!("{decisions:?} decisions in {seconds} seconds");
}

fn running() -> Value {
    serde_json::json!({"kind": "Pod", "metadata": {"name": "web-0", "namespace": "shop", "uid": "1",
        "creationTimestamp": "2026-01-01T00:00:00Z", "ownerReferences": [
        {"apiVersion": "apps/v1", "kind": "StatefulSet", "name": "web", "controller": true}]},
        "spec": {"nodeName": "n1", "tolerations": [{"key": "gpu", "operator": "Exists"}]}})
}

#[test]
fn a_pod_is_told_as_it_was_created() {
    let created = as_created(&running(), &Value::Null).unwrap();
    assert_eq!(created.asked_as, "Created");
    assert_eq!(created.patch[0].path, "/spec/nodeName");
    assert!(created.object.unwrap()["spec"].get("nodeName").is_none());
    let mut done = running();
    done["status"] = serde_json::json!({"phase": "Succeeded"});
    let done = as_created(&done, &Value::Null).unwrap();
    assert_eq!((done.asked_as.as_str(), done.object), ("Terminal", None));
}

#[test]
fn what_is_suggested_allows_what_runs() {
    let settings = serde_json::json!({"kind": "EngineConfiguration", "systems": [{"system": "SchedulingPolicy"}]});
    let mut asked = Running {
        objects: serde_json::json!([running()]),
        configuration: serde_json::json!([settings]),
        ..Default::default()
    };
    let suggestion = suggest(&asked, &SuggestOptions::default()).unwrap();
    let entries: Vec<_> = suggestion
        .entries
        .iter()
        .map(|each| each.entry.as_str())
        .collect();
    assert_eq!(
        entries,
        ["allowed.schedulerNames[0]", "allowed.tolerations[0]"]
    );
    let documents: Vec<_> = std::iter::once(&settings)
        .chain(suggestion.objects())
        .map(Value::to_string)
        .collect();
    let created = as_created(&running(), &Value::Null)
        .unwrap()
        .object
        .unwrap()
        .to_string();
    let decide = |documents: &[String]| {
        let engine = Engine::new(documents).unwrap();
        engine
            .decide(created.as_bytes(), &Asked::default())
            .unwrap()
            .allowed
    };
    assert!(!decide(&documents[..1]));
    assert!(decide(&documents));
    asked.configuration = documents.iter().map(|each| json(each.as_bytes())).collect();
    let again = suggest(&asked, &SuggestOptions::default()).unwrap();
    assert_eq!((again.objects().count(), again.proof.allowed), (0, 1));
}

#[test]
fn what_cannot_be_suggested_is_an_error() {
    let asked = |objects| Running {
        objects,
        ..Default::default()
    };
    let field = |objects, options: &SuggestOptions| {
        suggest(&asked(objects), options)
            .unwrap_err()
            .field()
            .to_owned()
    };
    let wrong = serde_json::json!([{"kind": "Pod", "spec": 1}]);
    assert_eq!(field(wrong, &SuggestOptions::default()), "objects[0].spec");
    let options = SuggestOptions {
        common_percent: 101,
        ..Default::default()
    };
    assert_eq!(
        field(serde_json::json!([]), &options),
        "options.commonPercent"
    );
}
