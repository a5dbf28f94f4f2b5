//! A command that is `docker run` or `podman run`: the options that a confined container may have.

use std::path::Path;

/// A command that runs a container.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct RunLine {
    /// The program of the engine.
    pub(super) engine: String,
    /// The options that do not weaken the confinement.
    pub(super) options: Vec<String>,
    /// The variables of the container, each with its value, or without one if it is that of the server.
    pub(super) variables: Vec<(String, Option<String>)>,
    /// The mounts of files.
    pub(super) mounts: Vec<LineMount>,
    /// The image.
    pub(super) image: String,
    /// The arguments of the program in the image.
    pub(super) args: Vec<String>,
}

/// A mount that a command asks for.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct LineMount {
    pub(super) source: String,
    pub(super) target: String,
    pub(super) read_only: bool,
}

/// The use of an option.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Use {
    /// A flag that the container has anyway, or that changes nothing.
    Flag,
    /// A flag that is kept.
    KeptFlag,
    /// An option whose value the gateway sets itself.
    Dropped,
    /// An option that is kept with its value.
    Kept,
    Variable,
    Volume,
    Mount,
    /// An option that may only have this value.
    Only(&'static str),
    /// An option that a key of the confinement replaces.
    Key(&'static str),
}

const OPTIONS: &[(&str, Option<char>, Use)] = &[
    ("cap-drop", None, Use::Dropped),
    ("cpus", None, Use::Kept),
    ("entrypoint", None, Use::Kept),
    ("env", Some('e'), Use::Variable),
    ("hostname", Some('h'), Use::Kept),
    ("init", None, Use::KeptFlag),
    ("interactive", Some('i'), Use::Flag),
    ("label", Some('l'), Use::Dropped),
    ("log-driver", None, Use::Dropped),
    ("memory", Some('m'), Use::Key("memory_mb")),
    ("mount", None, Use::Mount),
    ("name", None, Use::Dropped),
    ("net", None, Use::Only("none")),
    ("network", None, Use::Only("none")),
    ("pids-limit", None, Use::Key("processes")),
    ("platform", None, Use::Kept),
    ("pull", None, Use::Kept),
    ("quiet", Some('q'), Use::Flag),
    ("read-only", None, Use::Flag),
    ("rm", None, Use::Flag),
    ("security-opt", None, Use::Only("no-new-privileges")),
    ("user", Some('u'), Use::Kept),
    ("volume", Some('v'), Use::Volume),
    ("workdir", Some('w'), Use::Kept),
];

/// The most words of a command.
const MAX_WORDS: usize = 1000;

/// Returns whether a command is `docker run` or `podman run`.
#[must_use]
pub fn runs_container(program: &str, args: &[String]) -> bool {
    rest(program, args).is_some()
}

/// Returns the mounts of a command that is `docker run` or `podman run`: each path of this machine, and whether the container only reads it.
/// `None` for another command.
///
/// # Errors
/// If an option could weaken the confinement, or is not known.
#[must_use]
pub fn container_mounts(program: &str, args: &[String]) -> Option<Result<Vec<(String, bool)>, String>> {
    let line = RunLine::parse(program, args)?;
    Some(line.map(|line| line.mounts.into_iter().map(|mount| (mount.source, mount.read_only)).collect()))
}

/// Returns the words after `docker run`.
fn rest<'a>(program: &str, args: &'a [String]) -> Option<&'a [String]> {
    let name = Path::new(program).file_stem()?.to_str()?;
    if !matches!(name, "docker" | "podman") {
        return None;
    }
    match args {
        [run, rest @ ..] if run == "run" => Some(rest),
        [container, run, rest @ ..] if container == "container" && run == "run" => Some(rest),
        _ => None,
    }
}

impl RunLine {
    /// Reads a command; `None` if it does not run a container.
    ///
    /// # Errors
    /// If an option could weaken the confinement, or is not known.
    pub(super) fn parse(program: &str, args: &[String]) -> Option<Result<Self, String>> {
        rest(program, args).map(|words| Self { engine: program.to_owned(), ..Self::default() }.read(words))
    }

    fn read(mut self, words: &[String]) -> Result<Self, String> {
        if words.len() > MAX_WORDS {
            return Err(format!("its command has {} words: expected at most {MAX_WORDS}", words.len()));
        }
        let mut words = words.iter();
        while let Some(word) = words.next() {
            if let Some(long) = word.strip_prefix("--").filter(|long| !long.is_empty()) {
                let (name, value) =
                    long.split_once('=').map_or((long, None), |(name, value)| (name, Some(value)));
                let known = OPTIONS.iter().find(|(known, ..)| *known == name).ok_or_else(|| unknown(word))?;
                match (known.2, value) {
                    (Use::Flag | Use::KeptFlag, None | Some("true" | "false")) => {
                        self.add(known, value.unwrap_or("true"))?;
                    }
                    (Use::Flag | Use::KeptFlag, Some(_)) => return Err(unknown(word)),
                    (_, Some(value)) => self.add(known, value)?,
                    (_, None) => self.add(known, words.next().ok_or_else(|| without_value(word))?)?,
                }
            } else if let Some(cluster) =
                word.strip_prefix('-').filter(|cluster| !cluster.is_empty() && *cluster != "-")
            {
                self.read_cluster(word, cluster, &mut words)?;
            } else {
                let image = if word == "--" { words.next().map_or("", |image| image) } else { word };
                self.image = image.to_owned();
                self.args = words.cloned().collect();
                break;
            }
        }
        if self.image.is_empty() || self.image.starts_with('-') {
            return Err(format!(
                "its command {:?} names no image: expected `{} run -i IMAGE`",
                self.engine, self.engine
            ));
        }
        Ok(self)
    }

