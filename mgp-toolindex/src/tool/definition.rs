//! A tool's definition as its server sent it, with the kernel's assessment of the tool.

use super::{Detail, SearchText, deprecated::says_deprecated};
use crate::{
    categories::{Classification, MAX_CATEGORIES},
    tokens::{Tally, TokenCounter},
};
use mgp_types::{
    context::{RiskLevel, ToolId},
    json::{JsonError, RawJson, RawObject},
    mgp_member,
    tool_index::{category_path, is_filed_under},
    tool_metadata::{ToolMetadata, ToolMetadataReading},
    tool_security::SecurityMetadata,
};
use std::{collections::BTreeSet, fmt, sync::Arc};
use thiserror::Error;

/// The longest name that a server's tool may have, in bytes.
const MAX_NAME: usize = 1024;

/// A tool of a server. The definition is not changed.
#[derive(Clone, PartialEq)]
pub struct IndexedTool {
    id: ToolId,
    definition: RawObject,
    security: Option<SecurityMetadata>,
    /// True if the tool's server does not support MGP, so that `security` is a member like any other.
    is_plain: bool,
    is_deprecated: bool,
    risk: RiskLevel,
    categories: BTreeSet<String>,
    text: SearchText,
    tally: Tally,
}

/// The reason why a definition cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum ToolError {
    /// The definition is not an object, or one of its members has the wrong form.
    #[error("invalid tool definition")]
    Json(#[from] JsonError),
    /// The name is missing, empty or very long.
    #[error("invalid name {name:?} of a tool: expected 1 to {MAX_NAME} bytes")]
    Name {
        /// The beginning of the name.
        name: String,
    },
}

impl IndexedTool {
    /// Reads a definition from the `tools/list` of a server with MGP. `risk` is the kernel's assessment of the tool's risk.
    ///
    /// # Errors
    /// Returns a [`ToolError`] if the definition cannot be used.
    pub fn new(server_id: &str, definition: &RawJson, risk: RiskLevel) -> Result<Self, ToolError> {
        Self::read(server_id, definition, risk, false)
    }

    /// Reads a definition of a plain MCP server, in which `security` is a member like any other.
    ///
    /// ```
    /// use mgp_toolindex::tool::IndexedTool;
    /// use mgp_types::{context::RiskLevel, json::RawJson};
    /// let text = r#"{"name":"add","security":[{"oauth2":[]}]}"#;
    /// let tool = IndexedTool::of_plain_server("s", &RawJson::parse(text)?, RiskLevel::Moderate)?;
    /// assert_eq!(tool.shown_as("add", false).as_str(), text);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// Returns a [`ToolError`] if the definition cannot be used.
    pub fn of_plain_server(
        server_id: &str,
        definition: &RawJson,
        risk: RiskLevel,
    ) -> Result<Self, ToolError> {
        Self::read(server_id, definition, risk, true)
    }

    fn read(
        server_id: &str,
        definition: &RawJson,
        risk: RiskLevel,
        is_plain: bool,
    ) -> Result<Self, ToolError> {
        let definition = RawObject::from_json(definition)?;
        let name = definition.text("name").unwrap_or_default();
        if name.is_empty() || name.len() > MAX_NAME {
            return Err(ToolError::Name { name: name.chars().take(64).collect() });
        }
        let security = if is_plain { None } else { security_of(&definition) };
        let filed = Classification::of(&definition, security.as_ref());
        let text = SearchText::read(&name, &definition, &filed.keywords);
        let categories = filed.categories;
        Ok(Self {
            id: ToolId::new(server_id, name),
            is_deprecated: says_deprecated(&definition),
            definition,
            security,
            is_plain,
            risk,
            categories,
            text,
            tally: Tally::default(),
        })
    }

    /// Returns the id of the tool: its server and its name there.
    #[must_use]
    pub fn id(&self) -> &ToolId {
        &self.id
    }

    /// Returns the kernel's assessment of the tool's risk (§4.4).
    #[must_use]
    pub fn risk(&self) -> RiskLevel {
        self.risk
    }

    /// Returns the server's own statement about the tool's risks.
    #[must_use]
    pub fn security(&self) -> Option<&SecurityMetadata> {
        self.security.as_ref()
    }

    /// Returns whether the definition marks the tool as deprecated. Searches rank a deprecated tool behind its equals.
    #[must_use]
    pub fn is_deprecated(&self) -> bool {
        self.is_deprecated
    }

