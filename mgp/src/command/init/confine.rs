//! The confinement of imported servers.

use super::{environment::words, sources::Servers};
use mgp_discovery::config::{ServerConfig, ServerConfinement, Text};
#[cfg(unix)]
use mgp_security::confine::container_mounts;
use mgp_security::confine::{
    Confinement, ConfinementMode, ConfinementPreset, ConfinementSettings, Profile, ProfileFacts,
    ProgramFiles, home_folders, is_program, loads_package,
};
use mgp_transport::child::ChildCommand;
use mgp_types::context::TrustLevel;
use std::{
    borrow::Cow,
    ffi::OsStr,
    io,
    path::{Path, PathBuf},
    sync::Arc,
    time::Duration,
};

/// The time limit of the trial start of a confined process.
const TRIAL: Duration = Duration::from_secs(10);

/// The maximum number of bytes that a program may write to report its version.
const MAX_VERSION: usize = 4096;

/// The servers that cannot be confined, by the words that identify their programs, and the reason.
const UNCONFINABLE: &[(&[&str], &str)] = &[
    (
        &["docker", "podman", "nerdctl"],
        "it needs the socket of the container engine, and docker gives a confined container no network: with `podman run` it can be confined, \
         and confinement.mode = \"require\" confines one of `docker run` that needs no network",
    ),
    (
        &["playwright", "puppeteer", "browser", "chrome", "chromium", "firefox", "selenium"],
        "it starts a browser, which has its own sandbox",
    ),
];

/// The system folders, which servers only read.
const SYSTEM: &[&str] = &["/bin", "/etc", "/lib", "/lib64", "/nix", "/opt", "/sbin", "/usr"];

/// The file extensions of databases, which keep a journal in the same folder.
const DATABASES: &[&str] = &["db", "db3", "duckdb", "sqlite", "sqlite3"];

/// Returns the reason why this system cannot confine a process, if it cannot. Starts this program confined to find out.
pub(in crate::command) async fn obstacle() -> Option<String> {
    if cfg!(not(any(target_os = "linux", target_os = "macos"))) {
        return Some("only Linux and macOS can confine a process".to_owned());
    }
    trial().await.err().map(|error| error.to_string())
}

async fn trial() -> io::Result<()> {
    let program = std::env::current_exe()?;
    let program = program.to_str().ok_or_else(|| io::Error::other("the path of this program is not text"))?;
    let settings = ConfinementSettings {
        mode: Some(ConfinementMode::Require),
        network: Some(false),
        ..ConfinementSettings::default()
    };
    let profile = Profile::derive(&ProfileFacts {
        trust: TrustLevel::Standard,
        settings: &settings,
        granted: &[],
        program: &ProgramFiles::find(program, &[], None, None),
        granted_programs: &ProgramFiles::default(),
        private_folder: None,
        kernel_files: &[],
        homes: &home_folders(),
    });
    let mut command = ChildCommand::new("mgp", program).args(["--version"]);
    if let Some(confinement) = Confinement::new("mgp", profile) {
        command = command.setup(Arc::new(confinement));
    }
    match command.run(b"", MAX_VERSION, TRIAL).await?.status {
        Some(status) if status.success() => Ok(()),
        Some(status) => Err(io::Error::other(format!("a confined program fails: {status}"))),
        None => Err(io::Error::other("a confined program writes without end")),
    }
}

/// Confines the servers, and adds a remark for each. Returns the ids of the confined servers; with an obstacle, none. `path` is the search
/// path of programs.
pub(in crate::command) fn confine(
    found: &mut Servers,
    path: Option<&OsStr>,
    obstacle: Option<&str>,
) -> Vec<String> {
    if let Some(obstacle) = obstacle {
        let text = format!("no server is confined, because this system cannot do it: {obstacle}");
        found.remarks.push(text);
        return Vec::new();
    }
    let homes = home_folders();
    let mut confined = Vec::new();
    for server in &mut found.servers {
        match confinement(server, &homes, path) {
            Ok((confinement, too_wide)) => {
                found.remarks.push(format!("{} is confined{}", server.id, in_words(&confinement)));
                if !too_wide.is_empty() {
                    found.remarks.push(format!(
                        "{} is not given {}, which holds a home folder: name what it needs in its confinement.read or confinement.write",
                        server.id,
                        too_wide.join(", ")
                    ));
                }
                server.confinement = Some(confinement);
                confined.push(server.id.clone());
            }
            Err(reason) => found.remarks.push(format!("{} is not confined: {reason}", server.id)),
        }
    }
    if !confined.is_empty() {
        let text = "confined servers reach no other files and hosts: `mgp approve ID network.outbound --host NAME` opens a host, \
                    [servers.confinement] opens files, and `mgp servers explain ID` shows what a server may do";
        found.remarks.push(text.to_owned());
    }
    confined
}

/// Adds the remark that servers could be confined, if there are any that could.
pub(super) fn offer(found: &mut Servers) {
    if cfg!(target_os = "linux") && found.servers.iter().any(|server| server.command.is_some()) {
        let text = "nothing confines the servers: they may do whatever this account may. \
                    `mgp init --confine --force` writes the file with confinement";
        found.remarks.push(text.to_owned());
    }
}

