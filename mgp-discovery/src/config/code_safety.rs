//! `[servers.mgp.code_safety]`: the rules for code that the server's tools take (§7).

use mgp_types::code_safety::{CodeSafety, SafetyLevel};
use serde::{Deserialize, Serialize};

/// The `[servers.mgp.code_safety]` table.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(transform = super::annotate::ordered::<Self>))]
#[serde(default, deny_unknown_fields)]
pub struct CodeSafetyConfig {
    /// The rules for code that the server's tools take, see [code-safety.md](https://github.com/mgp-rs/mgp/blob/main/docs/code-safety.md).
    /// Declarations of the server can make them stricter.
    pub level: SafetyLevel,
    /// The language of the code: `python`, `javascript`, `typescript`, `tsx` or `bash`. Default: the language that the tool declares, or that its
    /// name and description mention.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub language: Option<String>,
    /// The longest code, in bytes. Default: 100,000 from `strict` up, else no separate limit.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_code_size_bytes: Option<u64>,
    /// Modules that code must not import, in addition to those that the level blocks.
    pub blocked_imports: Vec<String>,
    /// Tokens that code must not contain, such as `"os.system"` or `"eval("`. Blanks, comments and the text of strings do not count.
    pub blocked_patterns: Vec<String>,
    /// From `strict` up, the only modules that code may import. Default: the harmless ones of the language's standard library.
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
