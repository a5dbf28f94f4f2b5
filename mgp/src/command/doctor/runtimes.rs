//! The runtimes of servers: their versions, and the commands that install them.

use super::{
    context::Context,
    finding::{Finding, Kind, Remedy},
};
use futures_util::future::join_all;
use mgp_discovery::config::ServerConfig;
use mgp_transport::child::ChildCommand;
use std::{collections::BTreeMap, env, io, path::Path, time::Duration};

/// The time limit of a program that reports its version.
const LIMIT: Duration = Duration::from_secs(8);
/// The most that such a program may write, in bytes.
const MAX_OUTPUT: usize = 64 * 1024;

/// A runtime of servers.
struct Runtime {
    /// The programs that need it.
    programs: &'static [&'static str],
    /// The program that reports its version, and the arguments.
    version: &'static [&'static str],
    /// The first version that the SDKs of MCP support.
    least: (u64, u64),
    /// The command that installs a new version.
    update: &'static str,
}

const RUNTIMES: [Runtime; 5] = [
    Runtime {
        programs: &["node", "npm", "npx", "pnpm", "yarn"],
        version: &["node", "--version"],
        least: (18, 0),
        update: "sudo npx -y n lts",
    },
    Runtime {
        programs: &["python3"],
        version: &["python3", "--version"],
        least: (3, 10),
        update: "uv python install --default",
    },
    Runtime {
        programs: &["python"],
        version: &["python", "--version"],
        least: (3, 10),
        update: "uv python install --default",
    },
    Runtime {
        programs: &["uv", "uvx"],
        version: &["uv", "--version"],
        least: (0, 4),
        update: "uv self update",
    },
    Runtime {
        programs: &["docker"],
        version: &["docker", "version", "--format", "{{.Server.Version}}"],
        least: (0, 0),
        update: "sudo systemctl start docker",
    },
];

/// The package managers of systems, with the commands that install a package.
const MANAGERS: [(&str, &str); 6] = [
    ("brew", "brew install"),
    ("apt-get", "sudo apt-get install"),
    ("dnf", "sudo dnf install"),
    ("pacman", "sudo pacman -S"),
    ("apk", "sudo apk add"),
    ("zypper", "sudo zypper install"),
];

/// The packages of known programs.
const PACKAGES: [(&[&str], &str); 7] = [
    (&["npx", "npm", "node"], "nodejs npm"),
    (&["python", "python3"], "python3"),
    (&["docker"], "docker.io"),
    (&["podman"], "podman"),
    (&["java"], "default-jre"),
    (&["go"], "golang"),
    (&["git"], "git"),
];

/// Programs that are not packages of the systems, with the commands that install them.
const INSTALLERS: [(&[&str], &str); 5] = [
    (&["uv", "uvx"], "curl -LsSf https://astral.sh/uv/install.sh | sh"),
    (&["bun", "bunx"], "curl -fsSL https://bun.com/install | bash"),
    (&["deno"], "curl -fsSL https://deno.land/install.sh | sh"),
    (&["pnpm", "yarn"], "corepack enable"),
    (&["cargo"], "curl --proto '=https' --tlsv1.2 -sSf https://sh.rustup.rs | sh"),
];

/// Returns the command that installs a known program.
pub(super) fn installation(program: &str) -> Option<String> {
    let is_named = |names: &[&str]| names.contains(&program);
    if let Some((_, command)) = INSTALLERS.iter().find(|(names, _)| is_named(names)) {
        return Some((*command).to_owned());
    }
    let (_, package) = PACKAGES.iter().find(|(names, _)| is_named(names))?;
    let search_path = env::var_os("PATH").unwrap_or_default();
    let exists = |program: &str| env::split_paths(&search_path).any(|folder| folder.join(program).is_file());
    let (_, install) = MANAGERS.iter().find(|(manager, _)| exists(manager)).unwrap_or(&MANAGERS[1]);
    Some(format!("{install} {package}"))
}

/// The versions of runtimes, by the ids of the servers.
pub(super) type Versions = BTreeMap<String, String>;

