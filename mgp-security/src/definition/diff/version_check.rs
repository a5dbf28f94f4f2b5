//! The versions of two definitions, compared with the changes between them.

use super::{DefinitionDiff, Effect};
use crate::definition::text::version_of;
use mgp_types::{
    json::RawJson,
    tool_metadata::{Version, VersionStep, step_between},
};
use serde::{Serialize, Serializer};
use std::fmt;

/// The versions of two definitions, and whether they reflect the changes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct VersionCheck {
    /// The version before; `None` if the server stated none.
    #[serde(rename = "old_version", serialize_with = "as_text")]
    pub old: Option<Version>,
    /// The version after; `None` if the server states none.
    #[serde(rename = "new_version", serialize_with = "as_text")]
    pub new: Option<Version>,
    /// The least step that the differences require.
    pub needed: VersionStep,
    /// The step between the versions; `None` if one of them is not stated.
    pub step: Option<VersionStep>,
}

impl VersionCheck {
    /// Reads the versions of two definitions, and judges them by their difference.
    #[must_use]
    pub fn of(old: &RawJson, new: &RawJson, diff: &DefinitionDiff) -> Self {
        Self::between(version_of(old), version_of(new), diff.needed_step())
    }

    /// Judges two versions by the required step.
    #[must_use]
    pub fn between(old: Option<Version>, new: Option<Version>, needed: VersionStep) -> Self {
        let step = old.as_ref().zip(new.as_ref()).map(|(old, new)| step_between(old, new));
        Self { old, new, needed, step }
    }

    /// Returns whether the versions reflect the changes. Missing versions are enough for compatible changes.
    #[must_use]
    pub fn is_said(&self) -> bool {
        match self.step {
            Some(step) => step >= self.needed,
            None => self.needed < VersionStep::Major,
        }
    }
}

/// The sentence about the versions.
impl fmt::Display for VersionCheck {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { needed, step, .. } = self;
        match (&self.old, &self.new) {
            (Some(old), Some(new)) if old == new => write!(f, "version {old}, as before")?,
            (Some(old), Some(new)) => write!(f, "version {old} to {new}")?,
            (None, Some(new)) => write!(f, "version {new}, none before")?,
            (Some(old), None) => write!(f, "version {old} before, none now")?,
            (None, None) => f.write_str("no version")?,
        }
        match (step, self.is_said()) {
            (_, false) => write!(f, ": expected a {needed} step"),
            (Some(_), true) if *needed > VersionStep::None => f.write_str(": says what changed"),
            _ => Ok(()),
        }
    }
}

fn as_text<S: Serializer>(version: &Option<Version>, serializer: S) -> Result<S::Ok, S::Error> {
    match version {
        Some(version) => serializer.collect_str(version),
        None => serializer.serialize_none(),
    }
}

impl DefinitionDiff {
    /// Returns the least step of a version that reflects these differences: major for one that breaks callers, minor for one that adds
    /// something or changes a claim about risk, patch for changes of texts only.
    #[must_use]
    pub fn needed_step(&self) -> VersionStep {
        if self.is_breaking() {
            return VersionStep::Major;
        }
        let step = |effect| match effect {
            Effect::Breaking => VersionStep::Major,
            Effect::Compatible | Effect::LowerRisk | Effect::HigherRisk => VersionStep::Minor,
            Effect::Text => VersionStep::Patch,
        };
        let beyond = if self.left_out > 0 { VersionStep::Minor } else { VersionStep::None };
        self.differences.iter().map(|one| step(one.effect)).fold(beyond, VersionStep::max)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value, json};

    fn check(old: &Value, new: &Value) -> VersionCheck {
        let [old, new] = [old, new].map(|value| RawJson::from_value(value).unwrap());
        VersionCheck::of(&old, &new, &DefinitionDiff::of(&old, &new))
    }

    fn tool(version: Option<&str>, description: &str, required: &[&str], properties: &Value) -> Value {
        let schema = json!({"type": "object", "properties": properties, "required": required});
        let mut tool = json!({"name": "t", "description": description, "inputSchema": schema});
        if let Some(version) = version {
            tool["_meta"] = json!({"dev.cloto/tool": {"version": version}});
        }
        tool
    }

    #[test]
    fn a_version_announces_a_change_if_its_step_is_as_large() {
        let one = json!({"a": {}});
        let two = json!({"a": {}, "b": {}});
        for (old, new, needed) in [
            (tool(None, "d", &[], &one), tool(None, "d", &[], &one), VersionStep::None),
            (tool(None, "d", &[], &one), tool(None, "e", &[], &one), VersionStep::Patch),
            (tool(None, "d", &[], &one), tool(None, "d", &[], &two), VersionStep::Minor),
            (tool(None, "d", &[], &one), tool(None, "d", &["a"], &one), VersionStep::Major),
        ] {
            for (from, to, step) in [
                ("1.0.0", "1.0.0", VersionStep::None),
                ("1.0.0", "1.0.1", VersionStep::Patch),
                ("1.0.0", "1.1.0", VersionStep::Minor),
                ("1.0.0", "2.0.0", VersionStep::Major),
            ] {
                let with = |tool: &Value, version| {
                    let mut tool = tool.clone();
                    tool["_meta"] = json!({"dev.cloto/tool": {"version": version}});
                    tool
                };
                let check = check(&with(&old, from), &with(&new, to));
                assert_eq!((check.needed, check.step), (needed, Some(step)), "{old} to {new}");
                assert_eq!(check.is_said(), step >= needed, "{check}");
            }
            let unsaid = check(&old, &new);
            assert_eq!((unsaid.step, unsaid.is_said()), (None, needed < VersionStep::Major));
        }
    }

    #[test]
    fn a_version_that_goes_back_announces_nothing() {
        let check =
            check(&tool(Some("2.0.0"), "d", &[], &json!({})), &tool(Some("1.9.0"), "e", &[], &json!({})));
        assert!(!check.is_said());
        assert_eq!(check.to_string(), "version 2.0.0 to 1.9.0: expected a patch step");
    }
}
