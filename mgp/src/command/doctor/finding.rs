//! The findings: the table of their kinds, and the line that each is shown as.

use super::fix::Fix;
use serde::{Serialize, Serializer};
use std::fmt;

/// The part of the installation that a finding is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Area {
    Program,
    Gateway,
    Configuration,
    State,
    Servers,
    Hosts,
    Confinement,
    Machine,
}

impl Area {
    pub(super) const ALL: [Self; 8] = [
        Self::Program,
        Self::Gateway,
        Self::Configuration,
        Self::State,
        Self::Servers,
        Self::Hosts,
        Self::Confinement,
        Self::Machine,
    ];

    /// Returns the name on the command line.
    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::Program => "program",
            Self::Gateway => "gateway",
            Self::Configuration => "configuration",
            Self::State => "state",
            Self::Servers => "servers",
            Self::Hosts => "hosts",
            Self::Confinement => "confinement",
            Self::Machine => "machine",
        }
    }
}

/// The severity of a finding.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Severity {
    /// Something does not work.
    Error,
    /// Something works differently than the user probably expects.
    Warning,
    /// Worth knowing; the exit code does not count it.
    Note,
}

/// Defines the kinds of findings from one table.
macro_rules! kinds {
    ($($kind:ident $id:literal $area:ident $severity:ident,)*) => {
        /// A kind of finding. Its id is also the anchor of its section in `docs/doctor.md`.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
        pub(super) enum Kind { $($kind,)* }

        impl Kind {
            #[cfg(test)]
            const ALL: &[Self] = &[$(Self::$kind,)*];

            const fn row(self) -> (&'static str, Area, Severity) {
                match self { $(Self::$kind => ($id, Area::$area, Severity::$severity),)* }
            }
        }
    };
}

kinds! {
    ProgramNotInPath "program-not-in-path" Program Note,
    ProgramTwice "program-twice" Program Warning,
    ConfigNone "config-none" Configuration Warning,
    ConfigUnreadable "config-unreadable" Configuration Error,
    ConfigInvalid "config-invalid" Configuration Error,
    ConfigUntrusted "config-untrusted" Configuration Error,
    ConfigPolicy "config-policy" Configuration Error,
    ConfigOwner "config-owner" Configuration Error,
    ConfigWritable "config-writable" Configuration Error,
    ConfigReadable "config-readable" Configuration Warning,
    ConfigNoServers "config-no-servers" Configuration Note,
    ConfigReplicasLoopback "config-replicas-loopback" Configuration Warning,
    ConfigReplicasAdvertise "config-replicas-advertise" Configuration Note,
    StateNone "state-none" State Error,
    StateNotAFolder "state-not-a-folder" State Error,
    StateOwner "state-owner" State Error,
    StateClosed "state-closed" State Error,
    StateOpen "state-open" State Warning,
    StateFileOpen "state-file-open" State Warning,
    StateFileLink "state-file-link" State Error,
    StateFileBroken "state-file-broken" State Error,
    StateFileLeft "state-file-left" State Warning,
    StateUnusable "state-unusable" State Error,
    GatewayOtherVersion "gateway-other-version" Gateway Warning,
    GatewayReplaced "gateway-replaced" Gateway Warning,
    GatewayNeedsRestart "gateway-needs-restart" Gateway Warning,
    GatewaySilent "gateway-silent" Gateway Error,
    GatewaySocketLeft "gateway-socket-left" Gateway Warning,
    GatewaySocketPath "gateway-socket-path" Gateway Error,
    GatewayPlace "gateway-place" Gateway Error,
    GatewayLockHeld "gateway-lock-held" Gateway Warning,
    GatewayOrphans "gateway-orphans" Gateway Warning,
    ServerVariable "server-variable" Servers Error,
    ServerCommand "server-command" Servers Error,
    ServerCommandLine "server-command-line" Servers Error,
    ServerNotExecutable "server-not-executable" Servers Error,
    ServerInterpreter "server-interpreter" Servers Error,
    ServerFolder "server-folder" Servers Error,
    ServerOnlyInShell "server-only-in-shell" Servers Warning,
    ServerRuntimeOld "server-runtime-old" Servers Warning,
    ServerRuntimeBroken "server-runtime-broken" Servers Error,
    ServerEngine "server-engine" Servers Error,
    ServerDown "server-down" Servers Error,
    ServerLogin "server-login" Servers Error,
    ServerSlow "server-slow" Servers Warning,
    ServerStopped "server-stopped" Servers Note,
    ServerOddTools "server-odd-tools" Servers Warning,
    ServerNotice "server-notice" Servers Note,
    ServerWaiting "server-waiting" Servers Warning,
    ServerClosed "server-closed" Servers Warning,
    HostFileUnusable "host-file-unusable" Hosts Error,
    HostFileBroken "host-file-broken" Hosts Error,
    HostNotConnected "host-not-connected" Hosts Warning,
    HostWithoutGateway "host-without-gateway" Hosts Note,
    HostGoesRound "host-goes-round" Hosts Warning,
    HostProgramMissing "host-program-missing" Hosts Error,
    HostProgramOther "host-program-other" Hosts Warning,
    HostProgramRelative "host-program-relative" Hosts Warning,
    HostConfigMissing "host-config-missing" Hosts Error,
    HostSwitchedOff "host-switched-off" Hosts Warning,
    HostEntryTwice "host-entry-twice" Hosts Warning,
    HostManaged "host-managed" Hosts Warning,
    ConfinementMissing "confinement-missing" Confinement Error,
    ConfinementFails "confinement-fails" Confinement Error,
    ConfinementUnavailable "confinement-unavailable" Confinement Note,
    ClockBehind "clock-behind" Machine Error,
    DiskFull "disk-full" Machine Error,
    PortTaken "port-taken" Machine Error,
    PortUnusable "port-unusable" Machine Error,
    NotifyUnreachable "notify-unreachable" Machine Warning,
    ProxyMalformed "proxy-malformed" Machine Error,
    ProxyDiffers "proxy-differs" Machine Warning,
    ProxyLoopback "proxy-loopback" Machine Warning,
    ShellSilent "shell-silent" Machine Warning,
    ShellVariable "shell-variable" Machine Warning,
    CheckUnfinished "check-unfinished" Machine Warning,
}

