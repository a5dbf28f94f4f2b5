//! Tests of the computation of profiles.

use super::*;
use mgp_types::{
    context::TrustLevel,
    permission::StandardPermission::{self, *},
};
use std::{collections::BTreeSet, path::Path};

fn derive(trust: TrustLevel, settings: &ConfinementSettings, approved: &[StandardPermission]) -> Profile {
    let granted: Vec<_> = approved.iter().map(|permission| (*permission).into()).collect();
    derive_granted(trust, settings, &granted)
}

fn derive_granted(
    trust: TrustLevel,
    settings: &ConfinementSettings,
    granted: &[GrantedPermission],
) -> Profile {
    let program = ProgramFiles {
        executable: ["/opt/tool/bin/tool".into()].into(),
        readable: ["/opt/tool/lib".into()].into(),
        named: ["/opt/tool/bin/tool".into()].into(),
    };
    Profile::derive(&ProfileFacts {
        trust,
        settings,
        granted,
        program: &program,
        granted_programs: &ProgramFiles {
            executable: ["/usr/bin/git".into()].into(),
            readable: ["/usr/lib/git".into()].into(),
            named: ["/usr/local/bin/git".into()].into(),
        },
        private_folder: Some(Path::new("/state/servers/s")),
        kernel_files: &["/state".into(), "/srv/project/mgp.toml".into()],
        homes: &["/home/ann".into(), "/srv/ann".into()],
    })
}

fn sandboxed(settings: &ConfinementSettings, approved: &[StandardPermission]) -> Profile {
    derive(TrustLevel::Sandboxed, settings, approved)
}

/// The rules for a path.
fn rules<'a>(profile: &'a Profile, path: &str) -> Vec<&'a PathRule> {
    profile.paths.iter().filter(|rule| rule.path == Path::new(path)).collect()
}

#[test]
fn sandboxed_servers_are_confined_and_others_only_if_asked() {
    let none = ConfinementSettings::default();
    let modes = [TrustLevel::Sandboxed, TrustLevel::Standard, TrustLevel::Trusted]
        .map(|trust| (derive(trust, &none, &[]).mode, derive(trust, &none, &[]).mode_reason));
    let (require, off) = (ConfinementMode::Require, ConfinementMode::Off);
    assert_eq!(modes, [(require, Reason::Sandboxed), (off, Reason::NotAsked), (off, Reason::NotAsked)]);
    for mode in ConfinementMode::ALL {
        let settings = ConfinementSettings { mode: Some(*mode), ..ConfinementSettings::default() };
        for trust in [TrustLevel::Sandboxed, TrustLevel::Trusted] {
            let profile = derive(trust, &settings, &[]);
            assert_eq!((profile.mode, profile.mode_reason), (*mode, Reason::Configuration("mode")));
        }
    }
}

#[test]
fn without_permissions_only_the_private_folder_is_writable() {
    let profile = sandboxed(&ConfinementSettings::default(), &[]);
    let written: Vec<_> =
        profile.paths.iter().filter(|rule| rule.access.write).map(|rule| &*rule.path).collect();
    assert_eq!(written, ["/dev/full", "/dev/null", "/state/servers/s"].map(Path::new));
    let started: Vec<_> =
        profile.paths.iter().filter(|rule| rule.access.execute).map(|rule| &*rule.path).collect();
    assert_eq!(started, [Path::new("/opt/tool/bin/tool")]);
    assert!(profile.network.is_isolated() && !profile.runs_own_programs);
    let network = &profile.network;
    assert_eq!((&network.reach, network.reach_reason), (&Reach::None, Reason::NoPermission(NetworkOutbound)));
    assert!(rules(&profile, "/").is_empty());
}