    /// Reads a word of short options, the last of which may have a value.
    fn read_cluster<'a>(
        &mut self,
        word: &str,
        cluster: &str,
        words: &mut impl Iterator<Item = &'a String>,
    ) -> Result<(), String> {
        for (at, short) in cluster.char_indices() {
            let known =
                OPTIONS.iter().find(|(_, known, _)| *known == Some(short)).ok_or_else(|| unknown(word))?;
            let rest = &cluster[at + short.len_utf8()..];
            match (known.2, rest) {
                (Use::Flag | Use::KeptFlag, _) => self.add(known, "true")?,
                (_, "") => return self.add(known, words.next().ok_or_else(|| without_value(word))?),
                (_, value) => return self.add(known, value.strip_prefix('=').unwrap_or(value)),
            }
        }
        Ok(())
    }

    fn add(&mut self, (name, _, used): &(&str, Option<char>, Use), value: &str) -> Result<(), String> {
        match used {
            Use::Flag | Use::Dropped => {}
            Use::KeptFlag | Use::Kept => self.options.push(format!("--{name}={value}")),
            Use::Variable => {
                let (name, value) =
                    value.split_once('=').map_or((value, None), |(name, value)| (name, Some(value)));
                self.variables.push((name.to_owned(), value.map(str::to_owned)));
            }
            Use::Volume => self.mounts.push(volume(value)?),
            Use::Mount => self.mounts.push(mount(value)?),
            Use::Only(only) => {
                if value.split(['=', ':']).next() != Some(only) || value.ends_with("false") {
                    return Err(format!(
                        "--{name} is {value:?}: a confined container may only have {only:?}"
                    ));
                }
            }
            Use::Key(key) => {
                return Err(format!("--{name} is set in its command: set confinement.{key} instead"));
            }
        }
        Ok(())
    }
}

fn unknown(word: &str) -> String {
    let names: Vec<_> = OPTIONS.iter().map(|(name, ..)| format!("--{name}")).collect();
    let t = if word.starts_with("-it") || word.starts_with("-t") {
        "; -t gives it a terminal, which no server needs"
    } else {
        ""
    };
    format!("a confined container cannot have the option {word:?}: expected one of {}{t}", names.join(", "))
}

fn without_value(word: &str) -> String {
    format!("the option {word:?} of its command has no value")
}

/// Reads the value of `--volume`.
fn volume(value: &str) -> Result<LineMount, String> {
    let wrong = || format!("--volume is {value:?}: expected /SOURCE:/TARGET, with :ro or :rw at the end");
    let mut parts = value.split(':');
    let (source, target) = (parts.next().unwrap_or_default(), parts.next().ok_or_else(wrong)?);
    let mut read_only = false;
    for option in parts.next().iter().flat_map(|options| options.split(',')) {
        match option {
            "ro" => read_only = true,
            "rw" | "cached" | "delegated" | "consistent" => {}
            _ => return Err(wrong()),
        }
    }
    if parts.next().is_some() || !source.starts_with('/') || !target.starts_with('/') {
        return Err(wrong());
    }
    Ok(LineMount { source: source.to_owned(), target: target.to_owned(), read_only })
}

