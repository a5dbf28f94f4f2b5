//! The runner of macOS: a profile of Seatbelt, which `sandbox-exec` applies before the program starts.
//!
//! The text of the profile is a pure function of the server's profile, which is tested on every system. We have not run it on macOS.

use super::{Limits, ListenPorts, Profile, Reach, Reason, denial::Denial, resolve::ResolvedRule};
#[cfg(target_os = "macos")]
use std::io;
use std::{fmt::Write, path::Path};

/// The program that applies a profile.
#[cfg(target_os = "macos")]
const SANDBOX_EXEC: &str = "/usr/bin/sandbox-exec";

/// The folders of macOS that programs read: the loader's cache, frameworks, and the libraries of package managers.
const SYSTEM: &[&str] = &[
    "/Library/Apple",
    "/Library/Developer/CommandLineTools",
    "/System/Cryptexes",
    "/System/Library",
    "/System/Volumes/Preboot/Cryptexes",
    "/opt/homebrew",
    "/opt/local",
    "/private/etc/localtime",
    "/private/etc/ssl",
    "/private/var/db/dyld",
    "/private/var/db/timezone",
    "/usr",
];

/// The services that programs look up when they start. None holds secrets of the user.
const SERVICES: &[&str] = &[
    "com.apple.logd",
    "com.apple.system.logger",
    "com.apple.system.notification_center",
    "com.apple.system.opendirectoryd.libinfo",
    "com.apple.trustd",
    "com.apple.trustd.agent",
];

