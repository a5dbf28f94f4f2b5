//! The tools of the server.

use super::{ID, Notes, store::Note};
use crate::embedded::off_thread::off_thread;
use mgp_server_sdk::{
    Error, Extension, Failure, Outcome, RiskLevel, Server, ServerStack, Tool,
    extract::{Args, State},
    tool_metadata::Compensation,
};
use mgp_types::json::{RawJson, RawObject};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

#[derive(Deserialize, JsonSchema)]
struct Add {
    /// The title.
    title: String,
    /// The text.
    text: String,
}

#[derive(Deserialize, JsonSchema)]
struct List {
    /// The largest number of results; 20 if absent, never more than 100.
    limit: Option<u32>,
}

#[derive(Deserialize, JsonSchema)]
struct Search {
    /// The text to look for in titles and texts.
    text: String,
}

#[derive(Deserialize, JsonSchema)]
struct NoteId {
    /// The id.
    id: i64,
}

#[derive(Serialize, JsonSchema)]
struct NoteList {
    notes: Vec<Note>,
}

#[derive(Serialize, JsonSchema)]
struct NewNote {
    id: i64,
}

#[derive(Serialize, JsonSchema)]
struct Status {
    /// The number of notes.
    notes: i64,
    /// The id of the answering process, which changes with a restart.
    process_id: u32,
}

async fn add_note(
    State(notes): State<Notes>,
    Args(Add { title, text }): Args<Add>,
) -> Result<Outcome<NewNote>, Failure> {
    off_thread(move || notes.add(&title, &text)).await.map(|id| Outcome::success(NewNote { id }))
}

async fn list_notes(
    State(notes): State<Notes>,
    Args(List { limit }): Args<List>,
) -> Result<Outcome<NoteList>, Failure> {
    let notes = off_thread(move || notes.list(limit.unwrap_or(20))).await?;
    Ok(Outcome::success(NoteList { notes }))
}

async fn search_notes(
    State(notes): State<Notes>,
    Args(Search { text }): Args<Search>,
) -> Result<Outcome<NoteList>, Failure> {
    off_thread(move || notes.search(&text)).await.map(|notes| Outcome::success(NoteList { notes }))
}

async fn delete_note(
    State(notes): State<Notes>,
    Args(NoteId { id }): Args<NoteId>,
) -> Result<Outcome<String>, Failure> {
    off_thread(move || notes.delete(id)).await.map(|title| Outcome::success(format!("deleted {title:?}")))
}

async fn notes_status(State(notes): State<Notes>) -> Result<Outcome<Status>, Failure> {
    let notes = off_thread(move || notes.count()).await?;
    Ok(Outcome::success(Status { notes, process_id: std::process::id() }))
}

/// Builds the server on top of notes. The tools that change notes need the permission `memory.write`.
///
/// # Errors
/// [`Error`] if a definition is invalid.
pub(crate) fn stack(notes: Notes) -> Result<ServerStack, Error> {
    let none: [String; 0] = [];
    let reads = |tool: Tool| tool.read_only(true).risk(RiskLevel::Safe).permissions(none.clone());
    let writes = |tool: Tool| tool.read_only(false).permissions(["memory.write"]);
    let add = Tool::new("add_note", "Adds a note with a title", add_note);
    let list = Tool::new("list_notes", "Lists the latest notes", list_notes);
    let search = Tool::new("search_notes", "Searches the notes for a word or text", search_notes);
    let delete = Tool::new("delete_note", "Deletes a note", delete_note);
    let status =
        Tool::new("notes_status", "Counts the notes, and says which process keeps them", notes_status);
    Server::new(ID, env!("CARGO_PKG_VERSION"))
        .instructions("Notes that are kept in a file.")
        .extensions([Extension::Security, Extension::Lifecycle, Extension::Streaming])
        .permissions_required(["memory.write"])
        .state(notes)
        .tool(writes(add).compensation(delete_again()))
        .tool(reads(list))
        .tool(reads(search))
        .tool(writes(delete).destructive(true).idempotent(true))
        .tool(reads(status))
        .build()
}

/// Returns the compensation for adding a note, for transactions.
fn delete_again() -> Compensation {
    Compensation::new("delete_note")
        .arguments([("id", RawJson::string("$result/id"))].into_iter().collect::<RawObject>().to_json())
}

#[cfg(test)]
mod tests {
    use super::*;
    use mgp_client_sdk::client::Client;
    use mgp_server_sdk::ErrorType;

    #[tokio::test]
    async fn the_server_declares_what_it_needs_and_its_tools_keep_notes() {
        let folder = tempfile::tempdir().unwrap();
        let stack = stack(Notes::open(&folder.path().join("n")).unwrap()).unwrap();
        let (input, output) = stack.in_process();
        let client = Client::builder("test", "1").connect(input, output).await.unwrap();
        let negotiated = client.negotiated().unwrap();
        assert_eq!(*negotiated.permissions_required, ["memory.write".to_owned()]);
        for extension in [Extension::Security, Extension::Lifecycle, Extension::Streaming] {
            assert!(negotiated.has(extension), "{extension:?}");
        }
        let call = async |tool: &str, arguments: &'static str| {
            let result = client.call_tool(tool, RawJson::parse(arguments).unwrap()).await.unwrap();
            (result.failed(), result.content[0].as_text().unwrap().to_owned())
        };
        assert_eq!(call("add_note", r#"{"title":"Milk","text":"two"}"#).await.1, r#"{"id":1}"#);
        let note = r#"{"notes":[{"id":1,"title":"Milk","text":"two"}]}"#;
        assert_eq!(call("list_notes", "{}").await.1, note);
        assert_eq!(call("search_notes", r#"{"text":"milk"}"#).await.1, note);
        assert!(call("notes_status", "{}").await.1.starts_with(r#"{"notes":1,"process_id":"#));
        assert_eq!(call("delete_note", r#"{"id":1}"#).await.1, r#"deleted "Milk""#);
        assert_eq!(call("delete_note", r#"{"id":1}"#).await, (true, "no note has the id 1".to_owned()));
        let missing = client.call_tool("delete_note", RawJson::parse(r#"{"id":1}"#).unwrap()).await.unwrap();
        let missing = missing.outcome::<String>().unwrap();
        assert_eq!(missing.error().map(|error| &error.error_type), Some(&ErrorType::ResourceNotFound));
        let (failed, text) = call("add_note", r#"{"title":"x"}"#).await;
        assert!(failed && text.contains("\"text\" is a required property"), "{text}");
    }
}
