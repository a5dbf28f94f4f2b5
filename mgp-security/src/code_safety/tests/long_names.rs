//! Long names that are used often: each use could copy the name, so code of some kilobytes could take gigabytes.

use super::declarations::rules;
use crate::meter::steps_of;
use mgp_types::code_safety::SafetyLevel::Standard;

/// The length of the names, which is below half of the longest that is followed, and the number of their uses.
const LENGTH: usize = 2_000;
const USES: usize = 16_000;

/// The most steps for each byte of a source, as for garbage.
const STEPS_PER_BYTE: u64 = 4_096;

/// The beginnings of programs in a language, which bind `a` to a long name or text, and the uses of it.
const PROGRAMS: [(&str, &[&str], &[&str]); 3] = [
    (
        "python",
        &[
            "import NAME as a",
            "from NAME import b as a",
            "a = NAME",
            "a = NAME.b",
            "import b\nfrom NAME import *",
        ],
        &["a\n", "a.b\n", "a(a)\n", "b = a\n", "f'{a}'\n", "@a\ndef f(): pass\n"],
    ),
    (
        "javascript",
        &[
            "import a from 'NAME';",
            "import {b as a} from 'NAME';",
            "const a = require('NAME');",
            "let a = 'NAME';",
        ],
        &["a;\n", "a.b;\n", "f(a);\n", "b = a;\n", "`${a}`;\n", "({c: b} = a);\n"],
    ),
    ("bash", &["a=NAME", "a='NAME'"], &["echo $a\n", "echo \"$a\"\n", "$a $a\n", "echo x > ${a}\n"]),
];

/// Checks code, and returns its violations. Asserts that the work is bounded.
fn violations(language: &str, code: &str) -> Vec<String> {
    let rules = rules(language, Standard);
    let (outcome, steps) = steps_of(|| rules.check(code));
    let beginning: String = code.chars().filter(|c| *c != 'n').take(60).collect();
    assert!(steps <= STEPS_PER_BYTE * code.len() as u64, "{language}: {steps} steps: {beginning:?}");
    outcome.err().map(|rejection| rejection.violations).unwrap_or_default()
}

#[test]
fn python_that_copies_a_long_name_without_end_is_given_up() {
    gives_up("python");
}

#[test]
fn javascript_that_copies_a_long_name_without_end_is_given_up() {
    gives_up("javascript");
}

#[test]
fn bash_that_copies_a_long_name_without_end_is_given_up() {
    gives_up("bash");
}

fn gives_up(of: &str) {
    for (language, beginnings, uses) in PROGRAMS.into_iter().filter(|(language, ..)| *language == of) {
        for beginning in beginnings {
            for one in uses {
                let program =
                    |name: &str, count| format!("{}\n{}", beginning.replace("NAME", name), one.repeat(count));
                let long = program(&"n".repeat(LENGTH), USES);
                let given_up = ["Too irregular to be judged: the parser gave up"];
                assert_eq!(violations(language, &long), given_up, "{language}: {beginning} {one:?}");
                for harmless in [program(&"n".repeat(LENGTH), 10), program("name", USES / 10)] {
                    assert_eq!(violations(language, &harmless), [""; 0], "{language}: {beginning} {one:?}");
                }
            }
        }
    }
}

#[test]
fn many_imports_from_a_long_module_name_are_given_up() {
    let module = "n".repeat(LENGTH);
    let names: Vec<String> = (0..USES).map(|number| format!("x{number}")).collect();
    let names = names.join(", ");
    for (language, code) in [
        ("python", format!("from {module} import {names}")),
        ("javascript", format!("import {{{names}}} from '{module}';")),
        ("javascript", format!("export {{{names}}} from '{module}';")),
        ("javascript", format!("const {{{names}}} = require('{module}');")),
    ] {
        assert_eq!(violations(language, &code).len(), 1, "{language}");
        assert_eq!(violations(language, &code.replace(&module, "name")), [""; 0], "{language}");
    }
}

#[test]
fn names_of_very_many_parts_are_given_up() {
    let parts = |count: usize| vec!["a"; count].join(".");
    for (language, before, after) in [
        ("python", "import ", ""),
        ("python", "from ", " import b"),
        ("javascript", "require('", "')"),
        ("javascript", "import '", "'"),
    ] {
        let program = |count| format!("{before}{}{after}", parts(count));
        assert_eq!(violations(language, &program(900)).len(), 1, "{language}: {before}");
        assert_eq!(violations(language, &program(10)), [""; 0], "{language}: {before}");
    }
}

#[test]
fn the_commands_of_find_are_read_with_bounded_work() {
    let code = format!("find . {}", "-exec echo ".repeat(USES));
    assert_eq!(violations("bash", &code), ["Too irregular to be judged: the parser gave up"]);
    assert_eq!(violations("bash", "find . -exec echo {} + -exec wc -l {} \\;"), [""; 0]);
}