#[test]
fn a_confined_server_has_default_limits_unless_set() {
    let limits = Limits { memory_mb: Some(64), processes: Some(9), ..Limits::default() };
    let settings = ConfinementSettings { limits, ..ConfinementSettings::default() };
    let confined = Limits { memory_mb: Some(64), processes: Some(9), ..Limits::CONFINED };
    assert_eq!(derive_granted(TrustLevel::Sandboxed, &settings, &[]).limits, confined);
    let best_effort = ConfinementSettings { mode: Some(ConfinementMode::BestEffort), ..settings.clone() };
    assert_eq!(derive_granted(TrustLevel::Standard, &best_effort, &[]).limits, confined);
    // All processes of the account would count.
    let off = Limits { processes: None, ..limits };
    assert_eq!(derive_granted(TrustLevel::Standard, &settings, &[]).limits, off);
    let none = ConfinementSettings::default();
    assert_eq!(derive_granted(TrustLevel::Standard, &none, &[]).limits, Limits::default());
    assert_eq!(derive_granted(TrustLevel::Sandboxed, &none, &[]).limits, Limits::CONFINED);
}

#[test]
fn each_permission_opens_its_own_part() {
    let none = ConfinementSettings::default();
    let of = |permission| sandboxed(&none, &[permission]);
    let reads = of(FilesystemRead);
    assert_eq!(rules(&reads, "/")[0].access, PathAccess { write: false, execute: false });
    assert_eq!(rules(&reads, "/")[0].reason, Reason::Permission(FilesystemRead));
    assert_eq!(rules(&of(FilesystemWrite), "/")[0].access, PathAccess { write: true, execute: false });
    for permission in [ShellExecute, CodeExecution] {
        let runs = of(permission);
        assert!(runs.runs_own_programs && rules(&runs, "/usr")[0].access.execute);
        assert!(rules(&runs, "/state/servers/s")[0].access.execute && rules(&runs, "/").is_empty());
    }
    let network = of(NetworkOutbound).network;
    assert!(network.is_isolated());
    assert_eq!((network.reach, network.listen), (Reach::Hosts(vec![HostRule::PUBLIC]), ListenPorts::None));
    let network = of(NetworkListen).network;
    assert_eq!((network.reach, network.listen), (Reach::None, ListenPorts::Any));
    for permission in [MemoryRead, MemoryWrite, SystemInfo, Camera, Notification] {
        assert_eq!(of(permission), sandboxed(&none, &[]), "{permission:?}");
    }
}

/// The profile of a sandboxed server with approvals that have limits.
fn limited(limits: &[(StandardPermission, &str)], settings: &ConfinementSettings) -> Profile {
    let granted = limits.iter().map(|(permission, scope)| GrantedPermission {
        permission: *permission,
        scope: Some(serde_json::from_str(scope).unwrap()),
    });
    derive_granted(TrustLevel::Sandboxed, settings, &granted.collect::<Vec<_>>())
}

