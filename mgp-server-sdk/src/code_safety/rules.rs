//! The rules of a server for code.

use mgp_types::code_safety::{CodeSafety, SafetyLevel};
use std::sync::Arc;

/// The rules for code that a server's tools receive: a level (§7.2), lists that make it stricter, and a list of imports that
/// `strict` allows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CodeRules(Arc<CodeSafety>);

impl CodeRules {
    /// Creates the rules of a level.
    #[must_use]
    pub fn new(level: SafetyLevel) -> Self {
        Self(Arc::new(CodeSafety { level, ..CodeSafety::default() }))
    }

    /// Sets the longest code, in bytes. By default, it is 100,000 from `strict` up, and unlimited below.
    #[must_use]
    pub fn max_bytes(self, bytes: u64) -> Self {
        self.with(|rules| rules.max_code_size_bytes = Some(bytes))
    }

    /// Sets the only modules, or programs in Bash, that code may import from `strict` up. By default, they are the harmless ones of the
    /// language's standard library.
    #[must_use]
    pub fn allow_imports<N: Into<String>>(self, names: impl IntoIterator<Item = N>) -> Self {
        self.with(|rules| rules.allowed_imports = Some(names.into_iter().map(Into::into).collect()))
    }

    /// Sets the modules that code must not import, in addition to those that the level blocks.
    #[must_use]
    pub fn block_imports<N: Into<String>>(self, names: impl IntoIterator<Item = N>) -> Self {
        self.with(|rules| rules.blocked_imports = Some(names.into_iter().map(Into::into).collect()))
    }

    /// Sets the tokens that code must not contain, such as `os.system` or `eval(`.
    #[must_use]
    pub fn block_patterns<P: Into<String>>(self, patterns: impl IntoIterator<Item = P>) -> Self {
        self.with(|rules| rules.blocked_patterns = Some(patterns.into_iter().map(Into::into).collect()))
    }

    fn with(mut self, change: impl FnOnce(&mut CodeSafety)) -> Self {
        change(Arc::make_mut(&mut self.0));
        self
    }

    /// Returns the rules for code of a language.
    pub(super) fn of_language(&self, language: &str) -> mgp_security::code_safety::CodeRules {
        let declared = CodeSafety { language: Some(language.to_owned()), ..CodeSafety::clone(&self.0) };
        mgp_security::code_safety::CodeRules::of([&declared])
    }
}
