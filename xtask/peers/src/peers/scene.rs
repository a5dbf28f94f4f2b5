//! The files, repository and knowledge graph that servers are started with, which are the same in every run.

use crate::{rows::Folder, workspace};
use std::process::Stdio;
use tokio::process::Command;

/// The text of the one file.
pub(crate) const NOTE: &str = "Seven seals, thirty-five swans.\n";

const GRAPH: &str = r#"{"type":"entity","name":"ferris","entityType":"crab","observations":["likes traits"]}
{"type":"entity","name":"gopher","entityType":"rodent","observations":["likes channels"]}
{"type":"relation","from":"ferris","to":"gopher","relationType":"greets"}
"#;

/// A prepared folder. The texts of the tables have placeholders for its parts: `{files}`, `{repo}`, `{memory}`, `{data}`;
/// `{instance}`, the name of the instance; and `{scripts}`, a folder elsewhere.
#[derive(Debug, Clone)]
pub(crate) struct Scene {
    folder: Folder,
}

impl Scene {
    pub(crate) async fn prepare(folder: &Folder) -> Result<Self, String> {
        folder.write("files/note.txt", NOTE)?;
        folder.write("files/more/empty.txt", "")?;
        folder.write("data/readme.txt", "")?;
        folder.write("repo/readme.txt", "A repository of one commit.\n")?;
        git(folder, &["init", "--quiet", "--initial-branch=main"]).await?;
        git(folder, &["add", "readme.txt"]).await?;
        git(folder, &["commit", "--quiet", "--message=Plant a tree"]).await?;
        Ok(Self { folder: folder.clone() })
    }

    /// Expands the placeholders in a text of the tables for one instance of a server: each instance has a separate knowledge graph.
    pub(crate) fn text(&self, text: &str, instance: &str) -> String {
        let path = |name: &str| self.folder.file(name).to_string_lossy().into_owned();
        text.replace("{files}", &path("files"))
            .replace("{repo}", &path("repo"))
            .replace("{memory}", &path(&format!("data/graph-{instance}.ndjson")))
            .replace("{data}", &path("data"))
            .replace("{instance}", instance)
            .replace("{scripts}", &workspace::scripts().to_string_lossy())
    }

    /// Makes the files of one instance.
    pub(crate) fn add_instance(&self, instance: &str) -> Result<(), String> {
        self.folder.write(&format!("data/graph-{instance}.ndjson"), GRAPH).map(drop)
    }
}

/// Runs git without the user's own settings, at a fixed time.
async fn git(folder: &Folder, arguments: &[&str]) -> Result<(), String> {
    let mut command = Command::new("git");
    command.args(arguments).current_dir(folder.file("repo")).stdin(Stdio::null()).kill_on_drop(true);
    command.env("GIT_CONFIG_GLOBAL", folder.file("no-such-file")).env("GIT_CONFIG_NOSYSTEM", "1");
    for who in ["AUTHOR", "COMMITTER"] {
        command.env(format!("GIT_{who}_NAME"), "Ann").env(format!("GIT_{who}_EMAIL"), "ann@example.com");
        command.env(format!("GIT_{who}_DATE"), "2024-03-09T12:00:00+00:00");
    }
    let output = command.output().await.map_err(|error| format!("failed to run git: {error}"))?;
    if output.status.success() {
        return Ok(());
    }
    Err(format!("git {} failed: {}", arguments.join(" "), String::from_utf8_lossy(&output.stderr).trim()))
}
