//! Tests of the derivation of containers.

use super::{
    create::{Container, ContainerFacts, of_image, of_line},
    engine::{Engine, EngineKind},
    line::RunLine,
};
use crate::confine::{
    ConfinementRunner, ConfinementSettings, GrantedPermission, Profile, ProfileFacts, ProgramFiles,
    denial::Denial, resolve::resolve_rules,
};
use mgp_transport::seam::ChildLine;
use mgp_types::{
    context::TrustLevel,
    permission::{GrantScope, StandardPermission},
};
use std::{fs, os::unix::fs::symlink, path::PathBuf};

/// A folder with a server's files, and the settings of the server.
struct Rig {
    _folder: tempfile::TempDir,
    root: PathBuf,
    settings: ConfinementSettings,
    granted: Vec<GrantedPermission>,
    engine: Engine,
    env: Vec<(&'static str, &'static str)>,
    cwd: Option<PathBuf>,
}

impl Rig {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap();
        for name in ["home/ann/notes", "home/ann/.ssh", "state/servers/s", "opt/tool"] {
            fs::create_dir_all(root.join(name)).unwrap();
        }
        fs::write(root.join("opt/tool/index.js"), "").unwrap();
        Self {
            _folder: folder,
            root,
            settings: ConfinementSettings {
                runner: Some(ConfinementRunner::Container),
                ..ConfinementSettings::default()
            },
            granted: Vec::new(),
            engine: Engine { program: "podman".to_owned(), kind: EngineKind::Podman, is_rootless: true },
            env: Vec::new(),
            cwd: None,
        }
    }

    fn at(&self, name: &str) -> String {
        self.root.join(name).to_str().unwrap().to_owned()
    }

    fn derive(&self, words: &[&str]) -> Result<Container, String> {
        let args: Vec<String> = words[1..].iter().map(|word| (*word).to_owned()).collect();
        let private = self.root.join("state/servers/s");
        let profile = Profile::derive(&ProfileFacts {
            trust: TrustLevel::Sandboxed,
            settings: &self.settings,
            granted: &self.granted,
            program: &ProgramFiles::find(words[0], &args, None, Some("/bin:/usr/bin".as_ref())),
            granted_programs: &ProgramFiles::find("sh", &[], None, Some("/bin:/usr/bin".as_ref())),
            private_folder: Some(&private),
            kernel_files: &[self.root.join("state")],
            homes: &[self.root.join("home/ann")],
        });
        let line = ChildLine {
            words: words.iter().map(|word| (*word).into()).collect(),
            env: self.env.iter().map(|(name, value)| ((*name).into(), (*value).into())).collect(),
            cwd: self.cwd.clone(),
            ..ChildLine::default()
        };
        let facts = ContainerFacts {
            server_id: "s",
            profile: &profile,
            rules: &resolve_rules(&profile).map_err(|error| error.to_string())?,
            denied: &Denial::all(&profile).unwrap(),
            engine: &self.engine,
            name: "mgp-1",
            gateway: "here",
            user: Some((1000, 100)),
            seccomp: Some("/filter"),
        };
        match RunLine::parse(words[0], &args) {
            Some(run) => of_line(&facts, &run?, &line),
            None => of_image(&facts, self.settings.image.as_deref().unwrap(), &line),
        }
    }

    /// Returns the mounts of a container, without the folder of the test.
    fn mounts(&self, words: &[&str]) -> Vec<String> {
        let words = self.derive(words).unwrap().words;
        let mounts = words.iter().filter_map(|word| word.strip_prefix("--mount=type=bind,"));
        mounts.map(|mount| mount.replace(&*self.at(""), "").replace(",bind-nonrecursive=true", "")).collect()
    }
}

#[test]
fn a_command_runs_in_its_image_with_only_its_mounts() {
    let mut rig = Rig::new();
    rig.settings.image = Some("node:22".to_owned());
    rig.settings.write = vec![rig.root.join("home/ann/notes")];
    rig.env = vec![("TOKEN", "x=y z")];
    rig.cwd = Some(rig.root.join("state/servers/s"));
    let script = rig.at("opt/tool/index.js");
    let container = rig.derive(&["sh", &script, "--stdio"]).unwrap();
    assert_eq!(container.variables, "TOKEN=x=y z\n");
    let at = container.words.iter().position(|word| word == "--entrypoint").unwrap();
    assert_eq!(container.words[at..], ["--entrypoint", "sh", "node:22", &script, "--stdio"]);
    for expected in [
        "create",
        "--interactive",
        "--rm",
        "--name=mgp-1",
        "--label=dev.cloto.mgp.gateway=here",
        "--network=none",
        "--read-only",
        "--cap-drop=ALL",
        "--security-opt=no-new-privileges",
        "--memory=2048m",
        "--memory-swap=2048m",
        "--pids-limit=256",
        "--ulimit=nofile=1024:1024",
        "--log-driver=none",
        "--security-opt=seccomp=/filter",
        "--userns=keep-id",
        "--user=1000:100",
    ] {
        assert!(container.words.iter().any(|word| word == expected), "{expected}: {:?}", container.words);
    }
    // The script is found even if only the image has its interpreter.
    for interpreter in ["sh", "/no/such/node"] {
        assert_eq!(
            rig.mounts(&[interpreter, &script]),
            [
                "src=home/ann/notes,dst=home/ann/notes",
                "src=opt/tool/index.js,dst=opt/tool/index.js,readonly",
                "src=state/servers/s,dst=state/servers/s"
            ]
        );
    }
}

