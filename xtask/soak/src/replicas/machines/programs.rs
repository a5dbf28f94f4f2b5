//! The programs that a run needs.

use std::{
    env, fs,
    path::{Path, PathBuf},
};

/// The folder of PostgreSQL's versions, which Debian does not put into `PATH`.
const POSTGRESQL: &str = "/usr/lib/postgresql";
/// Folders that are not in everyone's `PATH`.
const SYSTEM: [&str; 2] = ["/usr/sbin", "/sbin"];
/// The programs, with the names of Debian's packages.
const PROGRAMS: [(&str, &str); 5] = [
    ("haproxy", "haproxy"),
    ("postgres", "postgresql"),
    ("initdb", "postgresql"),
    ("ip", "iproute2"),
    ("nsenter", "util-linux"),
];

/// Returns the name of a program that this machine lacks, if there is one.
pub(crate) fn lacking() -> Option<String> {
    let (program, package) = PROGRAMS.iter().find(|(program, _)| find(program).is_none())?;
    Some(format!("the program `{program}`, which is in Debian's package {package}"))
}

/// Returns the path of a program.
pub(super) fn find(program: &str) -> Option<PathBuf> {
    let path = env::var_os("PATH").unwrap_or_default();
    let versions = fs::read_dir(POSTGRESQL).into_iter().flatten().flatten();
    let folders = env::split_paths(&path)
        .chain(SYSTEM.into_iter().map(PathBuf::from))
        .chain(versions.map(|version| version.path().join("bin")));
    folders.map(|folder| folder.join(program)).find(|file| file.is_file())
}

/// Returns the path of a program as text.
pub(super) fn path(program: &str) -> Result<String, String> {
    let found = find(program).ok_or_else(|| format!("the program `{program}` is missing"))?;
    text(&found)
}

/// Returns the path of the gateway, which is built into the folder of this program.
pub(super) fn gateway() -> Result<String, String> {
    let own = env::current_exe().map_err(|error| format!("failed to find this program: {error}"))?;
    let gateway = own.with_file_name("mgp");
    if gateway.is_file() {
        return text(&gateway);
    }
    Err(format!("{} is missing: `cargo build -p mgp --all-features` makes it", gateway.display()))
}

/// Returns a path as text.
pub(super) fn text(path: &Path) -> Result<String, String> {
    path.to_str().map(str::to_owned).ok_or_else(|| format!("the path {} is not text", path.display()))
}