/// Returns the confinement of a server, and the paths among its settings that are too wide to open. If the server cannot be confined,
/// returns the reason.
fn confinement(
    server: &ServerConfig,
    homes: &[PathBuf],
    path: Option<&OsStr>,
) -> Result<(ServerConfinement, Vec<String>), Cow<'static, str>> {
    let Some(command) = &server.command else {
        return Err("it runs at its URL, where this gateway cannot confine it".into());
    };
    let args: Vec<String> = server.args.iter().map(|arg| arg.written().to_owned()).collect();
    #[cfg(unix)]
    if Path::new(command.written()).file_stem() == Some(OsStr::new("podman"))
        && let Some(mounts) = container_mounts(command.written(), &args)
    {
        return of_container(&mounts?, homes);
    }
    let words = words(server);
    let known = UNCONFINABLE.iter().find(|(names, _)| names.iter().any(|name| words.contains(*name)));
    if let Some(&(_, reason)) = known {
        return Err(reason.into());
    }
    let cwd = server.cwd.as_ref().map(|cwd| Path::new(cwd.written()));
    let program = ProgramFiles::find(command.written(), &args, cwd, path);
    let mut confinement = ServerConfinement {
        mode: Some(ConfinementMode::Require),
        preset: loads_package(command.written(), &args).then_some(ConfinementPreset::Packages),
        ..ServerConfinement::default()
    };
    let is_own = |place: &Path| {
        [&program.executable, &program.named, &program.readable].iter().any(|files| files.contains(place))
    };
    let mut too_wide = Vec::new();
    for (text, reads_only) in given(server) {
        if !is_own(Path::new(text)) && !open(&mut confinement, text, reads_only, homes) {
            too_wide.push(text.to_owned());
        }
    }
    Ok((confinement, too_wide))
}

/// Returns the confinement of a container of `podman run`, which may use the paths that its command mounts.
#[cfg(unix)]
fn of_container(
    mounts: &[(String, bool)],
    homes: &[PathBuf],
) -> Result<(ServerConfinement, Vec<String>), Cow<'static, str>> {
    let mut confinement =
        ServerConfinement { mode: Some(ConfinementMode::Require), ..ServerConfinement::default() };
    for (source, reads_only) in mounts {
        if homes.iter().any(|home| home.starts_with(source)) {
            // Its container could not start without the mount.
            return Err(format!("it mounts {source}, which holds a home folder").into());
        }
        let list = if *reads_only { &mut confinement.read } else { &mut confinement.write };
        list.push(source.as_str().into());
    }
    Ok((confinement, Vec::new()))
}

/// Returns the absolute paths in a server's settings, each with whether the server only reads it. They are the working directory,
/// arguments, and values of variables.
fn given(server: &ServerConfig) -> Vec<(&str, bool)> {
    let cwd = server.cwd.iter().map(|cwd| (cwd.written(), false));
    let args = server.args.iter().map(|arg| {
        let text = arg.written();
        // `--db=/home/ann/notes.sqlite3`
        let value = text.split_once('=').filter(|_| text.starts_with('-')).map_or(text, |(_, value)| value);
        (value, false)
    });
    let variables =
        server.env.iter().map(|(name, value)| (value.written(), ChildCommand::names_secret(name)));
    cwd.chain(args).chain(variables).filter(|(text, _)| text.starts_with('/')).collect()
}

/// Opens a path from a server's settings, as narrowly as the server's likely needs allow. Returns false if the path contains a home
/// folder.
fn open(confinement: &mut ServerConfinement, text: &str, reads_only: bool, homes: &[PathBuf]) -> bool {
    let path = Path::new(text);
    let end = path.extension().and_then(OsStr::to_str);
    // A missing file will be created in its folder, and a database creates its journal there.
    let is_made = if path.exists() {
        path.is_file() && end.is_some_and(|end| DATABASES.contains(&end))
    } else {
        end.is_some()
    };
    let place = match path.parent() {
        Some(folder) if is_made && !reads_only && folder.is_dir() => folder,
        _ if path.exists() => path,
        _ => return true,
    };
    if homes.iter().any(|home| home.starts_with(place)) {
        return false;
    }
    let Some(entry) = place.to_str().map(Text::from) else { return true };
    let list = if is_program(place) {
        &mut confinement.execute
    } else if reads_only || SYSTEM.iter().any(|folder| place.starts_with(folder)) {
        &mut confinement.read
    } else {
        &mut confinement.write
    };
    if !list.contains(&entry) {
        list.push(entry);
    }
    true
}

/// Returns the access that a confinement opens, as the end of a sentence.
fn in_words(confinement: &ServerConfinement) -> String {
    let ServerConfinement { preset, read, write, execute, .. } = confinement;
    let lists = [("write", write), ("read", read), ("start", execute)].into_iter();
    let lists = lists.filter(|(_, list)| !list.is_empty()).map(|(verb, list)| {
        let paths: Vec<_> = list.iter().map(Text::written).collect();
        format!("{verb} {}", paths.join(", "))
    });
    let packages = preset.map(|_| "load its package from npm or PyPI".to_owned());
    let parts: Vec<_> = packages.into_iter().chain(lists).collect();
    if parts.is_empty() { String::new() } else { format!(": it may {}", parts.join("; ")) }
}

