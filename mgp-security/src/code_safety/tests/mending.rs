//! A simple loop fixes refused code with the hints of the rejection (§7.4).

use super::declarations::{declared, list};
use crate::code_safety::CodeRules;
use mgp_types::code_safety::{CodeRejection, CodeSafety, SafetyLevel};

/// Changes code as a rejection hints: replaces names, shortens, or removes the lines of the violations.
fn mended(code: &str, rejection: &CodeRejection) -> String {
    let hints = rejection.hints.as_ref().unwrap();
    if let Some(replacements) = &hints.replacements {
        let replaced = replacements.iter().fold(code.to_owned(), |code, (from, to)| code.replace(from, to));
        return replaced;
    }
    if let Some(limit) = hints.max_code_size_bytes.filter(|limit| code.len() as u64 > *limit) {
        return code[..limit as usize].rsplit_once('\n').unwrap().0.to_owned();
    }
    let line_of = |violation: &String| violation.rsplit_once("(line ")?.1.split(',').next()?.parse().ok();
    let wrong: Vec<usize> = rejection.violations.iter().filter_map(line_of).collect();
    let lines = code.lines().enumerate().filter(|(at, _)| !wrong.contains(&(at + 1)));
    lines.map(|(_, line)| line).collect::<Vec<_>>().join("\n")
}

/// Fixes code until it passes.
fn mend(rules: &CodeRules, code: &str) -> String {
    let mut code = code.to_owned();
    for _ in 0..5 {
        match rules.check(&code) {
            Ok(()) => return code,
            Err(rejection) => code = mended(&code, &rejection),
        }
    }
    panic!("not mended: {code}");
}

/// Checks that the loop fixes code of a language, with the expected result.
fn mends(declared: &CodeSafety, code: &str, expected: &str) {
    assert_eq!(mend(&CodeRules::of([declared]), code), expected);
}

#[test]
fn following_the_hints_mends_python() {
    let standard = declared("python", SafetyLevel::Standard);
    let strict = declared("python", SafetyLevel::Strict);
    let small = CodeSafety { max_code_size_bytes: Some(20), ..standard.clone() };
    let patterns = CodeSafety { blocked_patterns: list(&["print("]), ..standard.clone() };
    for (declared, code, expected) in [
        (
            &standard,
            "import subprocess\nimport json\nprint(json.dumps(1))",
            "import json\nprint(json.dumps(1))",
        ),
        (&standard, "import ast\nx = eval('[1]')", "import ast\nx = ast.literal_eval('[1]')"),
        (&strict, "import pickle\nprint(pickle.dumps({}))", "import json\nprint(json.dumps({}))"),
        (&standard, "import yaml\nyaml.load(x)", "import yaml\nyaml.safe_load(x)"),
        (&strict, "import math\nimport requests\nprint(math.pi)", "import math\nprint(math.pi)"),
        (&small, "x = 1\ny = 2\nz = 3\nzzzz = 4", "x = 1\ny = 2\nz = 3"),
        (&patterns, "x = 1\nprint(x)", "x = 1"),
        (&strict, "x = 1\nopen('/etc/motd', 'w')\nopen('notes.txt', 'w')", "x = 1\nopen('notes.txt', 'w')"),
    ] {
        mends(declared, code, expected);
    }
}

#[test]
fn following_the_hints_mends_javascript() {
    let standard = declared("javascript", SafetyLevel::Standard);
    let strict = declared("javascript", SafetyLevel::Strict);
    for (declared, code, expected) in [
        (&standard, "const x = eval('[1]');\nf(x);", "const x = JSON.parse('[1]');\nf(x);"),
        (&standard, "require('child_process');\nconsole.log(1);", "console.log(1);"),
        (
            &strict,
            "import path from 'path';\nimport axios from 'axios';\nconsole.log(path.sep);",
            "import path from 'path';\nconsole.log(path.sep);",
        ),
        (&strict, "console.log(1);\nprocess[name]();", "console.log(1);"),
        (&strict, "console.log(1);\n(() => {}).constructor('return 1')();", "console.log(1);"),
    ] {
        mends(declared, code, expected);
    }
}

#[test]
fn following_the_hints_mends_bash() {
    let standard = declared("bash", SafetyLevel::Standard);
    let strict = declared("bash", SafetyLevel::Strict);
    for (declared, code, expected) in [
        (&standard, "sudo reboot\necho done", "echo done"),
        (&standard, "eval \"$x\"\nls | sort", "ls | sort"),
        (&strict, "curl -s https://example.com\nwc -l in.txt", "wc -l in.txt"),
        (&strict, "echo a > /etc/motd\necho a > motd.txt", "echo a > motd.txt"),
        (&strict, "$program x\nprintf '%s' x", "printf '%s' x"),
    ] {
        mends(declared, code, expected);
    }
}
