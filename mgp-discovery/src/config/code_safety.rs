//! `[servers.mgp.code_safety]`: the rules for code that the server's tools take (§7).

use mgp_types::code_safety::{CodeSafety, SafetyLevel};
use serde::{Deserialize, Serialize};

/// The `[servers.mgp.code_safety]` table.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct CodeSafetyConfig {
    /// The strictness of the checks.
    pub level: SafetyLevel,
    /// The language of the code.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub language: Option<String>,
    /// The longest code, in bytes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_code_size_bytes: Option<u64>,
    /// The imports that are blocked.
    pub blocked_imports: Vec<String>,
    /// The patterns that the code must not contain.
    pub blocked_patterns: Vec<String>,
    /// The only imports that are allowed, from `strict` up. `None` means those that the language's policy allows.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub allowed_imports: Option<Vec<String>>,
}

impl CodeSafetyConfig {
    /// Returns the settings as a declaration about a tool (§7.3).
    #[must_use]
    pub fn declaration(&self) -> CodeSafety {
        CodeSafety {
            level: self.level,
            language: self.language.clone(),
            max_code_size_bytes: self.max_code_size_bytes,
            blocked_imports: Some(self.blocked_imports.clone()),
            blocked_patterns: Some(self.blocked_patterns.clone()),
            allowed_imports: self.allowed_imports.clone(),
        }
    }
}
