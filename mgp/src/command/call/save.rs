//! Saves the images and sounds of an answer.

use crate::{error::CliError, output::note};
use mgp_types::{
    mcp::{CallToolResult, ContentBlock},
    rpc::RawResult,
};
use std::{
    fs::{self, File},
    io::{self, Write as _},
    path::{Path, PathBuf},
};

/// The maximum number of files with the name of one tool in a folder.
const MAX_FILES: u32 = 10_000;
/// The maximum length of a tool's name in a file's name, in characters.
const MAX_NAME: usize = 64;

/// Creates the folder for the files, so that a call is not made in vain.
pub(super) fn prepare(folder: &Path) -> Result<(), CliError> {
    fs::create_dir_all(folder).map_err(|error| {
        CliError::failed(format!(
            "--save {}: {error}: expected a folder that can be written",
            folder.display()
        ))
    })
}

/// Saves each image and sound of an answer in a new file, and prints a note for it.
pub(super) fn save(folder: &Path, tool: &str, result: &RawResult) -> Result<(), CliError> {
    let decoded: CallToolResult = result.decode()?;
    let mut saved = 0_usize;
    for block in &decoded.content {
        let (bytes, mime_type) = match block {
            ContentBlock::Image(image) => (image.bytes(), &image.mime_type),
            ContentBlock::Audio(audio) => (audio.bytes(), &audio.mime_type),
            _ => continue,
        };
        let failed =
            |why: String| CliError::failed(format!("a part of the type {mime_type:?} is not saved: {why}"));
        let bytes = bytes.ok_or_else(|| failed("expected base64 as its data".to_owned()))?;
        let path = write(folder, tool, extension(mime_type), &bytes)
            .map_err(|error| failed(format!("{}: {error}", folder.display())))?;
        note(&format!("saved: {} ({mime_type}, {} bytes)", path.display(), bytes.len()));
        saved += 1;
    }
    if saved == 0 {
        note("nothing is saved: the answer has no image and no sound");
    }
    Ok(())
}

/// Writes a new file, and returns its path. An existing file is never changed.
fn write(folder: &Path, tool: &str, extension: &str, bytes: &[u8]) -> io::Result<PathBuf> {
    let is_plain = |letter: char| letter.is_ascii_alphanumeric() || letter == '_' || letter == '-';
    let name: String =
        tool.chars().take(MAX_NAME).map(|letter| if is_plain(letter) { letter } else { '_' }).collect();
    for number in 1..=MAX_FILES {
        let path = folder.join(format!("{name}-{number}.{extension}"));
        let mut file = match File::create_new(&path) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => continue,
            created => created?,
        };
        if let Err(error) = file.write_all(bytes) {
            // A part of an image is of no use.
            let _ = fs::remove_file(&path);
            return Err(error);
        }
        return Ok(path);
    }
    Err(io::Error::other(format!("expected fewer than {MAX_FILES} files of the tool")))
}

/// Returns the extension of a file with this media type. The server does not choose it, because systems start files by their extension.
fn extension(mime_type: &str) -> &'static str {
    let essence = mime_type.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
    match &*essence {
        "image/png" => "png",
        "image/jpeg" => "jpg",
        "image/gif" => "gif",
        "image/webp" => "webp",
        "image/svg+xml" => "svg",
        "image/bmp" => "bmp",
        "image/tiff" => "tiff",
        "image/avif" => "avif",
        "audio/mpeg" => "mp3",
        "audio/wav" | "audio/x-wav" | "audio/wave" => "wav",
        "audio/ogg" => "ogg",
        "audio/flac" => "flac",
        "audio/aac" => "aac",
        "audio/mp4" => "m4a",
        "audio/webm" => "webm",
        _ => "bin",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_stays_in_its_folder_and_replaces_none() {
        let folder = tempfile::tempdir().unwrap();
        let first = write(folder.path(), "../s__draw", "png", b"one").unwrap();
        let second = write(folder.path(), "../s__draw", "png", b"two").unwrap();
        assert_eq!(first, folder.path().join("___s__draw-1.png"));
        assert_eq!(second, folder.path().join("___s__draw-2.png"));
        assert_eq!(fs::read(first).unwrap(), b"one");
        assert_eq!(fs::read(second).unwrap(), b"two");
    }

    #[test]
    fn an_unknown_media_type_has_a_neutral_extension() {
        assert_eq!(extension("Image/PNG; a=b"), "png");
        for unknown in ["", "image/../../x", "application/x-sh", "audio/exe"] {
            assert_eq!(extension(unknown), "bin", "{unknown}");
        }
    }
}
