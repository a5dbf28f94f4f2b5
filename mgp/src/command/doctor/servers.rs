//! The commands of servers: whether each program can be started, without starting it.

use super::{
    context::{Context, word},
    finding::{Finding, Kind, Remedy},
    runtimes::installation,
};
use mgp_discovery::config::{ServerConfig, Text};
use std::{
    env,
    ffi::{OsStr, OsString},
    fs::File,
    io::Read,
    path::{Path, PathBuf},
};

/// The most that is read of a program, for the first line of a script. The system reads as much.
const FIRST_LINE: u64 = 256;

pub(super) fn check(context: &Context) -> Vec<Finding> {
    context.servers().filter_map(|server| check_server(context, server)).collect()
}

fn check_server(context: &Context, server: &ServerConfig) -> Option<Finding> {
    let finding = |kind, problem: String, remedy| Some(Finding::new(kind, problem, remedy).of(&server.id));
    if let Some(fault) = &server.fault {
        return finding(
            Kind::ServerVariable,
            fault.clone(),
            Remedy::Command(unset_variable(context, server)),
        );
    }
    let command = server.command.as_ref()?.value();
    if let Some(folder) = server.cwd.as_ref().map(Text::value).filter(|folder| !Path::new(folder).is_dir()) {
        let problem = format!("its working directory {folder} does not exist");
        let remedy = Remedy::Command(format!("mkdir -p {}", word(Path::new(folder))));
        return finding(Kind::ServerFolder, problem, remedy);
    }
    let own = search_path(context, server);
    match find(command, server, &own) {
        ProgramFile::Executable(path) => check_interpreter(server, &path, &own),
        ProgramFile::Closed(path) => {
            let problem = format!("its program {} is not executable", path.display());
            let remedy = Remedy::Command(format!("chmod u+x {}", word(&path)));
            finding(Kind::ServerNotExecutable, problem, remedy)
        }
        ProgramFile::Missing if command.trim().contains(' ') => {
            let problem = format!("command = {command:?} is not a program: its arguments belong into args");
            finding(Kind::ServerCommandLine, problem, Remedy::Key(key(server, "args")))
        }
        ProgramFile::Missing => {
            let in_shell = context.shell_path.as_ref().map(|path| find(command, server, path));
            if let Some(ProgramFile::Executable(path)) = in_shell {
                let problem = format!(
                    "its program {command} is only in the login shell's PATH, as {}: the gateway that all hosts share finds it, \
                     and other commands do not",
                    path.display()
                );
                let remedy = Remedy::Key(format!("{} = {:?}", key(server, "command"), path.display()));
                return finding(Kind::ServerOnlyInShell, problem, remedy);
            }
            let place = match command.contains(std::path::is_separator) {
                true => "does not exist".to_owned(),
                false => "is neither in PATH nor in the login shell's".to_owned(),
            };
            let remedy =
                installation(command).map_or_else(|| Remedy::Key(key(server, "command")), Remedy::Command);
            finding(Kind::ServerCommand, format!("its program {command} {place}"), remedy)
        }
    }
}

/// Returns the file of a server's program, if it is found.
pub(super) fn program_file(context: &Context, server: &ServerConfig) -> Option<PathBuf> {
    match find(server.command.as_ref()?.value(), server, &search_path(context, server)) {
        ProgramFile::Executable(path) => Some(path),
        _ => None,
    }
}

/// Returns the path of a server's key in the configuration.
pub(super) fn key(server: &ServerConfig, key: &str) -> String {
    format!("servers.{}.{key}", server.id)
}

/// Returns the command that sets the first unset variable of a server.
fn unset_variable(context: &Context, server: &ServerConfig) -> String {
    let fault = server.fault.as_deref().unwrap_or_default();
    let is_name = |word: &&str| {
        !word.is_empty()
            && word.bytes().all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit() || byte == b'_')
    };
    let words = fault.split(|c: char| !(c.is_ascii_alphanumeric() || c == '_'));
    let name = words.filter(|word| word.len() > 1).find(is_name);
    match (name, &context.file) {
        (Some(name), _) => format!("export {name}=VALUE"),
        (None, Some(file)) => super::context::edit(&file.path, 1),
        (None, None) => "mgp servers".to_owned(),
    }
}

/// Returns the search path of a server's process.
fn search_path(context: &Context, server: &ServerConfig) -> OsString {
    server.env.get("PATH").map_or_else(|| context.search_path(), |path| path.reveal().into())
}

/// The file of a program.
enum ProgramFile {
    Executable(PathBuf),
    /// The file exists, and cannot be executed.
    Closed(PathBuf),
    Missing,
}

/// Finds a program as the system does.
fn find(command: &str, server: &ServerConfig, search_path: &OsStr) -> ProgramFile {
    let cwd = server.cwd.as_ref().map(|cwd| PathBuf::from(cwd.value())).unwrap_or_default();
    let folders: Vec<PathBuf> = match command.contains(std::path::is_separator) {
        true => vec![PathBuf::new()],
        false => env::split_paths(search_path).collect(),
    };
    let files = folders.into_iter().map(|folder| cwd.join(folder).join(command));
    let files: Vec<_> = files.filter(|path| with_suffix(path).is_file()).collect();
    match files.iter().find(|path| is_executable(path)) {
        Some(path) => ProgramFile::Executable(path.clone()),
        None => files.into_iter().next().map_or(ProgramFile::Missing, ProgramFile::Closed),
    }
}

/// Returns a path with the ending of programs, on systems where they have one.
fn with_suffix(path: &Path) -> PathBuf {
    if env::consts::EXE_EXTENSION.is_empty() || path.extension().is_some() {
        return path.to_owned();
    }
    path.with_extension(env::consts::EXE_EXTENSION)
}

/// Returns whether a file can be executed.
pub(super) fn is_executable(path: &Path) -> bool {
    let path = with_suffix(path);
    #[cfg(unix)]
    return path.is_file() && rustix::fs::access(&path, rustix::fs::Access::EXEC_OK).is_ok();
    #[cfg(not(unix))]
    path.is_file()
}

/// Checks the interpreter of a script.
fn check_interpreter(server: &ServerConfig, path: &Path, search_path: &OsStr) -> Option<Finding> {
    let mut start = Vec::new();
    File::open(path).ok()?.take(FIRST_LINE).read_to_end(&mut start).ok()?;
    let line = start.strip_prefix(b"#!")?.split(|byte| *byte == b'\n').next()?;
    let line = String::from_utf8_lossy(line).trim().to_owned();
    let mut words = line.split_whitespace();
    let interpreter = words.next()?;
    // `env` looks the interpreter up; an option before it is rare, and not understood here.
    let looked_up = words.next().filter(|word| interpreter.ends_with("/env") && !word.starts_with('-'));
    let missing = match looked_up {
        Some(name) => matches!(find(name, server, search_path), ProgramFile::Missing).then_some(name),
        None => (!Path::new(interpreter).is_file()).then_some(interpreter),
    }?;
    let problem = format!("its program {} needs {missing}, which does not exist", path.display());
    let name = Path::new(missing).file_name().and_then(OsStr::to_str).unwrap_or(missing);
    let remedy = installation(name).map_or_else(|| Remedy::Key(key(server, "command")), Remedy::Command);
    Some(Finding::new(Kind::ServerInterpreter, problem, remedy).of(&server.id))
}
