//! The scopes of an API key as a phrase.

use mgp_types::context::KeyScopes;
use std::fmt;

/// The part of a sentence that says what a key can do: "read github, use files__copy".
///
/// ```
/// use mgp_security::access::Abilities;
/// use mgp_types::context::KeyScopes;
///
/// assert_eq!(Abilities(&KeyScopes::new("ci", "read:github files__copy")).to_string(), "read github, use files__copy");
/// assert_eq!(Abilities(&KeyScopes::new("ci", "temp:30min")).to_string(), "do nothing");
/// ```
#[derive(Debug)]
pub struct Abilities<'a>(pub &'a KeyScopes);

impl fmt::Display for Abilities<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let readable = self.0.iter().filter(|scope| scope.parse::<super::ToolScope>().is_ok());
        let mut is_first = true;
        for scope in readable {
            let (verb, name) = match scope.split_once(':') {
                Some(("read", name)) => ("read", name),
                Some((_, name)) => ("use", name),
                None => ("use", scope),
            };
            let comma = if std::mem::take(&mut is_first) { "" } else { ", " };
            write!(f, "{comma}{verb} {name}")?;
        }
        if is_first { f.write_str("do nothing") } else { Ok(()) }
    }
}
