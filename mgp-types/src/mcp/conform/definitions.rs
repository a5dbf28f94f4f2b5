//! The shapes of servers' definitions, by MCP's revisions up to 2026-07-28.

use super::{
    mend::{Conformity, Mend, Mends, Remedy, note, note_surrogates},
    shape::{Member, Shape, ShapeCheck, check_object},
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
    define(TOOL, "name", definition)
}

/// Compares the definition of a prompt with MCP's schema.
#[must_use]
pub fn conform_prompt(definition: &RawJson) -> Conformity {
    define(PROMPT, "name", definition)
}

/// Compares the definition of a resource with MCP's schema. A resource without a name gets its URI as its name.
#[must_use]
pub fn conform_resource(definition: &RawJson) -> Conformity {
    define(RESOURCE, "uri", definition)
}

/// Compares the definition of a resource template with MCP's schema. A template without a name gets its URI template as its name.
#[must_use]
pub fn conform_resource_template(definition: &RawJson) -> Conformity {
    define(RESOURCE_TEMPLATE, "uriTemplate", definition)
}

/// Compares a definition, once its unpaired surrogates are replaced. Hosts name it by its member `identity`, which also replaces a missing
/// name.
fn define(members: &[Member], identity: &str, definition: &RawJson) -> Conformity {
    let mut mends = Vec::new();
    let whole = definition.without_lone_surrogates();
    if let Some(whole) = &whole {
        if has_replaced(definition, whole, identity) {
            return Conformity::Invalid(Mend {
                pointer: format!("/{identity}"),
                found: "a string with an unpaired surrogate",
                expected: Shape::Text.expected(),
                remedy: Remedy::Withheld,
            });
        }
        note_surrogates(&mut mends);
    }
    let definition = whole.as_ref().unwrap_or(definition);
    match named(identity, definition, &mut mends) {
        Some(named) => conform(members, &named, mends),
        None => conform(members, definition, mends),
    }
}

/// Returns whether a surrogate was replaced in the member by which hosts name a definition. The member goes back to the server, so it cannot
/// be mended.
fn has_replaced(definition: &RawJson, whole: &RawJson, identity: &str) -> bool {
    if let Ok(object) = RawObject::from_json(definition) {
        return object.get(identity).is_some_and(|found| found.without_lone_surrogates().is_some());
    }
    // A key also has an unpaired surrogate.
    let Ok(object) = RawObject::from_json(whole) else { return false };
    object.get(identity).is_some_and(|found| found.kind() == "a string" && found.as_str().contains(r"\ufffd"))
}

/// Returns a definition that is named after its member `identity`, if it has no name.
fn named(identity: &str, definition: &RawJson, mends: &mut Vec<Mend>) -> Option<RawJson> {
    if identity == "name" {
        return None;
    }
    let mut object = RawObject::from_json(definition).ok()?;
    let found = match object.get("name") {
        Some(name) if name.to_text().is_some() => return None,
        Some(name) => name.kind(),
        None => "nothing",
    };
    let address = object.get(identity)?.clone();
    note(
        mends,
        Mend {
            pointer: "/name".to_owned(),
            found,
            expected: Shape::Text.expected(),
            remedy: Remedy::Replaced,
        },
    );
    object.insert("name", address);
    Some(object.to_json())
}

/// Compares a value without unpaired surrogates with the shapes of its members. `mends` are the changes that were made before.
pub(super) fn conform(members: &[Member], value: &RawJson, mut mends: Vec<Mend>) -> Conformity {
    let is_changed = !mends.is_empty();
    match check_object(members, value, "", &mut mends) {
        ShapeCheck::Valid if is_changed => Conformity::Mended(value.clone(), Mends(mends)),
        ShapeCheck::Valid => Conformity::Valid,
        ShapeCheck::Changed(mended) => Conformity::Mended(mended, Mends(mends)),
        ShapeCheck::Invalid => Conformity::Invalid(broken(members, value)),
    }
}

/// Returns the reason a definition is invalid: its first missing required member.
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
