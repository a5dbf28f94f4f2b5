//! Converts the variables of other hosts.

use super::{Host, HostContext};
use crate::{config::Text, public_registry::variable};
use mgp_types::json::RawObject;
use serde_json::Value;
use std::{
    borrow::Cow,
    path::{MAIN_SEPARATOR, Path},
};

/// The most values that an editor asks for.
const MAX_INPUTS: usize = 1_000;

/// A value that an editor asks its user for, and keeps.
#[derive(Debug)]
pub(super) struct Input {
    id: String,
    description: String,
    default: Option<String>,
    secret: bool,
}

impl Input {
    /// Returns the values that the editor of a file asks for. Malformed ones are skipped.
    pub(super) fn of(file: &RawObject) -> Vec<Self> {
        let inside = file.object("mcp").and_then(|mcp| mcp.get("inputs").cloned());
        let list = file.get("inputs").cloned().or(inside);
        let list: Vec<Value> = list.and_then(|list| list.decode().ok()).unwrap_or_default();
        let read = |input: &Value| {
            let text = |key: &str| input.get(key).and_then(Value::as_str).map(str::to_owned);
            Some(Self {
                id: text("id")?,
                description: text("description").unwrap_or_default(),
                default: text("default").filter(|default| !default.contains(['$', '}'])),
                secret: input.get("password").and_then(Value::as_bool).unwrap_or_default(),
            })
        };
        list.iter().take(MAX_INPUTS).filter_map(read).collect()
    }
}

/// A converter of the variables in the values of one server, which collects remarks for the server's owner.
#[derive(Debug)]
pub(super) struct Variables<'a> {
    pub(super) context: &'a HostContext,
    inputs: &'a [Input],
    /// Sentences about the server, for its owner.
    pub(super) remarks: Vec<String>,
}

impl<'a> Variables<'a> {
    pub(super) fn new(context: &'a HostContext, inputs: &'a [Input]) -> Self {
        Self { context, inputs, remarks: Vec::new() }
    }

    /// Adds a sentence about the server, once.
    pub(super) fn remark(&mut self, text: String) {
        if !self.remarks.contains(&text) {
            self.remarks.push(text);
        }
    }

    /// Returns a value with its variables converted.
    ///
    /// # Errors
    /// A sentence that names a variable which only the host itself can fill in.
    pub(super) fn text(&mut self, value: &str) -> Result<Text, String> {
        let value = self.usual(value);
        let mut out = String::with_capacity(value.len());
        let mut rest = &*value;
        while let Some(at) = rest.find('$') {
            out.push_str(&rest[..at]);
            let after = &rest[at + 1..];
            if let Some(inside) = after.strip_prefix('{') {
                if let Some((name, left)) = inside.split_once('}')
                    && looks_like_variable(name)
                {
                    out.push_str(&self.variable(name)?);
                    rest = left;
                } else {
                    // A shell variable, as in `${line#*:}`, which hosts leave unchanged.
                    out.push_str("$${");
                    rest = inside;
                }
                continue;
            }
            let end = after.find(|c: char| !is_of_name(c)).unwrap_or(after.len());
            let name = &after[..end];
            if is_name(name) && self.context.reads_bare_variables() {
                out.push_str(&format!("${{{name}}}"));
                rest = &after[end..];
            } else {
                out.push('$');
                rest = after;
            }
        }
        out.push_str(rest);
        let text = Text::from(out);
        // A default must not become a secret of the gateway, or a command.
        match text.source() {
            Some(source) => Err(unknown(source)),
            None => Ok(text),
        }
    }

