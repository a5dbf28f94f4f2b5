//! A PostgreSQL server for tests, which lives as long as a command.

use std::{
    env, fs,
    path::{Path, PathBuf},
    process::{self, Command, Stdio},
};

use crate::process::forget_package;

const HELP: &str = "usage: cargo xtask postgres COMMAND [ARGUMENTS]

Runs a command with MGP_TEST_POSTGRES, the URL of a new PostgreSQL server that ends with it. Tests of stores then run with both engines:

  cargo xtask postgres cargo nextest run -p mgp-store --all-features

Needs `initdb` and `postgres`, such as those of Debian's package `postgresql`.";

/// The variable that tests and benches read.
pub(crate) const VARIABLE: &str = "MGP_TEST_POSTGRES";
/// The folder of the versions that Debian installs, which are not in `PATH`.
const DEBIAN: &str = "/usr/lib/postgresql";
/// The users that a server may run as, because it refuses to run as root.
#[cfg(unix)]
const USERS: [&str; 2] = ["postgres", "nobody"];

/// A server in a folder of its own. It is stopped when it is dropped.
#[derive(Debug)]
pub(crate) struct PostgresServer {
    programs: PathBuf,
    folder: PathBuf,
}

pub(crate) fn run(arguments: &[String]) -> Result<(), String> {
    let Some((program, rest)) =
        arguments.split_first().filter(|(first, _)| !matches!(first.as_str(), "--help" | "-h"))
    else {
        println!("{HELP}");
        return Ok(());
    };
    let server = PostgresServer::start()?
        .ok_or("PostgreSQL is not installed: `apt-get install postgresql` does that on Debian")?;
    let mut command = Command::new(program);
    forget_package(&mut command);
    server.serve(command.args(rest));
    let status = command.status().map_err(|error| format!("failed to run {program:?}: {error}"))?;
    if status.success() { Ok(()) } else { Err(format!("{program:?} ended with {status}")) }
}

impl PostgresServer {
    /// Starts a server for tests, which does not wait for the disk; `None` if none is installed.
    pub(crate) fn start() -> Result<Option<Self>, String> {
        Self::start_with(
            "-c fsync=off -c full_page_writes=off -c max_wal_size=4GB -c autovacuum=off -c jit=off -c max_connections=1000",
        )
    }

    /// Starts a server with the settings that an installed server has; `None` if none is installed.
    pub(crate) fn start_with_defaults() -> Result<Option<Self>, String> {
        Self::start_with("")
    }

    fn start_with(settings: &str) -> Result<Option<Self>, String> {
        let Some(programs) = programs() else { return Ok(None) };
        let folder = env::temp_dir().join(format!("mgp-postgres-{}", process::id()));
        fs::create_dir(&folder).map_err(|error| format!("failed to create {}: {error}", folder.display()))?;
        let server = Self { programs, folder };
        give_to_user(&server.folder)?;
        server.run("initdb", &["-A", "trust", "-U", "mgp", "--no-sync"])?;
        let options = format!("-k {} -c listen_addresses= {settings}", server.folder.display());
        server.run("pg_ctl", &["-w", "-s", "-l", &server.log(), "-o", &options, "start"])?;
        Ok(Some(server))
    }

    /// Gives a command the URL of the server.
    pub(crate) fn serve(&self, command: &mut Command) {
        let folder = self.folder.display().to_string().replace('/', "%2F");
        command.env(VARIABLE, format!("postgres://mgp@{folder}/postgres"));
    }

    fn log(&self) -> String {
        self.folder.join("log").display().to_string()
    }

    fn run(&self, program: &str, arguments: &[&str]) -> Result<(), String> {
        let mut command = Command::new(self.programs.join(program));
        command.arg("-D").arg(self.folder.join("data")).args(arguments);
        // The server would keep a pipe open.
        command.current_dir(&self.folder).stdin(Stdio::null()).stdout(Stdio::null());
        as_user(&mut command)?;
        let status = command.status().map_err(|error| format!("failed to run {command:?}: {error}"))?;
        if status.success() {
            return Ok(());
        }
        let log = fs::read_to_string(self.log()).unwrap_or_default();
        Err(format!("{program} ended with {status}\n{log}"))
    }
}

impl Drop for PostgresServer {
    fn drop(&mut self) {
        // A server that did not start cannot be stopped.
        let _ = self.run("pg_ctl", &["-s", "-m", "immediate", "stop"]);
        let _ = fs::remove_dir_all(&self.folder);
    }
}

/// Returns the folder of the server's programs.
fn programs() -> Option<PathBuf> {
    let path = env::var_os("PATH").unwrap_or_default();
    let mut folders: Vec<PathBuf> = env::split_paths(&path).collect();
    let versions = fs::read_dir(DEBIAN).into_iter().flatten().flatten();
    folders.extend(versions.map(|version| version.path().join("bin")));
    folders
        .into_iter()
        .find(|folder| ["initdb", "pg_ctl", "postgres"].iter().all(|name| folder.join(name).is_file()))
}

/// Gives the folder to the user that the server runs as.
fn give_to_user(folder: &Path) -> Result<(), String> {
    #[cfg(unix)]
    if let Some((user, group)) = user()? {
        return std::os::unix::fs::chown(folder, Some(user), Some(group))
            .map_err(|error| format!("failed to give {} away: {error}", folder.display()));
    }
    Ok(())
}

/// Lets a command run as the user that the server runs as.
fn as_user(command: &mut Command) -> Result<(), String> {
    #[cfg(unix)]
    if let Some((user, group)) = user()? {
        use std::os::unix::process::CommandExt;
        command.uid(user).gid(group);
    }
    Ok(())
}

/// Returns the user and group that the server runs as, if this process is root's.
#[cfg(unix)]
fn user() -> Result<Option<(u32, u32)>, String> {
    use std::os::unix::fs::MetadataExt;
    let own = fs::metadata("/proc/self").map_or(1, |found| found.uid());
    if own != 0 {
        return Ok(None);
    }
    let users =
        fs::read_to_string("/etc/passwd").map_err(|error| format!("failed to read /etc/passwd: {error}"))?;
    let find = |name: &&str| {
        let line = users.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(':'))?;
        let mut fields = line.split(':').skip(1);
        Some((fields.next()?.parse().ok()?, fields.next()?.parse().ok()?))
    };
    USERS
        .iter()
        .find_map(find)
        .map(Some)
        .ok_or_else(|| format!("PostgreSQL refuses to run as root, and none of {USERS:?} exists"))
}
