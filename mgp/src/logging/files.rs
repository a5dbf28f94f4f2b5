//! The log files in the state folder: one for the gateways and one for each server. All gateways of the folder write to them.

use super::LogLine;
use mgp_discovery::config::server_id;
use mgp_kernel::StateFolder;
use mgp_store::private_file::{FileLock, PrivateFile, make_private_folder};
use std::{
    fs::{self, File, OpenOptions},
    io::{self, Read, Write},
    path::{Path, PathBuf},
    time::Duration,
};

/// The name of the gateways' own log, which cannot be a server's id.
pub(crate) const GATEWAY: &str = "mgp";

/// The size at which a file becomes the older one of two, in bytes. A log therefore takes up to a little more than
/// twice this size.
const MAX_FILE: u64 = 1 << 20;

/// The number of server logs above which a new one replaces another.
const MAX_LOGS: usize = 256;

/// The files of the logs.
#[derive(Debug, Clone)]
pub(crate) struct LogFiles {
    folder: PathBuf,
    max_file: u64,
    max_logs: usize,
}

/// A position in a log, from which a reader continues.
#[derive(Debug, Default)]
pub(crate) struct LogPlace {
    /// The file that was read. It stays the same after it becomes the older one.
    file: Option<File>,
    /// The beginning of an incomplete line.
    begun: Vec<u8>,
}

impl LogFiles {
    pub(crate) fn of(state: &StateFolder) -> Self {
        Self { folder: state.path().join("logs"), max_file: MAX_FILE, max_logs: MAX_LOGS }
    }

    /// Creates the folder, with access only for its user.
    ///
    /// # Errors
    /// If the folder cannot be made private.
    pub(super) fn open(&self) -> io::Result<()> {
        make_private_folder(&self.folder)
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.join(format!("{name}.log"))
    }

    fn older(&self, name: &str) -> PathBuf {
        self.folder.join(format!("{name}.log.1"))
    }

    /// Returns the names of all logs, in alphabetical order.
    pub(crate) fn names(&self) -> Vec<String> {
        let entries = fs::read_dir(&self.folder).into_iter().flatten().filter_map(Result::ok);
        let name = |entry: fs::DirEntry| Some(entry.file_name().to_str()?.strip_suffix(".log")?.to_owned());
        let mut names: Vec<String> = entries.filter_map(name).filter(|name| is_name(name)).collect();
        names.sort();
        names
    }

    /// Appends lines to a log. A file that is too long replaces the older one.
    ///
    /// # Errors
    /// If the lines cannot be written.
    pub(super) fn append(&self, name: &str, lines: &str) -> io::Result<()> {
        let path = self.path(name);
        let mut file = match self.open_to_append(&path) {
            // Another gateway has just renamed the file.
            Err(error) if error.kind() == io::ErrorKind::NotFound => self.open_to_append(&path)?,
            opened => opened?,
        };
        // A single write, so that the lines of several gateways do not mix.
        file.write_all(lines.as_bytes())?;
        if file.metadata()?.len() > self.max_file
            && let Ok(_turn) = FileLock::acquire(&self.folder.join("lock"), Duration::ZERO)
            // Another gateway may have renamed the file meanwhile.
            && fs::metadata(&path)?.len() > self.max_file
        {
            fs::rename(&path, self.older(name))?;
        }
        Ok(())
    }

    /// Opens a log, creating it if it is missing. A new log replaces those that were not written for the longest time.
    fn open_to_append(&self, path: &Path) -> io::Result<File> {
        if !path.exists() {
            let mut names = self.names();
            names.retain(|name| name != GATEWAY);
            names.sort_by_cached_key(|name| {
                fs::metadata(self.path(name)).and_then(|found| found.modified()).ok()
            });
            for name in &names[..(names.len() + 1).saturating_sub(self.max_logs)] {
                // A log that cannot be removed is tried again next time.
                let _ = fs::remove_file(self.path(name)).and_then(|()| fs::remove_file(self.older(name)));
            }
            PrivateFile::new(path).create()?;
        }
        OpenOptions::new().append(true).open(path)
    }

    /// Returns the last lines of a log, oldest first, and the position after them.
    ///
    /// # Errors
    /// If a file cannot be read.
    pub(crate) fn last(&self, name: &str, count: usize) -> io::Result<(Vec<LogLine>, LogPlace)> {
        let mut lines = Vec::new();
        if let Some(mut older) = opened(self.older(name))? {
            read_on(&mut older, &mut Vec::new(), &mut lines)?;
        }
        let mut place = LogPlace { file: opened(self.path(name))?, begun: Vec::new() };
        if let Some(file) = &mut place.file {
            read_on(file, &mut place.begun, &mut lines)?;
        }
        lines.drain(..lines.len().saturating_sub(count));
        Ok((lines, place))
    }

