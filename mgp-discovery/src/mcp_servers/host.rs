//! The hosts, and what their files look like.

use serde_json::{Value, json};
use std::borrow::Cow;

/// The keys and values of a host's entry, in the order in which they are written.
pub type Entry = Vec<(Cow<'static, str>, Value)>;

/// A host whose file can be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Host {
    /// Claude Desktop.
    ClaudeDesktop,
    /// Claude Code.
    ClaudeCode,
    /// Cursor.
    Cursor,
    /// Visual Studio Code.
    VsCode,
    /// Visual Studio Code Insiders.
    VsCodeInsiders,
    /// `VSCodium`.
    VsCodium,
    /// Windsurf.
    Windsurf,
    /// Gemini CLI.
    GeminiCli,
    /// Codex.
    Codex,
    /// Zed.
    Zed,
    /// opencode.
    OpenCode,
    /// Goose.
    Goose,
    /// LM Studio.
    LmStudio,
    /// Cline.
    Cline,
    /// Continue.
    Continue,
}

/// The format of a host's file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Format {
    /// JSON of a host that reads neither comments nor trailing commas.
    StrictJson,
    /// JSON with comments and trailing commas.
    Json,
    /// TOML.
    Toml,
    /// YAML.
    Yaml,
}

/// The form of a host's entry for a program that it starts.
#[derive(Debug, Clone, Copy)]
enum EntryForm {
    /// `command` and `args`.
    Plain,
    /// With `type: stdio` before it.
    Typed,
    /// Codex, which by default waits only ten seconds for the start.
    Codex,
    /// Zed, which in older versions requires `source`.
    Zed,
    /// opencode, which has the program and its arguments in one list, and by default waits only five seconds for the list of tools.
    OpenCode,
    /// Goose, with its own names of the keys.
    Goose,
    /// An entry of a list, with its name inside.
    Named,
}

