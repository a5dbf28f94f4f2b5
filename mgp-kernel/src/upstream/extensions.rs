//! The extensions of MCP that pass between hosts and servers.

use super::Server;
use mgp_discovery::config::PassedExtensions;
use mgp_types::{
    json::{RawJson, RawObject},
    mcp::{APPS_EXTENSION, ClientCapabilities, add_extensions, apps_offer},
};

/// Adds the extensions of a host that a server may see to the capabilities that the server is shown.
pub(crate) fn add_passed(server: &Server, host: &ClientCapabilities, shown: &mut RawObject) {
    add_extensions(shown, &passed(&server.spec.passed_extensions, &host.other_extensions()));
}

/// Returns the extensions that a server is offered before any host is known. A server of the era with sessions is offered no others later.
pub(super) fn offered_in_advance(passing: &PassedExtensions) -> RawObject {
    let mut offered = RawObject::new();
    if passing.has(APPS_EXTENSION) {
        offered.insert(APPS_EXTENSION, apps_offer());
    }
    if let PassedExtensions::Named(names) = passing {
        for name in names.iter().filter(|name| *name != APPS_EXTENSION) {
            offered.insert_named(name, RawJson::empty_object());
        }
    }
    offered
}

/// Returns the settings of a server's extensions that hosts may see; `None` while the server is not known.
pub(crate) fn passed_from(server: &Server) -> Option<RawObject> {
    let greeting = server.current_greeting()?;
    Some(passed(&server.spec.passed_extensions, &greeting.capabilities.other_extensions()))
}

/// Returns the settings of several servers by name. Of an extension with several settings, the members that all of them have remain.
pub(crate) fn united(settings: impl Iterator<Item = RawObject>) -> RawObject {
    let mut all = RawObject::new();
    for one in settings {
        for (name, value) in one.iter() {
            let value = match all.get(name) {
                Some(known) if known != value => common(known, value),
                _ => value.clone(),
            };
            all.insert_named(name, value);
        }
    }
    all
}

/// Returns the members of two objects that are equal in both.
fn common(one: &RawJson, other: &RawJson) -> RawJson {
    let (Ok(one), Ok(other)) = (RawObject::from_json(one), RawObject::from_json(other)) else {
        return RawJson::empty_object();
    };
    let mut common = RawObject::new();
    for (key, value) in one.iter().filter(|(key, value)| other.get(key) == Some(value)) {
        common.insert_named(key, value.clone());
    }
    common.to_json()
}

/// Returns the extensions that may pass. Settings that are not an object are left out: they break the handshake of strict peers.
fn passed(passing: &PassedExtensions, all: &RawObject) -> RawObject {
    let mut passed = RawObject::new();
    for (name, settings) in all.iter().filter(|(name, settings)| passing.has(name) && settings.is_object()) {
        passed.insert_named(name, settings.clone());
    }
    passed
}

#[cfg(test)]
mod tests {
    use super::*;

    fn object(text: &str) -> RawObject {
        RawObject::parse(text.to_owned()).unwrap()
    }

    #[test]
    fn of_different_settings_the_common_members_remain() {
        let settings = [
            r#"{"a.b/skills":{"directoryRead":true,"n":1},"a.b/x":{}}"#,
            r#"{"a.b/skills":{"n":1}}"#,
            r#"{"a.b/y":{"z":[1]}}"#,
        ];
        let all = united(settings.into_iter().map(object)).to_json();
        assert_eq!(all.as_str(), r#"{"a.b/skills":{"n":1},"a.b/x":{},"a.b/y":{"z":[1]}}"#);
    }

    #[test]
    fn apps_and_named_extensions_are_offered_in_advance() {
        let named =
            |names: &[&str]| PassedExtensions::Named(names.iter().map(|name| (*name).to_owned()).collect());
        let apps = r#"{"io.modelcontextprotocol/ui":{"mimeTypes":["text/html;profile=mcp-app"]}}"#;
        for (passing, expected) in [
            (PassedExtensions::All, apps),
            (PassedExtensions::Known, apps),
            (named(&["a.b/x"]), r#"{"a.b/x":{}}"#),
            (named(&["io.modelcontextprotocol/ui"]), apps),
            (named(&[]), "{}"),
        ] {
            assert_eq!(offered_in_advance(&passing).to_json().as_str(), expected);
        }
    }

    #[test]
    fn extensions_that_do_not_pass_are_left_out() {
        let all = object(r#"{"a.b/x":{"n":1},"a.b/y":{},"a.b/z":true}"#);
        assert_eq!(
            passed(&PassedExtensions::All, &all).to_json().as_str(),
            r#"{"a.b/x":{"n":1},"a.b/y":{}}"#
        );
        assert!(passed(&PassedExtensions::Known, &all).is_empty());
    }
}