    /// Returns the lines that were written to a log after a position, and advances the position.
    ///
    /// # Errors
    /// If a file cannot be read.
    pub(crate) fn after(&self, name: &str, place: &mut LogPlace) -> io::Result<Vec<LogLine>> {
        let mut lines = Vec::new();
        let now = opened(self.path(name))?;
        // The open file is read to its end first, because it may be the older one by now.
        if let Some(file) = &mut place.file {
            read_on(file, &mut place.begun, &mut lines)?;
        }
        if let Some(mut file) = now.filter(|now| !is_same(place.file.as_ref(), now)) {
            place.begun.clear();
            read_on(&mut file, &mut place.begun, &mut lines)?;
            place.file = Some(file);
        }
        Ok(lines)
    }
}

/// Returns whether a text can be the name of a log: the gateways', or the id of a server.
pub(super) fn is_name(name: &str) -> bool {
    name == GATEWAY || server_id(name).is_ok()
}

fn opened(path: PathBuf) -> io::Result<Option<File>> {
    match File::open(path) {
        Ok(file) => Ok(Some(file)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}

/// Returns whether two open files are the same file.
#[cfg(unix)]
fn is_same(one: Option<&File>, other: &File) -> bool {
    use std::os::unix::fs::MetadataExt;
    let id = |file: &File| file.metadata().ok().map(|found| (found.dev(), found.ino()));
    one.is_some_and(|one| id(one) == id(other))
}

/// Returns whether the second file is at least as long as the part of the first that was read. This platform cannot
/// compare the files themselves.
#[cfg(not(unix))]
fn is_same(one: Option<&File>, other: &File) -> bool {
    let length = |file: &File| file.metadata().map(|found| found.len()).unwrap_or_default();
    one.is_some_and(|one| length(one) <= length(other))
}

/// Reads the rest of a file, and adds its complete lines.
fn read_on(file: &mut File, begun: &mut Vec<u8>, lines: &mut Vec<LogLine>) -> io::Result<()> {
    // A file exceeds its bound only slightly, unless another program writes to it.
    file.take(4 * MAX_FILE).read_to_end(begun)?;
    let end = begun.iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at + 1);
    let whole: Vec<u8> = begun.drain(..end).collect();
    lines.extend(String::from_utf8_lossy(&whole).lines().filter_map(LogLine::read));
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::SystemTime;

    fn files(max_file: u64) -> (tempfile::TempDir, LogFiles) {
        let folder = tempfile::tempdir().unwrap();
        let files = LogFiles { folder: folder.path().join("logs"), max_file, max_logs: 3 };
        files.open().unwrap();
        (folder, files)
    }

    fn texts(lines: &[LogLine]) -> Vec<&str> {
        lines.iter().map(|line| &*line.text).collect()
    }

    fn append(files: &LogFiles, text: &str) {
        files.append("s", &format!("{}\n", LogLine::now("WARN", text))).unwrap();
    }

    #[test]
    fn a_log_is_bounded_and_a_reader_follows_its_rotation() {
        let (_folder, files) = files(200);
        assert!(files.last("s", 10).unwrap().0.is_empty() && files.names().is_empty());
        append(&files, "first");
        let (lines, mut place) = files.last("s", 10).unwrap();
        assert_eq!(texts(&lines), ["first"]);
        let mut read = Vec::new();
        for number in 0..100 {
            append(&files, &format!("line {number}"));
            read.extend(files.after("s", &mut place).unwrap());
        }
        let all: Vec<String> = (0..100).map(|number| format!("line {number}")).collect();
        assert_eq!(texts(&read), all);
        let (kept, _) = files.last("s", 1000).unwrap();
        assert!(kept.len() < 20 && texts(&kept).ends_with(&["line 98", "line 99"]), "{kept:?}");
        assert_eq!(texts(&files.last("s", 2).unwrap().0), ["line 98", "line 99"]);
        assert_eq!(files.names(), ["s"]);
    }

    #[test]
    fn short_lived_servers_leave_a_bounded_number_of_logs() {
        let (_folder, files) = files(10_000);
        files.append(GATEWAY, "first\n").unwrap();
        let old = SystemTime::UNIX_EPOCH;
        for (number, name) in ["a", "b", "c", "d", "e"].into_iter().enumerate() {
            files.append(name, "line\n").unwrap();
            let written = old + Duration::from_secs(number as u64);
            OpenOptions::new().append(true).open(files.path(name)).unwrap().set_modified(written).unwrap();
        }
        assert_eq!(files.names(), ["c", "d", "e", GATEWAY]);
    }

    #[cfg(unix)]
    #[test]
    fn only_its_user_can_read_a_log() {
        use std::os::unix::fs::PermissionsExt;
        let (_folder, files) = files(200);
        append(&files, "secret");
        let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
        assert_eq!((mode(&files.folder), mode(&files.path("s"))), (0o700, 0o600));
    }

    #[test]
    fn a_line_is_read_once_its_end_is_written() {
        let (_folder, files) = files(10_000);
        let line = format!("{}\n", LogLine::now("WARN", "whole"));
        let (first, second) = line.split_at(30);
        files.append("s", first).unwrap();
        let (lines, mut place) = files.last("s", 10).unwrap();
        assert!(lines.is_empty() && files.after("s", &mut place).unwrap().is_empty());
        files.append("s", second).unwrap();
        assert_eq!(texts(&files.after("s", &mut place).unwrap()), ["whole"]);
    }
}
