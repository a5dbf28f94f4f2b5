//! The members of a definition other than name, description and arguments, and the order in which answers omit them for lack of
//! room.

use super::IndexedTool;
use mgp_types::{
    json::{RawJson, RawObject},
    mgp_member,
    tool_metadata::TOOL_KEY,
};

/// The members of a definition that an answer to a search contains, other than name, description and arguments. Ordered: each
/// level omits more than the one before.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Detail {
    /// All of them: `outputSchema`, `annotations`, and `_meta` without MGP's own members.
    Whole,
    /// Without the examples in `_meta["dev.cloto/tool"]`.
    WithoutExamples,
    /// Without `_meta`.
    WithoutMeta,
    /// Without `outputSchema` too.
    WithoutOutput,
    /// Without any of them.
    Bare,
}

impl Detail {
    /// Every level, the most detailed first.
    pub const ALL: [Self; 5] =
        [Self::Whole, Self::WithoutExamples, Self::WithoutMeta, Self::WithoutOutput, Self::Bare];

    /// Removes the members that this level omits from a definition.
    pub(super) fn trim(self, definition: &mut RawObject) {
        if self == Self::WithoutExamples {
            definition.edit("_meta", |meta| {
                let mut changed = false;
                meta.edit(TOOL_KEY, |own| {
                    changed = own.remove("examples").is_some();
                    changed
                });
                changed
            });
            definition.remove("examples");
        }
        for (level, members) in [
            (Self::WithoutMeta, &["_meta", "examples"][..]),
            (Self::WithoutOutput, &["outputSchema"]),
            (Self::Bare, &["annotations"]),
        ] {
            if self >= level {
                members.iter().for_each(|member| drop(definition.remove(member)));
            }
        }
    }
}

/// The members that a level shows.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ToolDetails {
    /// The JSON Schema of the structured result.
    pub output_schema: Option<RawJson>,
    /// The server's hints about the tool's effects.
    pub annotations: Option<RawObject>,
    /// The metadata of MCP and its extensions, without MGP's own members.
    pub meta: Option<RawObject>,
}

impl IndexedTool {
    /// Returns the members that a level shows, without MGP's own members.
    #[must_use]
    pub fn details(&self, detail: Detail) -> ToolDetails {
        let mut definition = self.definition().clone();
        mgp_member::strip(&mut definition);
        detail.trim(&mut definition);
        ToolDetails {
            output_schema: definition.get("outputSchema").filter(|schema| schema.is_object()).cloned(),
            annotations: definition.object("annotations"),
            meta: definition.object("_meta"),
        }
    }

    /// Returns whether a definition has none of these members, so that all levels are the same.
    pub(crate) fn is_bare(&self) -> bool {
        ["outputSchema", "annotations", "_meta", "examples"]
            .iter()
            .all(|member| self.definition().get(member).is_none())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use mgp_types::context::RiskLevel;

    #[test]
    fn each_level_leaves_out_more_and_none_shows_mgp_members() {
        let text = r#"{"name":"a","outputSchema":{"type":"object"},"annotations":{"readOnlyHint":true},
            "_meta":{"mgp":{"x":1},"k":1,"dev.cloto/tool":{"version":"1.0.0","examples":[{"a":1}]}}}"#;
        let tool = IndexedTool::new("s", &RawJson::parse(text).unwrap(), RiskLevel::Safe).unwrap();
        let shown = Detail::ALL.map(|detail| {
            let ToolDetails { output_schema, annotations, meta } = tool.details(detail);
            (output_schema.is_some(), annotations.is_some(), meta.map(|meta| meta.to_json().to_string()))
        });
        let meta =
            |examples: &str| Some(format!(r#"{{"k":1,"dev.cloto/tool":{{"version":"1.0.0"{examples}}}}}"#));
        assert_eq!(shown[0], (true, true, meta(r#","examples":[{"a":1}]"#)));
        assert_eq!(shown[1], (true, true, meta("")));
        assert_eq!(shown[2], (true, true, None));
        assert_eq!(shown[3], (false, true, None));
        assert_eq!(shown[4], (false, false, None));
        assert!(!tool.is_bare());
    }
}
