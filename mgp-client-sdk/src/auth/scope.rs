//! The choice of the requested scopes.

use std::collections::BTreeSet;

/// The maximum number of requested scopes, and the maximum length of one, in bytes.
const MAX: usize = 128;
const MAX_LENGTH: usize = 256;
/// The scope that requests a refresh token.
pub(super) const OFFLINE: &str = "offline_access";

/// The inputs of the choice of scopes.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct ScopeInputs<'a> {
    /// The scopes of the server's challenge, separated by spaces.
    pub(super) challenged: Option<&'a str>,
    /// The scopes that the metadata of the protected resource lists.
    pub(super) of_resource: Option<&'a [String]>,
    /// The scopes that the metadata of the authorization server lists.
    pub(super) of_server: Option<&'a [String]>,
    /// The scopes that were requested before, at the same authorization server.
    pub(super) before: &'a [String],
    /// The scopes that the settings always request.
    pub(super) always: &'a [String],
    /// True if a refresh token is wanted.
    pub(super) offline: bool,
}

/// Returns the scopes to request: those of the challenge, or else those of the resource, in addition to previously requested ones
/// and those of the settings. An empty list leaves the choice to the authorization server.
pub(super) fn choose(known: ScopeInputs<'_>) -> Vec<String> {
    let wanted: Vec<&str> = match known.challenged {
        Some(scope) => scope.split(' ').collect(),
        None => known.of_resource.unwrap_or_default().iter().map(String::as_str).collect(),
    };
    let (mut seen, mut chosen) = (BTreeSet::new(), Vec::new());
    let earlier = known.before.iter().chain(known.always).map(String::as_str);
    for scope in earlier.chain(wanted) {
        if is_scope(scope) && scope != OFFLINE && chosen.len() < MAX && seen.insert(scope) {
            chosen.push(scope.to_owned());
        }
    }
    let lists_offline = known.of_server.unwrap_or_default().iter().any(|scope| scope == OFFLINE);
    // As the only scope it would narrow the default scopes of the authorization server.
    if known.offline && lists_offline && !chosen.is_empty() {
        chosen.push(OFFLINE.to_owned());
    }
    chosen
}

/// Returns `true` if `scopes` contains all scopes of a challenge.
pub(super) fn holds(scopes: &[String], challenged: &str) -> bool {
    challenged.split(' ').filter(|scope| is_scope(scope)).all(|one| scopes.iter().any(|scope| scope == one))
}

fn is_scope(text: &str) -> bool {
    let letter = |c: u8| matches!(c, 0x21 | 0x23..=0x5b | 0x5d..=0x7e);
    !text.is_empty() && text.len() <= MAX_LENGTH && text.bytes().all(letter)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn list(text: &str) -> Vec<String> {
        text.split_whitespace().map(str::to_owned).collect()
    }

    #[test]
    fn scopes_come_from_the_challenge_then_the_resource() {
        let resource = list("r1 r2");
        let known = ScopeInputs { of_resource: Some(&resource), ..ScopeInputs::default() };
        assert_eq!(choose(ScopeInputs { challenged: Some("c1  c2"), ..known }), list("c1 c2"));
        assert_eq!(choose(known), list("r1 r2"));
        assert_eq!(choose(ScopeInputs::default()), list(""));
    }

    #[test]
    fn earlier_scopes_are_requested_again() {
        let before = list("a b");
        assert_eq!(
            choose(ScopeInputs { challenged: Some("c a"), before: &before, ..ScopeInputs::default() }),
            list("a b c")
        );
    }

    #[test]
    fn offline_access_is_requested_only_if_the_issuer_lists_it() {
        let (with, without) = (list("a offline_access"), list("a"));
        let known =
            ScopeInputs { challenged: Some("a offline_access"), offline: true, ..ScopeInputs::default() };
        assert_eq!(choose(ScopeInputs { of_server: Some(&with), ..known }), list("a offline_access"));
        assert_eq!(choose(ScopeInputs { of_server: Some(&without), ..known }), list("a"));
        assert_eq!(choose(known), list("a"));
        assert_eq!(choose(ScopeInputs { of_server: Some(&with), offline: false, ..known }), list("a"));
        let alone = ScopeInputs { of_server: Some(&with), offline: true, ..ScopeInputs::default() };
        assert_eq!(choose(alone), list(""));
    }

    #[test]
    fn invalid_scopes_are_dropped_and_the_number_is_bounded() {
        let long = "x".repeat(MAX_LENGTH + 1);
        let text = format!("a \"b\" c\\ {long} \u{e9} d");
        assert_eq!(choose(ScopeInputs { challenged: Some(&text), ..ScopeInputs::default() }), list("a d"));
        let many: Vec<_> = (0..1000).map(|n| n.to_string()).collect();
        let known = ScopeInputs { of_resource: Some(&many), ..ScopeInputs::default() };
        assert_eq!(choose(known).len(), MAX);
    }

    #[test]
    fn a_challenge_is_met_if_all_its_scopes_are_granted() {
        assert!(holds(&list("a b"), "b a") && holds(&list("a"), ""));
        assert!(!holds(&list("a b"), "a c"));
    }
}
