//! The places where other hosts keep their server lists.

use crate::locate::{Environment, Platform};
use std::path::PathBuf;

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
    /// Windsurf.
    Windsurf,
    /// Gemini CLI.
    GeminiCli,
}

impl Host {
    /// Returns the display name.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::ClaudeDesktop => "Claude Desktop",
            Self::ClaudeCode => "Claude Code",
            Self::Cursor => "Cursor",
            Self::VsCode => "VS Code",
            Self::Windsurf => "Windsurf",
            Self::GeminiCli => "Gemini CLI",
        }
    }

    /// Returns whether the host is known to show forms to its user (MCP's elicitation), in which a gateway can ask about a call.
    #[must_use]
    pub const fn shows_forms(self) -> bool {
        match self {
            Self::ClaudeCode | Self::Cursor | Self::VsCode => true,
            Self::ClaudeDesktop | Self::Windsurf | Self::GeminiCli => false,
        }
    }
}

/// A place where a host may have a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Candidate {
    /// The host that the file belongs to.
    pub host: Host,
    /// The path of the file, which need not exist.
    pub path: PathBuf,
    /// True if the file belongs to the project in the working directory, whose author need not be the user.
    pub project: bool,
}

/// Returns every candidate, the user's own files first.
#[must_use]
pub fn candidates(environment: &Environment) -> Vec<Candidate> {
    let own = |host, path: Option<PathBuf>| path.map(|path| Candidate { host, path, project: false });
    let home = |path: &str| environment.home.as_ref().map(|home| home.join(path));
    let settings = |path: &str| settings(environment).map(|folder| folder.join(path));
    let claude_config = environment
        .variable("CLAUDE_CONFIG_DIR")
        .map(|folder| environment.absolute(folder).join(".claude.json"));
    let project =
        |host, path: &str| Some(Candidate { host, path: environment.absolute(path), project: true });
    [
        own(Host::ClaudeDesktop, settings("Claude/claude_desktop_config.json")),
        own(Host::ClaudeCode, claude_config.or_else(|| home(".claude.json"))),
        own(Host::Cursor, home(".cursor/mcp.json")),
        own(Host::VsCode, settings("Code/User/mcp.json")),
        own(Host::Windsurf, home(".codeium/windsurf/mcp_config.json")),
        own(Host::GeminiCli, home(".gemini/settings.json")),
        project(Host::ClaudeCode, ".mcp.json"),
        project(Host::Cursor, ".cursor/mcp.json"),
        project(Host::VsCode, ".vscode/mcp.json"),
        project(Host::GeminiCli, ".gemini/settings.json"),
    ]
    .into_iter()
    .flatten()
    .collect()
}

/// Returns the folder in which desktop programs keep their settings.
fn settings(environment: &Environment) -> Option<PathBuf> {
    let home = environment.home.as_ref();
    match environment.platform {
        Platform::MacOs => home.map(|home| home.join("Library/Application Support")),
        Platform::Windows => environment
            .variable("APPDATA")
            .map(PathBuf::from)
            .or_else(|| home.map(|home| home.join("AppData").join("Roaming"))),
        Platform::Linux => environment
            .variable("XDG_CONFIG_HOME")
            .map(PathBuf::from)
            .or_else(|| home.map(|home| home.join(".config"))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use expect_test::expect;

    fn places(platform: Platform, variables: &[(&str, &str)]) -> Vec<String> {
        let environment = Environment {
            cwd: "/srv".into(),
            home: Some("/home/u".into()),
            config_dir: None,
            state_dir: None,
            platform,
            variables: variables.iter().map(|(name, value)| ((*name).into(), (*value).into())).collect(),
        };
        candidates(&environment)
            .iter()
            .map(|found| format!("{}: {}", found.host.name(), found.path.display()))
            .collect()
    }

    #[test]
    fn each_platform_has_its_paths() {
        expect![[r#"
            Claude Desktop: /home/u/.config/Claude/claude_desktop_config.json
            Claude Code: /home/u/.claude.json
            Cursor: /home/u/.cursor/mcp.json
            VS Code: /home/u/.config/Code/User/mcp.json
            Windsurf: /home/u/.codeium/windsurf/mcp_config.json
            Gemini CLI: /home/u/.gemini/settings.json
            Claude Code: /srv/.mcp.json
            Cursor: /srv/.cursor/mcp.json
            VS Code: /srv/.vscode/mcp.json
            Gemini CLI: /srv/.gemini/settings.json"#]]
        .assert_eq(&places(Platform::Linux, &[]).join("\n"));
        let claude = places(Platform::Linux, &[("CLAUDE_CONFIG_DIR", "/etc/claude")]).swap_remove(1);
        assert_eq!(claude, "Claude Code: /etc/claude/.claude.json");
        let desktop = |platform, variables: &[_]| places(platform, variables).swap_remove(0);
        assert_eq!(
            desktop(Platform::MacOs, &[]),
            "Claude Desktop: /home/u/Library/Application Support/Claude/claude_desktop_config.json"
        );
        assert_eq!(
            desktop(Platform::Windows, &[("APPDATA", "/roaming")]),
            "Claude Desktop: /roaming/Claude/claude_desktop_config.json"
        );
        assert_eq!(
            desktop(Platform::Linux, &[("XDG_CONFIG_HOME", "/xdg")]),
            "Claude Desktop: /xdg/Claude/claude_desktop_config.json"
        );
    }
}
