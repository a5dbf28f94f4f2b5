//! Archives that have the same bytes for the same files, and checksums.

use flate2::{Compression, write::GzEncoder};
use ring::digest::{SHA256, digest};
use std::{
    fs::{self, File},
    io::{self, Write},
    path::{Path, PathBuf},
};
use zip::{CompressionMethod, ZipWriter, write::SimpleFileOptions};

/// The time of all files, in seconds: no earlier one fits into a zip file.
const TIME: u64 = 315_532_800;
/// The size from which a program counts as one of a debug build, which is not compressed.
const LARGE: u64 = 80 * 1024 * 1024;

/// A file in an archive.
#[derive(Debug, Clone)]
pub(crate) struct Entry {
    /// The path in the archive.
    pub(crate) path: String,
    pub(crate) content: Content,
    pub(crate) executable: bool,
}

/// The content of a file.
#[derive(Debug, Clone)]
pub(crate) enum Content {
    Text(String),
    File(PathBuf),
}

impl Entry {
    pub(crate) fn text(path: impl Into<String>, text: impl Into<String>) -> Self {
        Self { path: path.into(), content: Content::Text(text.into()), executable: false }
    }

    pub(crate) fn file(path: impl Into<String>, file: PathBuf, executable: bool) -> Self {
        Self { path: path.into(), content: Content::File(file), executable }
    }

    pub(crate) fn read(&self) -> Result<Vec<u8>, String> {
        match &self.content {
            Content::Text(text) => Ok(text.clone().into_bytes()),
            Content::File(path) => {
                fs::read(path).map_err(|error| format!("failed to read {}: {error}", path.display()))
            }
        }
    }

    fn mode(&self) -> u32 {
        if self.executable { 0o755 } else { 0o644 }
    }
}

/// Returns the compression for files: the best for a release, none for a debug build, which the gate has no time for.
fn compression(entries: &[Entry]) -> Compression {
    let size = |entry: &Entry| match &entry.content {
        Content::Text(text) => text.len() as u64,
        Content::File(path) => path.metadata().map_or(0, |file| file.len()),
    };
    if entries.iter().map(size).sum::<u64>() > LARGE { Compression::none() } else { Compression::best() }
}

/// Writes files as a `.tar.gz`, in a folder.
pub(crate) fn tar_gz(path: &Path, folder: &str, entries: &[Entry]) -> Result<(), String> {
    write(path, |file| {
        let mut archive = tar::Builder::new(GzEncoder::new(file, compression(entries)));
        for entry in entries {
            let content = entry.read().map_err(io::Error::other)?;
            let mut header = tar::Header::new_gnu();
            header.set_size(content.len() as u64);
            header.set_mode(entry.mode());
            header.set_mtime(TIME);
            archive.append_data(&mut header, format!("{folder}/{}", entry.path), &*content)?;
        }
        archive.into_inner()?.finish()?.flush()
    })
}

/// Writes files as a zip file.
pub(crate) fn zip(path: &Path, entries: &[Entry]) -> Result<(), String> {
    let (method, level) = match compression(entries).level() {
        0 => (CompressionMethod::Stored, None),
        level => (CompressionMethod::Deflated, Some(level.into())),
    };
    write(path, |file| {
        let mut archive = ZipWriter::new(file);
        for entry in entries {
            let options = SimpleFileOptions::default()
                .compression_method(method)
                .compression_level(level)
                .last_modified_time(zip::DateTime::default())
                .unix_permissions(entry.mode());
            archive.start_file(entry.path.as_str(), options).map_err(io::Error::other)?;
            archive.write_all(&entry.read().map_err(io::Error::other)?)?;
        }
        archive.finish().map_err(io::Error::other)?.flush()
    })
}

fn write(path: &Path, fill: impl FnOnce(File) -> io::Result<()>) -> Result<(), String> {
    let written = File::create(path).and_then(fill);
    written.map_err(|error| format!("failed to write {}: {error}", path.display()))
}

/// Returns the SHA-256 of bytes.
pub(crate) fn sha256(bytes: &[u8]) -> [u8; 32] {
    let mut sum = [0; 32];
    sum.copy_from_slice(digest(&SHA256, bytes).as_ref());
    sum
}

/// Returns the SHA-256 of a file, in hexadecimal digits.
pub(crate) fn sum_of(path: &Path) -> Result<String, String> {
    let bytes = fs::read(path).map_err(|error| format!("failed to read {}: {error}", path.display()))?;
    Ok(sha256(&bytes).iter().map(|byte| format!("{byte:02x}")).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_files_make_the_same_archive() {
        let folder = tempfile::tempdir().unwrap();
        let program = folder.path().join("program");
        fs::write(&program, "#!/bin/sh\n").unwrap();
        let entries = [Entry::text("a/b", "c"), Entry::file("bin/x", program, true)];
        let sums = [1, 2].map(|run| {
            let (tar, zipped) =
                (folder.path().join(format!("{run}.tar.gz")), folder.path().join(format!("{run}.zip")));
            tar_gz(&tar, "top", &entries).unwrap();
            zip(&zipped, &entries).unwrap();
            (sum_of(&tar).unwrap(), sum_of(&zipped).unwrap())
        });
        assert_eq!(sums[0], sums[1]);
        let file = File::open(folder.path().join("1.tar.gz")).unwrap();
        let mut archive = tar::Archive::new(flate2::read::GzDecoder::new(file));
        let found: Vec<_> = archive
            .entries()
            .unwrap()
            .map(|entry| {
                let entry = entry.unwrap();
                (entry.path().unwrap().display().to_string(), entry.header().mode().unwrap())
            })
            .collect();
        assert_eq!(found, [("top/a/b".to_owned(), 0o644), ("top/bin/x".to_owned(), 0o755)]);
    }
}
