//! The state folder: its owner, its mode and its files.

use super::{
    context::{Context, word},
    finding::{Finding, Kind, Remedy},
};
use std::path::Path;

pub(super) fn check(context: &Context) -> Vec<Finding> {
    let Some(state) = &context.state else {
        let problem = "this account has no home folder, so there is no place for the state";
        let remedy = Remedy::Key("MGP_STATE_DIR".to_owned());
        return vec![Finding::new(Kind::StateNone, problem, remedy)];
    };
    // A folder that is missing is made by the first command that needs it.
    let Ok(found) = state.symlink_metadata() else { return Vec::new() };
    if found.is_symlink() || !found.is_dir() {
        return vec![not_a_folder(state, found.is_symlink())];
    }
    #[cfg(unix)]
    return unix::check_folder(state, &found);
    #[cfg(not(unix))]
    Vec::new()
}

fn not_a_folder(state: &Path, is_link: bool) -> Finding {
    let shown = state.display();
    match state.canonicalize() {
        Ok(real) if is_link => {
            let problem = format!("{shown} is a symbolic link, which every command refuses");
            let command = format!("export MGP_STATE_DIR={}", word(&real));
            Finding::new(Kind::StateNotAFolder, problem, Remedy::Command(command))
        }
        _ => {
            let problem = format!("{shown} is not a folder, so there is no place for the state");
            let command = format!("mv {0} {0}.old", word(state));
            Finding::new(Kind::StateNotAFolder, problem, Remedy::Command(command))
        }
    }
}

#[cfg(unix)]
mod unix {
    use super::super::{
        context::{with_words, word},
        finding::{Finding, Kind, Remedy},
        fix::Fix,
        gateway::runs,
    };
    use std::{
        fs::{self, File, Metadata},
        io::Read,
        os::unix::fs::{MetadataExt, PermissionsExt},
        path::{Path, PathBuf},
    };

    /// The most files that are looked at.
    const MAX_FILES: usize = 10_000;
    /// The folders in the state folder whose files are looked at.
    const FOLDERS: [&str; 4] = ["logs", "connect", "control", "audit.sqlite3.journals"];
    /// The beginning of each SQLite file.
    const SQLITE: &[u8] = b"SQLite format 3\0";

    pub(super) fn check_folder(state: &Path, found: &Metadata) -> Vec<Finding> {
        let mut findings = Vec::new();
        let (own, mode) = (rustix::process::geteuid().as_raw(), found.permissions().mode());
        let shown = state.display();
        if found.uid() != own {
            return vec![foreign(state, state, found.uid(), 1)];
        }
        if mode & 0o700 != 0o700 {
            let problem = format!("{shown} cannot be used by its owner (mode {:03o})", mode & 0o777);
            let remedy = Remedy::Command(format!("chmod u+rwx {}", word(state)));
            let fix = Fix::Modes(vec![(state.to_owned(), (mode & 0o7700) | 0o700)]);
            findings.push(Finding::new(Kind::StateClosed, problem, remedy).with_fix(fix));
        }
        if mode & 0o077 != 0 {
            let problem = format!("other accounts can enter {shown} (mode {:03o})", mode & 0o777);
            let remedy = Remedy::Command(format!("chmod go-rwx {}", word(state)));
            let fix = Fix::Modes(vec![(state.to_owned(), (mode & 0o7700) | 0o700)]);
            findings.push(Finding::new(Kind::StateOpen, problem, remedy).with_fix(fix));
        }
        findings.extend(of_files(state, own));
        findings
    }