/// Reads the value of `--mount`.
fn mount(value: &str) -> Result<LineMount, String> {
    let wrong = || {
        format!("--mount is {value:?}: expected type=bind,src=/SOURCE,dst=/TARGET, with readonly at the end")
    };
    let (mut mount, mut is_bind) = (LineMount::default(), false);
    for part in value.split(',') {
        match part.split_once('=').map_or((part, "true"), |part| part) {
            ("type", "bind") => is_bind = true,
            ("src" | "source", source) => mount.source = source.to_owned(),
            ("dst" | "destination" | "target", target) => mount.target = target.to_owned(),
            ("readonly" | "ro", "true" | "1") => mount.read_only = true,
            ("readonly" | "ro", "false" | "0") => {}
            _ => return Err(wrong()),
        }
    }
    if !is_bind || !mount.source.starts_with('/') || !mount.target.starts_with('/') {
        return Err(wrong());
    }
    Ok(mount)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(line: &str) -> Result<RunLine, String> {
        let words: Vec<String> = line.split(' ').skip(1).map(str::to_owned).collect();
        RunLine::parse(line.split(' ').next().unwrap(), &words).unwrap()
    }

    #[test]
    fn a_usual_command_is_read() {
        let line = parse(
            "docker run -i --rm --init -e TOKEN -eA=b=c --env=D --name x --network=none -v /src:/dst:ro \
             --mount type=bind,src=/s,dst=/d --entrypoint node --security-opt no-new-privileges:true ghcr.io/a/b:1 stdio --flag",
        )
        .unwrap();
        assert_eq!((&*line.engine, &*line.image), ("docker", "ghcr.io/a/b:1"));
        assert_eq!(line.options, ["--init=true", "--entrypoint=node"]);
        assert_eq!(line.args, ["stdio", "--flag"]);
        let variables = [("TOKEN", None), ("A", Some("b=c")), ("D", None)];
        let variables = variables.map(|(name, value)| (name.to_owned(), value.map(str::to_owned)));
        assert_eq!(line.variables, variables);
        let mount = |source: &str, target: &str, read_only| LineMount {
            source: source.to_owned(),
            target: target.to_owned(),
            read_only,
        };
        assert_eq!(line.mounts, [mount("/src", "/dst", true), mount("/s", "/d", false)]);
        assert_eq!(parse("/usr/bin/podman container run -i x").unwrap().image, "x");
        assert_eq!(parse("podman run -i -- x").unwrap().image, "x");
    }

    #[test]
    fn an_option_that_weakens_the_confinement_is_refused() {
        for (options, expected) in [
            ("--privileged", "--privileged"),
            ("--cap-add=ALL", "--cap-add"),
            ("--cap-add ALL", "--cap-add"),
            ("--device /dev/kvm", "--device"),
            ("--pid=host", "--pid"),
            ("--ipc=host", "--ipc"),
            ("--userns=host", "--userns"),
            ("--network=host", "\"host\""),
            ("--network host", "\"host\""),
            ("--net bridge", "\"bridge\""),
            ("--security-opt seccomp=unconfined", "\"seccomp=unconfined\""),
            ("--security-opt no-new-privileges:false", "no-new-privileges:false"),
            ("--volumes-from other", "--volumes-from"),
            ("--env-file /etc/shadow", "--env-file"),
            ("-p 80:80", "\"-p\""),
            ("-it", "-t gives it a terminal"),
            ("-d", "\"-d\""),
            ("-v volume:/dst", "/SOURCE:/TARGET"),
            ("-v /src:/dst:z", "/SOURCE:/TARGET"),
            ("-v /src", "/SOURCE:/TARGET"),
            ("--mount type=volume,src=/a,dst=/b", "type=bind"),
            ("--mount type=bind,src=/a,dst=/b,bind-propagation=shared", "type=bind"),
            ("--memory 4g", "confinement.memory_mb"),
            ("-m4g", "confinement.memory_mb"),
            ("--pids-limit=-1", "confinement.processes"),
            ("--rm=maybe", "--rm=maybe"),
        ] {
            let error = parse(&format!("docker run -i {options} image")).unwrap_err();
            assert!(error.contains(expected), "{options}: {error}");
        }
        for line in
            ["docker run", "docker run -i", "docker run -i --", "docker run -i -- -x", "docker run -e"]
        {
            assert!(parse(line).is_err(), "{line}");
        }
        let many = vec!["-i".to_owned(); MAX_WORDS];
        let words: Vec<_> = ["run".to_owned()].into_iter().chain(many).chain(["x".to_owned()]).collect();
        assert!(RunLine::parse("docker", &words).unwrap().unwrap_err().contains("1001 words"));
    }

    #[test]
    fn mounts_have_their_path_and_whether_they_are_read_only() {
        let args: Vec<String> = ["run", "-v", "/a:/b:ro", "--mount=type=bind,src=/c,dst=/d", "x", "/e"]
            .map(str::to_owned)
            .to_vec();
        let expected = [("/a".to_owned(), true), ("/c".to_owned(), false)];
        assert_eq!(container_mounts("podman", &args).unwrap().unwrap(), expected);
        assert!(container_mounts("podman", &["run".to_owned(), "--privileged".to_owned()]).unwrap().is_err());
        assert_eq!(container_mounts("node", &args), None);
    }

    #[test]
    fn only_an_engine_s_run_is_a_container() {
        let args = |line: &str| line.split(' ').map(str::to_owned).collect::<Vec<_>>();
        for (program, line, expected) in [
            ("docker", "run -i x", true),
            ("/opt/bin/podman", "run x", true),
            ("docker.exe", "run x", true),
            ("docker", "container run x", true),
            ("docker", "compose run x", false),
            ("docker", "exec -i x", false),
            ("docker-mcp", "run x", false),
            ("node", "run x", false),
        ] {
            assert_eq!(runs_container(program, &args(line)), expected, "{program} {line}");
        }
    }
}