    /// Reads the metadata of the tool beyond MCP, and the members that cannot be read.
    #[must_use]
    pub fn metadata(&self) -> ToolMetadataReading {
        ToolMetadata::of_definition(&self.definition)
    }

    /// Returns the categories that the tool is filed under, each from the general to the particular, such as `filesystem/read`: those
    /// that its definition names, those of its permissions and side effects, and those added by [`file_under`](Self::file_under).
    #[must_use]
    pub fn categories(&self) -> &BTreeSet<String> {
        &self.categories
    }

    /// Files the tool under one more category. A text that is not a category is ignored, and so is a category beyond the maximum.
    pub fn file_under(&mut self, category: &str) {
        if self.categories.len() < MAX_CATEGORIES
            && let Some(path) = category_path(category)
        {
            self.categories.insert(path);
        }
    }

    /// Returns whether the tool is filed under a category, or below it.
    #[must_use]
    pub fn is_filed_under(&self, category: &str) -> bool {
        self.categories.iter().any(|own| is_filed_under(own, category))
    }

    /// Returns the words that searches find the tool by.
    #[must_use]
    pub fn text(&self) -> &SearchText {
        &self.text
    }

    /// Returns the server's description of the tool.
    #[must_use]
    pub fn description(&self) -> Option<String> {
        self.definition.text("description")
    }

    /// Returns the JSON Schema of the tool's arguments, or one that allows any object if the server states none.
    #[must_use]
    pub fn input_schema(&self) -> RawJson {
        let any = || RawObject::from_iter([("type", RawJson::string("object"))]).to_json();
        self.definition.get("inputSchema").cloned().unwrap_or_else(any)
    }

    /// Returns the definition under the name that hosts call the tool by.
    #[must_use]
    pub fn definition_as(&self, exposed_name: &str) -> RawJson {
        let mut definition = self.definition.clone();
        definition.insert("name", RawJson::string(exposed_name));
        definition.to_json()
    }

    /// Returns the definition in the form of a host's list. A plain MCP host receives no `security` of MGP, no `_mgp` and no
    /// `_meta.mgp`.
    #[must_use]
    pub fn shown_as(&self, exposed_name: &str, with_security: bool) -> RawJson {
        let mut definition = self.definition.clone();
        definition.insert("name", RawJson::string(exposed_name));
        if with_security {
            if let Ok(security) = RawJson::from_value(&self.shown_security()) {
                definition.insert("security", security);
            }
        } else {
            if !self.is_plain {
                definition.remove("security");
            }
            mgp_member::strip(&mut definition);
        }
        definition.to_json()
    }

    /// Returns the tokens that [`shown_as`](Self::shown_as) takes. They are counted only once, so all callers must pass the same
    /// counter.
    #[must_use]
    pub fn tokens_as(&self, exposed_name: &Arc<str>, with_security: bool, counter: &dyn TokenCounter) -> u64 {
        let count = || counter.count(self.shown_as(exposed_name, with_security).as_str());
        self.tally.get_or_count(exposed_name, usize::from(with_security), count)
    }

    /// Returns the tokens that the definition takes with security metadata and the members of a level. They are counted only once, so all
    /// callers must pass the same counter.
    #[must_use]
    pub fn tokens_with(&self, exposed_name: &Arc<str>, detail: Detail, counter: &dyn TokenCounter) -> u64 {
        if detail == Detail::Whole || self.is_bare() {
            return self.tokens_as(exposed_name, true, counter);
        }
        let count = || {
            let shown = self.shown_as(exposed_name, true);
            let Ok(mut definition) = RawObject::from_json(&shown) else {
                return counter.count(shown.as_str());
            };
            detail.trim(&mut definition);
            counter.count(definition.to_json().as_str())
        };
        self.tally.get_or_count(exposed_name, 1 + detail as usize, count)
    }

    /// Returns the definition as its server sent it, member by member.
    #[must_use]
    pub fn definition(&self) -> &RawObject {
        &self.definition
    }

    /// Returns the metadata for callers: the server's own, with the kernel's assessment added.
    #[must_use]
    pub fn shown_security(&self) -> SecurityMetadata {
        let mut security = self.security.clone().unwrap_or_else(|| SecurityMetadata::new(self.risk));
        security.other.insert("effective_risk_level", RawJson::string(self.risk.as_str()));
        security
    }
}

