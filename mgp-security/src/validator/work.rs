//! The work on garbage: no text costs a validator, or the check of a language, more steps for each byte than the limit.

use super::{Input, Leaf, NetworkRestricted, ReadOnly, Sandbox, Validator, Verdict};
use crate::{
    code_safety::CodeRules,
    meter::{garbage, set_after, steps_of},
    profile::{ConfiguredTool, ToolFacts, ToolProfile, assess},
};
use mgp_types::{
    code_safety::{CodeSafety, SafetyLevel},
    context::TrustLevel,
    json::RawJson,
    mcp::{Tool, ToolAnnotations},
};

/// The length of the garbage, in bytes. Work that grows with the square of it is past the limit.
const LENGTH: usize = 16 * 1024;

/// The most steps for each byte.
const STEPS_PER_BYTE: u64 = 4096;

/// The number of garbage texts of each shape.
const NUMBERS: std::ops::Range<usize> = 0..6;

fn profile(validator: &str) -> ToolProfile {
    let annotations = Some(ToolAnnotations { read_only_hint: Some(true), ..Default::default() });
    let tool = Tool { annotations, ..Tool::new("t", RawJson::empty_object()) };
    let configured = ConfiguredTool { validator: Some(validator.into()), ..Default::default() };
    assess(&ToolFacts::new(&tool, TrustLevel::Trusted, &[], &configured))
}

/// Asserts that garbage of these tokens is judged within the limit, and that its work is counted.
fn assert_bounded(what: &str, tokens: &[&str], judge: impl Fn(&str)) {
    let mut all = 0;
    for number in NUMBERS {
        for text in garbage::texts(tokens, number, LENGTH) {
            let ((), steps) = steps_of(|| judge(&text));
            let limit = STEPS_PER_BYTE * text.len() as u64;
            let beginning: String = text.chars().take(40).collect();
            assert!(steps <= limit, "{what}: {steps} steps, expected at most {limit}: {beginning:?}");
            all += steps;
        }
    }
    assert!(all > LENGTH as u64, "{what}: {all} steps");
}

fn validator(validator: &dyn Validator, pointer: &str, tokens: &[&str]) {
    let profile = profile(validator.name());
    assert_bounded(validator.name(), tokens, |text| {
        drop(validator.check(&Input::new(&[Leaf::new(pointer, text)], &profile)));
    });
}

const SHELL: &[&str] = &[
    "(",
    ")",
    "{",
    "}",
    "$(",
    "${",
    "`",
    "\"",
    "'",
    "<<E\n",
    "[[",
    "((",
    "if ",
    "case x in ",
    "#",
    "|",
    ";",
    "\n",
    "a",
    "\\",
    "{a,",
    "sh -c '",
    "x=1 ",
];

const QUERIES: &[&str] = &[
    "(",
    ")",
    "'",
    "\"",
    "`",
    "/*",
    "*/",
    "--",
    "$$",
    "$a$",
    ";",
    "select ",
    "from t ",
    "{",
    "}",
    "[",
    "mutation ",
    "match (n) ",
    "delete ",
    "with a as (",
    "\n",
    ",",
    "a",
];

const ADDRESSES: &[&str] = &[
    "http://",
    "//",
    "/\\",
    "@",
    ":",
    "=",
    "host=",
    "[",
    "]",
    "%2f",
    "%25",
    "127.",
    ".",
    "a",
    " ",
    "\\",
    "{\"a\":\"",
    "&#",
    ";",
    "->",
    "\n",
    "xn--",
];

#[test]
fn garbage_costs_a_validator_bounded_steps_per_byte() {
    validator(&Sandbox, "/command", SHELL);
    validator(&ReadOnly, "/sql", QUERIES);
    validator(&ReadOnly, "/command", SHELL);
    validator(&NetworkRestricted, "/url", ADDRESSES);
    validator(&super::CodeSafety, "/code", SHELL);
}

#[test]
fn garbage_costs_a_language_check_bounded_steps_per_byte() {
    let scripts: &[&str] = &[
        "(", "{", "[", "`", "${", "/*", "/", "\"", "'", "<a", "=>", "class ", ":", "?", "=", ";", "\n", "a",
    ];
    let python: &[&str] = &[
        "(", "{", "[", "\"\"\"", "'", "f\"", "f'{", ":", "\n  ", "\n", "lambda ", "def a", "@", "=", "\\\n",
        "a",
    ];
    for (language, tokens) in [
        ("bash", SHELL),
        ("javascript", scripts),
        ("typescript", scripts),
        ("tsx", scripts),
        ("python", python),
    ] {
        let rules = CodeSafety {
            level: SafetyLevel::Standard,
            language: Some(language.to_owned()),
            ..Default::default()
        };
        let rules = CodeRules::of([&rules]);
        assert_bounded(language, tokens, |code| drop(rules.check(code)));
    }
}

#[test]
fn many_short_strings_cost_no_more_than_one_long_one() {
    for (validator, pointer) in [
        (&Sandbox as &dyn Validator, "/command"),
        (&ReadOnly as &dyn Validator, "/sql"),
        (&NetworkRestricted as &dyn Validator, "/url"),
    ] {
        let profile = profile(validator.name());
        let leaves: Vec<_> =
            (0..LENGTH / 8).map(|n| Leaf::new(format!("{pointer}/{n}"), "a = 'b'")).collect();
        let (_, steps) = steps_of(|| validator.check(&Input::new(&leaves, &profile)));
        assert!(steps > 0 && steps <= STEPS_PER_BYTE * LENGTH as u64, "{}: {steps}", validator.name());
    }
}

#[test]
fn an_abandoned_judgement_ends_within_a_text() {
    /// The steps after which the result is no longer awaited, and the most that are taken after that.
    const WANTED: u64 = 40_000;
    const AFTER: u64 = 40_000;

    let python = "x = [1, {2: y}]\n".repeat(2 << 10);
    let in_a_shell = format!("python3 -c '{python}'");
    let cases: [(&dyn Validator, &str, &str); 2] =
        [(&super::CodeSafety, "/code", &python), (&Sandbox, "/command", &in_a_shell)];
    for (validator, pointer, text) in cases {
        let (name, profile) = (validator.name(), profile(validator.name()));
        let leaves = [Leaf::new(pointer, text)];
        let whole = steps_of(|| validator.check(&Input::new(&leaves, &profile))).1;
        let abandoned = set_after(WANTED);
        let input = Input { abandoned: Some(&abandoned), ..Input::new(&leaves, &profile) };
        let (verdict, steps) = steps_of(|| validator.check(&input));
        assert!(
            whole > 2 * (WANTED + AFTER),
            "{name}: {whole} steps of the whole text are too few to test with"
        );
        assert!((WANTED..WANTED + AFTER).contains(&steps), "{name}: {steps} of {whole} steps");
        assert!(!matches!(verdict, Verdict::Pass), "{name}: {verdict:?}");
    }
}