impl Kind {
    pub(super) const fn id(self) -> &'static str {
        self.row().0
    }

    pub(super) const fn area(self) -> Area {
        self.row().1
    }

    pub(super) const fn severity(self) -> Severity {
        self.row().2
    }
}

impl Serialize for Kind {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.id())
    }
}

/// The one step that mends a finding.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Remedy {
    /// A command for a shell.
    Command(String),
    /// A key of a configuration, with the place of the configuration if it is not the gateway's.
    Key(String),
}

impl fmt::Display for Remedy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Command(command) => write!(f, "run `{command}`"),
            Self::Key(key) => write!(f, "set `{key}`"),
        }
    }
}

/// A fault of this installation, or something else that its user should know.
#[derive(Debug, Serialize)]
pub(super) struct Finding {
    pub(super) id: Kind,
    pub(super) severity: Severity,
    /// The id of the server or the host, otherwise the area.
    pub(super) subject: String,
    pub(super) problem: String,
    #[serde(flatten)]
    pub(super) remedy: Remedy,
    /// The section of the documentation.
    docs: String,
    /// True if `--fix` can mend it.
    fixable: bool,
    /// True if `--fix` has mended it.
    pub(super) fixed: bool,
    #[serde(skip)]
    pub(super) fix: Option<Fix>,
}

impl Finding {
    pub(super) fn new(id: Kind, problem: impl Into<String>, remedy: Remedy) -> Self {
        Self {
            id,
            severity: id.severity(),
            subject: id.area().name().to_owned(),
            problem: problem.into(),
            remedy,
            docs: format!("docs/doctor.md#{}", id.id()),
            fixable: false,
            fixed: false,
            fix: None,
        }
    }

    /// Sets the server or the host that the finding is about.
    pub(super) fn of(self, subject: &str) -> Self {
        Self { subject: subject.to_owned(), ..self }
    }

    /// Sets the change with which `--fix` mends the finding.
    pub(super) fn with_fix(self, fix: Fix) -> Self {
        Self { fixable: true, fix: Some(fix), ..self }
    }

    /// Returns the line for people.
    pub(super) fn line(&self) -> String {
        let Self { severity, subject, problem, remedy, docs, fixed, fixable, .. } = self;
        let head = match severity {
            _ if *fixed => "mended",
            Severity::Error => "error",
            Severity::Warning => "warning",
            Severity::Note => "note",
        };
        if *fixed {
            return format!("{head}: {subject}: {problem} ({docs})");
        }
        let alternative = if *fixable { ", or `mgp doctor --fix`" } else { "" };
        format!("{head}: {subject}: {problem}; {remedy}{alternative} ({docs})")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    const DOCUMENT: &str = include_str!("../../../docs/doctor.md");

    #[test]
    fn each_kind_has_a_section_and_each_section_a_kind() {
        let ids: BTreeSet<_> = Kind::ALL.iter().map(|kind| kind.id()).collect();
        assert_eq!(ids.len(), Kind::ALL.len(), "an id is there twice");
        let sections: BTreeSet<_> = DOCUMENT.lines().filter_map(|line| line.strip_prefix("### ")).collect();
        assert_eq!(sections, ids);
    }

    #[test]
    fn each_section_names_the_severity() {
        for kind in Kind::ALL {
            let section = DOCUMENT.split(&format!("### {}\n", kind.id())).nth(1).unwrap_or_default();
            let severity = format!("{:?}", kind.severity());
            assert!(section.trim_start().starts_with(&format!("{severity}. ")), "{}: {severity}", kind.id());
        }
    }
}
