//! The three embedded servers, and the entry point of the one in a separate process.

use super::{files, in_process, jobs, notes};
use mgp_kernel::ServerSpec;
use mgp_types::access::DefaultPolicy;
use std::{
    io,
    path::{Path, PathBuf},
};

/// Returns the embedded servers, with their data below `scratch`.
///
/// # Errors
/// If the folder or this program's own path cannot be used, or if a server cannot be built.
pub(crate) fn servers(scratch: &Path) -> io::Result<Vec<ServerSpec>> {
    let built = |error: mgp_server_sdk::Error| io::Error::other(error);
    let mut servers = vec![
        files::spec(&scratch.join("files"))?,
        in_process(jobs::ID, jobs::stack().map_err(built)?),
        notes::spec(&scratch.join("notes.sqlite3"))?,
    ];
    for server in &mut servers {
        server.default_policy = DefaultPolicy::OptOut;
    }
    Ok(servers)
}

/// The error of an embedded server that does not run.
#[derive(Debug, thiserror::Error)]
pub(crate) enum EmbeddedError {
    /// The server is unknown.
    #[error("unknown embedded server {0:?}: expected {id:?}", id = notes::ID)]
    Name(String),
    /// The arguments do not fit the server.
    #[error("invalid arguments {0:?}: expected --db FILE")]
    Arguments(Vec<String>),
    /// The server's data cannot be opened.
    #[error("{0}")]
    Notes(#[from] notes::NotesError),
    /// The server cannot be built, or its connection failed.
    #[error("{0}")]
    Server(#[from] mgp_server_sdk::Error),
}

/// Runs an embedded server on stdin and stdout, for `mgp embedded-server NAME ARGS`.
///
/// # Errors
/// [`EmbeddedError`].
pub(crate) async fn run_server(name: &str, args: &[String]) -> Result<(), EmbeddedError> {
    if name != notes::ID {
        return Err(EmbeddedError::Name(name.to_owned()));
    }
    let [flag, file] = args else { return Err(EmbeddedError::Arguments(args.to_vec())) };
    if flag != "--db" {
        return Err(EmbeddedError::Arguments(args.to_vec()));
    }
    let notes = notes::Notes::open(&PathBuf::from(file))?;
    Ok(notes::stack(notes)?.serve_stdio().await?)
}

#[cfg(test)]
mod tests {
    use super::*;
    use mgp_kernel::Endpoint;

    #[tokio::test]
    async fn unknown_embedded_servers_and_arguments_are_refused_by_name() {
        let error = run_server("files", &[]).await.unwrap_err().to_string();
        assert_eq!(error, r#"unknown embedded server "files": expected "notes""#);
        for args in [vec![], vec!["--db".to_owned()], vec!["--file".to_owned(), "x".to_owned()]] {
            let error = run_server("notes", &args).await.unwrap_err().to_string();
            assert!(error.contains("expected --db FILE"), "{error}");
        }
    }

    #[test]
    fn the_notes_run_as_this_program_and_every_server_is_open() {
        let scratch = tempfile::tempdir().unwrap();
        let servers = servers(scratch.path()).unwrap();
        let ids: Vec<_> = servers.iter().map(|server| server.id.as_str()).collect();
        assert_eq!(ids, ["files", "jobs", "notes"]);
        assert!(servers.iter().all(|server| server.default_policy == DefaultPolicy::OptOut));
        let Endpoint::Child(command) = &servers[2].endpoint else { panic!("{:?}", servers[2].endpoint) };
        let shown = format!("{command:?}");
        assert!(shown.contains(r#"["embedded-server", "notes", "--db", "#), "{shown}");
    }
}
