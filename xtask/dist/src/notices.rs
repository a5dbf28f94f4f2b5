//! The licences of the crates in the program, and the list of these crates (a software bill of materials).

use crate::release::{Release, program};
use cargo_metadata::{DependencyKind, Package, PackageId};
use serde_json::{Value, json};
use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::{Path, PathBuf},
};
use xtask_install::{cargo, workspace};

/// The depth of folders in which a crate's licences are searched for: bundled C libraries have their own.
const DEPTH: usize = 3;
/// The beginnings of the names of files with licences.
const NAMES: &[&str] = &["LICENSE", "LICENCE", "COPYING", "COPYRIGHT", "NOTICE", "UNLICENSE"];
/// The longest licence, in bytes.
const MAX_LICENCE: u64 = 256 * 1024;

/// The crates in the program.
#[derive(Debug)]
pub(crate) struct Notices<'a> {
    release: &'a Release,
    /// The crates, by name and version, without the program itself.
    crates: Vec<&'a Package>,
}

impl<'a> Notices<'a> {
    /// Finds the crates that are linked into the program on the platform of a release.
    pub(crate) fn read(release: &'a Release) -> Result<Self, String> {
        let mut tree = cargo();
        tree.current_dir(workspace::root()).args([
            "tree",
            "--quiet",
            "--package",
            "mgp",
            "--edges",
            "normal",
        ]);
        tree.args(["--features", release.features, "--prefix", "none", "--format", "{p}"]);
        tree.args(["--target", release.platform.target]);
        let output = tree.output().map_err(|error| format!("failed to run cargo tree: {error}"))?;
        if !output.status.success() {
            return Err(format!("cargo tree failed: {}", String::from_utf8_lossy(&output.stderr).trim()));
        }
        let text = String::from_utf8_lossy(&output.stdout);
        let linked: BTreeSet<(&str, &str)> = text.lines().filter_map(name_and_version).collect();
        let mut crates: Vec<_> = release.metadata.packages.iter().collect();
        let own = program(&release.metadata)?;
        crates.retain(|package| {
            let version = package.version.to_string();
            package.id != own.id && linked.contains(&(package.name.as_str(), version.as_str()))
        });
        crates.sort_by_key(|package| (package.name.to_string(), package.version.clone()));
        let missing = linked.len().saturating_sub(crates.len() + 1);
        if missing > 0 {
            return Err(format!("cargo metadata lacks {missing} crates that cargo tree lists"));
        }
        Ok(Self { release, crates })
    }

    fn others(&self) -> impl Iterator<Item = &'a Package> {
        self.crates.iter().copied().filter(|package| package.source.is_some())
    }

    /// Returns the texts of the licences of crates of others, each once, with the crates that it is for.
    pub(crate) fn licences(&self) -> Result<String, String> {
        let mut texts: BTreeMap<String, Vec<String>> = BTreeMap::new();
        let mut without = Vec::new();
        for package in self.others() {
            let name = format!("{} {}", package.name, package.version);
            let folder = package.manifest_path.parent().ok_or("a manifest has no folder")?;
            let mut files = Vec::new();
            find(folder.as_std_path(), DEPTH, &mut files);
            if files.is_empty() {
                let terms = package.license.as_deref().unwrap_or("in the file that it names");
                let source = package.repository.as_deref().unwrap_or("https://crates.io");
                without.push(format!("{name}: {terms} ({source})\n"));
            }
            for file in files {
                let text =
                    fs::read(&file).map_err(|error| format!("failed to read {}: {error}", file.display()))?;
                let text = String::from_utf8_lossy(&text).trim().replace("\r\n", "\n");
                texts.entry(text).or_default().push(name.clone());
            }
        }
        let mut page =
            "The program mgp contains the following crates of others, under the licences below.\n".to_owned();
        if !without.is_empty() {
            page.push_str("\nThese crates have no file with their licence:\n\n");
            page.push_str(&without.concat());
        }
        let mut sorted: Vec<_> = texts.into_iter().collect();
        sorted.sort_by(|one, other| one.1.cmp(&other.1));
        for (text, mut names) in sorted {
            names.dedup();
            page.push_str(&format!("\n{}\n{}\n\n{text}\n", "=".repeat(80), names.join(", ")));
        }
        Ok(page)
    }

    /// Returns the list of crates in the form of CycloneDX 1.5.
    pub(crate) fn sbom(&self) -> Result<String, String> {
        let own = program(&self.release.metadata)?;
        let sums = checksums()?;
        let components: Vec<_> = self.crates.iter().map(|package| component(package, &sums)).collect();
        let graph = self.release.metadata.resolve.as_ref().ok_or("cargo metadata has no graph")?;
        let listed: BTreeMap<&PackageId, String> =
            self.crates.iter().copied().chain([own]).map(|package| (&package.id, purl(package))).collect();
        let mut dependencies = Vec::new();
        for node in &graph.nodes {
            let Some(name) = listed.get(&node.id) else { continue };
            let is_normal = |dependency: &&cargo_metadata::NodeDep| {
                dependency.dep_kinds.iter().any(|kind| kind.kind == DependencyKind::Normal)
            };
            let names = node.deps.iter().filter(is_normal).filter_map(|found| listed.get(&found.pkg));
            let names: BTreeSet<_> = names.collect();
            dependencies.push((name, json!({ "ref": name, "dependsOn": names })));
        }
        dependencies.sort_by(|one, other| one.0.cmp(other.0));
        let dependencies: Vec<_> = dependencies.into_iter().map(|(_, value)| value).collect();
        let mut root = component(own, &sums);
        root["type"] = "application".into();
        let document = json!({
            "$schema": "http://cyclonedx.org/schema/bom-1.5.schema.json",
            "bomFormat": "CycloneDX",
            "specVersion": "1.5",
            "version": 1,
            "metadata": {
                "component": root,
                "properties": [{ "name": "cdx:rustc:sbom:target:triple", "value": self.release.platform.target }],
            },
            "components": components,
            "dependencies": dependencies,
        });
        serde_json::to_string_pretty(&document).map_err(|error| error.to_string())
    }
}

