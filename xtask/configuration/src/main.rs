//! The JSON Schema of `mgp.toml` and the tables of `docs/configuration.md`, compared with the types of the configuration, or written.

mod page;
mod schema;

use std::{
    path::{Path, PathBuf},
    process::ExitCode,
};

fn main() -> ExitCode {
    let arguments: Vec<_> = std::env::args().skip(1).collect();
    let outcome = match &arguments[..] {
        [] => run(false),
        [write] if write == "--write" => run(true),
        _ => Err("expected no arguments, or --write".to_owned()),
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

fn run(write: bool) -> Result<(), String> {
    let root = root();
    hold(&root, schema::FILE, write, |_| Ok(schema::text()))?;
    hold(&root, page::FILE, write, |text| page::filled(text, &mgp_discovery::config::config_keys()))
}

/// Returns the folder of the workspace.
fn root() -> PathBuf {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    here.ancestors().nth(2).unwrap_or(here).to_owned()
}

/// Compares a file with its expected text, or writes it. `expected` is called with the present text.
fn hold(
    root: &Path,
    file: &str,
    write: bool,
    expected: impl Fn(&str) -> Result<String, String>,
) -> Result<(), String> {
    let path = root.join(file);
    let present = match std::fs::read_to_string(&path) {
        Ok(text) => text,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => String::new(),
        Err(error) => return Err(format!("failed to read {file}: {error}")),
    };
    let expected = expected(&present).map_err(|error| format!("{file}: {error}"))?;
    if present == expected {
        return Ok(());
    }
    if write {
        return std::fs::write(&path, expected).map_err(|error| format!("failed to write {file}: {error}"));
    }
    Err(format!("{file} differs from the types of the configuration: run `cargo xtask spec --write`"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_files_are_those_of_the_types() {
        assert_eq!(run(false), Ok(()));
    }

    #[test]
    fn a_file_that_differs_fails_until_it_is_written() {
        let root = std::env::temp_dir().join(format!("xtask-configuration-{}", std::process::id()));
        std::fs::create_dir_all(&root).unwrap();
        let hold = |write| hold(&root, "a.md", write, |_| Ok("new".to_owned()));
        assert!(hold(false).unwrap_err().contains("a.md differs"));
        assert_eq!((hold(true), hold(false)), (Ok(()), Ok(())));
        std::fs::remove_dir_all(&root).unwrap();
    }
}
