//! Reads and writes at a position, without the file's cursor.

use super::super::file::FileId;
use std::{
    fs::{self, File},
    io,
    path::Path,
};

/// Writes all bytes at a position.
pub(super) fn write_all_at(file: &File, bytes: &[u8], position: u64) -> io::Result<()> {
    #[cfg(unix)]
    return std::os::unix::fs::FileExt::write_all_at(file, bytes, position);
    #[cfg(windows)]
    {
        use std::os::windows::fs::FileExt;
        let (mut bytes, mut position) = (bytes, position);
        while !bytes.is_empty() {
            let written = file.seek_write(bytes, position)?;
            if written == 0 {
                return Err(io::ErrorKind::WriteZero.into());
            }
            (bytes, position) = (&bytes[written..], position + written as u64);
        }
        Ok(())
    }
}

/// Reads up to `most` bytes from a position on; fewer only at the end of the file.
pub(super) fn read_at(file: &File, position: u64, most: usize) -> io::Result<Vec<u8>> {
    let left = file.metadata()?.len().saturating_sub(position);
    let mut bytes = vec![0; usize::try_from(left).unwrap_or(usize::MAX).min(most)];
    let mut read = 0;
    while read < bytes.len() {
        let rest = &mut bytes[read..];
        let at = position + read as u64;
        #[cfg(unix)]
        let count = std::os::unix::fs::FileExt::read_at(file, rest, at);
        #[cfg(windows)]
        let count = std::os::windows::fs::FileExt::seek_read(file, rest, at);
        match count {
            Ok(0) => break,
            Ok(count) => read += count,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    bytes.truncate(read);
    Ok(bytes)
}

/// Returns whether an open file is the one at a path.
pub(super) fn is_at(file: &File, path: &Path) -> bool {
    file.metadata().is_ok_and(|found| FileId::at(path) == Some(FileId::of(&found)))
}

/// Waits until the names of the files in a folder survive a loss of power.
pub(super) fn sync_folder(folder: &Path) -> io::Result<()> {
    // Windows has no such request, and logs changes of names by itself.
    #[cfg(unix)]
    File::open(folder)?.sync_all()?;
    #[cfg(not(unix))]
    let _ = folder;
    Ok(())
}

/// Removes a file, if there is one.
pub(super) fn remove(path: &Path) -> io::Result<()> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}