    /// Returns the findings on the files in the state folder.
    fn of_files(state: &Path, own: u32) -> Vec<Finding> {
        let (mut open, mut foreign_files, mut left) = (Vec::new(), Vec::new(), Vec::new());
        let mut findings = Vec::new();
        for (path, found) in files(state) {
            if found.is_symlink() {
                let problem = format!("{} is a symbolic link, which every command refuses", path.display());
                let remedy = Remedy::Command(format!("rm {}", word(&path)));
                findings.push(Finding::new(Kind::StateFileLink, problem, remedy));
                continue;
            }
            if found.uid() != own {
                foreign_files.push((path, found.uid()));
                continue;
            }
            // Sockets are private from their beginning.
            let mode = found.permissions().mode();
            if mode & 0o077 != 0 && (found.is_file() || found.is_dir()) {
                open.push((path.clone(), mode & 0o700));
            }
            if found.is_file() && is_left(&path) {
                left.push(path);
            } else if found.is_file() && is_broken(&path, found.len()) {
                findings.push(broken(&path));
            }
        }
        if let Some(((first, _), count)) = open.first().zip(Some(open.len())) {
            let problem = format!("other accounts can use {}", and_more(first, count));
            let remedy = Remedy::Command(format!("chmod -R go-rwx {}", word(state)));
            findings
                .push(Finding::new(Kind::StateFileOpen, problem, remedy).with_fix(Fix::Modes(open.clone())));
        }
        if let Some((first, owner)) = foreign_files.first() {
            findings.push(foreign(state, first, *owner, foreign_files.len()));
        }
        if let Some(first) = left.first() {
            let problem =
                format!("a process that has ended left {} half written", and_more(first, left.len()));
            let words: Vec<_> = left.iter().map(|path| word(path)).collect();
            let remedy = Remedy::Command(with_words("rm", &words, "state"));
            findings
                .push(Finding::new(Kind::StateFileLeft, problem, remedy).with_fix(Fix::Remove(left.clone())));
        }
        findings
    }

    /// Returns the files of the state folder, and of those folders in it that the gateway writes itself.
    fn files(state: &Path) -> Vec<(PathBuf, Metadata)> {
        let folders = FOLDERS.map(|name| state.join(name));
        let own_folders =
            folders.iter().filter(|folder| folder.symlink_metadata().is_ok_and(|found| found.is_dir()));
        let entries = std::iter::once(state).chain(own_folders.map(PathBuf::as_path));
        let paths = entries.flat_map(|folder| {
            fs::read_dir(folder).into_iter().flatten().filter_map(|entry| Some(entry.ok()?.path()))
        });
        let mut files: Vec<_> = paths
            .take(MAX_FILES)
            .filter_map(|path| Some((path.clone(), path.symlink_metadata().ok()?)))
            .collect();
        files.sort_by(|one, other| one.0.cmp(&other.0));
        files
    }

    fn foreign(state: &Path, first: &Path, owner: u32, count: usize) -> Finding {
        let problem = format!(
            "{} belongs to the account {owner}, perhaps because `mgp` was run with sudo",
            and_more(first, count)
        );
        let command = format!("sudo chown -R \"$(id -u)\" {}", word(state));
        Finding::new(Kind::StateOwner, problem, Remedy::Command(command))
    }

    fn and_more(first: &Path, count: usize) -> String {
        match count {
            0 | 1 => first.display().to_string(),
            _ => format!("{} and {} more", first.display(), count - 1),
        }
    }

    /// Returns whether a file is the new content of a private file, whose writer has ended.
    fn is_left(path: &Path) -> bool {
        let pid = path.extension().and_then(|ending| ending.to_str()).and_then(|ending| ending.parse().ok());
        // Older logs and originals have small numbers as endings, too.
        let is_older = path.file_stem().is_some_and(|stem| {
            [".log", ".original"].iter().any(|ending| stem.to_string_lossy().ends_with(ending))
        });
        pid.is_some_and(|pid: u32| !is_older && !runs(pid))
    }

    /// Returns whether a database does not begin like one. An empty one is not made yet.
    fn is_broken(path: &Path, length: u64) -> bool {
        if path.extension().is_none_or(|ending| ending != "sqlite3") || length == 0 {
            return false;
        }
        let mut start = [0; SQLITE.len()];
        let read = File::open(path).and_then(|mut file| file.read_exact(&mut start));
        read.is_err() || start != SQLITE
    }

    fn broken(path: &Path) -> Finding {
        let problem = format!("{} is not a database", path.display());
        // With its journal, which would be applied to a new database of that name.
        let folder = word(&path.with_file_name("broken"));
        let command = format!("mkdir -p {folder} && mv {}* {folder}", word(path));
        Finding::new(Kind::StateFileBroken, problem, Remedy::Command(command))
    }
}