/// The properties of a host: its name on the command line and in texts, the format of its files, the member with its servers, the form of
/// an entry, and whether it shows forms.
struct Row(Host, &'static str, &'static str, Format, &'static str, EntryForm, bool);

const HOSTS: [Row; 15] = [
    Row(
        Host::ClaudeDesktop,
        "claude-desktop",
        "Claude Desktop",
        Format::StrictJson,
        "mcpServers",
        EntryForm::Plain,
        false,
    ),
    Row(
        Host::ClaudeCode,
        "claude-code",
        "Claude Code",
        Format::StrictJson,
        "mcpServers",
        EntryForm::Typed,
        true,
    ),
    Row(Host::Cursor, "cursor", "Cursor", Format::Json, "mcpServers", EntryForm::Plain, true),
    Row(Host::VsCode, "vscode", "VS Code", Format::Json, "servers", EntryForm::Typed, true),
    Row(
        Host::VsCodeInsiders,
        "vscode-insiders",
        "VS Code Insiders",
        Format::Json,
        "servers",
        EntryForm::Typed,
        true,
    ),
    Row(Host::VsCodium, "vscodium", "VSCodium", Format::Json, "servers", EntryForm::Typed, true),
    Row(Host::Windsurf, "windsurf", "Windsurf", Format::Json, "mcpServers", EntryForm::Plain, false),
    Row(Host::GeminiCli, "gemini-cli", "Gemini CLI", Format::Json, "mcpServers", EntryForm::Plain, false),
    Row(Host::Codex, "codex", "Codex", Format::Toml, "mcp_servers", EntryForm::Codex, true),
    Row(Host::Zed, "zed", "Zed", Format::Json, "context_servers", EntryForm::Zed, false),
    Row(Host::OpenCode, "opencode", "opencode", Format::Json, "mcp", EntryForm::OpenCode, false),
    Row(Host::Goose, "goose", "Goose", Format::Yaml, "extensions", EntryForm::Goose, true),
    Row(Host::LmStudio, "lm-studio", "LM Studio", Format::Json, "mcpServers", EntryForm::Plain, false),
    Row(Host::Cline, "cline", "Cline", Format::Json, "mcpServers", EntryForm::Plain, false),
    Row(Host::Continue, "continue", "Continue", Format::Yaml, "mcpServers", EntryForm::Named, false),
];

impl Host {
    /// Returns every host.
    pub fn all() -> impl Iterator<Item = Self> {
        HOSTS.iter().map(|row| row.0)
    }

    /// Returns the host with an id.
    #[must_use]
    pub fn with_id(id: &str) -> Option<Self> {
        HOSTS.iter().find(|row| row.1 == id).map(|row| row.0)
    }

    /// Returns the name of the host on a command line, such as `claude-code`.
    #[must_use]
    pub fn id(self) -> &'static str {
        self.row().1
    }

    /// Returns the display name.
    #[must_use]
    pub fn name(self) -> &'static str {
        self.row().2
    }

    /// Returns the format of the host's files.
    #[must_use]
    pub fn format(self) -> Format {
        self.row().3
    }

    /// Returns the top-level member of the host's files that holds the servers.
    #[must_use]
    pub fn list(self) -> &'static str {
        self.row().4
    }

    /// Returns whether the host is known to show forms to its user (MCP's elicitation), in which a gateway can ask about a call.
    #[must_use]
    pub fn shows_forms(self) -> bool {
        self.row().6
    }

    /// Returns the keys and values of the host's entry for a program with arguments.
    #[must_use]
    pub fn entry(self, name: &str, program: &str, args: &[String]) -> Entry {
        let command = ("command", json!(program));
        let args = ("args", json!(args));
        let entry = match self.row().5 {
            EntryForm::Plain => vec![command, args],
            EntryForm::Typed => vec![("type", json!("stdio")), command, args],
            EntryForm::Codex => vec![command, args, ("startup_timeout_sec", json!(30))],
            EntryForm::Zed => vec![("source", json!("custom")), command, args, ("env", json!({}))],
            EntryForm::OpenCode => {
                let line: Vec<_> = std::iter::once(json!(program))
                    .chain(args.1.as_array().cloned().unwrap_or_default())
                    .collect();
                vec![
                    ("type", json!("local")),
                    ("command", json!(line)),
                    ("enabled", json!(true)),
                    ("timeout", json!(30_000)),
                ]
            }
            EntryForm::Goose => vec![
                ("enabled", json!(true)),
                ("type", json!("stdio")),
                ("name", json!(name)),
                ("cmd", command.1),
                args,
                ("timeout", json!(300)),
            ],
            EntryForm::Named => vec![("name", json!(name)), command, args],
        };
        entry.into_iter().map(|(key, value)| (Cow::Borrowed(key), value)).collect()
    }

    /// Returns the step after which the host uses its changed file, as the rest of a sentence, such as `restart Cursor`.
    #[must_use]
    pub fn reload_step(self) -> String {
        let name = self.name();
        match self {
            Self::ClaudeDesktop => format!("quit {name} fully and start it again"),
            Self::ClaudeCode => format!("start a new session of {name}"),
            Self::VsCode | Self::VsCodeInsiders | Self::VsCodium => {
                format!("start the server mgp in {name} with the command `MCP: List Servers`")
            }
            Self::Windsurf => format!("press the refresh button of the MCP servers in {name}"),
            Self::GeminiCli => format!("run `/mcp reload` in {name}"),
            Self::Cline => format!("open {name}, which reads its file at once"),
            _ => format!("restart {name}"),
        }
    }

    /// Returns the host whose program states this name to MCP servers (`clientInfo.name`); `None` for another program.
    #[must_use]
    pub fn of_client(name: &str) -> Option<Self> {
        let plain = |text: &str| -> String {
            let letters = text.chars().filter(char::is_ascii_alphanumeric).take(64);
            letters.map(|c| c.to_ascii_lowercase()).collect()
        };
        let name = plain(name);
        let with_start = |host: Self| {
            let other = match host {
                Self::ClaudeDesktop => "claudeai",
                Self::VsCode => "visualstudiocode",
                Self::VsCodeInsiders => "visualstudiocodeinsiders",
                _ => "",
            };
            let starts = [plain(host.id()), other.to_owned()];
            let fitting = starts.into_iter().filter(|start| !start.is_empty() && name.starts_with(start));
            Some((fitting.map(|start| start.len()).max()?, host))
        };
        // The longest one: the names of VS Code begin alike.
        Self::all().filter_map(with_start).max_by_key(|(length, _)| *length).map(|(_, host)| host)
    }

    fn row(self) -> &'static Row {
        // The table has a row for each host; a test looks at each.
        HOSTS.iter().find(|row| row.0 == self).unwrap_or(&HOSTS[0])
    }
}

#[cfg(test)]
mod tests {
    use super::Host;

    #[test]
    fn hosts_are_known_by_the_names_of_their_programs() {
        for (name, id) in [
            ("claude-ai", "claude-desktop"),
            ("claude-code", "claude-code"),
            ("cursor-vscode", "cursor"),
            ("Visual Studio Code", "vscode"),
            ("Visual-Studio-Code", "vscode"),
            ("Visual Studio Code - Insiders", "vscode-insiders"),
            ("VSCodium", "vscodium"),
            ("windsurf-client", "windsurf"),
            ("gemini-cli-mcp-client", "gemini-cli"),
            ("codex-mcp-client", "codex"),
            ("Codex", "codex"),
            ("Zed", "zed"),
            ("opencode", "opencode"),
            ("goose", "goose"),
            ("LM Studio", "lm-studio"),
            ("@cline/core", "cline"),
            ("continue-cli-client", "continue"),
        ] {
            assert_eq!(Host::of_client(name).map(Host::id), Some(id), "{name}");
        }
        for name in ["", "mgp", "claude", "test", "Roo Code", &"x".repeat(100_000)] {
            assert_eq!(Host::of_client(name), None);
        }
    }

    #[test]
    fn each_host_s_step_names_it() {
        assert!(Host::all().all(|host| host.reload_step().contains(host.name())));
    }
}
