//! Rules outside of a host's list of servers, usually an organization's, that make an entry of the list useless.

use super::{
    Candidate, Format, Host,
    document::{MAX_SIZE, value},
};
use crate::locate::{Environment, Platform};
use serde_json::Value;
use std::{
    fmt,
    fs::File,
    io::Read,
    path::{Path, PathBuf},
};

/// A rule that makes an entry useless.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Obstacle {
    /// The file with the rule.
    pub file: PathBuf,
    /// The key of the rule in the file.
    pub key: String,
    /// The effect on the entry, as the rest of a sentence about the key.
    effect: String,
}

impl fmt::Display for Obstacle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "`{}` in {} {}", self.key, self.file.display(), self.effect)
    }
}

/// An entry of a host's list of servers.
#[derive(Clone, Copy)]
struct EntryLine<'a> {
    name: &'a str,
    /// The program and its arguments.
    line: &'a [String],
}

/// Returns a rule that makes an entry in a host's file useless. `line` is the program of the entry, with its arguments. A file that cannot be
/// read has no rule, except where its existence is one.
#[must_use]
pub fn obstacle(
    environment: &Environment,
    found: &Candidate,
    name: &str,
    line: &[String],
) -> Option<Obstacle> {
    let files = rules(environment, found);
    let files: Vec<_> =
        files.into_iter().filter(|path| path.is_file()).map(|path| (read(&path), path)).collect();
    let entry = EntryLine { name, line };
    let (file, (key, effect)) = match found.host {
        Host::ClaudeCode => in_claude_code(&files, entry),
        Host::GeminiCli => in_gemini(&files, entry, &found.path),
        Host::OpenCode => each(&files, |rules| in_opencode(rules, entry)),
        Host::VsCode | Host::VsCodeInsiders | Host::VsCodium => each(&files, in_vscode),
        _ => None,
    }?;
    Some(Obstacle { file: file.to_owned(), key, effect })
}

/// The content of a file, if it can be read, and its path.
type Rules = (Option<Value>, PathBuf);

/// A key, and its effect on an entry.
type Effect = (String, String);

/// Returns the paths of the files with rules for a host's file, the strongest first.
fn rules(environment: &Environment, found: &Candidate) -> Vec<PathBuf> {
    let folder = |mac: &str, linux: &str, (variable, default): (&str, &str), windows: &str| match environment
        .platform
    {
        Platform::MacOs => Path::new("/Library/Application Support").join(mac),
        Platform::Linux => Path::new("/etc").join(linux),
        Platform::Windows => Path::new(environment.variable(variable).unwrap_or(default)).join(windows),
    };
    let data = ("ProgramData", "C:\\ProgramData");
    let files_in = |folder: PathBuf, names: [&str; 2]| names.map(|name| folder.join(name)).to_vec();
    match found.host {
        Host::ClaudeCode => {
            let programs = ("ProgramFiles", "C:\\Program Files");
            let folder = folder("ClaudeCode", "claude-code", programs, "ClaudeCode");
            files_in(folder, ["managed-mcp.json", "managed-settings.json"])
        }
        Host::GeminiCli => {
            let folder = folder("GeminiCli", "gemini-cli", data, "gemini-cli");
            let named = |variable: &str, name: &str| {
                let named = environment.variable(variable).map(|path| environment.absolute(path));
                named.unwrap_or_else(|| folder.join(name))
            };
            vec![
                named("GEMINI_CLI_SYSTEM_SETTINGS_PATH", "settings.json"),
                found.path.clone(),
                named("GEMINI_CLI_SYSTEM_DEFAULTS_PATH", "system-defaults.json"),
            ]
        }
        Host::OpenCode => {
            let folder = folder("opencode", "opencode", data, "opencode");
            files_in(folder, ["opencode.jsonc", "opencode.json"])
        }
        Host::VsCode | Host::VsCodeInsiders | Host::VsCodium if !found.project => {
            // The rule of the default profile holds for all.
            let folders = found.path.ancestors().skip(1);
            let of_user =
                folders.take(3).find(|folder| folder.file_name().is_some_and(|name| name == "User"));
            of_user.into_iter().map(|user| user.join("settings.json")).collect()
        }
        _ => Vec::new(),
    }
}

