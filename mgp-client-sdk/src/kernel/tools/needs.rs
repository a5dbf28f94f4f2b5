//! What all tools of a server need together.

use super::table::JudgedTool;
use mgp_types::permission::Permission;

/// What all tools of a server need together: whoever has it is offered all of them, and no tool has to be asked about.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct ServerNeeds {
    /// Each once.
    permissions: Vec<Permission>,
    /// Whether a tool needs something that does not exist, and so is never offered.
    impossible: bool,
}

impl ServerNeeds {
    pub(super) fn of(tools: &[JudgedTool]) -> Self {
        let mut needs = Self::default();
        for tool in tools {
            needs.add(&tool.profile.permissions);
            needs.impossible |= !tool.profile.invalid_permissions.is_empty();
        }
        needs
    }

    /// What the tools of both need.
    pub(super) fn and(mut self, other: &Self) -> Self {
        self.add(&other.permissions);
        self.impossible |= other.impossible;
        self
    }

    /// The permissions, where with them nothing stands in the way of any tool.
    pub(crate) fn permissions(&self) -> Option<&[Permission]> {
        (!self.impossible).then_some(&self.permissions)
    }

    fn add(&mut self, permissions: &[Permission]) {
        for permission in permissions {
            if !self.permissions.contains(permission) {
                self.permissions.push(permission.clone());
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn needs(names: &[&str], impossible: bool) -> ServerNeeds {
        let permissions = names.iter().flat_map(|name| Permission::expand(name).unwrap()).collect();
        ServerNeeds { permissions, impossible }
    }

    #[test]
    fn both_together_need_what_either_needs() {
        let (read, write) = (needs(&["filesystem.read"], false), needs(&["filesystem.write"], false));
        assert_eq!(
            read.clone().and(&write).and(&read),
            needs(&["filesystem.read", "filesystem.write"], false)
        );
        assert_eq!(read.clone().and(&needs(&[], true)).permissions(), None);
        assert_eq!(read.permissions().map(<[_]>::len), Some(1));
    }
}
