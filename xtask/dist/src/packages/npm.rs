//! The packages of npm: one with the program for each platform, and the main one, which depends on all of them optionally. npm installs
//! the one whose platform matches.

use crate::{
    pack::{Entry, sha256, tar_gz},
    platform::Platform,
    release::Release,
    stage::{Stage, marker},
};
use base64::{Engine as _, engine::general_purpose::STANDARD};
use serde_json::{Map, Value, json};
use std::{
    fs,
    path::{Path, PathBuf},
};

const SHIM: &str = include_str!("../../files/mgp.js");
/// The folder in the archives of npm.
const FOLDER: &str = "package";

pub(super) fn make(release: &Release, stage: &Stage, folder: &Path) -> Result<Vec<PathBuf>, String> {
    let platform = Some(release.platform);
    let mut own = vec![manifest_entry(release, platform)?, stage.bin.clone(), marker("npm", &release.name)];
    own.extend(stage.documents_in(""));
    let mut main = vec![manifest_entry(release, None)?, Entry::text("bin/mgp.js", SHIM)];
    main.iter_mut().for_each(|entry| entry.executable = entry.path.starts_with("bin/"));
    let is_short = |entry: &Entry| entry.path.starts_with("LICENSE") || entry.path == "README.md";
    main.extend(stage.documents_in("").into_iter().filter(is_short));
    let mut files = Vec::new();
    for (platform, entries) in [(platform, own), (None, main)] {
        let path = folder.join(file(release, platform));
        tar_gz(&path, FOLDER, &entries)?;
        files.push(path);
    }
    Ok(files)
}

/// Returns the name of a package's file.
fn file(release: &Release, platform: Option<Platform>) -> String {
    let end = platform.map(|platform| format!("-{}", platform.npm())).unwrap_or_default();
    format!("{}{end}-{}.tgz", release.name, release.version)
}

fn name(release: &Release, platform: Platform) -> String {
    format!("@{}/{}", release.name, platform.npm())
}

fn manifest_entry(release: &Release, platform: Option<Platform>) -> Result<Entry, String> {
    let text =
        serde_json::to_string_pretty(&manifest(release, platform)).map_err(|error| error.to_string())?;
    Ok(Entry::text("package.json", text + "\n"))
}

/// Returns the manifest of the package of a platform, or of the main one.
fn manifest(release: &Release, platform: Option<Platform>) -> Value {
    let mut manifest = json!({
        "name": platform.map_or_else(|| release.name.clone(), |platform| name(release, platform)),
        "version": release.version,
        "description": release.description,
        "license": release.license,
        "repository": { "type": "git", "url": release.repository },
        "engines": { "node": ">=18" },
        "publishConfig": { "access": "public" },
    });
    let fields = match platform {
        Some(platform) => {
            let libc = platform.is_linux().then(|| json!({ "libc": ["glibc"] }));
            let mut fields =
                json!({ "os": [platform.node.0], "cpu": [platform.node.1], "preferUnplugged": true });
            if let (Some(fields), Some(Value::Object(libc))) = (fields.as_object_mut(), libc) {
                fields.extend(libc);
            }
            fields
        }
        None => {
            let of_platforms =
                Platform::ALL.map(|platform| (name(release, platform), Value::from(&*release.version)));
            json!({
                "bin": { "mgp": "bin/mgp.js" },
                "files": ["bin"],
                "keywords": ["mcp", "mgp", "gateway"],
                "optionalDependencies": of_platforms.into_iter().collect::<Map<_, _>>(),
            })
        }
    };
    if let (Some(manifest), Value::Object(fields)) = (manifest.as_object_mut(), fields) {
        manifest.extend(fields);
    }
    manifest
}

/// Returns the document that a registry at an address has about a package, and its path there. The file of a package that was not made
/// here is never asked for.
pub(crate) fn packument(
    release: &Release,
    platform: Option<Platform>,
    folder: &Path,
    registry: &str,
) -> Result<(String, Value), String> {
    let mut manifest = manifest(release, platform);
    let name = manifest["name"].as_str().unwrap_or_default().to_owned();
    let file = file(release, platform);
    let mut dist = json!({ "tarball": format!("{registry}/{file}") });
    if let Ok(bytes) = fs::read(folder.join(&file)) {
        dist["integrity"] = format!("sha256-{}", STANDARD.encode(sha256(&bytes))).into();
    }
    manifest["dist"] = dist;
    let version = release.version.as_str();
    let document =
        json!({ "name": name, "dist-tags": { "latest": version }, "versions": { version: manifest } });
    Ok((name, document))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_main_package_depends_on_each_platform() {
        let release = Release::read(Some("x86_64-unknown-linux-gnu"), crate::program::FEATURES).unwrap();
        let main = manifest(&release, None);
        assert_eq!(main["name"], release.name.as_str());
        for platform in Platform::ALL {
            let own = manifest(&release, Some(platform));
            assert_eq!(main["optionalDependencies"][own["name"].as_str().unwrap()], own["version"], "{own}");
            assert_eq!(own["os"][0], platform.node.0);
            assert_eq!(own["libc"].is_array(), platform.is_linux());
        }
    }
}