/// Returns the first rule in files that are looked at one by one.
fn each(files: &[Rules], effect: impl Fn(&Value) -> Option<Effect>) -> Option<(&Path, Effect)> {
    files.iter().find_map(|(rules, path)| Some((path.as_path(), effect(rules.as_ref()?)?)))
}

fn in_claude_code<'a>(files: &'a [Rules], entry: EntryLine<'_>) -> Option<(&'a Path, Effect)> {
    let only = files.iter().find(|(_, path)| path.ends_with("managed-mcp.json"));
    if let Some((list, path)) = only {
        let list = list.as_ref().and_then(|list| list["mcpServers"].as_object());
        let has_program =
            list.is_some_and(|list| list.values().any(|other| other["command"] == *program(entry)));
        let effect = ("mcpServers".to_owned(), "has the only servers that Claude Code reads".to_owned());
        return (!has_program).then_some((path, effect));
    }
    let names = |rule: &Value| rule["serverName"] == entry.name;
    let is_line = |rule: &Value| {
        let line = rule["serverCommand"].as_array();
        line.is_some_and(|line| line.iter().eq(entry.line.iter()))
    };
    each(files, |settings| {
        if let Some(denied) = settings["deniedMcpServers"].as_array()
            && denied.iter().any(|rule| names(rule) || is_line(rule))
        {
            return effect("deniedMcpServers", "denies it");
        }
        let allowed = settings["allowedMcpServers"].as_array()?;
        // With rules for commands, a name is not enough.
        let of_lines = allowed.iter().any(|rule| rule.get("serverCommand").is_some());
        let is_allowed = allowed.iter().any(|rule| if of_lines { is_line(rule) } else { names(rule) });
        if is_allowed { None } else { effect("allowedMcpServers", "does not allow it") }
    })
}

fn in_gemini<'a>(files: &'a [Rules], entry: EntryLine<'_>, own: &Path) -> Option<(&'a Path, Effect)> {
    let names = |list: &Value| list.as_array().is_some_and(|list| list.iter().any(|name| name == entry.name));
    let excluded = each(files, |settings| match names(&settings["mcp"]["excluded"]) {
        true => effect("mcp.excluded", "names it"),
        false => None,
    });
    // The strongest list replaces the others.
    let allowed = || {
        let of = |(settings, path): &'a Rules| Some((&settings.as_ref()?["mcp"]["allowed"], path));
        let (list, path) = files.iter().filter_map(of).find(|(list, _)| list.is_array())?;
        if names(list) { None } else { Some((path.as_path(), effect("mcp.allowed", "does not name it")?)) }
    };
    let replaced = || {
        let (settings, path) = files.first().filter(|(_, path)| path != own)?;
        let other = settings.as_ref()?["mcpServers"].get(entry.name)?;
        let key = format!("mcpServers.{}", entry.name);
        (other["command"] != *program(entry)).then(|| (path.as_path(), (key, "replaces it".to_owned())))
    };
    excluded.or_else(allowed).or_else(replaced)
}

fn in_opencode(rules: &Value, entry: EntryLine<'_>) -> Option<Effect> {
    let key = format!("mcp.{}", entry.name);
    if let Some(other) = rules["mcp"].get(entry.name) {
        if other["enabled"] == false {
            return Some((key, "switches it off".to_owned()));
        }
        if other.get("command").is_some_and(|line| line[0] != *program(entry)) || other.get("url").is_some() {
            return Some((key, "replaces it".to_owned()));
        }
    }
    let tools = format!("{}_", entry.name);
    let hides = |(glob, shown): (&String, &Value)| {
        let start = glob.strip_suffix('*')?;
        (*shown == false && tools.starts_with(start))
            .then(|| (format!("tools.{glob}"), "hides its tools".to_owned()))
    };
    rules["tools"].as_object()?.iter().find_map(hides)
}

