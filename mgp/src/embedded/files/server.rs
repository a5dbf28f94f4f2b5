//! The tools of the server.

use super::{
    folder::{Entry, Folder},
    search::{MAX_FOUND, MatchingLine, search},
};
use crate::embedded::{in_process, off_thread::off_thread};
use jiff::Timestamp;
use mgp_kernel::ServerSpec;
use mgp_server_sdk::{
    Error, Failure, Outcome, Provenance, RiskLevel, Server, ServerStack, Tool,
    extract::{Args, State},
    tool_result::Confidence,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::{io, path::Path};

#[derive(Deserialize, JsonSchema)]
struct FolderPath {
    /// The folder; the whole one where it is absent.
    #[serde(default)]
    folder: String,
}

#[derive(Serialize, JsonSchema)]
struct FolderEntries {
    entries: Vec<Entry>,
}

#[derive(Deserialize, JsonSchema)]
struct FilePath {
    /// The file, such as `plans/spring.txt`.
    path: String,
}

#[derive(Deserialize, JsonSchema)]
struct Write {
    /// The file, such as `plans/spring.txt`.
    path: String,
    /// All of its new text.
    text: String,
}

#[derive(Deserialize, JsonSchema)]
struct Search {
    /// The text to look for, in any case.
    text: String,
}

#[derive(Serialize, JsonSchema)]
struct MatchingLines {
    lines: Vec<MatchingLine>,
}

async fn list_files(
    State(files): State<Folder>,
    Args(FolderPath { folder }): Args<FolderPath>,
) -> Result<Outcome<FolderEntries>, Failure> {
    let entries = off_thread(move || files.list(&folder)).await?;
    Ok(Outcome::success(FolderEntries { entries }))
}

async fn read_file(
    State(files): State<Folder>,
    Args(FilePath { path }): Args<FilePath>,
) -> Result<Outcome<String>, Failure> {
    let source = Provenance::new(&*path).retrieved_at(Timestamp::now()).confidence(Confidence::Exact);
    let text = off_thread(move || files.read(&path)).await?;
    Ok(Outcome::success(text).provenance(source))
}

async fn write_file(
    State(files): State<Folder>,
    Args(Write { path, text }): Args<Write>,
) -> Result<Outcome<String>, Failure> {
    let done = format!("wrote {} bytes to {path:?}", text.len());
    let same = format!("{path:?} has that text already");
    let is_changed = off_thread(move || files.write(&path, &text)).await?;
    Ok(if is_changed { Outcome::success(done) } else { Outcome::no_change_needed(same) })
}

async fn search_files(
    State(files): State<Folder>,
    Args(Search { text }): Args<Search>,
) -> Result<Outcome<MatchingLines>, Failure> {
    let lines = off_thread(move || search(&files, &text)).await?;
    let is_cut = lines.len() == MAX_FOUND;
    let outcome = Outcome::success(MatchingLines { lines });
    Ok(if is_cut { outcome.explanation("these are the first lines; there may be more") } else { outcome })
}

fn stack(folder: Folder) -> Result<ServerStack, Error> {
    let reads = |tool: Tool| tool.read_only(true).risk(RiskLevel::Safe).permissions(["filesystem.read"]);
    let list = Tool::new("list_files", "Lists the files in a folder, with their sizes", list_files);
    let read = Tool::new("read_file", "Reads the text of a file", read_file);
    let write = Tool::new("write_file", "Writes a text to a file, in the place of what it held", write_file);
    let search = Tool::new(
        "search_files",
        "Searches all files for the lines that contain a word or text",
        search_files,
    );
    Server::new(ID, env!("CARGO_PKG_VERSION"))
        .instructions("Text files in one scratch folder. Paths are relative to it.")
        .state(folder)
        .tool(reads(list))
        .tool(reads(read))
        .tool(write.read_only(false).idempotent(true).permissions(["filesystem.write"]))
        .tool(reads(search))
        .build()
}

const ID: &str = "files";

/// Returns the specification of the server for a folder, in this process. The folder is the server's own, so it may
/// read and write there.
pub(crate) fn spec(folder: &Path) -> io::Result<ServerSpec> {
    let stack = stack(Folder::open(folder)?).map_err(io::Error::other)?;
    let mut spec = in_process(ID, stack);
    spec.approved = vec!["filesystem.read".to_owned(), "filesystem.write".to_owned()];
    Ok(spec)
}

#[cfg(test)]
mod tests {
    use super::*;
    use mgp_client_sdk::client::Client;
    use mgp_server_sdk::{ErrorType, ResultStatus};
    use mgp_types::json::RawJson;

    #[tokio::test]
    async fn the_tools_write_find_and_read_and_name_a_refused_path() {
        let scratch = tempfile::tempdir().unwrap();
        let stack = stack(Folder::open(scratch.path()).unwrap()).unwrap();
        let (input, output) = stack.in_process();
        let client = Client::builder("test", "1").connect(input, output).await.unwrap();
        let call = async |tool: &str, arguments: &'static str| {
            let result = client.call_tool(tool, RawJson::parse(arguments).unwrap()).await.unwrap();
            (result.failed(), result.content[0].as_text().unwrap().to_owned())
        };
        assert!(!call("write_file", r#"{"path":"a/b.txt","text":"the budget"}"#).await.0);
        assert_eq!(call("read_file", r#"{"path":"a/b.txt"}"#).await, (false, "the budget".to_owned()));
        let found = call("search_files", r#"{"text":"Budget"}"#).await.1;
        assert_eq!(found, r#"{"lines":[{"path":"a/b.txt","line":1,"text":"the budget"}]}"#);
        let listed = call("list_files", "{}").await.1;
        assert_eq!(listed, r#"{"entries":[{"path":"a","folder":true,"bytes":0}]}"#);
        let (failed, text) = call("read_file", r#"{"path":"../x"}"#).await;
        assert!(failed && text.contains(r#"invalid path "../x""#), "{text}");
        let outcome = async |tool: &str, arguments: &'static str| {
            let result = client.call_tool(tool, RawJson::parse(arguments).unwrap()).await.unwrap();
            result.outcome::<String>().unwrap()
        };
        for (path, error_type) in [
            (r#"{"path":"../x"}"#, ErrorType::ValidationError),
            (r#"{"path":"a"}"#, ErrorType::ValidationError),
            (r#"{"path":"a/x"}"#, ErrorType::FileNotFoundError),
            (r#"{"paht":"a"}"#, ErrorType::ValidationError),
        ] {
            let failed = outcome("read_file", path).await;
            assert_eq!(failed.error().map(|error| &error.error_type), Some(&error_type), "{path}");
        }
        let again = outcome("write_file", r#"{"path":"a/b.txt","text":"the budget"}"#).await;
        assert_eq!(again.status(), ResultStatus::NoChangeNeeded);
    }
}
