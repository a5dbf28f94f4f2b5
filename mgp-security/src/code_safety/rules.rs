//! The rules for the code of one tool: the strictest of the declarations about it.

use super::{languages::Language, levels, policy::prefixes};
use mgp_types::code_safety::{CodeSafety, SafetyLevel};

/// The rules for the code of one tool.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct CodeRules {
    /// The level.
    pub(super) level: SafetyLevel,
    /// The name of the language, if it is known.
    pub(super) language: Option<String>,
    /// The longest code, in bytes.
    pub(super) max_bytes: Option<u64>,
    /// The imports that are blocked at every level that checks code.
    pub(super) blocked: Vec<String>,
    /// The only imports that are allowed from `strict` up, if any list is declared.
    pub(super) allowed: Option<Vec<String>>,
    /// The patterns that the code must not contain.
    pub(super) patterns: Vec<String>,
}

impl CodeRules {
    /// Unites declarations about the same tool, the operator's first: the strictest level, the smallest size, every block list, and the
    /// intersection of all lists of allowed imports. The first declaration that names a language decides it.
    ///
    /// ```
    /// use mgp_security::code_safety::CodeRules;
    /// use mgp_types::code_safety::{CodeSafety, SafetyLevel};
    /// let declared = CodeSafety { level: SafetyLevel::Strict, language: Some("python".into()), ..Default::default() };
    /// let rules = CodeRules::of([&declared]);
    /// assert!(rules.check("import json\nprint(json.dumps([1]))").is_ok());
    /// let rejection = rules.check("import subprocess").unwrap_err();
    /// assert_eq!(rejection.violations, ["Blocked import: 'subprocess' starts or controls processes (line 1, column 8)"]);
    /// ```
    pub fn of<'a>(declared: impl IntoIterator<Item = &'a CodeSafety>) -> Self {
        let mut rules: Option<Self> = None;
        for one in declared {
            rules = Some(match rules {
                None => Self::of_one(one),
                Some(rules) => rules.united(Self::of_one(one)),
            });
        }
        rules.unwrap_or_default()
    }

    fn of_one(declared: &CodeSafety) -> Self {
        Self {
            level: declared.level,
            language: declared.language.clone(),
            max_bytes: declared.max_code_size_bytes,
            blocked: modules(declared.blocked_imports.as_deref().unwrap_or_default()),
            allowed: declared.allowed_imports.as_deref().map(modules),
            patterns: declared.blocked_patterns.clone().unwrap_or_default(),
        }
    }

    fn united(mut self, other: Self) -> Self {
        self.blocked.extend(other.blocked);
        self.patterns.extend(other.patterns);
        let smallest = [self.max_bytes, other.max_bytes].into_iter().flatten().min();
        let allowed = match (self.allowed, other.allowed) {
            (Some(ours), Some(theirs)) => Some(common(&ours, &theirs)),
            (ours, theirs) => ours.or(theirs),
        };
        let language = self.language.or(other.language);
        Self { level: self.level.max(other.level), language, max_bytes: smallest, allowed, ..self }
    }

    /// Returns the imports that are allowed from `strict` up: the declared ones, or else those that the language's policy allows.
    #[must_use]
    pub fn allowed_imports(&self) -> Vec<String> {
        let policy = || self.language.as_deref().and_then(Language::of).map(Language::policy);
        let of_policy = || {
            policy().map_or_else(Vec::new, |policy| policy.allowed.iter().map(ToString::to_string).collect())
        };
        self.allowed.clone().unwrap_or_else(of_policy)
    }

    /// Returns the longest code, in bytes.
    pub(super) fn limit(&self) -> Option<u64> {
        let of_level = (self.level >= SafetyLevel::Strict).then_some(levels::STRICT_BYTES);
        self.max_bytes.or(of_level)
    }

    /// Returns whether a declared list blocks a module.
    pub(super) fn blocks(&self, module: &str) -> bool {
        lists(&self.blocked, module)
    }
}

/// Returns names of modules as policies write them: without a scheme, and with dots for the parts of a path.
fn modules(names: &[String]) -> Vec<String> {
    let plain = |name: &String| match name.strip_prefix("node:").unwrap_or(name) {
        path if path.starts_with(['.', '/']) => path.to_owned(),
        name => name.replace('/', "."),
    };
    names.iter().map(plain).collect()
}

/// Returns whether a list holds a module, or one above it.
pub(super) fn lists(list: &[impl AsRef<str>], module: &str) -> bool {
    prefixes(module).any(|prefix| list.iter().any(|one| one.as_ref() == prefix))
}

/// Returns the modules that both lists allow: those of either list that the other also allows.
fn common(ours: &[String], theirs: &[String]) -> Vec<String> {
    let mut both: Vec<String> = ours.iter().filter(|one| lists(theirs, one)).cloned().collect();
    both.extend(theirs.iter().filter(|one| lists(ours, one) && !ours.contains(one)).cloned());
    both
}

#[cfg(test)]
mod tests {
    use super::*;

    fn declared(level: SafetyLevel, size: Option<u64>, blocked: &[&str], allowed: &[&str]) -> CodeSafety {
        let list = |names: &[&str]| Some(names.iter().map(ToString::to_string).collect());
        CodeSafety {
            level,
            max_code_size_bytes: size,
            blocked_imports: list(blocked),
            allowed_imports: list(allowed),
            ..Default::default()
        }
    }

    #[test]
    fn block_lists_are_united_and_allow_lists_intersected() {
        let operator = declared(SafetyLevel::Standard, Some(500), &["os"], &["json", "urllib", "math"]);
        let server = declared(SafetyLevel::Strict, Some(900), &["re"], &["json", "urllib.parse", "os"]);
        let rules = CodeRules::of([&operator, &server]);
        assert_eq!((rules.level, rules.limit()), (SafetyLevel::Strict, Some(500)));
        assert!(rules.blocks("os.path") && rules.blocks("re") && !rules.blocks("osmium"));
        assert_eq!(rules.allowed.unwrap(), ["json", "urllib.parse"]);
    }
}
