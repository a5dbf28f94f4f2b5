//! Any text as code in any language, at every level: the check must end within its steps, and never panic.

use crate::{steps, text::valid_start};
use mgp_security::code_safety::CodeRules;
use mgp_types::code_safety::{CodeSafety, SafetyLevel};

pub(super) fn run(data: &[u8]) {
    let code = valid_start(data);
    for language in [None, Some("python"), Some("javascript"), Some("typescript"), Some("tsx"), Some("bash")]
    {
        for level in SafetyLevel::ALL {
            let language = language.map(str::to_owned);
            let rules = CodeRules::of([&CodeSafety { level: *level, language, ..CodeSafety::default() }]);
            if let Err(rejection) = rules.check(code) {
                assert!(!rejection.violations.is_empty());
            }
        }
    }
    // One language for each text, because each takes time.
    let languages = ["python", "javascript", "typescript", "tsx", "bash"];
    let language = Some(languages[code.len() % languages.len()].to_owned());
    let rules = CodeRules::of([&CodeSafety { language, ..CodeSafety::default() }]);
    steps::check(code, |code| drop(rules.check(code)));
}
