//! The runner of macOS: a profile of Seatbelt, which `sandbox-exec` applies before the program starts.
//!
//! The text of the profile is a pure function of the server's profile, which is tested on every system. We have not run it on macOS.

use super::{
    Limits, ListenPorts, Profile, Reach, Reason,
    denial::Denial,
    resolve::ResolvedRule,
};
use std::{fmt::Write, io, path::Path};

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
(allow file-read* file-write-data (literal \"/dev/null\") (literal \"/dev/zero\"))
(allow file-read* (literal \"/dev/random\") (literal \"/dev/urandom\"))
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
    for denial in denied.iter().filter(|denial| denial.reason != Reason::Machine) {
        add(&mut text, format_args!("(deny file* process-exec (subpath {}))", quoted(&denial.path)?));
    }
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
    let text = text.ok_or_else(|| format!("{path:?} cannot stand in a profile: expected UTF-8 without control characters"))?;
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
    let start = ["/bin/sh", "-c", &format!("{script}exec \"$@\""), "mgp-limits", "/usr/bin/sandbox-exec", "-p", text];
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
        let listener = std::net::TcpListener::bind((std::net::Ipv4Addr::LOCALHOST, 0))?;
        port = Some(listener.local_addr()?.port());
        serving = Some(proxy.serve(server_id, hosts, listener.into())?);
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
        in_child: std::sync::Arc::new(Serving { _task: serving }),
    })
}

/// The proxy of a server, for as long as the server runs.
#[cfg(target_os = "macos")]
struct Serving {
    _task: Option<mgp_transport::seam::EgressTask>,
}

// SAFETY: `apply` does nothing.
#[cfg(target_os = "macos")]
#[expect(unsafe_code, reason = "implementing the trait is unsafe")]
unsafe impl mgp_transport::seam::SetupInChild for Serving {
    fn apply(&self) -> io::Result<()> {
        Ok(())
    }

    fn conclude(&self, started: io::Result<()>) -> io::Result<()> {
        started
    }
}