#[test]
fn an_approval_with_limits_opens_only_those() {
    let none = ConfinementSettings::default();
    let paths = r#"{"paths":["/srv/a","/srv/b"]}"#;
    for (permission, write) in [(FilesystemRead, false), (FilesystemWrite, true)] {
        let profile = limited(&[(permission, paths)], &none);
        assert!(rules(&profile, "/").is_empty());
        for path in ["/srv/a", "/srv/b"] {
            let rule = rules(&profile, path)[0];
            assert_eq!(
                (rule.access, rule.reason),
                (PathAccess { write, execute: false }, Reason::Permission(permission))
            );
        }
    }
    let network = limited(&[(NetworkOutbound, r#"{"hosts":["example.com:443"]}"#)], &none).network;
    assert_eq!(network.reach, Reach::Hosts(vec!["example.com:443".parse().unwrap()]));
    let network = limited(&[(NetworkListen, r#"{"ports":[8080]}"#)], &none).network;
    assert_eq!((network.reach, network.listen), (Reach::None, ListenPorts::Only(vec![8080])));
    let profile = limited(&[(ShellExecute, r#"{"programs":["git"]}"#)], &none);
    let executes = |path| rules(&profile, path).iter().any(|rule| rule.access.execute);
    assert!(executes("/usr/bin/git") && !executes("/usr") && !executes("/state/servers/s"));
    assert!(!profile.runs_own_programs && profile.program.contains(Path::new("/usr/local/bin/git")));
    assert!(!rules(&profile, "/usr/lib/git").is_empty());
    // Without an approval, the programs do not count.
    assert!(rules(&sandboxed(&none, &[]), "/usr/bin/git").is_empty());
}

#[test]
fn configuration_and_denials_override_limits() {
    let settings = ConfinementSettings {
        hosts: Some(vec!["example.org".parse().unwrap()]),
        ports: Some(vec![]),
        ..ConfinementSettings::default()
    };
    let limits = [
        (NetworkOutbound, r#"{"hosts":["example.com"]}"#),
        (NetworkListen, r#"{"ports":[8080]}"#),
        (FilesystemRead, r#"{"paths":["/home/ann/.ssh","/state"]}"#),
    ];
    let profile = limited(&limits, &settings);
    assert_eq!(profile.network.reach, Reach::Hosts(settings.hosts.clone().unwrap()));
    assert_eq!(profile.network.listen, ListenPorts::None);
    for path in ["/home/ann/.ssh", "/state"] {
        assert!(profile.denied.iter().any(|(denied, _)| denied == Path::new(path)));
    }
    let packages =
        ConfinementSettings { preset: Some(ConfinementPreset::Packages), ..ConfinementSettings::default() };
    let Reach::Hosts(hosts) = limited(&limits[..1], &packages).network.reach else { panic!() };
    assert!(hosts.iter().any(|rule| rule.covers_name("pypi.org", 443)) && hosts.len() > 1);
    assert!(!hosts.contains(&HostRule::PUBLIC));
}

#[test]
fn the_configuration_overrides_permissions() {
    let settings =
        ConfinementSettings { network: Some(false), ports: Some(vec![]), ..ConfinementSettings::default() };
    assert!(sandboxed(&settings, &[NetworkOutbound, NetworkListen]).network.is_isolated());
    let settings = ConfinementSettings { network: Some(true), ports: Some(vec![80]), ..settings };
    let network = sandboxed(&settings, &[]).network;
    assert_eq!((network.reach, network.listen), (Reach::Machine, ListenPorts::Only(vec![80])));
    let hosts = vec!["example.com".parse().unwrap()];
    let settings = ConfinementSettings { hosts: Some(hosts.clone()), ..ConfinementSettings::default() };
    assert_eq!(sandboxed(&settings, &[NetworkOutbound]).network.reach, Reach::Hosts(hosts));
    let settings = ConfinementSettings { hosts: Some(vec![]), ..settings };
    assert_eq!(sandboxed(&settings, &[NetworkOutbound]).network.reach, Reach::None);
}

#[test]
fn a_server_behind_the_proxy_has_no_network_to_listen_on() {
    let network = sandboxed(&ConfinementSettings::default(), &[NetworkOutbound, NetworkListen]).network;
    assert!(network.is_isolated());
    assert_eq!((network.listen, network.listen_reason), (ListenPorts::None, Reason::Proxied));
}

#[test]
fn a_package_runner_reaches_registries_and_starts_its_packages() {
    let settings =
        ConfinementSettings { preset: Some(ConfinementPreset::Packages), ..ConfinementSettings::default() };
    let profile = sandboxed(&settings, &[]);
    let Reach::Hosts(registries) = &profile.network.reach else { panic!("{:?}", profile.network) };
    assert!(registries.iter().any(|rule| rule.covers_name("pypi.org", 443)));
    assert!(!registries.iter().any(|rule| rule.covers_name("example.com", 443)) && profile.runs_own_programs);
    assert!(
        rules(&profile, "/state/servers/s")[0].access.execute && rules(&profile, "/usr")[0].access.execute
    );
    let more = Some(vec!["example.com".parse().unwrap()]);
    let more = sandboxed(&ConfinementSettings { hosts: more, ..settings.clone() }, &[]).network.reach;
    let Reach::Hosts(more) = more else { panic!("{more:?}") };
    assert_eq!(more.len(), registries.len() + 1);
    let by_command = ConfinementSettings { preset_by_command: true, ..settings.clone() };
    let reasons = |settings| {
        let profile = sandboxed(settings, &[]);
        (profile.network.reach_reason, rules(&profile, "/usr")[0].reason)
    };
    assert_eq!(reasons(&by_command), (Reason::PackageRunner, Reason::PackageRunner));
    assert_eq!(reasons(&settings), (Reason::Configuration("preset"), Reason::Configuration("preset")));
    let settings = ConfinementSettings { network: Some(false), ..settings };
    assert_eq!(sandboxed(&settings, &[]).network.reach, Reach::None);
}

#[test]
fn the_kernel_s_files_and_secrets_are_denied_in_every_home() {
    let read = vec!["/home/ann/.ssh/known_hosts".into(), "/state".into(), "/home/ann".into()];
    for settings in [ConfinementSettings::default(), ConfinementSettings { read, ..Default::default() }] {
        let denied = sandboxed(&settings, &[FilesystemRead, FilesystemWrite]).denied;
        let of =
            |path: &str| denied.iter().find(|(denied, _)| *denied == Path::new(path)).map(|found| found.1);
        assert_eq!(of("/state"), Some(Reason::KernelState));
        assert_eq!(of("/srv/project/mgp.toml"), Some(Reason::KernelState));
        for home in ["/home/ann", "/srv/ann"] {
            assert_eq!(of(&format!("{home}/.config/mgp")), Some(Reason::KernelState));
            for name in [".ssh", ".aws", ".cargo/credentials.toml", ".vault-token", ".config/chromium"] {
                assert_eq!(of(&format!("{home}/{name}")), Some(Reason::Secrets), "{name}");
            }
        }
    }
}

#[test]
fn a_rule_for_all_files_excludes_the_machine() {
    let machine = |profile: Profile| -> Vec<_> {
        let denied = profile.denied.into_iter().filter(|(_, reason)| *reason == Reason::Machine);
        denied.map(|(path, _)| path).collect()
    };
    let none = ConfinementSettings::default();
    for permission in [FilesystemRead, FilesystemWrite] {
        let denied = machine(sandboxed(&none, &[permission]));
        for path in ["/dev", "/proc", "/sys", "/run/secrets", "/var/run/secrets"] {
            assert!(denied.contains(&path.into()), "{path}");
        }
    }
    assert!(machine(sandboxed(&none, &[])).is_empty());
    let settings = ConfinementSettings { write: vec!["/".into()], ..none };
    assert!(!machine(sandboxed(&settings, &[])).is_empty());
}

#[test]
fn folders_with_the_machine_s_private_keys_are_not_read() {
    let profile = sandboxed(&ConfinementSettings::default(), &[]);
    for key in ["/etc/ssl/private/key.pem", "/etc/pki/tls/private/key.pem", "/etc/shadow"] {
        assert!(!profile.paths.iter().any(|rule| Path::new(key).starts_with(&rule.path)), "{key}");
    }
    assert!(!rules(&profile, "/etc/ssl/certs").is_empty());
}

#[cfg(unix)]
mod programs {
    use super::super::ProgramFiles;
    use std::{fs, os::unix::fs::PermissionsExt, path::Path};

    fn program(path: &Path, text: &str) {
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
        fs::set_permissions(path, fs::Permissions::from_mode(0o755)).unwrap();
    }

    #[test]
    fn a_program_includes_interpreters_loader_and_libraries() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap();
        program(&root.join("venv/bin/server"), "#!/usr/bin/env -S tool -x\n");
        program(&root.join("bin/tool"), "#!/bin/sh\n");
        let path = format!("{0}/venv/bin:{0}/bin:/usr/bin:/bin", root.display());
        let files = ProgramFiles::find("server", &[], None, Some(path.as_ref()));
        for name in ["/bin/sh", "/usr/bin/env"].map(Path::new) {
            assert!(files.executable.contains(&name.canonicalize().unwrap()), "{name:?}");
        }
        assert!(files.executable.contains(&root.join("bin/tool")));
        #[cfg(target_os = "linux")]
        assert!(files.executable.iter().any(|path| path.to_string_lossy().contains("/ld-")), "{files:?}");
        assert!(files.readable.contains(&root.join("venv/lib")));
        assert!(files.readable.contains(&root.join("venv/pyvenv.cfg")));
    }

    #[test]
    fn a_script_includes_its_package_and_a_loose_one_only_itself() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap();
        for name in
            ["package/dist/index.js", "package/package.json", "loose/main.py", "loose/secret", "notes"]
        {
            program(&root.join(name), "");
        }
        let node = root.join("bin/node");
        program(&node, "");
        let of = |args: &[&str]| {
            let args: Vec<_> = args.iter().map(ToString::to_string).collect();
            ProgramFiles::find(node.to_str().unwrap(), &args, Some(&root), None).readable
        };
        let package = of(&["--no-warnings", "package/dist/index.js", "notes"]);
        assert!(package.contains(&root.join("package")) && !package.contains(&root.join("notes")));
        fs::create_dir(root.join("node_modules")).unwrap();
        fs::rename(root.join("package"), root.join("node_modules/package")).unwrap();
        let dependency = of(&["node_modules/package/dist/index.js"]);
        assert!(dependency.contains(&root.join("node_modules")) && !dependency.contains(&root));
        let loose = of(&["loose/main.py"]);
        assert!(loose.contains(&root.join("loose/main.py")) && !loose.contains(&root.join("loose")));
        for inline in [
            &["-e", "1", "notes"][..],
            &["--eval=1", "notes"],
            &["-pe", "1", "notes"],
            &["-xc", "1", "notes"],
            &["--import=data:text/javascript,1", "notes"],
            &["nothing", "notes"],
            &["run", "notes"],
        ] {
            assert!(!of(inline).contains(&root.join("notes")), "{inline:?}");
        }
        // A runner of scripts may get one as an argument, and its name may end in a version.
        for (name, args, expected) in [
            ("bun", &["run", "notes"][..], true),
            ("bun", &["notes"], true),
            ("node20.1", &["notes"], true),
            ("node", &["loose"], false),
        ] {
            let runner = root.join("bin").join(name);
            program(&runner, "");
            let args: Vec<_> = args.iter().map(ToString::to_string).collect();
            let files = ProgramFiles::find(runner.to_str().unwrap(), &args, Some(&root), None).readable;
            let script = root.join(args.last().unwrap());
            assert_eq!(files.contains(&script), expected, "{name} {args:?}");
        }
        // Without a working directory, the location of a relative script is unknown.
        let relative = ProgramFiles::find(node.to_str().unwrap(), &["Cargo.toml".to_owned()], None, None);
        assert!(!relative.readable.contains(&Path::new("Cargo.toml").canonicalize().unwrap()));
        // A program that is not an interpreter reads no script.
        let other = root.join("bin/other");
        program(&other, "");
        let files = ProgramFiles::find(other.to_str().unwrap(), &["notes".to_owned()], Some(&root), None);
        assert!(!files.readable.contains(&root.join("notes")));
    }

    #[test]
    fn a_program_with_a_broken_header_has_no_loader() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().canonicalize().unwrap().join("program");
        let elf = fs::read("/bin/sh").unwrap();
        for length in [0, 2, 5, 16, 40, 60, 64, 100, 200] {
            let mut head = elf[..length.min(elf.len())].to_vec();
            fs::write(&path, &head).unwrap();
            let _ = ProgramFiles::find(path.to_str().unwrap(), &[], None, None);
            head.iter_mut().skip(5).for_each(|byte| *byte = 0xff);
            fs::write(&path, &head).unwrap();
            let files = ProgramFiles::find(path.to_str().unwrap(), &[], None, None);
            assert_eq!(files.executable.len(), 1);
        }
    }
}

#[cfg(unix)]
mod chains {
    use super::super::ProgramFiles;
    use std::{
        fs,
        os::unix::fs::PermissionsExt,
        path::{Path, PathBuf},
    };

    fn file(path: &Path, bytes: &[u8], mode: u32) -> PathBuf {
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, bytes).unwrap();
        fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
        path.to_owned()
    }

    #[test]
    fn a_chain_of_four_interpreters_is_followed() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap();
        let place = |number: usize| root.join(number.to_string());
        let programs: Vec<_> = (0..7)
            .map(|number| {
                file(&place(number), format!("#!{}\n", place(number + 1).display()).as_bytes(), 0o755)
            })
            .collect();
        let files = ProgramFiles::find(programs[0].to_str().unwrap(), &[], None, None);
        assert_eq!(files.executable, programs[..5].iter().cloned().collect());
        let itself =
            file(&root.join("itself"), format!("#!{}\n", root.join("itself").display()).as_bytes(), 0o755);
        let files = ProgramFiles::find(itself.to_str().unwrap(), &[], None, None);
        assert_eq!(files.executable, [itself].into());
    }

    #[test]
    fn a_program_is_looked_up_among_executable_files() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap();
        file(&root.join("one/tool"), b"", 0o644);
        fs::create_dir_all(root.join("two/tool")).unwrap();
        let tool = file(&root.join("three/tool"), b"", 0o755);
        let path = format!("{0}/one:{0}/two:{0}/three", root.display());
        let files = ProgramFiles::find("tool", &[], None, Some(path.as_ref()));
        assert_eq!(files.executable, [tool].into());
    }

    #[cfg(target_pointer_width = "64")]
    #[test]
    fn the_loader_is_the_one_in_the_program_s_header() {
        const TABLE: usize = 64;
        const ENTRY: usize = 56;
        const NAME: usize = 400;
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap();
        let loader = file(&root.join("loader"), b"", 0o755);
        let name = loader.to_str().unwrap().as_bytes();
        // Whichever entry of the table it is. The text after the name belongs to something else.
        for place in 0..3 {
            let mut head = vec![0; 1024];
            let mut put = |at: usize, bytes: &[u8]| head[at..at + bytes.len()].copy_from_slice(bytes);
            put(0, b"\x7fELF\x02");
            put(32, &(TABLE as u64).to_ne_bytes());
            put(54, &(ENTRY as u16).to_ne_bytes());
            put(56, &3u16.to_ne_bytes());
            for entry in 0..3 {
                let at = TABLE + entry * ENTRY;
                put(at, &if entry == place { 3u32 } else { 1 }.to_ne_bytes());
                put(at + 8, &(NAME as u64).to_ne_bytes());
                put(at + 24, &(name.len() as u64 + 1).to_ne_bytes());
                put(at + 32, &(name.len() as u64).to_ne_bytes());
            }
            put(NAME, name);
            put(NAME + name.len(), b"more");
            let program = file(&root.join("program"), &head, 0o755);
            let files = ProgramFiles::find(program.to_str().unwrap(), &[], None, None);
            assert_eq!(files.executable, [program, loader.clone()].into(), "entry {place}");
        }
    }
}

#[test]
fn every_use_and_every_reason_has_its_words() {
    use Reason::{
        Configuration, KernelState, Machine, NoPermission, NotAsked, PackageRunner, Permission,
        PrivateFolder, Program, Proxied, Sandboxed, Secrets, System,
    };
    let uses = [(false, false), (true, false), (false, true), (true, true)]
        .map(|(write, execute)| PathAccess { write, execute }.as_str());
    assert_eq!(BTreeSet::from(uses).len(), 4);
    let plain = [
        Sandboxed,
        NotAsked,
        Program,
        System,
        PrivateFolder,
        PackageRunner,
        Proxied,
        KernelState,
        Secrets,
        Machine,
    ];
    let named = [Permission(Camera), NoPermission(Camera), Configuration("ports")];
    let words: BTreeSet<_> = plain.iter().chain(&named).map(ToString::to_string).collect();
    assert_eq!(words.len(), plain.len() + named.len());
    assert!(Permission(Camera).to_string().contains("camera"));
    assert!(Configuration("ports").to_string().contains("confinement.ports"));
}