/// Checks the runtimes of the servers, side by side.
pub(super) async fn check(context: &Context) -> (Vec<Finding>, Versions) {
    let mut needed: BTreeMap<usize, Vec<&ServerConfig>> = BTreeMap::new();
    for server in context.servers().filter(|server| server.fault.is_none()) {
        let Some(command) = &server.command else { continue };
        let name = Path::new(command.value()).file_stem().and_then(|name| name.to_str()).unwrap_or_default();
        let of_name = |runtime: &Runtime| runtime.programs.contains(&name);
        if let Some(at) = RUNTIMES.iter().position(of_name) {
            needed.entry(at).or_default().push(server);
        }
    }
    let checked = needed.into_iter().map(async |(at, servers)| {
        let mut version = None;
        let finding = check_runtime(&RUNTIMES[at], &servers, &mut version).await;
        let version = version.map(|version| format!("{} {version}", RUNTIMES[at].version[0]));
        let versions = servers.iter().filter_map(|server| Some((server.id.clone(), version.clone()?)));
        (finding, versions.collect::<Versions>())
    });
    let (mut findings, mut versions) = (Vec::new(), Versions::new());
    for (finding, more) in join_all(checked).await {
        findings.extend(finding);
        versions.extend(more);
    }
    (findings, versions)
}

/// Checks the runtime of servers, and sets the version that it reports.
async fn check_runtime(
    runtime: &Runtime,
    servers: &[&ServerConfig],
    reported: &mut Option<String>,
) -> Option<Finding> {
    let [program, args @ ..] = runtime.version else { return None };
    let (first, ids) = (servers.first()?, servers.iter().map(|server| &*server.id).collect::<Vec<_>>());
    // The same program as the server's, if it is named by its path.
    let command = first.command.as_ref().map_or("", |command| command.value());
    let folder = Path::new(command).parent().filter(|folder| folder.is_absolute());
    let beside = folder.map(|folder| folder.join(program)).filter(|path| path.is_file());
    let path =
        beside.and_then(|path| path.to_str().map(str::to_owned)).unwrap_or_else(|| (*program).to_owned());
    let mut command = ChildCommand::new("doctor", path).args(args.iter().copied());
    if let Some(search_path) = first.env.get("PATH") {
        command = command.env("PATH", search_path.reveal());
    }
    let ran = command.inherit(["DOCKER_*"]).run(b"", MAX_OUTPUT, LIMIT).await;
    let finding = |kind, problem: String, command: &str| {
        let problem = if ids.len() > 1 { format!("{problem} ({})", ids.join(", ")) } else { problem };
        Some(Finding::new(kind, problem, Remedy::Command(command.to_owned())).of(&first.id))
    };
    let is_engine = *program == "docker";
    match ran {
        // A program that is missing has its own finding.
        Err(error) if error.kind() == io::ErrorKind::NotFound => None,
        Ok(ran) if ran.status.is_some_and(|status| status.success()) => {
            let text = String::from_utf8_lossy(&ran.output).trim().to_owned();
            let found = version(&text)?;
            *reported = Some(format!("{}.{}", found.0, found.1));
            let (major, minor) = runtime.least;
            (found < runtime.least).then(|| {
                let problem = format!(
                    "{program} has version {}.{}: servers need at least {major}.{minor}",
                    found.0, found.1
                );
                finding(Kind::ServerRuntimeOld, problem, runtime.update)
            })?
        }
        _ if is_engine => {
            let problem = "its container engine docker does not answer".to_owned();
            finding(Kind::ServerEngine, problem, runtime.update)
        }
        Ok(ran) => {
            let status = ran.status.map(|status| status.to_string()).unwrap_or_default();
            let problem = format!("{program} does not report its version: {status}");
            finding(Kind::ServerRuntimeBroken, problem, &reinstallation(program))
        }
        Err(error) => {
            let problem = format!("{program} does not report its version: {error}");
            finding(Kind::ServerRuntimeBroken, problem, &reinstallation(program))
        }
    }
}

fn reinstallation(program: &str) -> String {
    installation(program).unwrap_or_else(|| format!("{program} --version"))
}

/// Returns the first two numbers of a version in a text, such as `Python 3.12.1` or `v22.1.0`.
fn version(text: &str) -> Option<(u64, u64)> {
    let words = text.split_whitespace().map(|word| word.trim_start_matches('v'));
    words.into_iter().find_map(|word| {
        let mut numbers = word.split(['.', '-', '+']);
        Some((numbers.next()?.parse().ok()?, numbers.next()?.parse().ok()?))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_found_in_the_texts_of_programs() {
        for (text, expected) in [
            ("v22.11.0\n", Some((22, 11))),
            ("Python 3.9.2", Some((3, 9))),
            ("uv 0.5.1 (abc 2024-11-08)", Some((0, 5))),
            ("27.3.1", Some((27, 3))),
            ("nothing", None),
            ("", None),
        ] {
            assert_eq!(version(text), expected, "{text}");
        }
    }

    #[test]
    fn known_programs_have_a_command_that_installs_them() {
        for program in RUNTIMES.iter().flat_map(|runtime| runtime.programs) {
            assert!(installation(program).is_some(), "{program}");
        }
        assert_eq!(installation("no-such-program"), None);
    }
}
