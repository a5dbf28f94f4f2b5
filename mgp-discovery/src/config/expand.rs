//! Expands environment variables in a configuration.

use super::{
    Config, ServerConfig, ServerConfinement,
    error::Finding,
    load::Lookup,
    path::{KeyPath, Step},
    secret_source::{SecretReader, SecretSource},
    text::{ExpandError, Secret, Text},
    tool_shape::FixedValue,
    validate::one_server,
};
use std::{
    cell::RefCell,
    collections::{BTreeSet, HashMap},
};

impl Config {
    /// Expands every `${VAR}`, except in disabled servers, whose variables need not be set. An unset variable of a server is a fault of only
    /// that server.
    pub(crate) fn expand(&mut self, env: Lookup<'_>, findings: &mut Vec<Finding>) {
        let mut expand_any = |path: KeyPath, text: &mut Text, holds_secrets: bool| {
            if let Err(error) = text.expand(env) {
                findings.push(finding(path, &error));
            } else if let Some(source) = text.sources().next().filter(|_| !holds_secrets) {
                findings.push(no_secret(path, source));
            }
        };
        let mut expand = |path: KeyPath, text: &mut Text| expand_any(path, text, false);
        if let Some(state_dir) = &mut self.kernel.state_dir {
            expand(KeyPath::root().key("kernel").key("state_dir"), state_dir);
        }
        expand(KeyPath::root().key("tool_creation").key("python"), &mut self.tool_creation.python);
        if let Some(file) = &mut self.access.policy_file {
            expand(KeyPath::root().key("access").key("policy_file"), file);
        }
        if let Some(address) = &mut self.replicas.advertise {
            expand(KeyPath::root().key("replicas").key("advertise"), address);
        }
        let index = KeyPath::root().key("kernel").key("tool_index");
        self.kernel.tool_index.texts().for_each(|(key, text)| expand(index.key(key), text));
        if let Some(oauth) = &mut self.http.oauth {
            let path = KeyPath::root().key("http").key("oauth");
            for (i, issuer) in oauth.issuers.iter_mut().enumerate() {
                if let Some(file) = &mut issuer.jwks_file {
                    expand(path.key("issuers").index(i).key("jwks_file"), file);
                }
            }
            if let Some(asked) = &mut oauth.introspection {
                let path = path.key("introspection");
                expand_any(path.key("client_id"), &mut asked.client_id, true);
                expand_any(path.key("client_secret"), asked.client_secret.text_mut(), true);
            }
        }
        for (i, target) in self.approvals.notify.iter_mut().enumerate() {
            let path = KeyPath::root().key("approvals").key("notify").index(i);
            for (key, secret) in [("url", &mut target.url), ("token", &mut target.token)] {
                if let Some(secret) = secret {
                    expand_any(path.key(key), secret.text_mut(), true);
                }
            }
            for (at, argument) in target.argv.iter_mut().enumerate() {
                expand_any(path.key("argv").index(at), argument, false);
            }
        }
        if let Some(value) = &mut self.store.url {
            expand_any(KeyPath::root().key("store").key("url"), value.text_mut(), true);
        }
        if let Some(value) = &mut self.telemetry.traces_authorization {
            let path = KeyPath::root().key("telemetry").key("traces_authorization");
            expand_any(path, value.text_mut(), true);
        }
        for (i, server) in self.servers.iter_mut().enumerate().filter(|(_, server)| !server.disabled) {
            let path = KeyPath::root().key("servers").index(i);
            let mut unset = BTreeSet::new();
            server.for_each_text(&mut |key, text| match text.expand(env) {
                Ok(()) => {
                    // The confinement is derived before the secrets are read.
                    if let Some(source) = text.sources().next()
                        && matches!(key(&KeyPath::root()).steps(), [Step::Key(table), ..] if table == "confinement")
                    {
                        findings.push(no_secret(key(&path), source));
                    }
                }
                Err(ExpandError::Unset(name)) => {
                    unset.insert(name);
                }
                Err(error) => findings.push(finding(key(&path), &error)),
            });
            server.fault = not_set(unset);
        }
    }

