//! A server in the text of the configuration: what it runs, and the line of its table.

use crate::page::Context;
use serde::{Deserialize, de::IgnoredAny};
use std::collections::BTreeMap;
use toml::Spanned;

/// The output of `mgp config show`, as far as the page shows it.
#[derive(Debug, Deserialize)]
struct Files {
    files: Vec<File>,
}

#[derive(Debug, Deserialize)]
struct File {
    name: String,
    text: String,
}

/// A configuration, as far as it is about what servers run.
#[derive(Debug, Deserialize)]
struct Configuration {
    #[serde(default)]
    servers: Vec<Spanned<Entry>>,
}

/// The table of a server.
#[derive(Debug, Deserialize)]
struct Entry {
    id: String,
    #[serde(default)]
    command: Option<String>,
    #[serde(default)]
    args: Vec<String>,
    #[serde(default)]
    url: Option<String>,
    #[serde(default)]
    env: BTreeMap<String, IgnoredAny>,
}

/// A server of the configuration.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct ConfiguredServer {
    /// The name of the file.
    pub(super) file: String,
    /// The line of its table, from 1.
    pub(super) line: usize,
    /// The program and its arguments, as they are written; empty for a server at a URL.
    pub(super) command: Vec<String>,
    pub(super) url: Option<String>,
    /// The names of the variables that are set.
    pub(super) variables: Vec<String>,
}

impl ConfiguredServer {
    /// Finds a server in the configuration, whose keys are masked.
    pub(super) async fn find(context: &Context, id: &str) -> Option<Self> {
        let files: Files = context.read(&["config", "show", "--masked"]).await.ok()?;
        files.files.into_iter().find_map(|file| Self::in_text(file.name, &file.text, id))
    }

    fn in_text(file: String, text: &str, id: &str) -> Option<Self> {
        let configuration: Configuration = toml::from_str(text).ok()?;
        let found = configuration.servers.into_iter().find(|entry| entry.get_ref().id == id)?;
        let line = text.get(..found.span().start)?.matches('\n').count() + 1;
        let Entry { command, args, url, env, .. } = found.into_inner();
        let command = command.into_iter().chain(args).collect();
        Some(Self { file, line, command, url, variables: env.into_keys().collect() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "[kernel]\nlazy = true\n\n[[servers]]\nid = \"a\"\nurl = \"https://a.example/mcp\"\n\n[[servers]]\n# the second\nid = \"b\"\n\
        command = \"python3\"\nargs = [\"/srv/b.py\", \"--fast\"]\nenv = { KEY = \"********\" }\n[servers.mgp]\nconfirmation = \"always\"\n";

    #[test]
    fn a_server_is_found_with_its_line_and_its_command() {
        let found = |id| ConfiguredServer::in_text("configuration".to_owned(), TEXT, id);
        let second = found("b").unwrap();
        assert_eq!((second.line, second.url.as_deref()), (8, None));
        assert_eq!(second.command, ["python3", "/srv/b.py", "--fast"]);
        assert_eq!(second.variables, ["KEY"]);
        let first = found("a").unwrap();
        assert_eq!((first.line, first.url.as_deref()), (4, Some("https://a.example/mcp")));
        assert!(first.command.is_empty());
        assert_eq!(found("c"), None);
        assert_eq!(ConfiguredServer::in_text(String::new(), "servers = [", "a"), None);
    }
}
