//! The shapes of what servers list, by MCP's revisions up to 2026-07-28.

use super::{
    mend::{Conformity, Mend, Mends, Remedy, note},
    shape::{Member, Shape, ShapeCheck, check_object},
    surrogates::replaced,
};
use crate::json::{RawJson, RawObject};

pub(super) const fn optional(name: &'static str, shape: Shape) -> Member {
    Member { name, shape, is_required: false }
}

pub(super) const fn required(name: &'static str, shape: Shape) -> Member {
    Member { name, shape, is_required: true }
}

/// A picture.
const ICON: Shape = Shape::Object(&[
    required("src", Shape::Text),
    optional("mimeType", Shape::Text),
    optional("sizes", Shape::List(&Shape::Text)),
    optional("theme", Shape::OneOf(&["light", "dark"])),
]);

pub(super) const ICONS: Shape = Shape::List(&ICON);

/// The hints about a tool.
const HINTS: Shape = Shape::Object(&[
    optional("title", Shape::Text),
    optional("readOnlyHint", Shape::Flag),
    optional("destructiveHint", Shape::Flag),
    optional("idempotentHint", Shape::Flag),
    optional("openWorldHint", Shape::Flag),
]);

/// The annotations of a resource, and of content.
pub(super) const ANNOTATIONS: Shape = Shape::Object(&[
    optional("audience", Shape::List(&Shape::OneOf(&["user", "assistant"]))),
    optional("priority", Shape::Share),
    optional("lastModified", Shape::Timestamp),
]);

const TASK_SUPPORT: Shape =
    Shape::Object(&[optional("taskSupport", Shape::OneOf(&["forbidden", "optional", "required"]))]);

const TOOL: &[Member] = &[
    required("name", Shape::Text),
    optional("title", Shape::Text),
    optional("description", Shape::Text),
    required("inputSchema", Shape::Schema),
    optional("outputSchema", Shape::CompiledSchema),
    optional("annotations", HINTS),
    optional("execution", TASK_SUPPORT),
    optional("icons", ICONS),
    optional("_meta", Shape::AnyObject),
];

const RESOURCE: &[Member] = &[
    required("uri", Shape::Uri),
    required("name", Shape::Text),
    optional("title", Shape::Text),
    optional("description", Shape::Text),
    optional("mimeType", Shape::Text),
    optional("size", Shape::Integer),
    optional("annotations", ANNOTATIONS),
    optional("icons", ICONS),
    optional("_meta", Shape::AnyObject),
];

const RESOURCE_TEMPLATE: &[Member] = &[
    required("uriTemplate", Shape::Text),
    required("name", Shape::Text),
    optional("title", Shape::Text),
    optional("description", Shape::Text),
    optional("mimeType", Shape::Text),
    optional("annotations", ANNOTATIONS),
    optional("icons", ICONS),
    optional("_meta", Shape::AnyObject),
];

const ARGUMENT: Shape = Shape::Object(&[
    required("name", Shape::Text),
    optional("title", Shape::Text),
    optional("description", Shape::Text),
    optional("required", Shape::Flag),
]);

const PROMPT: &[Member] = &[
    required("name", Shape::Text),
    optional("title", Shape::Text),
    optional("description", Shape::Text),
    optional("arguments", Shape::List(&ARGUMENT)),
    optional("icons", ICONS),
    optional("_meta", Shape::AnyObject),
];

/// Compares a tool's definition with MCP's schema.
///
/// ```
/// use mgp_types::{json::RawJson, mcp::conform::{Conformity, conform_tool}};
///
/// let odd = RawJson::parse(r#"{"name":"a","title":null,"inputSchema":{"required":null}}"#)?;
/// let Conformity::Mended(tool, mends) = conform_tool(&odd) else { panic!() };
/// assert_eq!(tool.as_str(), r#"{"name":"a","inputSchema":{"type":"object"}}"#);
/// assert_eq!(mends.0[0].to_string(), r#""/title" is null, expected a string: left out"#);
/// # Ok::<(), mgp_types::json::JsonError>(())
/// ```
#[must_use]
pub fn conform_tool(definition: &RawJson) -> Conformity {
    conform(TOOL, definition, Vec::new())
}

/// Compares the definition of a prompt with MCP's schema.
#[must_use]
pub fn conform_prompt(definition: &RawJson) -> Conformity {
    conform(PROMPT, definition, Vec::new())
}

/// Compares the definition of a resource with MCP's schema. A resource without a name gets its URI as its name.
#[must_use]
pub fn conform_resource(definition: &RawJson) -> Conformity {
    named(RESOURCE, "uri", definition)
}

/// Compares the definition of a resource template with MCP's schema. A template without a name gets its URI template as its name.
#[must_use]
pub fn conform_resource_template(definition: &RawJson) -> Conformity {
    named(RESOURCE_TEMPLATE, "uriTemplate", definition)
}

/// Compares a definition that is named after another member if it has no name.
fn named(members: &[Member], stands_in: &str, definition: &RawJson) -> Conformity {
    let Ok(mut object) = RawObject::from_json(definition) else {
        return conform(members, definition, Vec::new());
    };
    let name = object.get("name").map(|name| replaced(name).unwrap_or_else(|| name.clone()));
    if name.as_ref().is_some_and(|name| name.to_text().is_some()) {
        return conform(members, definition, Vec::new());
    }
    let mend = Mend {
        pointer: "/name".to_owned(),
        found: name.as_ref().map_or("nothing", RawJson::kind_without_text),
        expected: Shape::Text.expected(),
        remedy: Remedy::Replaced,
    };
    let Some(address) = object.get(stands_in).cloned() else {
        return conform(members, definition, Vec::new());
    };
    object.insert("name", address);
    conform(members, &object.to_json(), vec![mend])
}

/// Compares a value with the shapes of its members. `mends` are the changes that were made before.
pub(super) fn conform(members: &[Member], value: &RawJson, mut mends: Vec<Mend>) -> Conformity {
    let paired = replaced(value);
    if paired.is_some() {
        note(
            &mut mends,
            Mend {
                pointer: String::new(),
                found: "a value with unpaired surrogates",
                expected: "strings of Unicode",
                remedy: Remedy::Replaced,
            },
        );
    }
    let definition = paired.as_ref().unwrap_or(value);
    let is_changed = !mends.is_empty();
    match check_object(members, definition, "", &mut mends) {
        ShapeCheck::Valid if is_changed => Conformity::Mended(definition.clone(), Mends(mends)),
        ShapeCheck::Valid => Conformity::Valid,
        ShapeCheck::Changed(mended) => Conformity::Mended(mended, Mends(mends)),
        ShapeCheck::Invalid => Conformity::Invalid(broken(members, definition)),
    }
}

/// Returns the reason why a definition is invalid: the first member that it must have and has not.
fn broken(members: &[Member], definition: &RawJson) -> Mend {
    let whole = Mend {
        pointer: String::new(),
        found: definition.kind(),
        expected: "an object whose keys are all different",
        remedy: Remedy::Withheld,
    };
    let Ok(object) = RawObject::from_json(definition) else { return whole };
    for Member { name, shape, .. } in members.iter().filter(|member| member.is_required) {
        let pointer = format!("/{name}");
        let found = match object.get(name) {
            None => "nothing",
            Some(value) => match shape.check(value, &pointer, &mut Vec::new()) {
                ShapeCheck::Invalid => value.kind(),
                ShapeCheck::Valid | ShapeCheck::Changed(_) => continue,
            },
        };
        return Mend { pointer, found, expected: shape.expected(), remedy: Remedy::Withheld };
    }
    whole
}
