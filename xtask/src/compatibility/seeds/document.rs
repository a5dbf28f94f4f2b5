//! The four documents, and their sections.

use std::{collections::BTreeSet, fs, path::Path};

/// The form of a document's headings.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Headings {
    /// `## 3. Title` and `### 3.1. Title`: the section is the number.
    Numbers,
    /// `## Title` and `### Title`: the section is the title.
    Titles,
    /// `3. Title` at the beginning of a line: the section is the number.
    Items,
    /// A separate line without a mark, so that only the known sections are looked up.
    Lines,
}

/// A document, and its sections.
#[derive(Debug)]
pub(super) struct Document {
    /// The name in the rows of the page.
    pub(super) name: &'static str,
    file: &'static str,
    headings: Headings,
    /// The sections with requests. Each has a row.
    pub(super) asks: &'static [&'static str],
    /// The sections without requests: overviews, examples, plans, reasons.
    silent: &'static [&'static str],
}

pub(super) const DOCUMENTS: &[Document] = &[
    Document {
        name: "results",
        file: "tool-results.md",
        headings: Headings::Numbers,
        asks: &[
            "2", "3.1", "3.2", "3.3", "4.1", "4.2", "5.1", "5.2", "5.3", "6.1", "6.2", "6.3", "7.1", "7.2",
            "8.1", "8.2", "8.3", "10", "11.1", "11.2",
        ],
        silent: &["1", "3", "4", "5", "6", "7", "8", "9", "11", "12"],
    },
    Document {
        name: "lifecycle",
        file: "mcp-lifecycle.md",
        headings: Headings::Lines,
        asks: &["Auth", "Error Handling", "Initialization", "Version Negotiation"],
        silent: &["Lifecycle Phases", "Base protocol for MCP"],
    },
    Document {
        name: "registry",
        file: "tool-registry.md",
        headings: Headings::Titles,
        asks: &[
            "API Key Authentication",
            "Bearer Token in MCP Request",
            "Core Methods",
            "Detailed Error Response",
            "Error Code Mapping",
            "Full JSON Schema Generation",
            "InputField → JSON Schema Property",
            "MCP Standard Error Response",
            "MCP Tool Definition",
            "Mapping Signature → MCP Tool Definition",
            "OpenAPI Compatibility",
            "Phase 4 Deliverables",
            "Timeout Configuration",
            "Timeout Enforcement",
            "Timeout Response",
        ],
        silent: &[
            "Authentication & Authorization",
            "Business Impact",
            "Current Status: Phase 3",
            "Error Response Format",
            "Example 1: MCP Server Discovery Request",
            "Example 2: MCP Tool Invocation",
            "Example: Converting Signature to JSON Schema",
            "Implementation Continuity",
            "Integration Examples",
            "JSON Schema Export",
            "MCP Protocol Overview",
            "MCP Value Proposition",
            "Overview",
            "Phase 4 Implementation Plan",
            "Rationale for Phase Deferral",
            "Reference",
            "Request/Response Model",
            "Table of Contents",
            "Technical Justification",
            "Timeout Handling",
            "Tool Definition Structure",
            "Why Phase 4 Deferral",
            "ggen + MCP Integration Points",
        ],
    },
    Document {
        name: "proposals",
        file: "extension-proposals.md",
        headings: Headings::Items,
        asks: &["1", "2", "3", "4", "5", "6", "7", "8", "9", "10", "11", "12", "13", "14", "15"],
        silent: &[],
    },
];

/// Compares the sections of the table above with those of the documents in a folder. Returns `None` if the folder is missing.
pub(in crate::compatibility) fn compare(folder: &Path) -> Option<Vec<String>> {
    folder.is_dir().then(|| DOCUMENTS.iter().flat_map(|document| document.differences(folder)).collect())
}

impl Document {
    fn differences(&self, folder: &Path) -> Vec<String> {
        let path = folder.join(self.file);
        let text = match fs::read_to_string(&path) {
            Ok(text) => text,
            Err(error) => return vec![format!("failed to read {}: {error}", path.display())],
        };
        let found = self.sections(&text);
        let known: BTreeSet<_> = self.asks.iter().chain(self.silent).copied().collect();
        let new = found
            .difference(&known)
            .map(|section| format!("{}: {section:?} is not in the table of sections", self.file));
        let gone =
            known.difference(&found).map(|section| format!("{}: there is no section {section:?}", self.file));
        new.chain(gone).collect()
    }

    fn sections<'a>(&self, text: &'a str) -> BTreeSet<&'a str> {
        let mut in_code = false;
        let mut sections = BTreeSet::new();
        for line in text.lines() {
            if line.trim_start().starts_with("```") {
                in_code = !in_code;
            } else if !in_code {
                sections.extend(self.section(line));
            }
        }
        sections
    }

    /// Returns the section that a line begins.
    fn section<'a>(&self, line: &'a str) -> Option<&'a str> {
        let title = || line.strip_prefix("## ").or_else(|| line.strip_prefix("### "));
        match self.headings {
            Headings::Numbers => number(title()?),
            Headings::Titles => title().map(str::trim),
            Headings::Items => number(line),
            Headings::Lines => {
                let line = line.trim();
                self.asks.iter().chain(self.silent).any(|known| *known == line).then_some(line)
            }
        }
    }
}

/// Returns the number before a title: `3` of `3. Title`, `3.1` of `3.1. Title`.
fn number(title: &str) -> Option<&str> {
    let (number, _) = title.split_once(". ")?;
    number.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.').then_some(number)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sections(headings: Headings, text: &str) -> Vec<&str> {
        let document = Document { name: "a", file: "a.md", headings, asks: &["Auth"], silent: &[] };
        document.sections(text).into_iter().collect()
    }

    #[test]
    fn sections_are_read_in_each_form_except_in_code() {
        assert_eq!(
            sections(Headings::Numbers, "## 1. A\n### 1.2. B\n## Links\n```\n## 3. C\n```\n#### 4. D\n"),
            ["1", "1.2"]
        );
        assert_eq!(sections(Headings::Titles, "## A b\ntext\n### C\n```rust\n## No\n```\n"), ["A b", "C"]);
        assert_eq!(sections(Headings::Items, "12. A\n  3. indented\n• 4. B\n"), ["12"]);
        assert_eq!(sections(Headings::Lines, "Auth \nAuth and more\nOther\n"), ["Auth"]);
    }

    #[test]
    fn a_new_or_removed_section_is_a_finding() {
        let folder = std::env::temp_dir().join(format!("xtask-seeds-{}", std::process::id()));
        assert_eq!(compare(&folder), None);
        fs::create_dir_all(&folder).unwrap();
        fs::write(folder.join("extension-proposals.md"), "1. A\n16. B\n").unwrap();
        let found = compare(&folder).unwrap().join("\n");
        fs::remove_dir_all(&folder).unwrap();
        for finding in [
            "extension-proposals.md: \"16\" is not in the table of sections",
            "extension-proposals.md: there is no section \"15\"",
            "failed to read",
        ] {
            assert!(found.contains(finding), "{finding}: {found}");
        }
        assert!(!found.contains("there is no section \"1\"\n"), "{found}");
    }
}
