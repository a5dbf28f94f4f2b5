//! The members of tools that belong to MCP Apps: the page that shows a tool's results, and the callers that the tool is for.

use mgp_types::json::{RawJson, RawObject};

/// The member of `_meta` with the settings, and the older one with the page's URI only.
const SETTINGS: &str = "ui";
const OLDER_PAGE: &str = "ui/resourceUri";

/// The beginning of the URIs of pages.
const SCHEME: &str = "ui://";

/// The settings for MCP Apps in a tool's definition.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct AppSettings {
    /// The URI of the page that shows the tool's results.
    pub(crate) page: Option<Box<str>>,
    /// True for a tool that pages call and models do not.
    pub(crate) is_for_pages_only: bool,
}

impl AppSettings {
    /// Reads a definition; `None` if it has no settings for apps.
    pub(super) fn of(definition: &RawJson) -> Option<Self> {
        if !may_have_app_settings(definition) {
            return None;
        }
        let meta = RawObject::from_json(definition).ok()?.object("_meta")?;
        let settings = meta.object(SETTINGS);
        if settings.is_none() && meta.get(OLDER_PAGE).is_none() {
            return None;
        }
        let settings = settings.unwrap_or_default();
        let page = settings.text("resourceUri").or_else(|| meta.text(OLDER_PAGE));
        // Another resource has no page, and keeps its rules of access.
        let page = page.filter(|uri| uri.starts_with(SCHEME));
        let visibility = settings.decode::<Vec<String>>("visibility").ok().flatten();
        let is_for_pages_only = visibility.is_some_and(|visibility| *visibility == ["app"]);
        Some(Self { page: page.map(Into::into), is_for_pages_only })
    }
}

/// Removes the settings for apps from a definition, for a host without apps.
pub(crate) fn strip_app_settings(definition: &mut RawJson) {
    let Ok(mut tool) = RawObject::from_json(definition) else { return };
    let Some(mut meta) = tool.object("_meta") else { return };
    let removed = [SETTINGS, OLDER_PAGE].map(|member| meta.remove(member).is_some());
    if removed.contains(&true) {
        match meta.is_empty() {
            true => tool.remove("_meta"),
            false => tool.insert("_meta", meta.to_json()),
        };
        *definition = tool.to_json();
    }
}

/// Returns whether a definition has settings for apps, by a quick look that may be wrong about a definition without them.
pub(crate) fn may_have_app_settings(definition: &RawJson) -> bool {
    definition.may_hold(SETTINGS) || definition.may_hold(OLDER_PAGE)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tool(meta: &str) -> RawJson {
        RawJson::parse(format!(r#"{{"name":"a","_meta":{meta},"inputSchema":{{"type":"object"}}}}"#)).unwrap()
    }

    #[test]
    fn settings_are_read_in_both_forms() {
        for (meta, expected) in [
            (
                r#"{"ui":{"resourceUri":"ui://a/b"},"ui/resourceUri":"ui://old"}"#,
                Some((Some("ui://a/b"), false)),
            ),
            (r#"{"ui/resourceUri":"ui://old"}"#, Some((Some("ui://old"), false))),
            (r#"{"ui":{"visibility":["app"]}}"#, Some((None, true))),
            (r#"{"ui":{"visibility":["model","app"]}}"#, Some((None, false))),
            (r#"{"ui":{"visibility":"app"}}"#, Some((None, false))),
            (r#"{"ui":{"resourceUri":"notes://private"}}"#, Some((None, false))),
            (r#"{"ui":true}"#, None),
            (r#"{"other":"ui"}"#, None),
            ("7", None),
        ] {
            let found = AppSettings::of(&tool(meta));
            let found = found.as_ref().map(|app| (app.page.as_deref(), app.is_for_pages_only));
            assert_eq!(found, expected, "{meta}");
        }
    }

    #[test]
    fn stripping_leaves_everything_else() {
        for (meta, left) in [
            (r#"{"ui":{"resourceUri":"ui://a/b"},"n":1e500}"#, Some(r#"{"n":1e500}"#)),
            (r#"{"ui/resourceUri":"ui://old"}"#, None),
            (r#"{"n":"ui"}"#, Some(r#"{"n":"ui"}"#)),
        ] {
            let mut definition = tool(meta);
            strip_app_settings(&mut definition);
            let expected = left.map_or_else(
                || RawJson::parse(r#"{"name":"a","inputSchema":{"type":"object"}}"#).unwrap(),
                tool,
            );
            assert_eq!(definition, expected, "{meta}");
        }
    }
}
