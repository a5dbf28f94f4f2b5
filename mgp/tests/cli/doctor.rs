//! Planted faults, and the finding of `mgp doctor` on each.

mod faults;
mod mended;
mod patient;

use patient::Patient;
use serde_json::Value;

#[test]
fn a_sound_installation_has_no_errors() {
    let patient = Patient::new();
    let ended = patient.doctor(&[]);
    let errors: Vec<_> = ended.stdout.lines().filter(|line| line.starts_with("error")).collect();
    assert!(errors.is_empty(), "{ended:?}");
    for part in ["program", "configuration", "state", "servers", "hosts", "machine"] {
        let ended = patient.doctor(&[part]).succeeds();
        assert!(ended.stdout.ends_with("no errors and no warnings\n"), "{part}: {ended:?}");
    }
}

#[test]
fn the_json_form_has_the_remedy_and_the_section() {
    let patient = Patient::new();
    patient.open_state();
    let ended = patient.doctor(&["--json", "state"]).fails_with(1);
    let report: Value = serde_json::from_str(&ended.stdout).unwrap();
    let [finding] = report["findings"].as_array().unwrap().as_slice() else { panic!("{report}") };
    for (key, expected) in [
        ("id", "state-open"),
        ("severity", "warning"),
        ("subject", "state"),
        ("docs", "docs/doctor.md#state-open"),
    ] {
        assert_eq!(finding[key], expected, "{report}");
    }
    assert!(finding["command"].as_str().unwrap().starts_with("chmod go-rwx "), "{report}");
    assert_eq!((&finding["fixable"], &finding["fixed"]), (&true.into(), &false.into()), "{report}");
}

#[test]
fn an_unknown_name_is_refused_with_the_known_ones() {
    let ended = Patient::new().doctor(&["cursr"]).fails_with(5);
    assert!(
        ended.stderr.contains("did you mean \"cursor\"?") && ended.stderr.contains("machine"),
        "{ended:?}"
    );
}

#[test]
fn secrets_of_servers_are_not_shown() {
    let patient = Patient::new();
    let script = patient.script("talks", "echo \"key: $SERVICE_API_KEY\" >&2; exit 3");
    patient.configure(&format!(
        "[[servers]]\nid = \"s\"\ncommand = {script:?}\nenv = {{ SERVICE_API_KEY = \"hunter2-hunter2\" }}\n"
    ));
    let ended = patient.doctor(&["s"]).fails_with(1);
    assert!(ended.stdout.contains("key: ***"), "{ended:?}");
    assert!(!format!("{ended:?}").contains("hunter2"), "{ended:?}");
}

#[test]
fn a_database_elsewhere_shows_that_replicas_are_elsewhere() {
    let patient = Patient::new();
    patient.append("[replicas]\nlisten = \"127.0.0.1:0\"");
    patient.doctor(&["configuration"]).succeeds();
    patient.set("MGP_STORE_URL", "postgres://mgp@203.0.113.7/mgp");
    let ended = patient.doctor(&["configuration"]).fails_with(1);
    assert!(
        ended.stdout.contains("the database of store.url is on another machine; set `replicas.listen`"),
        "{ended:?}"
    );
}

#[test]
fn a_running_gateway_is_asked_instead_of_a_second_start() {
    let patient = Patient::new();
    let host = patient.serve();
    let ended = patient.doctor(&["servers", "gateway"]);
    let line = format!("gateway: process {}, since ", host.pid());
    assert!(ended.stdout.contains(&line) && ended.stdout.contains(", with test; its log"), "{ended:?}");
    assert_eq!(patient.starts(), 1);
}
