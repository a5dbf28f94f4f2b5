//! Resources: one with its own URI, and many that follow a template, with completion.

use mgp_server_sdk::{
    Error, Resource, ResourceTemplate, Server, ToolError,
    extract::{Args, Prefix, State},
    schemars::{self, JsonSchema},
};
use serde::Deserialize;
use std::{collections::BTreeMap, sync::Arc};

/// The notes by name, which all handlers share.
type Notes = Arc<BTreeMap<&'static str, &'static str>>;

fn index(State(notes): State<Notes>) -> String {
    notes.keys().copied().collect::<Vec<_>>().join("\n")
}

#[derive(Deserialize, JsonSchema)]
struct NameArguments {
    name: String,
}

fn note(
    State(notes): State<Notes>,
    Args(NameArguments { name }): Args<NameArguments>,
) -> Result<&'static str, ToolError> {
    let note = notes.get(name.as_str()).copied();
    note.ok_or_else(|| ToolError::resource_not_found(&format!("note://{name}")))
}

fn names(State(notes): State<Notes>, Prefix(typed): Prefix) -> Vec<&'static str> {
    notes.keys().copied().filter(|name| name.starts_with(&*typed)).collect()
}

pub(crate) fn server() -> Server {
    Server::new("notes", "1.0.0")
        .state(Notes::new(BTreeMap::from([("bread", "two loaves"), ("milk", "one bottle")])))
        .resource(Resource::text("notes://index", "index", index).description("The names of all notes"))
        .resource_template(ResourceTemplate::text("note://{name}", "note", note).complete("name", names))
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Error> {
    server().serve_stdio().await
}
