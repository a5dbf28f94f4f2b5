//! Corpora: attacks, of which few may pass; everyday arguments, of which none is refused and few are asked about; and arguments at the
//! edge between two verdicts, each with its expected verdict.

use super::{Input, Validators, Verdict, Violation, input::leaves_of};
use crate::profile::{ConfiguredTool, Leaves, ToolFacts, ToolProfile, assess};
use mgp_types::{
    context::{RiskLevel, TrustLevel},
    json::{RawJson, read_deep},
    mcp::{Tool, ToolAnnotations},
    tool_security::{SecurityMetadata, ValidatorName},
};
use std::{fs, path::Path};

/// The share of everyday arguments that may be asked about: one in this number.
const ASKED: usize = 20;
/// The share of attacks that may pass: one in this number.
const PASSED: usize = 100;

/// Returns the profile of a tool that takes commands and only reads, with a validator.
fn profile(validator: &str) -> ToolProfile {
    let name: ValidatorName = validator.into();
    let tool = Tool {
        annotations: Some(ToolAnnotations { read_only_hint: Some(true), ..Default::default() }),
        security: Some(SecurityMetadata {
            validator: Some(name.clone()),
            ..SecurityMetadata::new(RiskLevel::Safe)
        }),
        ..Tool::new("run", RawJson::empty_object())
    };
    let configured = ConfiguredTool { validator: Some(name), ..Default::default() };
    assess(&ToolFacts::new(&tool, TrustLevel::Trusted, &[], &configured))
}

/// Returns the arguments on the lines of a file, or of the files in a folder; none if the file does not exist. A line is JSON, or the
/// text of the member `key`.
fn corpus(path: &str, key: &str) -> Vec<RawJson> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/corpus/validators").join(path);
    let files = match fs::read_dir(&path) {
        Ok(folder) => folder.map(|file| file.unwrap().path()).collect(),
        Err(_) if path.is_file() => vec![path],
        Err(_) => Vec::new(),
    };
    let mut lines = Vec::new();
    for file in files {
        let text = fs::read_to_string(file).unwrap();
        lines.extend(text.lines().filter(|line| !line.is_empty()).map(|line| arguments(line, key)));
    }
    lines
}

fn arguments(line: &str, key: &str) -> RawJson {
    let json: Option<serde_json::Value> = serde_json::from_str(line).ok();
    let text = match json {
        Some(object @ serde_json::Value::Object(_)) => return RawJson::from_value(&object).unwrap(),
        Some(serde_json::Value::String(text)) => text,
        _ => line.to_owned(),
    };
    RawJson::from_value(&serde_json::json!({ key: text })).unwrap()
}

fn verdict(profile: &ToolProfile, arguments: &RawJson) -> Verdict {
    let deep = read_deep(arguments).unwrap();
    let leaves = leaves_of(&deep, arguments.as_bytes().len(), &Leaves::All).unwrap();
    Validators::standard().check(&Input::new(&leaves, profile))
}

/// Returns the name of a verdict.
fn name(verdict: &Verdict) -> &'static str {
    match verdict {
        Verdict::Pass => "passed",
        Verdict::Ask(_) => "asked",
        Verdict::Refuse(_) => "refused",
    }
}

/// Judges a part of the corpora of a validator. Adds each row whose verdict is not among the expected ones to `wrong`. Returns the number of
/// rows.
fn judge(validator: &str, key: &str, part: &str, expected: &[&str], wrong: &mut String) -> usize {
    let profile = profile(validator);
    let all = corpus(&format!("{validator}/{part}"), key);
    for arguments in &all {
        let verdict = verdict(&profile, arguments);
        let found = name(&verdict);
        if !expected.contains(&found) {
            wrong.push_str(&format!("{part}: {found}, not {expected:?}:{}", shown(arguments, &verdict)));
        }
    }
    all.len()
}

/// Judges the corpora of a validator. A text without a member is judged in the member `key`.
///
/// The attacks that pass, and the everyday arguments that are asked about, have separate files, so that no rule is lost unnoticed. A
/// row whose verdict changes for the better is moved to the other rows.
fn check(validator: &str, key: &str) {
    let mut wrong = String::new();
    let mut judge = |part, expected: &[_]| judge(validator, key, part, expected, &mut wrong);
    let stopped = judge("evasions", &["asked", "refused"]);
    let passing = judge("evasions_that_pass.txt", &["passed"]);
    let quiet = judge("harmless", &["passed"]);
    let asked = judge("harmless_but_asked.txt", &["asked"]);
    assert!(wrong.is_empty(), "{wrong}");
    assert!(stopped > 2_000 && quiet > 1_000, "{stopped} attacks, {quiet} everyday arguments");
    assert!(passing * PASSED <= stopped + passing, "{passing} of {} attacks pass", stopped + passing);
    assert!(
        asked * ASKED <= quiet + asked,
        "{asked} of {} everyday arguments are asked about",
        quiet + asked
    );
}

