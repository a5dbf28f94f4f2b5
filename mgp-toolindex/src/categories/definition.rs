//! The categories and keywords that a tool's definition yields.

use mgp_types::{
    json::RawObject, permission::Permission, tool_index::category_path, tool_security::SecurityMetadata,
};
use std::collections::BTreeSet;

/// The most categories that one tool can have.
pub(crate) const MAX_CATEGORIES: usize = 64;

/// The categories and keywords that a tool's definition yields.
pub(crate) struct Classification {
    /// The categories.
    pub(crate) categories: BTreeSet<String>,
    /// The words that searches find the tool by. For a permission, only its family is included.
    pub(crate) keywords: BTreeSet<String>,
}

impl Classification {
    pub(crate) fn of(definition: &RawObject, security: Option<&SecurityMetadata>) -> Self {
        let declared = definition.decode::<Vec<String>>("categories").ok().flatten().unwrap_or_default();
        let effects = security.and_then(|security| security.side_effects.as_deref()).unwrap_or_default();
        let said = declared.into_iter().chain(effects.iter().map(ToString::to_string));
        let mut said: BTreeSet<String> =
            said.filter_map(|category| category_path(&category)).take(MAX_CATEGORIES).collect();
        let mut keywords = said.clone();
        let permissions = security.map(SecurityMetadata::permissions).unwrap_or_default();
        for permission in permissions.iter().flat_map(|name| Permission::expand(name).unwrap_or_default()) {
            let path = path_of(&permission);
            if said.len() < MAX_CATEGORIES
                && let Some(path) = category_path(&path)
            {
                keywords.insert(path.split('/').next().unwrap_or_default().to_owned());
                said.insert(path);
            }
        }
        Self { categories: said, keywords }
    }
}

/// Returns the category path of a permission. The dots of a standard one become levels; a custom one is its own family.
fn path_of(permission: &Permission) -> String {
    match permission {
        Permission::Standard(_) => permission.as_str().replace('.', "/"),
        _ => permission.as_str().to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn filed(definition: &str) -> Vec<String> {
        let definition = RawObject::parse(definition.to_owned()).unwrap();
        let security = definition.decode("security").unwrap();
        Classification::of(&definition, security.as_ref()).categories.into_iter().collect()
    }

    #[test]
    fn invalid_paths_are_skipped_and_custom_permissions_a_family() {
        let definition = r#"{"categories":["Reports / Daily","","a//b"],"security":{"risk_level":"safe",
            "permissions_required":["com.example.crm","camera","shell"]}}"#;
        assert_eq!(filed(definition), ["camera", "com.example.crm", "reports/daily", "shell/execute"]);
    }

    #[test]
    fn the_number_of_categories_is_bounded() {
        let many: Vec<String> = (0..1000).map(|number| format!("\"c{number}\"")).collect();
        let definition = format!(
            r#"{{"categories":[{}],"security":{{"risk_level":"safe","permissions_required":["camera"]}}}}"#,
            many.join(",")
        );
        assert_eq!(filed(&definition).len(), MAX_CATEGORIES);
    }
}