/// Returns the security metadata of a definition; if it is unreadable, the strictest possible reading.
fn security_of(definition: &RawObject) -> Option<SecurityMetadata> {
    let member = definition.get("security")?;
    member.decode().unwrap_or_else(|_| Some(SecurityMetadata::of_unreadable(member)))
}

impl fmt::Debug for IndexedTool {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("IndexedTool").field("id", &self.id).field("risk", &self.risk).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tool(text: &str) -> Result<IndexedTool, ToolError> {
        IndexedTool::new("s", &RawJson::parse(text.to_owned()).unwrap(), RiskLevel::Moderate)
    }

    #[test]
    fn a_definition_changes_only_its_name() {
        let text =
            r#"{"x":1e500,"name":"a.b","inputSchema":{"maximum":12345678901234567890123},"_meta":null}"#;
        let tool = tool(text).unwrap();
        assert_eq!(tool.definition_as("a_b").as_str(), text.replace("a.b", "a_b"));
        assert_eq!(tool.input_schema().as_str(), r#"{"maximum":12345678901234567890123}"#);
    }

    #[test]
    fn a_plain_host_gets_the_rest_of_meta_without_mgp() {
        let text =
            r#"{"name":"a","security":{"risk_level":"safe"},"_mgp":{"x":1},"_meta":{"mgp":{"x":1},"k":[1]}}"#;
        assert_eq!(tool(text).unwrap().shown_as("b", false).as_str(), r#"{"name":"b","_meta":{"k":[1]}}"#);
        let alone = tool(r#"{"name":"a","_meta":{"mgp":{"x":1}}}"#).unwrap();
        assert_eq!(alone.shown_as("a", false).as_str(), r#"{"name":"a"}"#);
        let twice = tool(r#"{"name":"a","_meta":{"mgp":1,"mgp":{"x":1}}}"#).unwrap();
        assert_eq!(twice.shown_as("a", false).as_str(), r#"{"name":"a"}"#);
        assert!(alone.shown_as("a", true).as_str().contains(r#""_meta":{"mgp":{"x":1}}"#));
    }

    #[test]
    fn categories_come_from_the_definition_and_its_permissions() {
        let text = r#"{"name":"a","categories":["Reports"," "],"security":{"risk_level":"safe",
            "permissions_required":["filesystem.read","network"],"side_effects":["database"]}}"#;
        let tool = tool(text).unwrap();
        let expected = ["database", "filesystem/read", "network/listen", "network/outbound", "reports"];
        assert_eq!(*tool.categories(), BTreeSet::from(expected.map(str::to_owned)));
        assert!(tool.is_filed_under("filesystem") && tool.is_filed_under("filesystem/read"));
        assert!(!tool.is_filed_under("filesystem/write") && !tool.is_filed_under("file"));
        assert_eq!(
            tool.text().keywords.lines().collect::<Vec<_>>(),
            ["database", "filesystem", "network", "reports"]
        );
    }

    #[test]
    fn callers_see_the_kernel_s_risk_with_the_server_s() {
        let own = tool(r#"{"name":"a","security":{"risk_level":"safe"}}"#).unwrap().shown_security();
        assert_eq!(own.risk_level, RiskLevel::Safe);
        assert_eq!(own.other.text("effective_risk_level").unwrap(), "moderate");
        let plain = tool(r#"{"name":"a"}"#).unwrap();
        assert_eq!(plain.shown_security().risk_level, RiskLevel::Moderate);
        assert_eq!(plain.input_schema().as_str(), r#"{"type":"object"}"#);
    }

    #[test]
    fn unreadable_metadata_is_shown_as_the_strictest() {
        let shown = tool(r#"{"name":"a","security":{"risk_level":"destructive"}}"#).unwrap().shown_security();
        assert_eq!(shown.risk_level, RiskLevel::Dangerous);
        assert_eq!(shown.validator, Some(mgp_types::tool_security::ValidatorName::Sandbox));
    }

    #[test]
    fn a_definition_without_a_usable_name_is_refused() {
        let long = format!(r#"{{"name":"{}"}}"#, "x".repeat(2000));
        for text in ["{}", r#"{"name":""}"#, r#"{"name":7}"#, long.as_str()] {
            assert!(matches!(tool(text), Err(ToolError::Name { .. })), "{text}");
        }
        assert!(matches!(tool("[]"), Err(ToolError::Json(_))));
    }
}