/// Asserts that each line in a folder of a validator's edges has the verdict that the folder is named after.
fn check_edges(validator: &str, key: &str) {
    let mut wrong = String::new();
    for expected in ["passed", "asked", "refused"] {
        let rows = judge(validator, key, &format!("edges/{expected}"), &[expected], &mut wrong);
        assert!(rows > 0, "{validator} has no edges that are {expected}");
    }
    assert!(wrong.is_empty(), "{wrong}");
}

fn shown(arguments: &RawJson, verdict: &Verdict) -> String {
    let why = match verdict {
        Verdict::Pass => String::new(),
        Verdict::Ask(violation) | Verdict::Refuse(violation) => Violation::to_string(violation),
    };
    format!("  {}  {why}\n", arguments.as_str())
}

#[test]
fn the_sandbox_refuses_harmful_and_allows_everyday_commands() {
    check("sandbox", "command");
}

#[test]
fn readonly_refuses_writes_and_allows_everyday_queries() {
    check("readonly", "sql");
}

#[test]
fn network_restricted_refuses_local_and_allows_everyday_hosts() {
    check("network_restricted", "url");
}

#[test]
fn borderline_commands_have_their_verdict() {
    check_edges("sandbox", "command");
}

#[test]
fn borderline_statements_and_commands_have_their_verdict() {
    check_edges("readonly", "sql");
}

#[test]
fn borderline_hosts_have_their_verdict() {
    check_edges("network_restricted", "url");
}

/// Returns the verdict of a validator about one text.
fn verdict_of(validator: &str, key: &str, text: &str) -> Verdict {
    let arguments = RawJson::from_value(&serde_json::json!({ key: text })).unwrap();
    verdict(&profile(validator), &arguments)
}

/// Returns the verdict of `sandbox` about a command in an array.
fn verdict_of_words(words: &[&str]) -> Verdict {
    let arguments = RawJson::from_value(&serde_json::json!({ "command": words })).unwrap();
    verdict(&profile("sandbox"), &arguments)
}

#[test]
fn a_text_is_judged_up_to_its_bounds() {
    for (commands, passes) in [(2000, true), (2001, false)] {
        let script = vec!["ls"; commands].join(";");
        assert_eq!(verdict_of("sandbox", "command", &script) == Verdict::Pass, passes, "{commands} commands");
    }
    // Each of these is three steps: the program, its text, and the command in it. The whole text is one.
    let nested = "sh -c ls;".repeat(1333);
    for (script, passes) in [(nested.clone(), true), (format!("{nested}ls"), false)] {
        assert_eq!(verdict_of("sandbox", "command", &script) == Verdict::Pass, passes, "{}", script.len());
    }
    for (depth, passes) in [(32, true), (33, false)] {
        let document = |inside, at| format!("cat <<E{at}\n$({inside})\nE{at}\n");
        let script = (1..depth).fold("cat <<E\nx\nE\n".to_owned(), document);
        assert_eq!(verdict_of("sandbox", "command", &script) == Verdict::Pass, passes, "{depth} documents");
    }
    for (words, passes) in [(64, true), (65, false), (30_000, false)] {
        let script = format!("ls {}{{{}}}", "x".repeat(words / 2), vec!["a"; words].join(","));
        assert_eq!(verdict_of("sandbox", "command", &script) == Verdict::Pass, passes, "{words} words");
        let script = format!("cat {{/etc/shadow{}}}", ",a".repeat(words - 1));
        assert_ne!(verdict_of("sandbox", "command", &script), Verdict::Pass, "{words} words");
    }
    for (length, passes) in [(8 * 1024, true), (8 * 1024 + 1, false)] {
        let host = "x".repeat(length);
        assert_eq!(
            verdict_of("network_restricted", "host", &host) == Verdict::Pass,
            passes,
            "{length} bytes"
        );
    }
    for (length, refused) in [(64 * 1024, false), (64 * 1024 + 1, true)] {
        let found = verdict_of("sandbox", "command", &"x".repeat(length));
        assert_eq!(matches!(found, Verdict::Refuse(_)), refused, "{length} bytes");
    }
    for (words, passes) in [(4_000, true), (4_001, false)] {
        let script = vec!["ls"; words].join(" ");
        assert_eq!(verdict_of("sandbox", "command", &script) == Verdict::Pass, passes, "{words} words");
        let words = vec!["ls"; words];
        assert_eq!(verdict_of_words(&words) == Verdict::Pass, passes, "{} words in an array", words.len());
    }
    for (length, passes) in [(64 * 1024, true), (64 * 1024 + 1, false)] {
        let found = verdict_of_words(&["ls", &"x".repeat(length - "ls".len())]);
        assert_eq!(found == Verdict::Pass, passes, "{length} bytes in an array");
    }
    for (length, passes) in [(32 * 1024, true), (32 * 1024 + 1, false)] {
        let text = format!("select '{}'", "x".repeat(length - "select ''".len()));
        assert_eq!(verdict_of("readonly", "sql", &text) == Verdict::Pass, passes, "{length} bytes");
    }
    for joint in ["+", "and"] {
        let text = format!("select 1{}", format!(" {joint} 1").repeat(501));
        assert!(matches!(verdict_of("readonly", "sql", &text), Verdict::Ask(_)), "{joint}");
        let text = format!("select 1{}", format!(" {joint} 1").repeat(500));
        assert_eq!(verdict_of("readonly", "sql", &text), Verdict::Pass, "{joint}");
    }
}