/// The rules that every profile begins with. The last rule that matches decides.
const START: &str = "(version 1)
(deny default)
(allow process-fork)
(allow process-info* (target same-sandbox))
(allow signal (target same-sandbox))
(allow sysctl-read)
(allow file-read-metadata)
(allow file-read* (literal \"/\"))
";

/// The devices of every program, which come after the denied ones.
const DEVICES: &str = "(allow file-read* file-write-data (literal \"/dev/null\"))
(allow file-read* (literal \"/dev/random\") (literal \"/dev/urandom\") (literal \"/dev/zero\"))
";

/// Returns the text of the profile that permits what a server's profile does. `proxy` is the port of the gateway's proxy.
///
/// # Errors
/// If Seatbelt cannot enforce a part of the profile.
pub(super) fn text(
    profile: &Profile,
    rules: &[ResolvedRule<'_>],
    denied: &[Denial],
    proxy: Option<u16>,
) -> Result<String, String> {
    refuse_unenforceable(&profile.limits)?;
    let mut text = START.to_owned();
    for service in SERVICES {
        add(&mut text, format_args!("(allow mach-lookup (global-name {}))", quoted(Path::new(service))?));
    }
    for path in SYSTEM {
        let path = quoted(Path::new(path))?;
        add(&mut text, format_args!("(allow file-read* file-map-executable (subpath {path}))"));
    }
    rules.iter().try_for_each(|rule| add_rule(&mut text, rule))?;
    for denial in denied {
        add(&mut text, format_args!("(deny file* process-exec (subpath {}))", quoted(&denial.path)?));
    }
    text += DEVICES;
    // After the denied paths, those that a rule opens although they are denied.
    for rule in rules {
        let is_private = profile.private_folder.as_ref() == Some(&rule.rule.path);
        let inside = |denial: &&Denial| rule.path.starts_with(&denial.path);
        let is_opened = |denial: &Denial| is_private || !denial.holds_for(rule.rule, &rule.path);
        let mut around = denied.iter().filter(inside).peekable();
        if around.peek().is_some() && around.all(is_opened) {
            add_rule(&mut text, rule)?;
        }
    }
    add_network(&mut text, profile, proxy);
    Ok(text)
}

fn add(text: &mut String, rule: std::fmt::Arguments<'_>) {
    let _ = writeln!(text, "{rule}");
}

/// Returns an error for a limit that macOS does not hold for one server. The defaults there leave these limits out.
fn refuse_unenforceable(limits: &Limits) -> Result<(), String> {
    let refused = |key| Err(format!("macOS holds no limit confinement.{key}: leave it out"));
    match limits {
        Limits { memory_mb: Some(_), .. } => refused("memory_mb"),
        Limits { processes: Some(_), .. } => refused("processes"),
        _ => Ok(()),
    }
}

/// Adds the permission of a rule, to a folder with everything beneath it, or to a file.
fn add_rule(text: &mut String, ResolvedRule { rule, path }: &ResolvedRule<'_>) -> Result<(), String> {
    // Devices are named one by one above.
    if rule.reason == Reason::System && path.starts_with("/dev") {
        return Ok(());
    }
    let mut kinds = "file-read* file-map-executable".to_owned();
    if rule.access.write {
        kinds += " file-write*";
    }
    if rule.access.execute {
        kinds += " process-exec";
    }
    add(text, format_args!("(allow {kinds} (subpath {}))", quoted(path)?));
    Ok(())
}

fn add_network(text: &mut String, profile: &Profile, proxy: Option<u16>) {
    match (&profile.network.reach, proxy) {
        (Reach::Machine, _) => {
            add(text, format_args!("(allow system-socket)"));
            add(text, format_args!("(allow network-outbound (remote ip))"));
            add(text, format_args!("(allow network-outbound (literal \"/private/var/run/mDNSResponder\"))"));
        }
        (Reach::Hosts(_), Some(port)) => {
            add(text, format_args!("(allow network-outbound (remote ip \"localhost:{port}\"))"));
        }
        (Reach::Hosts(_) | Reach::None, _) => {}
    }
    let mut listen = |port: &dyn std::fmt::Display| {
        add(text, format_args!("(allow network-bind network-inbound (local ip \"*:{port}\"))"));
    };
    match &profile.network.listen {
        ListenPorts::None => {}
        ListenPorts::Only(ports) => ports.iter().for_each(|port| listen(port)),
        ListenPorts::Any => listen(&"*"),
    }
}

/// Returns a path as a string of Seatbelt's language.
///
/// # Errors
/// If the path has characters that the string could not hold for certain.
fn quoted(path: &Path) -> Result<String, String> {
    let text = path.to_str().filter(|text| !text.contains(char::is_control));
    let text = text.ok_or_else(|| {
        format!("{path:?} cannot stand in a profile: expected UTF-8 without control characters")
    })?;
    Ok(format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\"")))
}

/// Returns the words that start a program with a profile, and with the limits of resources that macOS holds.
fn words(text: &str, limits: &Limits) -> Vec<String> {
    let blocks = limits.file_mb.map(|mib| mib.saturating_mul(2048));
    let limits = [("f", blocks), ("n", limits.open_files), ("t", limits.cpu_secs), ("c", Some(0))];
    let mut script = String::new();
    for (option, most) in limits {
        // A limit that is lower already stays.
        script += &most.map_or_else(String::new, |most| {
            format!("[ \"$(ulimit -H{option})\" != unlimited ] && [ \"$(ulimit -H{option})\" -le {most} ] || ulimit -{option} {most} || exit 126; ")
        });
    }
    let start =
        ["/bin/sh", "-c", &format!("{script}exec \"$@\""), "mgp-limits", "/usr/bin/sandbox-exec", "-p", text];
    start.map(str::to_owned).into()
}

/// Prepares one start by `sandbox-exec`.
#[cfg(target_os = "macos")]
pub(super) fn prepare(
    server_id: &str,
    profile: &Profile,
    proxy: Option<std::sync::Arc<dyn mgp_transport::seam::ServeEgress>>,
) -> io::Result<mgp_transport::seam::PreparedChild> {
    use super::{
        denial::knows_secrets,
        private::{make_private, variables},
        resolve::resolve_rules,
    };
    let refused = |text: String| {
        let text = format!(
            "it cannot be confined: {text}; confinement.mode = \"off\" starts it without, and confinement.runner = \"container\" in a container"
        );
        io::Error::new(io::ErrorKind::Unsupported, text)
    };
    if !Path::new(SANDBOX_EXEC).is_file() {
        return Err(refused(format!("this machine has no {SANDBOX_EXEC}")));
    }
    let private = profile.private_folder.as_deref();
    let temporary = private.map(make_private).transpose()?;
    knows_secrets(profile)?;
    let (denied, rules) = (Denial::all(profile)?, resolve_rules(profile)?);
    let (mut serving, mut port) = (None, None);
    if let (Reach::Hosts(hosts), Some(proxy)) = (&profile.network.reach, proxy) {
        let (listener, of_listener) = mgp_transport::seam::listen_on_loopback()?;
        port = Some(of_listener);
        serving = Some(proxy.serve(server_id, hosts, listener)?);
    }
    let words = words(&text(profile, &rules, &denied, port).map_err(refused)?, &profile.limits);
    Ok(mgp_transport::seam::PreparedChild {
        isolated: true,
        env: variables(profile, temporary.as_deref(), port),
        cwd: private.map(Path::to_owned),
        ends_with_parent: false,
        through: Some(Box::new(move |mut line| {
            line.words.splice(0..0, words.into_iter().map(Into::into));
            Ok(line)
        })),
        in_child: std::sync::Arc::new(ProxySetup { _task: serving }),
    })
}

/// The proxy of a server, for as long as the server runs.
#[cfg(target_os = "macos")]
struct ProxySetup {
    _task: Option<mgp_transport::seam::EgressTask>,
}

// SAFETY: `apply` does nothing.
#[cfg(target_os = "macos")]
#[expect(unsafe_code, reason = "implementing the trait is unsafe")]
unsafe impl mgp_transport::seam::SetupInChild for ProxySetup {
    fn apply(&self) -> io::Result<()> {
        Ok(())
    }

    fn conclude(&self, started: io::Result<()>) -> io::Result<()> {
        started
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::confine::{
        ConfinementSettings, GrantedPermission, ProfileFacts, ProgramFiles, resolve::resolve_rules,
    };
    use mgp_types::{context::TrustLevel, permission::StandardPermission};
    use std::{fs, path::PathBuf};

    /// A home folder, and the settings of a server.
    struct Rig {
        _folder: tempfile::TempDir,
        root: PathBuf,
        settings: ConfinementSettings,
        granted: Vec<GrantedPermission>,
        limits: Limits,
    }

    impl Rig {
        fn new() -> Self {
            let folder = tempfile::tempdir().unwrap();
            let root = folder.path().canonicalize().unwrap();
            for name in ["home/.ssh", "home/notes", "state/servers/s", "od\"d\\"] {
                fs::create_dir_all(root.join(name)).unwrap();
            }
            let limits = Limits { memory_mb: None, processes: None, ..Limits::CONFINED };
            Self {
                _folder: folder,
                root,
                settings: ConfinementSettings::default(),
                granted: Vec::new(),
                limits,
            }
        }

        fn text(&self, proxy: Option<u16>) -> Result<String, String> {
            let program = ProgramFiles::default();
            let private = self.root.join("state/servers/s");
            let profile = Profile::derive(&ProfileFacts {
                trust: TrustLevel::Sandboxed,
                settings: &self.settings,
                granted: &self.granted,
                program: &program,
                granted_programs: &program,
                private_folder: Some(&private),
                kernel_files: &[self.root.join("state")],
                homes: &[self.root.join("home")],
            });
            let profile = Profile { limits: self.limits, ..profile };
            let rules = resolve_rules(&profile).unwrap();
            let text = text(&profile, &rules, &Denial::all(&profile).unwrap(), proxy)?;
            Ok(text.replace(self.root.to_str().unwrap(), "ROOT"))
        }
    }

    /// Returns the place of the last rule that is meant, counted from the start of a profile.
    fn last(text: &str, is_meant: impl Fn(&str) -> bool) -> Option<usize> {
        text.lines().enumerate().filter(|(_, line)| is_meant(line)).last().map(|(at, _)| at)
    }

    /// Returns the place of a rule in a profile, counted from its start.
    fn place(text: &str, rule: &str) -> usize {
        text.lines().position(|line| line == rule).unwrap_or_else(|| panic!("{rule}\nis not in\n{text}"))
    }

    #[test]
    fn a_profile_denies_by_default_and_has_no_network() {
        let text = Rig::new().text(None).unwrap();
        assert!(text.starts_with("(version 1)\n(deny default)\n"), "{text}");
        assert!(!text.contains("network") && !text.contains("system-socket"), "{text}");
        assert!(!text.contains("(subpath \"/\")"), "{text}");
        let starts = text.lines().filter(|line| line.contains("process-exec") && line.starts_with("(allow"));
        assert_eq!(starts.count(), 0, "{text}");
    }

    #[test]
    fn denied_paths_come_after_rules_and_before_exceptions() {
        let mut rig = Rig::new();
        rig.granted = vec![StandardPermission::FilesystemWrite.into()];
        rig.settings.read = vec![rig.root.join("home/.ssh")];
        let text = rig.text(None).unwrap();
        let all = text
            .lines()
            .position(|line| line.starts_with("(allow") && line.ends_with("(subpath \"/\"))"))
            .unwrap();
        let state = place(&text, "(deny file* process-exec (subpath \"ROOT/state\"))");
        let secrets = place(&text, "(deny file* process-exec (subpath \"ROOT/home/.ssh\"))");
        let private = last(&text, |line| {
            line == "(allow file-read* file-map-executable file-write* (subpath \"ROOT/state/servers/s\"))"
        });
        let named =
            last(&text, |line| line == "(allow file-read* file-map-executable (subpath \"ROOT/home/.ssh\"))");
        assert!(all < state && all < secrets, "{text}");
        assert!(private.unwrap() > state && named.unwrap() > secrets, "{text}");
        let last_deny = last(&text, |line| line.starts_with("(deny")).unwrap();
        let after: Vec<_> = text.lines().skip(last_deny + 1).collect();
        assert!(after.iter().all(|line| !line.contains("(subpath \"/\")")), "{text}");
    }

    #[test]
    fn a_permission_for_all_files_leaves_out_the_devices() {
        let mut rig = Rig::new();
        rig.granted = vec![StandardPermission::FilesystemWrite.into()];
        let text = rig.text(None).unwrap();
        place(&text, "(deny file* process-exec (subpath \"/dev\"))");
        let null = last(&text, |line| line.contains("(literal \"/dev/null\")")).unwrap();
        assert!(null > place(&text, "(deny file* process-exec (subpath \"/dev\"))"), "{text}");
    }

    #[test]
    fn a_path_cannot_end_its_string() {
        let mut rig = Rig::new();
        rig.settings.write = vec![rig.root.join("od\"d\\")];
        place(
            &rig.text(None).unwrap(),
            r#"(allow file-read* file-map-executable file-write* (subpath "ROOT/od\"d\\"))"#,
        );
        assert_eq!(quoted(Path::new("/a b/\u{e9}")).unwrap(), "\"/a b/\u{e9}\"");
        for path in ["/a\nb", "/a\0b", "/a\u{7f}", "/a\u{85}"] {
            assert!(quoted(Path::new(path)).is_err(), "{path:?}");
        }
    }

    #[test]
    fn a_profile_opens_only_the_proxy_and_the_listed_ports() {
        let mut rig = Rig::new();
        rig.settings.hosts = Some(vec!["example.com".parse().unwrap()]);
        let text = rig.text(Some(41234)).unwrap();
        let network: Vec<_> = text.lines().filter(|line| line.contains("network")).collect();
        assert_eq!(network, ["(allow network-outbound (remote ip \"localhost:41234\"))"]);
        // Without a proxy, it reaches no host.
        assert!(!rig.text(None).unwrap().contains("network"));
        rig.settings.hosts = None;
        rig.settings.ports = Some(vec![8080]);
        let text = rig.text(None).unwrap();
        let network: Vec<_> = text.lines().filter(|line| line.contains("network")).collect();
        assert_eq!(network, ["(allow network-bind network-inbound (local ip \"*:8080\"))"]);
        rig.settings.ports = None;
        rig.settings.network = Some(true);
        assert!(rig.text(None).unwrap().contains("(allow network-outbound (remote ip))"));
    }

    #[test]
    fn a_limit_that_macos_does_not_hold_refuses_the_server() {
        let mut rig = Rig::new();
        rig.limits.memory_mb = Some(512);
        assert!(rig.text(None).unwrap_err().contains("confinement.memory_mb"));
        rig.limits = Limits { processes: Some(5), memory_mb: None, ..rig.limits };
        assert!(rig.text(None).unwrap_err().contains("confinement.processes"));
    }

    #[test]
    fn the_words_set_limits_and_pass_arguments_unchanged() {
        let limits = Limits { open_files: Some(64), file_mb: None, cpu_secs: None, ..Limits::default() };
        let mut words = words("(version 1)", &limits);
        assert_eq!(words[4..], ["/usr/bin/sandbox-exec", "-p", "(version 1)"]);
        words.truncate(4);
        let shown = ["sh", "-c", "ulimit -n; ulimit -c; printf '%s|' \"$@\"", "sh", "a b", "$(no)", ""];
        let mut command = std::process::Command::new(&words[0]);
        let output = command.args(&words[1..]).args(shown).output().unwrap();
        assert_eq!(String::from_utf8_lossy(&output.stdout), "64\n0\na b|$(no)||");
    }
}