#[test]
fn the_user_of_a_container_owns_the_files_of_the_gateway() {
    let mut rig = Rig::new();
    rig.settings.image = Some("x".to_owned());
    let options = |rig: &Rig| -> Vec<String> {
        let words = rig.derive(&["x"]).unwrap().words;
        words.into_iter().filter(|word| word.starts_with("--user")).collect()
    };
    assert_eq!(options(&rig), ["--userns=keep-id", "--user=1000:100"]);
    rig.engine.is_rootless = false;
    assert_eq!(options(&rig), ["--user=1000:100"]);
    rig.engine = Engine { program: "docker".to_owned(), kind: EngineKind::Docker, is_rootless: true };
    assert_eq!(options(&rig), ["--user=0:0"]);
}

#[test]
fn a_command_that_runs_a_container_is_narrowed() {
    let mut rig = Rig::new();
    let (notes, key) = (rig.at("home/ann/notes"), rig.at("home/ann/.ssh"));
    let run = |mount: &str| {
        ["docker", "run", "-i", "-e", "TOKEN", "-e", "A=b", "-e", "UNSET", "-v"]
            .map(str::to_owned)
            .into_iter()
            .chain([mount.to_owned(), "image".to_owned(), "arg".to_owned()])
            .collect::<Vec<_>>()
    };
    rig.env = vec![("TOKEN", "secret"), ("OTHER", "kept here")];
    let mount = format!("{notes}:/notes");
    let words = run(&mount);
    let words: Vec<_> = words.iter().map(String::as_str).collect();
    let error = rig.derive(&words).unwrap_err();
    assert!(error.contains("confinement.write opens it"), "{error}");
    rig.settings.read = vec![notes.clone().into()];
    assert_eq!(
        rig.mounts(&words),
        ["src=home/ann/notes,dst=/notes,readonly", "src=home/ann/notes,dst=home/ann/notes,readonly"]
    );
    rig.settings.write = vec![notes.clone().into()];
    assert!(rig.mounts(&words).contains(&"src=home/ann/notes,dst=/notes".to_owned()));
    let container = rig.derive(&words).unwrap();
    assert_eq!(container.variables, "A=b\nTOKEN=secret\n");
    assert_eq!(container.words[container.words.len() - 2..], ["image", "arg"]);
    // A link does not lead out of what may be used.
    symlink(&key, rig.root.join("home/ann/link")).unwrap();
    for mount in [
        format!("{key}:/x"),
        format!("{}:/x", rig.at("home/ann/link")),
        "/:/x".to_owned(),
        format!("{notes}/../.ssh:/x"),
    ] {
        let words = run(&mount);
        let words: Vec<_> = words.iter().map(String::as_str).collect();
        assert!(rig.derive(&words).is_err(), "{mount}");
    }
}

#[test]
fn a_rule_that_a_container_cannot_hold_refuses_the_server() {
    let script = ["x"];
    let refused = |change: &dyn Fn(&mut Rig), expected: &str| {
        let mut rig = Rig::new();
        rig.settings.image = Some("x".to_owned());
        change(&mut rig);
        let error = rig.derive(&script).unwrap_err();
        assert!(error.contains(expected), "{expected}: {error}");
    };
    let docker = Engine { program: "docker".to_owned(), kind: EngineKind::Docker, is_rootless: false };
    refused(&|rig| rig.settings.network = Some(true), "this machine's network");
    refused(&|rig| rig.settings.ports = Some(vec![80]), "confinement.ports");
    refused(
        &|rig| {
            rig.settings.hosts = Some(vec!["example.com".parse().unwrap()]);
            rig.engine = docker.clone();
        },
        "use podman",
    );
    refused(&|rig| rig.granted.push(StandardPermission::FilesystemRead.into()), "all files");
    refused(
        &|rig| {
            let scope = Some(GrantScope::Programs(vec!["sh".to_owned()]));
            rig.granted = vec![GrantedPermission { permission: StandardPermission::ShellExecute, scope }];
        },
        "every program of the image",
    );
    refused(&|rig| rig.settings.read = vec![rig.root.join("home/ann")], "cannot leave");
    refused(&|rig| rig.settings.write = vec![rig.root.join("state")], "is denied");
    refused(&|rig| rig.settings.write = vec![rig.root.clone()], "cannot leave");
    refused(&|rig| rig.settings.read = vec!["/dev/null".into()], "is a device");
    refused(
        &|rig| {
            fs::create_dir(rig.root.join("a,b")).unwrap();
            rig.settings.read = vec![rig.root.join("a,b")];
        },
        "without commas",
    );
    refused(&|rig| rig.settings.image = Some("--privileged".to_owned()), "confinement.image");
    refused(&|rig| rig.env = vec![("A", "b\nC=d")], "line break");
    refused(&|rig| rig.env = vec![("A B", "c")], "expected a name");
    refused(&|rig| rig.cwd = Some("/elsewhere".into()), "confinement.read or confinement.write");
    let mut rig = Rig::new();
    rig.settings.image = Some("x".to_owned());
    rig.granted = vec![StandardPermission::ShellExecute.into()];
    assert!(rig.derive(&script).is_ok());
    rig.settings.hosts = Some(vec!["example.com".parse().unwrap()]);
    assert_eq!(rig.derive(&script).is_ok(), cfg!(target_os = "linux"));
    // Secrets that the configuration names, and limited approvals, can be mounted.
    rig.settings.read = vec![rig.root.join("home/ann/.ssh")];
    let paths = GrantScope::Paths(vec![rig.at("home/ann/notes")]);
    rig.granted =
        vec![GrantedPermission { permission: StandardPermission::FilesystemWrite, scope: Some(paths) }];
    if cfg!(target_os = "linux") {
        let mounts = rig.mounts(&script);
        assert_eq!(
            mounts[..2],
            ["src=home/ann/.ssh,dst=home/ann/.ssh,readonly", "src=home/ann/notes,dst=home/ann/notes"]
        );
    }
}