#[cfg(test)]
#[cfg(unix)]
mod tests {
    use super::*;
    use std::fs;

    /// Returns a server with a command line and variables.
    fn server(line: &[&str], env: &[(&str, &str)]) -> ServerConfig {
        let mut server = ServerConfig::new("s");
        server.command = Some(line[0].into());
        server.args = line[1..].iter().map(|arg| Text::from(*arg)).collect();
        server.env = env.iter().map(|(name, value)| ((*name).to_owned(), (*value).into())).collect();
        server
    }

    #[test]
    fn a_server_may_use_given_paths_except_parents_of_a_home_folder() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap();
        for name in ["home/ann/notes", "work", "data"] {
            fs::create_dir_all(root.join(name)).unwrap();
        }
        for name in ["home/ann/key.json", "work/settings.json", "data/old.db"] {
            fs::write(root.join(name), "").unwrap();
        }
        let at = |name: &str| root.join(name).to_str().unwrap().to_owned();
        let homes = [root.join("home/ann")];
        let server = server(
            &[
                "no-such-program",
                &at("home/ann/notes"),
                &format!("--settings={}", at("work/settings.json")),
                &at("data/old.db"),
                &format!("--db={}", at("work/new.sqlite3")),
                &at("home"),
                "/",
                "/no/such/file.txt",
                "work",
                "/etc/passwd",
            ],
            &[("API_KEY_FILE", at("home/ann/key.json").as_str()), ("MODE", "x")],
        );
        let (confinement, too_wide) = confinement(&server, &homes, None).unwrap();
        let written = |list: &[Text]| list.iter().map(|text| text.written().to_owned()).collect::<Vec<_>>();
        assert_eq!(confinement.mode, Some(ConfinementMode::Require));
        assert_eq!(
            written(&confinement.write),
            [at("home/ann/notes"), at("work/settings.json"), at("data"), at("work")]
        );
        assert_eq!(written(&confinement.read), ["/etc/passwd".to_owned(), at("home/ann/key.json")]);
        assert_eq!(written(&confinement.execute), [] as [&str; 0]);
        assert_eq!(too_wide, [at("home"), "/".to_owned()]);
    }

    #[test]
    fn a_package_runner_has_a_preset_and_the_unconfinable_a_reason() {
        let of = |line: &[&str]| confinement(&server(line, &[]), &[], None);
        let (packages, _) = of(&["npx", "-y", "some-server"]).unwrap();
        assert_eq!(packages.preset, Some(ConfinementPreset::Packages));
        assert_eq!(of(&["no-such-program"]).unwrap().0.preset, None);
        assert!(of(&["docker", "run", "-i", "x"]).unwrap_err().contains("container engine"));
        assert!(of(&["npx", "@playwright/mcp@latest"]).unwrap_err().contains("browser"));
        let mut far = ServerConfig::new("far");
        far.url = Some("https://x.example".into());
        assert!(confinement(&far, &[], None).unwrap_err().contains("at its URL"));
    }

    #[test]
    fn a_container_of_podman_may_use_its_mounts() {
        let homes = [PathBuf::from("/home/ann")];
        let of = |line: &[&str]| confinement(&server(line, &[]), &homes, None);
        let line =
            ["podman", "run", "-i", "-v", "/home/ann/notes:/notes:ro", "-v", "/srv:/srv", "x", "/notes"];
        let (confined, too_wide) = of(&line).unwrap();
        assert_eq!(confined.mode, Some(ConfinementMode::Require));
        assert_eq!(
            (&confined.read[..], &confined.write[..]),
            (&["/home/ann/notes".into()][..], &["/srv".into()][..])
        );
        assert_eq!(too_wide, [] as [&str; 0]);
        let refused = of(&["podman", "run", "-i", "-v", "/home:/all", "x"]).unwrap_err();
        assert!(refused.contains("/home, which holds a home folder"), "{refused}");
        let refused = of(&["podman", "run", "--privileged", "x"]).unwrap_err();
        assert!(refused.contains("--privileged"), "{refused}");
        assert!(of(&["podman", "exec", "-i", "x"]).unwrap_err().contains("container engine"));
    }

    #[test]
    fn unsupported_systems_confine_no_server_and_give_the_reason() {
        let mut found = Servers { servers: vec![server(&["x"], &[])], ..Servers::default() };
        assert_eq!(confine(&mut found, None, Some("no namespaces")), [] as [&str; 0]);
        assert_eq!(found.servers[0].confinement, None);
        let expected = "no server is confined, because this system cannot do it: no namespaces";
        assert_eq!(found.remarks, [expected]);
        assert_eq!(confine(&mut found, None, None), ["s"]);
        assert!(found.servers[0].confinement.is_some(), "{:?}", found.remarks);
    }
}
