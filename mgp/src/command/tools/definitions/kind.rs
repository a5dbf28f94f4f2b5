//! The kinds of files that list tools, and the members of a definition that each of them shows.

use mgp_types::{
    json::{RawJson, RawObject},
    mgp_member,
    tool_metadata::{TOOL_KEY, ToolMetadata},
};

/// A kind of file that lists tools.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) enum FileKind {
    /// Definitions as listed by a server.
    #[default]
    List,
    /// The catalogue of `mgp tools export`.
    Catalogue,
    /// The service manifest of the extension proposals.
    Manifest,
    /// JSON Schemas by tool name.
    JsonSchema,
}

/// The claims in a tool's metadata that a manifest contains unchanged. Other claims have another form there, or are replaced by the
/// gateway's judgement.
const MANIFEST_CLAIMS: [&str; 8] = [
    "version",
    "max_input_size_bytes",
    "latency",
    "requires_confirmation",
    "confirmation_message",
    "required_scopes",
    "supports_streaming",
    "supports_pagination",
];

impl FileKind {
    /// Returns a sentence about the members that the kind of file leaves out; `None` if it contains whole
    /// definitions.
    pub(super) const fn note(self) -> Option<&'static str> {
        match self {
            Self::List => None,
            Self::Catalogue => Some("a catalogue does not show `security`: it is not compared"),
            Self::Manifest => Some(
                "a manifest does not show titles, annotations, execution and most metadata: they are not compared",
            ),
            Self::JsonSchema => Some(
                "a json-schema export does not show descriptions, titles, annotations, execution and metadata but versions: \
                 they are not compared",
            ),
        }
    }

    /// Returns the part of a definition that this kind of file contains, without additions of the gateway.
    pub(super) fn shown(self, definition: &RawJson) -> RawJson {
        let Ok(mut definition) = RawObject::from_json(definition) else { return definition.clone() };
        match self {
            Self::List => definition.to_json(),
            Self::Catalogue => {
                definition.remove("security");
                definition.remove("tags");
                mgp_member::strip(&mut definition);
                definition.to_json()
            }
            Self::Manifest => {
                let members = ["name", "description", "inputSchema", "outputSchema"];
                part(&definition, &members, &MANIFEST_CLAIMS)
            }
            Self::JsonSchema => part(&definition, &["name", "inputSchema", "outputSchema"], &["version"]),
        }
    }
}

/// Returns a definition with only these members and these claims of its metadata.
fn part(definition: &RawObject, members: &[&'static str], claims: &[&'static str]) -> RawJson {
    let metadata = ToolMetadata::of_definition(definition).metadata;
    let metadata = RawJson::from_value(&metadata).and_then(|json| RawObject::from_json(&json));
    let mut part = chosen(definition, members);
    let own = chosen(&metadata.unwrap_or_default(), claims);
    if !own.is_empty() {
        let meta: RawObject = [(TOOL_KEY, own.to_json())].into_iter().collect();
        part.insert("_meta", meta.to_json());
    }
    part.to_json()
}

fn chosen(object: &RawObject, keys: &[&'static str]) -> RawObject {
    keys.iter().filter_map(|key| Some((*key, object.get(key)?.clone()))).collect()
}