/// Reads a line of `cargo tree`: `name v1.2.3`, and more.
fn name_and_version(line: &str) -> Option<(&str, &str)> {
    let mut words = line.split_whitespace();
    Some((words.next()?, words.next()?.strip_prefix('v')?))
}

fn purl(package: &Package) -> String {
    // The one character of versions that an address encodes.
    format!("pkg:cargo/{}@{}", package.name, package.version.to_string().replace('+', "%2B"))
}

fn component(package: &Package, sums: &BTreeMap<(String, String), String>) -> Value {
    let mut component = json!({
        "type": "library",
        "bom-ref": purl(package),
        "name": package.name.as_str(),
        "version": package.version.to_string(),
        "scope": "required",
        "purl": purl(package),
    });
    if let Some(license) = &package.license {
        // Old manifests write `/` for `OR`.
        component["licenses"] = json!([{ "expression": license.replace('/', " OR ") }]);
    }
    if let Some(repository) = &package.repository {
        component["externalReferences"] = json!([{ "type": "vcs", "url": repository }]);
    }
    if let Some(sum) = sums.get(&(package.name.to_string(), package.version.to_string())) {
        component["hashes"] = json!([{ "alg": "SHA-256", "content": sum }]);
    }
    component
}

/// Reads the checksums of crates from Cargo.lock.
fn checksums() -> Result<BTreeMap<(String, String), String>, String> {
    let path = workspace::root().join("Cargo.lock");
    let text =
        fs::read_to_string(&path).map_err(|error| format!("failed to read {}: {error}", path.display()))?;
    let field = |part: &str, name: &str| {
        let line = part.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(" = \""));
        line.and_then(|line| line.strip_suffix('"')).map(str::to_owned)
    };
    let parts = text.split("[[package]]").skip(1);
    let sums = parts
        .filter_map(|part| Some(((field(part, "name")?, field(part, "version")?), field(part, "checksum")?)));
    Ok(sums.collect())
}

/// Finds the files with licences in a folder.
fn find(folder: &Path, depth: usize, found: &mut Vec<PathBuf>) {
    let Ok(entries) = fs::read_dir(folder) else { return };
    let mut paths: Vec<_> = entries.flatten().map(|entry| entry.path()).collect();
    paths.sort();
    for path in paths {
        let name = path.file_name().map(|name| name.to_string_lossy().to_uppercase()).unwrap_or_default();
        if path.is_dir() && depth > 0 {
            find(&path, depth - 1, found);
        } else if NAMES.iter().any(|start| name.starts_with(start))
            && !name.ends_with(".RS")
            && path.metadata().is_ok_and(|file| file.is_file() && file.len() <= MAX_LICENCE)
        {
            found.push(path);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::program::FEATURES_OF_IMAGE;

    #[test]
    fn licences_and_the_list_name_what_is_linked() {
        let release = Release::read(Some("x86_64-unknown-linux-gnu"), FEATURES_OF_IMAGE).unwrap();
        let notices = Notices::read(&release).unwrap();
        let licences = notices.licences().unwrap();
        assert!(licences.contains("object_store 0."));
        assert!(licences.contains("tokio 1.") && licences.contains("Permission is hereby granted"));
        // A dependency of tests only, and one of the build only.
        assert!(!licences.contains("expect-test") && !licences.contains("\ncc 1."));
        let sbom: Value = serde_json::from_str(&notices.sbom().unwrap()).unwrap();
        let components = sbom["components"].as_array().unwrap();
        let tokio = components.iter().find(|component| component["name"] == "tokio").unwrap();
        assert_eq!(tokio["licenses"][0]["expression"], "MIT");
        assert_eq!(tokio["hashes"][0]["content"].as_str().unwrap().len(), 64);
        let graph = sbom["dependencies"].as_array().unwrap();
        let own =
            graph.iter().find(|node| node["ref"].as_str().unwrap().starts_with("pkg:cargo/mgp@")).unwrap();
        let names = own["dependsOn"].as_array().unwrap();
        assert!(names.iter().any(|name| name.as_str().unwrap().starts_with("pkg:cargo/mgp-kernel@")));
        assert_eq!(graph.len(), components.len() + 1);
    }
}