#[test]
fn a_known_harmful_command_beyond_its_bounds_is_refused() {
    let words = vec!["x"; 4_000].join(" ");
    assert!(matches!(verdict_of("sandbox", "command", &format!("rm -rf {words}")), Verdict::Refuse(_)));
    let long = "x".repeat(64 * 1024);
    assert!(matches!(verdict_of_words(&["rm", "-rf", "/", &long]), Verdict::Refuse(_)));
}

#[test]
fn the_bound_on_reported_doubts_hides_no_harm() {
    let doubts = (0..1_000).map(|n| format!("A{n}PATH=1 ")).collect::<String>();
    let Verdict::Ask(violation) = verdict_of("sandbox", "command", &format!("env {doubts}ls")) else {
        panic!("expected a question");
    };
    assert!(violation.violations.len() <= 66, "{}", violation.violations.len());
    let found = verdict_of("sandbox", "command", &format!("env {doubts}LD_PRELOAD=x ls"));
    assert!(matches!(found, Verdict::Refuse(_)), "{found:?}");
}

#[test]
fn a_change_beyond_the_judged_part_fails_readonly() {
    let profile = profile("readonly");
    for (key, text) in [
        ("cypher", format!("MATCH (n) WHERE {}n.a=1 SET n.b=2", "n.a=1 AND ".repeat(4_000))),
        ("payload", format!(r#"[{}"DROP TABLE users"]"#, r#""a","#.repeat(5_000))),
        ("payload", format!(r#"[{}"DROP TABLE users"]"#, " ".repeat(64 * 1024))),
        ("query", format!("mutation M{}{{ purge }}", " ".repeat(4_000))),
        ("query", format!("mutation M({}) {{ purge }}", "$a: Int ".repeat(600))),
        ("redis", format!("{}flushall", "get a\n".repeat(1_000))),
        ("request", format!("{}DELETE /users/1", "x\n".repeat(2_000))),
        ("where", format!("{}a in (select 1 from x into outfile 'y')", "a = 1 or ".repeat(2_000))),
        ("query", format!("{}DROP TABLE users", "x; ".repeat(101))),
        ("data", "query('x')".repeat(100_000)),
    ] {
        let arguments = RawJson::from_value(&serde_json::json!({ key: text })).unwrap();
        let shown: String = text.chars().take(40).collect();
        assert_ne!(verdict(&profile, &arguments), Verdict::Pass, "{key}: {shown}");
    }
}

#[test]
fn a_verdict_names_its_reason() {
    for (command, reason) in [
        ("echo x > /dev/tcp/a/1", "a connection to the network"),
        ("echo x > /dev/udp/a/1", "a connection to the network"),
        ("echo x > /dev/sda", "a device"),
        ("sed 'r x' y", "a script of sed that reads or writes a file"),
        ("sed 'w x' y", "a script of sed that reads or writes a file"),
    ] {
        let (Verdict::Ask(violation) | Verdict::Refuse(violation)) =
            verdict_of("sandbox", "command", command)
        else {
            panic!("{command} passes");
        };
        assert!(violation.to_string().contains(reason), "{command}: {violation}");
    }
}

#[test]
fn a_host_named_by_the_operator_and_its_subdomains_are_allowed() {
    let mut profile = profile("sandbox");
    profile.sandbox.hosts = vec!["api.example.com".into(), "*.corp.example".into()];
    for (host, passes) in [
        ("api.example.com", true),
        ("API.example.com", true),
        ("v2.api.example.com", true),
        ("xapi.example.com", false),
        ("wiki.corp.example", true),
        ("corp.example", true),
        ("evilcorp.example", false),
        ("example.com", false),
    ] {
        let arguments =
            RawJson::from_value(&serde_json::json!({ "command": format!("curl https://{host}/x") }));
        assert_eq!(verdict(&profile, &arguments.unwrap()) == Verdict::Pass, passes, "{host}");
    }
}