    /// Moves the findings about server values that come from variables out of `findings`. The first one becomes the server's fault. A
    /// variable with an unusable value is not a mistake in the file, and must not stop the other servers.
    pub(crate) fn take_faults(&mut self, findings: &mut Vec<Finding>) {
        let wrong: BTreeSet<usize> = findings.iter().filter_map(|finding| place(&finding.path)).collect();
        let mut expanded = HashMap::new();
        for i in wrong {
            let Some(server) = self.servers.get_mut(i).filter(|server| !server.disabled) else { continue };
            let path = KeyPath::root().key("servers").index(i);
            server.for_each_text(&mut |key, text| {
                if text.has_variables() {
                    expanded.insert(key(&path).to_string(), (i, key(&KeyPath::root())));
                }
            });
        }
        findings.retain(|finding| {
            let of_value = place(&finding.path).filter(|_| !finding.of_key);
            let Some((i, key)) = of_value.and_then(|_| expanded.get(&finding.path.to_string())) else {
                return true;
            };
            if let Some(server) = self.servers.get_mut(*i) {
                server.fault.get_or_insert_with(|| {
                    format!("{key} is not usable with the value of its variables: {}", finding.message)
                });
            }
            false
        });
    }
}

/// Returns the index of the server that a path leads into.
fn place(path: &KeyPath) -> Option<usize> {
    match path.steps() {
        [Step::Key(key), Step::Index(i), ..] if key == "servers" => Some(*i),
        _ => None,
    }
}

/// Returns the fault of a server whose variables are not set.
fn not_set(names: BTreeSet<String>) -> Option<String> {
    let names: Vec<_> = names.into_iter().collect();
    match &names[..] {
        [] => None,
        [name] => Some(format!(
            "the environment variable {name} is not set: set it and start the gateway again, or give it a default with \
             ${{{name}:-value}}"
        )),
        [first @ .., last] => Some(format!(
            "the environment variables {} and {last} are not set: set them and start the gateway again, or give each a \
             default, such as ${{{last}:-value}}",
            first.join(", ")
        )),
    }
}

/// A function from the path of a server to the path of one of its values.
type ValuePath<'a> = &'a dyn Fn(&KeyPath) -> KeyPath;

impl ServerConfig {
    fn for_each_text(&mut self, visit: &mut dyn FnMut(ValuePath<'_>, &mut Text)) {
        let singles = [
            ("command", &mut self.command),
            ("cwd", &mut self.cwd),
            ("url", &mut self.url),
            ("openapi", &mut self.openapi),
            ("base_url", &mut self.base_url),
        ];
        for (key, text) in singles {
            if let Some(text) = text {
                visit(&|path| path.key(key), text);
            }
        }
        for (i, text) in self.args.iter_mut().enumerate() {
            visit(&|path| path.key("args").index(i), text);
        }
        for (i, command) in self.commands.iter_mut().enumerate() {
            for (j, text) in command.argv.iter_mut().enumerate() {
                visit(&|path| path.key("commands").index(i).key("argv").index(j), text);
            }
        }
        for (i, shape) in self.tools.iter_mut().enumerate() {
            for (name, value) in &mut shape.arguments {
                if let FixedValue::Text(text) = value {
                    visit(&|path| path.key("tools").index(i).key("arguments").key(name), text);
                }
            }
        }
        if let Some(basic) = self.auth.as_mut().and_then(|auth| auth.basic.as_mut()) {
            visit(&|path| path.key("auth").key("basic").key("user"), &mut basic.user);
        }
        for (list, texts) in self.confinement.iter_mut().flat_map(ServerConfinement::paths_mut) {
            for (i, text) in texts.iter_mut().enumerate() {
                visit(&|path| path.key("confinement").key(list).index(i), text);
            }
        }
        self.for_each_secret(&mut |key, secret| visit(&|path| path.join(&key), secret.text_mut()));
    }
}

impl ServerConfig {
    /// Returns the secrets that the server's values name, each with its key.
    #[must_use]
    pub fn secret_sources(&self) -> Vec<(KeyPath, SecretSource)> {
        let mut sources = Vec::new();
        self.clone().for_each_text(&mut |key, text| {
            if self.disabled {
                // Its variables were not read, and may not be set.
                let _ = text.expand(&|_| Some(String::new()));
            }
            let key = key(&KeyPath::root());
            sources.extend(text.sources().map(|source| (key.clone(), source.clone())));
        });
        sources
    }

