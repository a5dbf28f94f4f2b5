//! `[[servers.tools]]`.

use super::checks::Checks;
use crate::config::{FixedValue, ShapedAnnotations, ToolShape, path::KeyPath};
use std::collections::BTreeMap;

pub(super) fn shapes(shapes: &[ToolShape], path: &KeyPath, checks: &mut Checks<'_>) {
    checks.count(path.clone(), shapes.len());
    checks.distinct(path, "name", shapes.iter().map(|shape| shape.name.as_str()));
    let mut shown: BTreeMap<&str, usize> = BTreeMap::new();
    for (i, shape) in shapes.iter().enumerate() {
        let here = path.index(i);
        checks.name(here.key("name"), &shape.name);
        one(shape, &here, checks);
        if shape.hide {
            continue;
        }
        match shown.get(shape.shown_name()) {
            Some(first) if shape.rename.is_some() || shapes[*first].rename.is_some() => {
                let name = shape.shown_name();
                let message =
                    format!("{name:?} is also the name of entry {first}: expected a name of its own");
                checks.say(here.key("rename"), message);
            }
            _ => drop(shown.insert(shape.shown_name(), i)),
        }
    }
}

fn one(shape: &ToolShape, path: &KeyPath, checks: &mut Checks<'_>) {
    if let Some(name) = &shape.rename {
        let is_legal = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.' | '/');
        if !(1..=64).contains(&name.len()) || !name.chars().all(is_legal) {
            let expected = "expected 1 to 64 letters, digits, '_', '-', '.' and '/'";
            checks.say(path.key("rename"), format!("{name:?} is not a name of a tool: {expected}"));
        }
    }
    if *shape == ToolShape::new(&*shape.name) {
        checks.advise(path.clone(), "changes nothing", "add a change, such as rename = \"...\"");
    }
    if shape.hide && *shape != (ToolShape { hide: true, ..ToolShape::new(&*shape.name) }) {
        checks.say(path.key("hide"), "hides the tool, so its other changes have no meaning");
    }
    if let Some(title) = &shape.title {
        checks.text(path.key("title"), title);
    }
    checks.count(path.key("arguments"), shape.arguments.len());
    for (name, value) in &shape.arguments {
        let here = path.key("arguments").key(name);
        let FixedValue::Text(text) = value else { continue };
        if let Some(source) = text.sources().next() {
            let help = "name a variable of the gateway's environment, such as \"${TENANT}\"";
            checks.advise(here, format!("{source} is a secret, which an argument cannot have"), help);
        } else {
            checks.text(here, text.value());
        }
    }
    checks.count(path.key("defaults"), shape.defaults.len());
    for name in shape.defaults.keys().filter(|name| shape.arguments.contains_key(*name)) {
        checks.say_of_key(path.key("defaults").key(name), "is in arguments too: expected it once");
    }
    if shape.annotations == Some(ShapedAnnotations::default()) {
        checks.say(path.key("annotations"), "empty: expected a hint, such as read_only = true");
    }
    if let Some(tokens) = shape.max_tokens {
        checks.range(path.key("max_tokens"), tokens, 1..=1_000_000);
    }
    if let Some(secs) = shape.cache_secs {
        let here = path.key("cache_secs");
        checks.range(here.clone(), secs, 1..=86_400);
        if shape.annotations.is_some_and(|hints| hints.read_only == Some(false)) {
            let help = "remove the key, or annotations.read_only";
            checks.advise(
                here,
                "only results of tools that change nothing are repeated, and read_only is false",
                help,
            );
        }
    }
}
