//! §15.4 Turns a request into a server, with the checks of a configuration.

use super::Registration;
use crate::config::{
    Finding, KeyPath, Secret, ServerConfig, ServerMgp, Text, Transport, one_server, runs_other_code,
};
use jiff::Timestamp;
use mgp_types::{context::Principal, discovery::RegisterServerParams, rpc::ErrorObject};

/// The longest justification, in bytes.
const MAX_JUSTIFICATION: usize = 4096;

/// The most problems that are reported at once.
const MAX_FINDINGS: usize = 5;

/// The most entries of `args` and `env`: a larger request is refused before it is turned into a server.
const MAX_ENTRIES: usize = 1_000;

impl Registration {
    /// Creates the requested registration in the name of the authenticated caller. The author stated in the request is ignored.
    ///
    /// # Errors
    /// -32602 with the problems, each with its field, the value that was found and the value that was expected.
    pub fn requested(params: RegisterServerParams, caller: &Principal) -> Result<Self, ErrorObject> {
        let mut findings = Vec::new();
        for (field, count) in [
            ("args", params.args.as_ref().map_or(0, Vec::len)),
            ("env", params.env.as_ref().map_or(0, std::collections::BTreeMap::len)),
        ] {
            if count > MAX_ENTRIES {
                let message = format!("{count} entries: expected at most {MAX_ENTRIES}");
                return Err(invalid(&[Finding::new(KeyPath::root().key(field), message)]));
            }
        }
        if let Some(text) = params.justification.as_ref().filter(|text| text.len() > MAX_JUSTIFICATION) {
            let message = format!("a text of {} bytes: expected at most {MAX_JUSTIFICATION}", text.len());
            findings.push(Finding::new(KeyPath::root().key("justification"), message));
        }
        let justification = params.justification.clone();
        let mut server = server(params, &mut findings);
        check(&mut server, &mut findings);
        if !findings.is_empty() {
            return Err(invalid(&findings));
        }
        Ok(Self {
            server,
            created_by: caller.id().to_owned(),
            by_admin: caller.is_admin(),
            created_at: format!("{:.3}", Timestamp::now()),
            justification,
        })
    }

    /// Checks a stored server again. The server was checked before it was stored, but a file can be edited by hand.
    #[cfg(feature = "sqlite")]
    pub(super) fn checked_again(mut self) -> Result<Self, String> {
        let mut findings = Vec::new();
        let settings = self.server.settings().into_owned();
        self.server.confinement = None;
        self.server.mgp = Some(confined(settings.extensions, settings.permissions_required));
        check(&mut self.server, &mut findings);
        if findings.is_empty() { Ok(self) } else { Err(sentence(&findings)) }
    }
}

fn server(params: RegisterServerParams, findings: &mut Vec<Finding>) -> ServerConfig {
    let mut server = ServerConfig::new(params.id);
    server.transport = match params.transport.as_str() {
        "stdio" => Some(Transport::Stdio),
        "http" | "streamable-http" => Some(Transport::Http),
        other => {
            let other: String = other.chars().take(64).collect();
            let message = format!("unknown transport {other:?}: expected stdio or http");
            findings.push(Finding::new(KeyPath::root().key("transport"), message));
            None
        }
    };
    server.command = params.command.map(Text::from);
    server.args = params.args.unwrap_or_default().into_iter().map(Text::from).collect();
    server.env =
        params.env.unwrap_or_default().into_iter().map(|(name, value)| (name, Secret::from(value))).collect();
    server.url = params.url.map(Text::from);
    let declared = params.mgp.unwrap_or_default();
    // The server's own claim of trust is not kept, because no level is below sandboxed.
    server.mgp = Some(confined(
        declared.extensions.unwrap_or_default(),
        declared.permissions_required.unwrap_or_default(),
    ));
    server
}

/// Returns the settings of every registered server: sandboxed, and without features of hosts.
fn confined(extensions: Vec<String>, permissions_required: Vec<String>) -> ServerMgp {
    ServerMgp {
        extensions,
        permissions_required,
        trust_level: Some(Registration::TRUST),
        host_features: Vec::new(),
        ..ServerMgp::default()
    }
}

fn check(server: &mut ServerConfig, findings: &mut Vec<Finding>) {
    server.take_literally(findings);
    one_server(server, findings);
    for (name, value) in &server.env {
        let mut say =
            |message: &str| findings.push(Finding::new(KeyPath::root().key("env").key(name), message));
        if runs_other_code(name) {
            say(
                "makes programs run other code: expected none of LD_PRELOAD, NODE_OPTIONS, PATH and the like, which a server of the configuration may have",
            );
        }
        if value.reveal().contains(|c: char| c.is_control() && c != '\t') {
            say(
                "holds a line break or a control character: expected one line; a server of the configuration may have more",
            );
        }
    }
}

fn invalid(findings: &[Finding]) -> ErrorObject {
    ErrorObject::invalid_params(format!("invalid server: {}", sentence(findings)))
}

fn sentence(findings: &[Finding]) -> String {
    let mut parts: Vec<_> = findings.iter().take(MAX_FINDINGS).map(described).collect();
    if findings.len() > MAX_FINDINGS {
        parts.push(format!("and {} more", findings.len() - MAX_FINDINGS));
    }
    parts.join("; ")
}

fn described(finding: &Finding) -> String {
    let Finding { path, message, help, .. } = finding;
    match help {
        Some(help) => format!("{path}: {message} ({help})"),
        None => format!("{path}: {message}"),
    }
}