fn in_vscode(settings: &Value) -> Option<Effect> {
    match settings["chat.mcp.access"].as_str() {
        Some("none") => effect("chat.mcp.access", "lets VS Code start no server"),
        Some("registry") => effect("chat.mcp.access", "lets VS Code start only servers of a registry"),
        _ if settings["chat.mcp.enabled"] == false => {
            effect("chat.mcp.enabled", "lets VS Code start no server")
        }
        _ => None,
    }
}

#[expect(clippy::unnecessary_wraps, reason = "each rule returns it as it is")]
fn effect(key: &str, effect: &str) -> Option<Effect> {
    Some((key.to_owned(), effect.to_owned()))
}

fn program(entry: EntryLine<'_>) -> &str {
    entry.line.first().map_or("", String::as_str)
}

/// Reads a file of JSON with comments; `None` if it cannot be read.
pub(super) fn read(path: &Path) -> Option<Value> {
    // A pipe could block for ever.
    if !path.is_file() {
        return None;
    }
    let mut bytes = Vec::new();
    File::open(path).ok()?.take(MAX_SIZE as u64 + 1).read_to_end(&mut bytes).ok()?;
    if bytes.len() > MAX_SIZE {
        return None;
    }
    value(Format::Json, &String::from_utf8_lossy(&bytes)).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn environment(platform: Platform) -> Environment {
        Environment {
            cwd: "/srv".into(),
            home: Some("/home/u".into()),
            config_dir: None,
            state_dir: None,
            platform,
            variables: [("ProgramData".to_owned(), "/data".to_owned())].into(),
        }
    }

    fn of(host: Host, path: &str) -> Candidate {
        Candidate { host, path: path.into(), project: false, installed: true }
    }

    fn shown(found: Option<(&Path, Effect)>) -> String {
        found.map_or_else(String::new, |(path, (key, effect))| format!("{}: {key} {effect}", path.display()))
    }

    #[test]
    fn each_platform_has_its_files_of_rules() {
        let files = |platform, host, path| -> Vec<String> {
            let files = rules(&environment(platform), &of(host, path));
            files.iter().map(|path| path.display().to_string()).collect()
        };
        let linux = |host, path| files(Platform::Linux, host, path);
        assert_eq!(
            linux(Host::ClaudeCode, "x"),
            ["/etc/claude-code/managed-mcp.json", "/etc/claude-code/managed-settings.json"]
        );
        assert_eq!(
            linux(Host::GeminiCli, "own"),
            ["/etc/gemini-cli/settings.json", "own", "/etc/gemini-cli/system-defaults.json"]
        );
        let mac = files(Platform::MacOs, Host::ClaudeCode, "x");
        assert_eq!(mac[0], "/Library/Application Support/ClaudeCode/managed-mcp.json");
        assert_eq!(files(Platform::Windows, Host::OpenCode, "x")[1], "/data/opencode/opencode.json");
        for path in ["/c/Code/User/mcp.json", "/c/Code/User/profiles/1a/mcp.json"] {
            assert_eq!(linux(Host::VsCode, path), ["/c/Code/User/settings.json"]);
        }
        assert!(linux(Host::Cursor, "x").is_empty());
    }

    const LINE: [&str; 2] = ["/bin/mgp", "serve"];

    #[test]
    fn rules_of_claude_code_are_found() {
        let line = LINE.map(str::to_owned);
        let entry = EntryLine { name: "mgp", line: &line };
        let found =
            |file: &str, content: Option<Value>| shown(in_claude_code(&[(content, file.into())], entry));
        let only = "/managed-mcp.json: mcpServers has the only servers that Claude Code reads";
        assert_eq!(found("/managed-mcp.json", None), only);
        assert_eq!(
            found("/managed-mcp.json", Some(json!({ "mcpServers": { "a": { "command": "a" } } }))),
            only
        );
        let own = json!({ "mcpServers": { "gateway": { "command": "/bin/mgp" } } });
        assert_eq!(found("/managed-mcp.json", Some(own)), "");
        for (rules, expected) in [
            (json!({}), ""),
            (json!({ "allowedMcpServers": [] }), "/s: allowedMcpServers does not allow it"),
            (json!({ "allowedMcpServers": [{ "serverName": "mgp" }] }), ""),
            (
                json!({ "allowedMcpServers": [{ "serverName": "mgp" }, { "serverCommand": ["x"] }] }),
                "/s: allowedMcpServers does not allow it",
            ),
            (json!({ "allowedMcpServers": [{ "serverCommand": LINE }] }), ""),
            (json!({ "deniedMcpServers": [{ "serverName": "mgp" }] }), "/s: deniedMcpServers denies it"),
            (json!({ "deniedMcpServers": [{ "serverName": 1 }, null], "allowedMcpServers": 3 }), ""),
        ] {
            assert_eq!(found("/s", Some(rules.clone())), expected, "{rules}");
        }
    }

    #[test]
    fn rules_of_gemini_cli_are_found() {
        let line = LINE.map(str::to_owned);
        let entry = EntryLine { name: "mgp", line: &line };
        let allowed = |names: &[&str]| json!({ "mcp": { "allowed": names } });
        for (system, own, expected) in [
            (json!({}), json!({}), ""),
            (allowed(&["a"]), json!({}), "system: mcp.allowed does not name it"),
            (allowed(&["mgp"]), allowed(&["a"]), ""),
            (json!({}), allowed(&["a"]), "own: mcp.allowed does not name it"),
            (json!({ "mcp": { "excluded": ["mgp"] } }), allowed(&["mgp"]), "system: mcp.excluded names it"),
            (
                json!({ "mcpServers": { "mgp": { "httpUrl": "x" } } }),
                json!({}),
                "system: mcpServers.mgp replaces it",
            ),
            (json!({ "mcpServers": { "mgp": { "command": "/bin/mgp" } } }), json!({}), ""),
            (json!({ "mcp": "x", "mcpServers": [] }), json!({ "mcp": { "allowed": "mgp" } }), ""),
        ] {
            let files = [(Some(system.clone()), "system".into()), (Some(own), "own".into())];
            assert_eq!(shown(in_gemini(&files, entry, "own".as_ref())), expected, "{system}");
        }
    }

    #[test]
    fn rules_of_opencode_and_vs_code_are_found() {
        let line = LINE.map(str::to_owned);
        let entry = EntryLine { name: "mgp", line: &line };
        let text =
            |found: Option<Effect>| found.map(|(key, effect)| format!("{key} {effect}")).unwrap_or_default();
        for (rules, expected) in [
            (json!({ "mcp": { "mgp": { "enabled": false } } }), "mcp.mgp switches it off"),
            (json!({ "mcp": { "mgp": { "type": "remote", "url": "x" } } }), "mcp.mgp replaces it"),
            (json!({ "mcp": { "mgp": { "command": ["/bin/mgp"] }, "a": { "enabled": false } } }), ""),
            (json!({ "tools": { "mgp_*": false } }), "tools.mgp_* hides its tools"),
            (json!({ "tools": { "mgp_*": true, "other_*": false, "bash": false } }), ""),
            (json!({ "mcp": [], "tools": 1 }), ""),
        ] {
            assert_eq!(text(in_opencode(&rules, entry)), expected, "{rules}");
        }
        let access = |value| text(in_vscode(&json!({ "chat.mcp.access": value })));
        assert_eq!(access("none"), "chat.mcp.access lets VS Code start no server");
        assert_eq!((access("all"), text(in_vscode(&json!({})))), (String::new(), String::new()));
    }
}