    /// Reads the secrets that the server's values name, each once, and puts them in.
    ///
    /// # Errors
    /// A sentence that names the key, if a secret cannot be read, or if a value cannot be used with it. The secret is not shown.
    pub async fn read_secrets(&mut self, reader: &dyn SecretReader) -> Result<(), String> {
        let mut read: Vec<(SecretSource, String)> = Vec::new();
        for (key, source) in self.secret_sources() {
            if read.iter().all(|(known, _)| *known != source) {
                let secret = reader.read(&source).await.map_err(|error| format!("{key}: {error}"))?;
                read.push((source, secret));
            }
        }
        let secret = |source: &SecretSource| {
            read.iter().find(|(known, _)| known == source).map(|(_, secret)| secret.clone())
        };
        let sources = self.secret_sources();
        self.for_each_text(&mut |_, text| text.fill(&secret));
        let mut findings = Vec::new();
        one_server(self, &mut findings);
        let Some(Finding { path, message, .. }) = findings.first() else { return Ok(()) };
        let of_path = sources.iter().filter(|(key, _)| key.to_string() == path.to_string());
        let of_path: Vec<_> = of_path.map(|(_, source)| source).collect();
        let named: String = of_path.iter().map(|source| format!(" {source}")).collect();
        let advice = of_path.iter().find_map(|source| match source {
            SecretSource::Keyring(name) => Some(format!("; store another one with `mgp secrets set {name}`")),
            _ => None,
        });
        let advice = advice.unwrap_or_default();
        Err(format!("{path} is not usable with the value of its secret{named}: {message}{advice}"))
    }

    /// Calls `visit` with each value of `env`, `headers` and `auth`, and its key.
    pub fn for_each_secret(&mut self, visit: &mut dyn FnMut(KeyPath, &mut Secret)) {
        let root = KeyPath::root();
        for (table, values) in [("env", &mut self.env), ("headers", &mut self.headers)] {
            values.iter_mut().for_each(|(key, secret)| visit(root.key(table).key(key), secret));
        }
        if let Some(auth) = &mut self.auth {
            for (key, secret) in [("bearer", &mut auth.bearer), ("api_key", &mut auth.api_key)] {
                secret.iter_mut().for_each(|secret| visit(root.key("auth").key(key), secret));
            }
            if let Some(basic) = &mut auth.basic {
                visit(root.key("auth").key("basic").key("password"), &mut basic.password);
            }
            let secret = auth.oauth.iter_mut().filter_map(|oauth| oauth.client_secret.as_mut());
            secret.for_each(|secret| visit(root.key("auth").key("oauth").key("client_secret"), secret));
        }
    }

    /// Takes every value literally, without reading the environment. `$${` is the text `${`, as in a file.
    pub(crate) fn take_literally(&mut self, findings: &mut Vec<Finding>) {
        self.for_each_text(&mut |key, text| {
            let named = RefCell::new(None);
            let expanded = text.expand(&|name| {
                named.borrow_mut().get_or_insert_with(|| name.to_owned());
                None
            });
            let found = match (expanded, named.into_inner()) {
                // Also a variable with a default, which the sender means for the gateway's environment.
                (_, Some(name)) => format!("\"${{{name}}}\""),
                (Err(ExpandError::Unset(rest) | ExpandError::Malformed(rest)), None) => {
                    format!("\"${{{rest}\"")
                }
                (Err(ExpandError::Source(problem)), None) => format!("a secret of which {problem}"),
                (Ok(()), None) => match text.sources().next() {
                    Some(source) => format!("\"{source}\""),
                    None => return,
                },
            };
            let message = format!(
                "holds {found}: no variable of the gateway's environment is read here, and no secret"
            );
            let help = "send the value itself, or write $${ for the text ${";
            findings.push(Finding::new(key(&KeyPath::root()), message).help(help));
        });
    }
}

/// Returns the finding about a secret in a value that is not secret.
fn no_secret(path: KeyPath, source: &SecretSource) -> Finding {
    let message = format!("holds {source}: no secret is read here");
    Finding::new(path, message).help("write the value itself, or a variable ${NAME}")
}

fn finding(path: KeyPath, error: &ExpandError) -> Finding {
    match error {
        ExpandError::Unset(name) => Finding::new(path, format!("the environment variable {name} is not set"))
            .help(format!(
                "set {name}, give it a default with ${{{name}:-value}}, or write $${{{name}}} for the text itself"
            )),
        ExpandError::Malformed(rest) => {
            let message = format!("\"${{{rest}\" is not a variable: expected ${{NAME}} or ${{NAME:-default}}");
            Finding::new(path, message).help("write $${ for the text ${ itself")
        }
        ExpandError::Source(problem) => {
            Finding::new(path, problem).help("write $${ for the text ${ itself")
        }
    }
}
