//! Reads a file with the definitions of tools.

use super::kind::FileKind;
use crate::{error::CliError, exit::Exit, input::read_input};
use mgp_types::{
    json::{RawJson, RawObject},
    tool_metadata::Version,
};
use std::{
    collections::BTreeMap,
    fs::File,
    io::{self, Read},
};

/// The longest file that is read, in bytes.
const MAX_FILE: u64 = 64 << 20;

/// The name of the server in the manifests that a gateway exports.
const GATEWAY: &str = "mgp";

/// The definitions in a file.
#[derive(Debug, Default)]
pub(super) struct ToolFile {
    /// The definitions, by the tools' names.
    pub(super) tools: BTreeMap<String, RawJson>,
    /// The version of the server, if the file states one.
    pub(super) server_version: Option<Version>,
    /// The kind of file, which limits the members that the definitions contain.
    pub(super) kind: FileKind,
}

/// Reads a file: the result or response of `tools/list`, a list of definitions, or a document that `mgp tools export` made as
/// `catalogue`, `manifest` or `json-schema`. `-` is stdin.
pub(super) fn read(path: &str) -> Result<ToolFile, CliError> {
    let read = match path {
        "-" => read_input(MAX_FILE).and_then(|bytes| String::from_utf8(bytes).map_err(io::Error::other)),
        _ => File::open(path).and_then(|file| io::read_to_string(file.take(MAX_FILE + 1))),
    };
    let text =
        read.map_err(|error| CliError::new(Exit::NotFound, format!("failed to read {path}: {error}")))?;
    if text.len() as u64 > MAX_FILE {
        return Err(CliError::failed(format!("{path} is too long: expected at most {MAX_FILE} bytes")));
    }
    listing(&text).map_err(|problem| {
        let help = "pass the result of tools/list, or what `mgp tools export --format catalogue` printed";
        CliError::failed(format!("{path} lists no tools: {problem}")).help(help)
    })
}

fn listing(text: &str) -> Result<ToolFile, String> {
    let json = RawJson::parse(text.to_owned()).map_err(|error| error.to_string())?;
    if !json.is_object() {
        let tools: Vec<RawJson> =
            json.decode().map_err(|_| format!("expected an object or a list, found {}", json.kind()))?;
        return Ok(ToolFile { tools: by_name(&tools)?, ..ToolFile::default() });
    }
    let document = RawObject::from_json(&json).map_err(|error| error.to_string())?;
    // Checked first, because a tool may have the name of any member.
    if let Some(tools) = of_schemas(&document) {
        let tools = by_name(&tools)?;
        return Ok(ToolFile { tools, server_version: None, kind: FileKind::JsonSchema });
    }
    let document = document.object("result").unwrap_or(document);
    let kind = if document.get("manifest_version").is_some() {
        FileKind::Manifest
    } else if document.get("generated_at").is_some() {
        FileKind::Catalogue
    } else {
        FileKind::List
    };
    let server = document.object("server").or_else(|| document.object("serverInfo"));
    // The version in a gateway's manifest is that of the gateway, not of its servers' tools.
    let is_of_gateway =
        |server: &RawObject| kind == FileKind::Manifest && server.text("name").as_deref() == Some(GATEWAY);
    let server = server.filter(|server| !is_of_gateway(server));
    let server_version = server.and_then(|server| server.text("version")?.parse().ok());
    let tools = document.get("tools").ok_or("expected the member tools")?;
    let tools: Vec<RawJson> =
        tools.decode().map_err(|_| format!("tools: expected a list, found {}", tools.kind()))?;
    Ok(ToolFile { tools: by_name(&tools)?, server_version, kind })
}

/// Returns the definitions in a document that maps tool names to schemas.
fn of_schemas(document: &RawObject) -> Option<Vec<RawJson>> {
    let definition = |(name, entry): (&str, &RawJson)| {
        let mut entry = RawObject::from_json(entry).ok()?;
        let schema = entry.remove("schema")?;
        entry.insert("inputSchema", schema);
        entry.insert("name", RawJson::string(name));
        Some(entry.to_json())
    };
    (!document.is_empty()).then(|| document.iter().map(definition).collect())?
}

fn by_name(tools: &[RawJson]) -> Result<BTreeMap<String, RawJson>, String> {
    let mut named = BTreeMap::new();
    for (at, tool) in tools.iter().enumerate() {
        let definition = RawObject::from_json(tool).map_err(|error| format!("tool {at}: {error}"))?;
        let name = definition.text("call_name").or_else(|| definition.text("name"));
        let name = name.ok_or_else(|| format!("tool {at}: missing name"))?;
        if named.insert(name.clone(), plain(definition, &name)).is_some() {
            return Err(format!("tool {at}: there are two tools {name:?}"));
        }
    }
    Ok(named)
}

/// Returns a definition as a server lists it, without the members that exports add.
fn plain(mut definition: RawObject, name: &str) -> RawJson {
    definition.insert("name", RawJson::string(name));
    for (theirs, ours) in [("input_schema", "inputSchema"), ("output_schema", "outputSchema")] {
        if let Some(schema) = definition.remove(theirs) {
            definition.insert(ours, schema);
        }
    }
    let metadata = definition.object("metadata");
    if let Some(version) =
        metadata.as_ref().and_then(|metadata| metadata.get("version")).filter(|version| !version.is_null())
    {
        definition.insert("version", version.clone());
    }
    for added in ["metadata", "call_name", "examples"] {
        definition.remove(added);
    }
    // Exports represent a missing description as an empty text.
    if definition.text("description").is_some_and(|text| text.is_empty()) {
        definition.remove("description");
    }
    // The tool's version describes changes, but is not a change itself.
    if let Some(version) = definition.remove("version") {
        definition.edit("_meta", |meta| {
            meta.edit("dev.cloto/tool", |own| {
                if own.get("version").is_none() {
                    own.insert("version", version);
                }
                true
            });
            true
        });
    }
    definition.to_json()
}
