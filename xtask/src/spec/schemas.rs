//! `docs/schemas/` against the types of MGP's messages.

use crate::{
    compatibility::{Protocol, read_methods},
    tree::Tree,
};
use mgp_types::schemas::mgp_schemas;
use serde_json::{Value, json};
use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::Path,
};

const FOLDER: &str = "docs/schemas";
/// The schema of the configuration, which `xtask-configuration` writes.
const CONFIGURATION: &str = "mgp.toml.json";
const REMEDY: &str = "run `cargo xtask spec --write`";

/// Compares the folder with the types, or writes it, and checks that every method with a type has its schemas.
///
/// # Errors
/// Files that differ, are missing or belong to no message; methods without schemas; files that cannot be read or written.
pub(super) fn check(root: &Path, tree: &Tree, write: bool) -> Result<(), String> {
    let known: BTreeSet<_> = mgp_schemas().into_iter().map(|message| message.method).collect();
    let without: Vec<_> = read_methods(tree, Protocol::Mgp).difference(&known).copied().collect();
    if !without.is_empty() {
        return Err(format!(
            "{} without schemas: add them to mgp-types/src/schemas/messages.rs",
            without.join(", ")
        ));
    }
    let wanted = files();
    let folder = root.join(FOLDER);
    if write {
        return write_all(&folder, &wanted).map_err(|error| format!("failed to write {FOLDER}: {error}"));
    }
    let found = read_all(&folder).map_err(|error| format!("failed to read {FOLDER}: {error}"))?;
    let names = wanted.keys().chain(found.keys()).collect::<BTreeSet<_>>();
    match names.into_iter().find(|name| wanted.get(*name) != found.get(*name)) {
        None => Ok(()),
        Some(name) => Err(format!("{FOLDER}/{name} differs from the types of the messages: {REMEDY}")),
    }
}

/// Returns the text of each file: two for a method, one for a notification, and an index of all.
fn files() -> BTreeMap<String, String> {
    let mut files = BTreeMap::new();
    let mut index = Vec::new();
    for message in mgp_schemas() {
        let name = message.method.replace('/', ".");
        let params = format!("{name}.params.json");
        let mut entry = json!({ "method": message.method, "params": params });
        if let Some(result) = message.result {
            let name = format!("{name}.result.json");
            entry["result"] = name.clone().into();
            files.insert(name, text(&result));
        }
        files.insert(params, text(&message.params));
        index.push(entry);
    }
    files.insert("index.json".to_owned(), text(&Value::Array(index)));
    files
}

fn text(value: &Value) -> String {
    format!("{:#}\n", sorted(value))
}

/// Returns the value with the members of each object sorted by name, whichever features of `serde_json` are enabled.
fn sorted(value: &Value) -> Value {
    match value {
        Value::Object(members) => {
            let members: BTreeMap<_, _> = members.iter().collect();
            members.into_iter().map(|(key, value)| (key.clone(), sorted(value))).collect()
        }
        Value::Array(items) => items.iter().map(sorted).collect(),
        other => other.clone(),
    }
}

/// Reads the files of the messages.
fn read_all(folder: &Path) -> std::io::Result<BTreeMap<String, String>> {
    let mut files = BTreeMap::new();
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        if entry.file_name() != CONFIGURATION {
            files.insert(entry.file_name().to_string_lossy().into_owned(), fs::read_to_string(entry.path())?);
        }
    }
    Ok(files)
}

fn write_all(folder: &Path, files: &BTreeMap<String, String>) -> std::io::Result<()> {
    fs::create_dir_all(folder)?;
    for name in read_all(folder)?.keys().filter(|name| !files.contains_key(*name)) {
        fs::remove_file(folder.join(name))?;
    }
    files.iter().try_for_each(|(name, text)| fs::write(folder.join(name), text))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_that_differs_fails_until_it_is_written() {
        let root = std::env::temp_dir().join(format!("xtask-schemas-{}", std::process::id()));
        let tree = Tree::default();
        assert!(check(&root, &tree, false).unwrap_err().contains("failed to read docs/schemas"));
        check(&root, &tree, true).unwrap();
        assert_eq!(check(&root, &tree, false), Ok(()));
        fs::write(root.join(FOLDER).join("mgp.health.ping.result.json"), "{}\n").unwrap();
        let error = check(&root, &tree, false).unwrap_err();
        assert!(error.contains("mgp.health.ping.result.json differs"), "{error}");
        fs::write(root.join(FOLDER).join("mgp.gone.params.json"), "{}\n").unwrap();
        fs::write(root.join(FOLDER).join(CONFIGURATION), "{}\n").unwrap();
        check(&root, &tree, true).unwrap();
        assert_eq!(check(&root, &tree, false), Ok(()));
        assert!(root.join(FOLDER).join(CONFIGURATION).is_file(), "another program's file stays");
        fs::remove_dir_all(&root).unwrap();
    }

    #[test]
    fn a_method_without_schemas_is_named() {
        let tree = Tree::of(&[("mgp-types/src/a.rs", "    call A = \"mgp/new\": P => R;\n")]);
        let error = check(Path::new("."), &tree, false).unwrap_err();
        assert_eq!(error, "mgp/new without schemas: add them to mgp-types/src/schemas/messages.rs");
    }
}
