//! The check of one text.

use super::{
    CodeRules,
    hints::hints,
    judge::Judgement,
    languages::Language,
    patterns,
    source::{ambiguity, with_line_feeds},
    source_tree::SourceTree,
    violation::Violation,
};
use crate::syntax::{Interrupt, ParseError, parse};
use mgp_types::{
    code_safety::{CodeRejection, SafetyLevel},
    error::ErrorCode,
    json::Nullable,
};
use std::collections::HashSet;

/// The reason of every rejection, as §7.4 states it.
const REASON: &str = "Code validation failed";

impl CodeRules {
    /// Checks code.
    ///
    /// # Errors
    /// The rejection (§7.4), with hints about code that would pass.
    pub fn check(&self, code: &str) -> Result<(), Box<CodeRejection>> {
        self.check_until(code, Interrupt::NEVER)
    }

    /// Checks code. Refuses it if the check is interrupted.
    pub(crate) fn check_until(&self, code: &str, interrupt: Interrupt<'_>) -> Result<(), Box<CodeRejection>> {
        let violations = self.violations(code, interrupt);
        if violations.is_empty() {
            return Ok(());
        }
        Err(self.rejection(violations))
    }

    /// Returns the rejection (§7.4) of code for a caller's own reason, with hints about code that would pass.
    #[must_use]
    pub fn reject(&self, violation: String) -> Box<CodeRejection> {
        self.rejection(vec![Violation::new(violation)])
    }

    /// Returns the rejection of code with these violations.
    pub(super) fn rejection(&self, violations: Vec<Violation>) -> Box<CodeRejection> {
        Box::new(CodeRejection {
            reason: REASON.to_owned(),
            hints: Some(hints(self, &violations)),
            violations: violations.into_iter().map(|violation| violation.text).collect(),
            code: Nullable::Value(ErrorCode::CodeSafetyViolation.into()),
            retryable: Some(false),
            ..Default::default()
        })
    }

    /// Checks a text that may be code: a text that the language's grammar does not accept passes, because it cannot run.
    pub(crate) fn check_if_code(
        &self,
        text: &str,
        interrupt: Interrupt<'_>,
    ) -> Result<(), Box<CodeRejection>> {
        let language = self.language.as_deref().and_then(Language::of);
        let parsed = language.map(|language| parse(language.grammar(), &with_line_feeds(text), interrupt));
        if matches!(parsed, Some(Err(ParseError::Syntax { .. }))) {
            Ok(())
        } else {
            self.check_until(text, interrupt)
        }
    }

    fn violations(&self, code: &str, interrupt: Interrupt<'_>) -> Vec<Violation> {
        if let Some(limit) = self.limit().filter(|limit| code.len() as u64 > *limit) {
            return vec![Violation::new(format!(
                "Code too long: {} bytes, expected at most {limit}",
                code.len()
            ))];
        }
        if self.level == SafetyLevel::Unrestricted {
            return Vec::new();
        }
        let code = with_line_feeds(code);
        match &self.language {
            Some(name) => match Language::of(name) {
                Some(language) => {
                    self.judged(language, &code, interrupt).unwrap_or_else(|error| unreadable(&error))
                }
                None if self.level >= SafetyLevel::Strict => {
                    vec![Violation::new(format!("Unknown language: {name:?}"))]
                }
                None => self.judged_as_any(&code, interrupt),
            },
            None if self.level >= SafetyLevel::Strict => {
                vec![Violation::new("Unknown language: the tool declares none".to_owned())]
            }
            None => self.judged_as_any(&code, interrupt),
        }
    }

    /// Judges code in each language that it may be written in. A language whose grammar the code breaks is not one of them. A language in
    /// which the code cannot be read for another reason is.
    fn judged_as_any(&self, code: &str, interrupt: Interrupt<'_>) -> Vec<Violation> {
        let mut is_readable = false;
        for language in Language::LIKELY {
            match self.judged(*language, code, interrupt) {
                Ok(violations) if violations.is_empty() => is_readable = true,
                Ok(violations) => return violations,
                Err(ParseError::Syntax { .. }) => {}
                Err(error) => return unreadable(&error),
            }
        }
        if is_readable { Vec::new() } else { patterns::in_text(code, &self.patterns) }
    }

    fn judged(
        &self,
        language: Language,
        code: &str,
        interrupt: Interrupt<'_>,
    ) -> Result<Vec<Violation>, ParseError> {
        let tree = parse(language.grammar(), code, interrupt)?;
        if let Some(what) = ambiguity(code) {
            return Ok(vec![Violation::new(format!("Ambiguous code: it contains {what}"))]);
        }
        let tree = SourceTree::new(&tree, code, interrupt)?;
        let findings = language.findings(&tree);
        if tree.is_exhausted() {
            return Err(ParseError::TooHard);
        }
        let mut judgement = Judgement::new(self, language.policy());
        // Most findings repeat earlier ones.
        let mut harmless = HashSet::new();
        for finding in &findings {
            if !harmless.contains(&finding.kind) && judgement.judge(finding) {
                harmless.insert(&finding.kind);
            }
        }
        judgement.extend(patterns::in_code(&tree, &findings, &self.patterns));
        Ok(judgement.into_violations())
    }
}

fn unreadable(error: &ParseError) -> Vec<Violation> {
    let text = error.to_string();
    let text = text[..1].to_uppercase() + &text[1..];
    vec![Violation::new(text)]
}
