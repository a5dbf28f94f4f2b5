//! Puts the environment's values into a configuration.

use super::{
    Config, ServerConfig, ServerConfinement,
    error::Finding,
    load::Lookup,
    path::KeyPath,
    text::{ExpandError, Text},
};

impl Config {
    /// Expands every `${VAR}`, except in disabled servers, whose variables need not be set.
    pub(crate) fn expand(&mut self, env: Lookup<'_>, findings: &mut Vec<Finding>) {
        let mut expand = |path: KeyPath, text: &mut Text| {
            if let Err(error) = text.expand(env) {
                findings.push(finding(path, &error));
            }
        };
        if let Some(state_dir) = &mut self.kernel.state_dir {
            expand(KeyPath::root().key("kernel").key("state_dir"), state_dir);
        }
        expand(KeyPath::root().key("tool_creation").key("python"), &mut self.tool_creation.python);
        if let Some(file) = &mut self.access.policy_file {
            expand(KeyPath::root().key("access").key("policy_file"), file);
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
                expand(path.key("client_id"), &mut asked.client_id);
                expand(path.key("client_secret"), asked.client_secret.text_mut());
            }
        }
        if let Some(value) = &mut self.telemetry.traces_authorization {
            let path = KeyPath::root().key("telemetry").key("traces_authorization");
            expand(path, value.text_mut());
        }
        for (i, server) in self.servers.iter_mut().enumerate().filter(|(_, server)| !server.disabled) {
            let path = KeyPath::root().key("servers").index(i);
            server.for_each_text(&mut |key, text| expand(key(&path), text));
        }
    }
}

/// A function from the path of a server to the path of one of its values.
type ValuePath<'a> = &'a dyn Fn(&KeyPath) -> KeyPath;

impl ServerConfig {
    fn for_each_text(&mut self, visit: &mut dyn FnMut(ValuePath<'_>, &mut Text)) {
        let singles = [("command", &mut self.command), ("cwd", &mut self.cwd), ("url", &mut self.url)];
        for (key, text) in singles {
            if let Some(text) = text {
                visit(&|path| path.key(key), text);
            }
        }
        for (i, text) in self.args.iter_mut().enumerate() {
            visit(&|path| path.key("args").index(i), text);
        }
        for (list, texts) in self.confinement.iter_mut().flat_map(ServerConfinement::paths_mut) {
            for (i, text) in texts.iter_mut().enumerate() {
                visit(&|path| path.key("confinement").key(list).index(i), text);
            }
        }
        for (table, values) in [("env", &mut self.env), ("headers", &mut self.headers)] {
            for (key, secret) in values {
                visit(&|path| path.key(table).key(key), secret.text_mut());
            }
        }
        if let Some(auth) = &mut self.auth {
            for (key, secret) in [("bearer", &mut auth.bearer), ("api_key", &mut auth.api_key)] {
                if let Some(secret) = secret {
                    visit(&|path| path.key("auth").key(key), secret.text_mut());
                }
            }
            if let Some(secret) = auth.oauth.as_mut().and_then(|oauth| oauth.client_secret.as_mut()) {
                visit(&|path| path.key("auth").key("oauth").key("client_secret"), secret.text_mut());
            }
        }
    }
}

impl ServerConfig {
    /// Takes every value as it is written, without reading the environment. `$${` is the text `${`, as in a file.
    pub(crate) fn take_literally(&mut self, findings: &mut Vec<Finding>) {
        self.for_each_text(&mut |key, text| {
            if let Err(error) = text.expand(&|_| None) {
                let found = match error {
                    ExpandError::Unset(name) => format!("\"${{{name}}}\""),
                    ExpandError::Malformed(rest) => format!("\"${{{rest}\""),
                };
                let message = format!("holds {found}: no variable of the kernel's environment is read here");
                let help = "send the value itself, or write $${ for the text ${";
                findings.push(Finding::new(key(&KeyPath::root()), message).help(help));
            }
        });
    }
}

fn finding(path: KeyPath, error: &ExpandError) -> Finding {
    match error {
        ExpandError::Unset(name) => Finding::new(path, format!("the environment variable {name} is not set"))
            .help(format!("set {name}, or write $${{{name}}} for the text itself")),
        ExpandError::Malformed(rest) => {
            Finding::new(path, format!("\"${{{rest}\" is no variable: expected ${{NAME}}"))
                .help("write $${ for the text ${ itself")
        }
    }
}
