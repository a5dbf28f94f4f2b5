//! The wheel: the program as a script, and a small module that starts it.

use crate::{
    pack::{Entry, sha256, zip},
    program::{CLibrary, c_library},
    release::Release,
    stage::{SBOM, Stage, marker},
};
use base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD};
use std::{
    fs,
    path::{Path, PathBuf},
};

const MODULE: &str = include_str!("../../files/__init__.py");
const MAIN: &str = include_str!("../../files/__main__.py");

pub(super) fn make(release: &Release, stage: &Stage, folder: &Path) -> Result<Vec<PathBuf>, String> {
    let tag = tag(release, &stage.program)?;
    let module = release.module();
    let versioned = format!("{module}-{}", release.version);
    let (info, data) = (format!("{versioned}.dist-info"), format!("{versioned}.data"));
    let moved = |entry: Entry, to: String| Entry { path: to, ..entry };
    let marker = marker("pip", &release.name);
    let marker_path = format!("{data}/data/{}", marker.path);
    let mut entries = vec![
        Entry::text(format!("{module}/__init__.py"), MODULE),
        Entry::text(format!("{module}/__main__.py"), MAIN),
        moved(stage.bin.clone(), format!("{data}/scripts/{}", release.platform.program())),
        moved(marker, marker_path),
        Entry::text(format!("{info}/METADATA"), metadata(release, stage)?),
        Entry::text(
            format!("{info}/WHEEL"),
            format!("Wheel-Version: 1.0\nGenerator: {}\nRoot-Is-Purelib: false\nTag: {tag}\n", release.name),
        ),
        // `uvx NAME` starts the script that has the name of the package.
        Entry::text(
            format!("{info}/entry_points.txt"),
            format!("[console_scripts]\n{} = {module}:main\n", release.name),
        ),
    ];
    for document in &stage.documents {
        let folder = match document.path.as_str() {
            SBOM => "sboms",
            path if path.contains("LICENSE") => "licenses",
            _ => continue,
        };
        entries.push(moved(document.clone(), format!("{info}/{folder}/{}", document.path)));
    }
    entries.push(record(&entries, &format!("{info}/RECORD"))?);
    let path = folder.join(format!("{versioned}-{tag}.whl"));
    zip(&path, &entries)?;
    Ok(vec![path])
}

/// Returns the tag of the platforms that the program runs on.
fn tag(release: &Release, program: &Path) -> Result<String, String> {
    let name = release.platform.wheel;
    if !release.platform.is_linux() {
        return Ok(format!("py3-none-{name}"));
    }
    let bytes =
        fs::read(program).map_err(|error| format!("failed to read {}: {error}", program.display()))?;
    Ok(match c_library(&bytes)? {
        CLibrary::Glibc(major, minor) => format!("py3-none-manylinux_{major}_{minor}_{name}"),
        CLibrary::Musl => format!("py3-none-musllinux_1_2_{name}"),
        CLibrary::None => format!("py3-none-manylinux_2_17_{name}.musllinux_1_1_{name}"),
    })
}

fn metadata(release: &Release, stage: &Stage) -> Result<String, String> {
    let readme = stage.documents.iter().find(|entry| entry.path == "README.md");
    let readme = String::from_utf8_lossy(&readme.ok_or("the README is missing")?.read()?).into_owned();
    let licences = stage.documents.iter().filter(|entry| entry.path.contains("LICENSE"));
    let licences: String = licences.map(|entry| format!("License-File: {}\n", entry.path)).collect();
    Ok(format!(
        "Metadata-Version: 2.4\nName: {}\nVersion: {}\nSummary: {}\nLicense-Expression: {}\n{licences}\
         Project-URL: Source, {}\nKeywords: mcp,mgp,gateway\nRequires-Python: >=3.8\n\
         Description-Content-Type: text/markdown; charset=UTF-8\n\n{readme}",
        release.name, release.version, release.description, release.license, release.repository
    ))
}

/// Returns the list of files with their checksums, in which the list itself has none.
fn record(entries: &[Entry], path: &str) -> Result<Entry, String> {
    let mut lines = String::new();
    for entry in entries {
        let content = entry.read()?;
        let sum = URL_SAFE_NO_PAD.encode(sha256(&content));
        lines.push_str(&format!("{},sha256={sum},{}\n", entry.path, content.len()));
    }
    Ok(Entry::text(path, format!("{lines}{path},,\n")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_file_is_recorded_with_its_checksum() {
        let entries = [Entry::text("a.py", ""), Entry::text("b/c", "text")];
        let record = record(&entries, "x.dist-info/RECORD").unwrap();
        let text = String::from_utf8(record.read().unwrap()).unwrap();
        let lines: Vec<_> = text.lines().collect();
        assert_eq!(lines[0], "a.py,sha256=47DEQpj8HBSa-_TImW-5JCeuQeRkm5NMpJWZG3hSuFU,0");
        assert_eq!(lines[2], "x.dist-info/RECORD,,");
    }

    #[test]
    fn a_platform_without_glibc_has_a_fixed_tag() {
        let release = Release::read(Some("aarch64-apple-darwin"), crate::program::FEATURES).unwrap();
        assert_eq!(tag(&release, Path::new("none")).unwrap(), "py3-none-macosx_11_0_arm64");
    }
}