    /// Returns a value with the variables of hosts that write them in another way: `{env:NAME}` and `${{ secrets.NAME }}`.
    fn usual<'v>(&self, value: &'v str) -> Cow<'v, str> {
        let (begin, end) = match self.context.host {
            Some(Host::OpenCode) => ("{env:", "}"),
            Some(Host::Continue) => ("${{", "}}"),
            _ => return Cow::Borrowed(value),
        };
        let mut out = String::with_capacity(value.len());
        let mut rest = value;
        while let Some((before, after)) = rest.split_once(begin) {
            let Some((inside, left)) = after.split_once(end) else { break };
            let name = inside.trim().trim_start_matches("secrets.").trim_start_matches("inputs.");
            out.push_str(before);
            match is_name(name) {
                true => out.push_str(&format!("${{{name}}}")),
                false => out.push_str(&format!("{begin}{inside}{end}")),
            }
            rest = left;
        }
        out.push_str(rest);
        Cow::Owned(out)
    }

    /// Returns the replacement of a variable, which is given without `${` and `}`.
    fn variable(&mut self, variable: &str) -> Result<String, String> {
        let whole = || unknown(&format!("${{{variable}}}"));
        let (name, default) = match variable.split_once(":-") {
            Some((name, default)) => (name, Some(default)),
            None => (variable, None),
        };
        if let Some(id) = variable.strip_prefix("input:") {
            return Ok(self.input(id));
        }
        if name.starts_with("workspaceFolder:") {
            return self.folder(name).ok_or_else(whole);
        }
        match name {
            "workspaceFolder" | "workspaceRoot" | "cwd" | "CLAUDE_PROJECT_DIR" => {
                self.folder(name).ok_or_else(whole)
            }
            "workspaceFolderBasename" => {
                let folder = self.context.folder.as_deref().and_then(Path::file_name);
                folder.map(|name| literal(&name.to_string_lossy())).ok_or_else(whole)
            }
            "userHome" => Ok(if cfg!(windows) { "${USERPROFILE}" } else { "${HOME}" }.to_owned()),
            "pathSeparator" | "/" => Ok(MAIN_SEPARATOR.to_string()),
            name => {
                let name = name.strip_prefix("env:").unwrap_or(name);
                let default = default.map(|default| format!(":-{default}")).unwrap_or_default();
                if is_name(name) { Ok(format!("${{{name}{default}}}")) } else { Err(whole()) }
            }
        }
    }

    /// Returns the project's folder, and adds a remark that it replaces a variable.
    fn folder(&mut self, name: &str) -> Option<String> {
        let folder = self.context.folder.as_deref()?.to_str()?;
        self.remark(format!("${{{name}}} is {folder} here"));
        Some(literal(folder))
    }

    /// Returns the variable for a value that an editor asks for, and adds a remark that it has to be set.
    fn input(&mut self, id: &str) -> String {
        let name = variable(id);
        let Some(input) = self.inputs.iter().find(|input| input.id == id) else {
            self.remark(format!("set {name}, which the host asks for"));
            return format!("${{{name}}}");
        };
        let colon = if input.description.is_empty() { "" } else { ": " };
        let secret = if input.secret { " (secret)" } else { "" };
        let description: String = input.description.chars().take(200).collect();
        let text = format!("set {name}{secret}, which the host asks for{colon}{description}");
        let default = input.default.as_ref().map(|default| format!(":-{default}")).unwrap_or_default();
        self.remark(text);
        format!("${{{name}{default}}}")
    }
}

/// Escapes a text so that it contains no variables.
pub(super) fn literal(text: &str) -> String {
    text.replace("${", "$${")
}

fn is_of_name(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_'
}

/// Returns whether the text between `${` and `}` could be a host's variable: a name, optionally followed by a colon and more.
fn looks_like_variable(inside: &str) -> bool {
    let name = inside.split_once(':').map_or(inside, |(name, _)| name);
    inside == "/" || (!name.is_empty() && name.chars().all(|c| is_of_name(c) || matches!(c, '.' | '-')))
}

fn is_name(name: &str) -> bool {
    name.chars().all(is_of_name) && name.starts_with(|c: char| !c.is_ascii_digit())
}

fn unknown(variable: &str) -> String {
    let shown: String = variable.chars().take(64).collect();
    format!("only that host can fill in {shown:?}: expected ${{NAME}}, ${{NAME:-default}} or ${{env:NAME}}")
}
