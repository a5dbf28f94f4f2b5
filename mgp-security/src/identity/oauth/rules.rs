//! The scopes that requests require.

use mgp_transport::seam::{Authentication, CredentialError, Scopes};
use std::collections::BTreeMap;

/// The scopes that requests require.
#[derive(Debug, Clone, Default)]
pub(super) struct Rules {
    /// The scopes that every request requires.
    pub(super) required: Scopes,
    /// The scopes that a method requires in addition, by its name.
    pub(super) methods: BTreeMap<String, Scopes>,
    /// The scopes that a call of a tool requires in addition, by the tool's name.
    pub(super) tools: BTreeMap<String, Scopes>,
    /// The scopes that grant the admin role. If there are none, no scope grants it.
    pub(super) admin: Scopes,
}

impl Rules {
    /// Refuses a token without the scopes that every request requires.
    pub(super) fn check(&self, has: &Scopes) -> Result<(), CredentialError> {
        self.need(has, "this server", [Some(&self.required), None, None])
    }

    /// Refuses a method, or a tool if the method is `tools/call`, whose scopes the token does not have.
    pub(super) fn check_method(
        &self,
        who: &Authentication,
        method: &str,
        name: Option<&str>,
    ) -> Result<(), CredentialError> {
        let tool = name.filter(|_| method == "tools/call").and_then(|name| self.tools.get(name));
        self.need(&who.scopes, method, [Some(&self.required), self.methods.get(method), tool])
    }

    fn need(&self, has: &Scopes, what: &str, needed: [Option<&Scopes>; 3]) -> Result<(), CredentialError> {
        let needed = || needed.iter().flatten();
        if needed().all(|scopes| has.contains_all(scopes)) {
            return Ok(());
        }
        // Scopes that the client already has are also named, so that it does not lose them with its next token.
        let known: Scopes = self.known().flat_map(Scopes::iter).filter(|scope| has.contains(scope)).collect();
        let scopes = needed().fold(known, |all, scopes| all.union(scopes));
        Err(CredentialError::insufficient_scope(format!("the token does not allow {what}"), scopes))
    }

    fn known(&self) -> impl Iterator<Item = &Scopes> {
        [&self.required, &self.admin].into_iter().chain(self.methods.values()).chain(self.tools.values())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use mgp_types::context::Principal;

    fn denied(has: &str, method: &str, name: Option<&str>) -> Option<String> {
        let rules = Rules {
            required: Scopes::parse("mcp"),
            methods: [("resources/read".to_owned(), Scopes::parse("read"))].into(),
            tools: [("wipe".to_owned(), Scopes::parse("write danger"))].into(),
            admin: Scopes::parse("admin"),
        };
        let who = Authentication { scopes: Scopes::parse(has), ..Authentication::new(Principal::agent("a")) };
        match rules.check_method(&who, method, name) {
            Err(CredentialError::InsufficientScope { scopes, .. }) => Some(scopes.to_string()),
            Err(other) => panic!("{other:?}"),
            Ok(()) => None,
        }
    }

    #[test]
    fn each_method_and_tool_needs_its_scopes_and_the_common_ones() {
        assert_eq!(denied("mcp", "tools/list", None), None);
        assert_eq!(denied("other", "tools/list", None).as_deref(), Some("mcp"));
        assert_eq!(denied("mcp", "resources/read", None).as_deref(), Some("mcp read"));
        assert_eq!(denied("read", "resources/read", None).as_deref(), Some("mcp read"));
        assert_eq!(denied("mcp read", "resources/read", Some("wipe")), None);
        assert_eq!(denied("mcp", "tools/call", Some("look")), None);
        assert_eq!(denied("mcp write", "tools/call", Some("wipe")).as_deref(), Some("danger mcp write"));
        assert_eq!(denied("mcp write danger", "tools/call", Some("wipe")), None);
    }

    #[test]
    fn known_scopes_of_a_client_are_requested_again() {
        let said = denied("mcp admin foreign", "resources/read", None);
        assert_eq!(said.as_deref(), Some("admin mcp read"));
    }
}
