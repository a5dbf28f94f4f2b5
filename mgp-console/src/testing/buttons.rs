//! The fields that buttons send.

use crate::{
    actions::{ANYWAY, actions},
    form::Form,
    page::Action,
};
use html5gum::{Token, Tokenizer};
use std::collections::BTreeSet;

/// A value that no field has.
const NONSENSE: &str = "\u{1}";

/// Asserts that the action of each button on a page reads the field that only this button sends: otherwise two buttons do the same.
pub(super) fn assert_fields_are_read(page: &str) {
    for token in Tokenizer::new(page).flatten() {
        let Token::StartTag(tag) = token else { continue };
        let attribute = |name: &str| {
            tag.attributes.get(name.as_bytes()).map(|value| String::from_utf8_lossy(value).into_owned())
        };
        let (Some(path), Some(name), Some(value)) =
            (attribute("hx-post"), attribute("name"), attribute("value"))
        else {
            continue;
        };
        let action = actions().find(|action| action.path() == path);
        let action = action.unwrap_or_else(|| panic!("no action has the address {path}"));
        let words = [None, Some(&*value), Some(NONSENSE)].map(|value| words(action, &name, value));
        // The question about an unknown name reads its own field.
        if name == ANYWAY {
            continue;
        }
        let is_read = words.iter().any(|other| *other != words[0]);
        assert!(is_read, "{} does not read {name}={value}", action.name);
    }
}

/// Returns the command line of an action, or the error, if its form has the needed fields of the action's example and another one.
fn words(action: &Action, name: &str, value: Option<&str>) -> String {
    let form = with(&needed(action), name, value);
    match (action.words)(&form) {
        Ok(words) => words.join("\n"),
        Err(error) => error.to_string(),
    }
}

/// Returns the fields of an action's example without which it has no command line.
fn needed(action: &Action) -> Form {
    let example = Form::parse(action.example.as_bytes());
    let names: BTreeSet<_> = example.pairs().map(|(name, _)| name.to_owned()).collect();
    names.iter().fold(example.clone(), |form, name| {
        let without = with(&form, name, None);
        if (action.words)(&without).is_ok() { without } else { form }
    })
}

fn with(form: &Form, name: &str, value: Option<&str>) -> Form {
    let address = form.with("", name, value);
    Form::parse(address.trim_start_matches('?').as_bytes())
}
