//! The options that an entry gives to the program that runs its package. Such a program takes the first word as the package, and has options
//! that run other code. Only options known to do neither are allowed.

use super::names::one_line;
use crate::config::runs_other_code;

/// The options of a program that runs packages.
struct RunnerOptions {
    program: &'static str,
    /// The options without a value.
    alone: &'static [&'static str],
    /// The options with a value, after `=` or as the next word.
    with_value: &'static [&'static str],
}

const NPX: RunnerOptions = RunnerOptions {
    program: "npx",
    alone: &["-y", "--yes", "-q", "--quiet", "-s", "--silent", "--no", "--offline", "--prefer-offline"],
    with_value: &[],
};

const UVX: RunnerOptions = RunnerOptions {
    program: "uvx",
    alone: &[
        "-q",
        "--quiet",
        "-v",
        "--verbose",
        "-n",
        "--no-cache",
        "--isolated",
        "--refresh",
        "--offline",
        "--no-progress",
        "--native-tls",
    ],
    with_value: &["--from", "-p", "--python", "--prerelease"],
};

const DNX: RunnerOptions = RunnerOptions {
    program: "dnx",
    alone: &["-y", "--yes", "--prerelease", "--allow-roll-forward"],
    with_value: &["-v", "--verbosity"],
};

const DOCKER: RunnerOptions = RunnerOptions {
    program: "docker",
    alone: &[
        "--rm",
        "-i",
        "--interactive",
        "-t",
        "--tty",
        "-it",
        "-ti",
        "--init",
        "--read-only",
        "-q",
        "--quiet",
    ],
    with_value: &[
        "-e",
        "--env",
        "-v",
        "--volume",
        "--mount",
        "--tmpfs",
        "-p",
        "--publish",
        "--network",
        "--net",
        "--add-host",
        "--name",
        "-h",
        "--hostname",
        "-l",
        "--label",
        "-w",
        "--workdir",
        "-u",
        "--user",
        "-m",
        "--memory",
        "--cpus",
        "--shm-size",
        "--ulimit",
        "--platform",
        "--pull",
    ],
};

/// Checks the options before a package.
///
/// # Errors
/// A sentence that names the first option that is not known to be harmless.
pub(super) fn check_runtime(kind: &str, package: &str, arguments: &[String]) -> Result<(), String> {
    let options = match kind {
        "npm" => NPX,
        "pypi" => UVX,
        "nuget" => DNX,
        _ => DOCKER,
    };
    let mut rest = arguments.iter();
    while let Some(argument) = rest.next() {
        let (name, joined) = match argument.split_once('=') {
            Some((name, value)) => (name, Some(value)),
            None => (argument.as_str(), None),
        };
        if joined.is_none() && options.alone.contains(&name) {
            continue;
        }
        let takes_value = options.with_value.contains(&name);
        let value = joined.or_else(|| if takes_value { rest.next().map(String::as_str) } else { None });
        if !value.is_some_and(|value| takes_value && is_harmless(options.program, package, name, value)) {
            return Err(format!(
                "its argument {:?} before the package may have {} run other code: set it yourself if you want it",
                one_line(argument, 64),
                options.program
            ));
        }
    }
    Ok(())
}

/// Returns whether the value of an option does not change the package that is run.
fn is_harmless(program: &str, package: &str, name: &str, value: &str) -> bool {
    let is_plain = |text: &str| text.chars().all(|c| c.is_ascii_alphanumeric() || "._-+!=".contains(c));
    match (program, name) {
        (_, "--from") => match value.strip_prefix(package) {
            Some(rest) => rest.is_empty() || rest.starts_with(['=', '@']) && is_plain(&rest[1..]),
            None => false,
        },
        // A path would be another interpreter.
        ("uvx", "-p" | "--python") => value.chars().all(|c| c.is_ascii_digit() || c == '.'),
        (_, "--prerelease" | "--verbosity") | ("dnx", "-v") => {
            value.chars().all(|c| c.is_ascii_alphabetic() || c == '-')
        }
        (_, "-e" | "--env") => !runs_other_code(value.split('=').next().unwrap_or_default()),
        (_, "-v" | "--volume") => !value.split(':').next().is_some_and(is_of_system),
        (_, "--mount") => is_harmless_mount(value),
        _ => !value.starts_with('-'),
    }
}

/// Returns whether a mount exposes no system folder. Its options are a line of CSV, so quotes could hide an option, and driver options could
/// name another folder.
fn is_harmless_mount(value: &str) -> bool {
    const TARGETS: &[&str] = &["type", "dst", "target", "destination", "ro", "readonly", "consistency"];
    !value.contains('"')
        && value.split(',').all(|part| {
            let (key, place) = part.split_once('=').unwrap_or((part, ""));
            match key.to_ascii_lowercase().as_str() {
                "src" | "source" => !is_of_system(place),
                key => TARGETS.contains(&key),
            }
        })
}

