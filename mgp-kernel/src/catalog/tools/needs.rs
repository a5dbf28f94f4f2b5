//! The permissions that all tools of a server need together.

use super::table::JudgedTool;
use mgp_types::permission::Permission;
use std::collections::BTreeSet;

/// The maximum number of permissions that are kept for one server, because the server chooses their number.
const MOST: usize = 64;

/// The permissions that all tools of a server need together. If a server has them, all of its tools are offered, and no tool has
/// to be checked separately.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ServerNeeds(Option<BTreeSet<Permission>>);

impl Default for ServerNeeds {
    fn default() -> Self {
        Self(Some(BTreeSet::new()))
    }
}

impl ServerNeeds {
    pub(super) fn of(tools: &[JudgedTool], disabled: &[String]) -> Self {
        let impossible = tools.iter().any(|tool| {
            !tool.profile.invalid_permissions.is_empty()
                || tool.app.as_ref().is_some_and(|app| app.is_for_pages_only)
                || disabled.iter().any(|disabled| **disabled == *tool.indexed.id().tool_name)
        });
        if impossible {
            return Self(None);
        }
        Self::default().with(tools.iter().flat_map(|tool| &tool.profile.permissions))
    }

    /// Returns the permissions that the tools of both need.
    pub(super) fn and(self, other: &Self) -> Self {
        match &other.0 {
            Some(permissions) => self.with(permissions),
            None => Self(None),
        }
    }

    /// Returns the permissions; `None` if there are too many, or if a tool is never offered: because it is disabled, is only for the pages
    /// of apps, or needs an unknown permission.
    pub(crate) fn permissions(&self) -> Option<&BTreeSet<Permission>> {
        self.0.as_ref()
    }

    fn with<'a>(mut self, permissions: impl IntoIterator<Item = &'a Permission>) -> Self {
        for permission in permissions {
            let Some(known) = &mut self.0 else { break };
            if !known.contains(permission) {
                known.insert(permission.clone());
            }
            if known.len() > MOST {
                self.0 = None;
            }
        }
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn needs(names: &[&str]) -> ServerNeeds {
        ServerNeeds(Some(names.iter().flat_map(|name| Permission::expand(name).unwrap()).collect()))
    }

    #[test]
    fn a_union_needs_all_that_its_parts_need() {
        let (read, write) = (needs(&["filesystem.read"]), needs(&["filesystem.write"]));
        let both = read.clone().and(&write).and(&read);
        assert_eq!(both, needs(&["filesystem.read", "filesystem.write"]));
        assert_eq!(read.clone().and(&ServerNeeds(None)).permissions(), None);
        assert_eq!(ServerNeeds(None).and(&read).permissions(), None);
        assert_eq!(ServerNeeds::default().permissions().map(BTreeSet::len), Some(0));
    }

    #[test]
    fn questions_about_too_many_tools_are_not_combined() {
        let names: Vec<String> = (0..=MOST).map(|i| format!("com.example.p{i}")).collect();
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        let (most, one) = (needs(&names[..MOST]), needs(&names[MOST..]));
        assert_eq!(most.clone().and(&most).permissions().map(BTreeSet::len), Some(MOST));
        assert_eq!(most.and(&one).permissions(), None);
    }
}