/// Returns whether a path of this machine holds more than the data of one server: system folders, sockets of services, or whole home folders.
fn is_of_system(place: &str) -> bool {
    /// System folders, including everything in them.
    const SYSTEM: &[&str] = &[
        "bin", "boot", "dev", "etc", "lib", "lib32", "lib64", "proc", "root", "run", "sbin", "sys", "usr",
        "var/lib", "var/run", "Library", "System", "private",
    ];
    /// Folders that contain the folders of all users, or data.
    const SHARED: &[&str] = &["", "home", "mnt", "opt", "srv", "var", "Users", "${HOME}", "$HOME", "~"];
    /// Folders of a user that contain keys.
    const KEYS: &[&str] = &[".aws", ".azure", ".config", ".docker", ".gnupg", ".kube", ".netrc", ".ssh"];
    let place = place.trim_matches(['"', '\'']);
    let parts: Vec<&str> = place.split(['/', '\\']).filter(|part| !matches!(*part, "" | ".")).collect();
    let path = parts.join("/");
    let is_path = place.starts_with(['/', '.', '~', '$']);
    let is_home = matches!(parts.as_slice(), ["home" | "Users", _]) && place.starts_with('/');
    let below = |folder: &&str| {
        path.strip_prefix(*folder).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
    };
    parts.contains(&"..")
        || parts.iter().any(|part| KEYS.contains(part))
        || path.ends_with(".sock")
        || is_path && (is_home || SHARED.contains(&path.as_str()))
        || place.starts_with('/') && SYSTEM.iter().any(below)
}

#[cfg(test)]
mod tests {
    use super::check_runtime;

    fn check(kind: &str, arguments: &str) -> Result<(), String> {
        let arguments: Vec<String> = arguments.split_whitespace().map(str::to_owned).collect();
        check_runtime(kind, "notes", &arguments)
    }

    #[test]
    fn options_that_keep_the_package_are_allowed() {
        for (kind, arguments) in [
            ("npm", ""),
            ("npm", "-y --quiet"),
            ("pypi", "--from notes==1.0 --python 3.12 -q"),
            ("pypi", "--from=notes -p 3.13"),
            ("nuget", "--yes -v quiet"),
            ("oci", "--mount=type=bind,src=${SRC},dst=/project -e KEY -p 8080:80 --network host"),
            ("oci", "-v ${HOME}/notes:/notes --rm"),
            ("oci", "-v notes-data:/data -v /home/ann/notes:/n -v ./etc:/e -v /srv/notes:/s:ro"),
            ("oci", "--mount type=volume,src=run,dst=/r"),
        ] {
            assert_eq!(check(kind, arguments), Ok(()), "{kind}: {arguments}");
        }
    }

    #[test]
    fn options_that_run_other_code_and_other_packages_are_refused() {
        for (kind, arguments) in [
            ("npm", "other-package"),
            ("npm", "-y other-package"),
            ("npm", "--node-options=--require=/tmp/x.js"),
            ("npm", "--node-opt=--require=/tmp/x.js"),
            ("npm", "-c curl"),
            ("npm", "--registry=https://evil.example"),
            ("npm", "-p other"),
            ("npm", "--yes=other"),
            ("pypi", "--from evil"),
            ("pypi", "--from notes@git+https://evil.example/x"),
            ("pypi", "--from notes-evil"),
            ("pypi", "--with evil"),
            ("pypi", "--index-url https://evil.example"),
            ("pypi", "--python /tmp/python"),
            ("pypi", "-p /tmp/python"),
            ("pypi", "--from"),
            ("nuget", "--source https://evil.example"),
            ("oci", "evil/image"),
            ("oci", "--privileged"),
            ("oci", "-v /var/run/docker.sock:/s"),
            ("oci", "-v /var/run:/r"),
            ("oci", "-v /:/h"),
            ("oci", "--volume=//:/h"),
            ("oci", "-v /run/user/1000/podman:/r"),
            ("oci", "-v /home/ann:/h"),
            ("oci", "-v ${HOME}:/h"),
            ("oci", "-v ~/:/h"),
            ("oci", "-v ${HOME}/.ssh:/k"),
            ("oci", "-v /srv/../etc:/e"),
            ("oci", "-v ./x.sock:/s"),
            ("oci", "--mount type=bind,src=/run,dst=/r"),
            ("oci", "--mount type=bind,SRC=/run,dst=/r"),
            ("oci", "--mount type=bind,\"src=/run\",dst=/r"),
            ("oci", "--mount type=volume,dst=/r,volume-opt=o=bind,volume-opt=device=/"),
            ("oci", "-v /srv/ann/.ssh/id_ed25519:/k"),
            ("oci", "--mount type=bind,target=/r,source=/etc/ssl"),
            ("oci", "-e LD_PRELOAD=/x.so"),
            ("oci", "--name --privileged"),
            ("oci", "--entrypoint sh"),
        ] {
            let error = check(kind, arguments).unwrap_err();
            assert!(error.contains("run other code"), "{kind}: {arguments}: {error}");
        }
    }
}
