//! The places where other hosts keep their server lists.

use super::{Host, managed::read};
use crate::locate::{Environment, Platform};
use std::{
    fs,
    path::{Path, PathBuf},
};

/// A place where a host may have a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Candidate {
    /// The host that the file belongs to.
    pub host: Host,
    /// The path of the file, which need not exist.
    pub path: PathBuf,
    /// True if the file belongs to the project in the working directory, whose author need not be the user.
    pub project: bool,
    /// True if the host seems to be installed: its file exists, or the folder of its files.
    pub installed: bool,
}

/// A row of the table of files.
struct Row {
    host: Host,
    project: bool,
    /// Environment variables that name a folder of the host, each with the path of the file in it. An empty path stands for the variable's
    /// own value.
    variables: &'static [(&'static str, &'static str)],
    /// The paths of the file. The first existing file is used, then the first in an existing folder.
    paths: &'static [(Base, &'static str)],
    /// A folder in the home folder that shows that the host is installed, if the folder of the file does not.
    sign: Option<&'static str>,
}

/// The folder that a path in the table begins in.
#[derive(Clone, Copy)]
enum Base {
    Home,
    /// The folder in which desktop programs keep their settings.
    Settings,
    /// The same, only on Windows.
    WindowsSettings,
    /// `$XDG_CONFIG_HOME` or `~/.config`, on macOS and Windows only the latter.
    Config,
    Project,
}

use Base::{Config, Home, Project, Settings, WindowsSettings};

const fn own(host: Host, paths: &'static [(Base, &'static str)]) -> Row {
    Row { host, project: false, variables: &[], paths, sign: None }
}

const fn of_project(host: Host, paths: &'static [(Base, &'static str)]) -> Row {
    Row { project: true, ..own(host, paths) }
}

const CLINE_FILE: &str = "data/settings/cline_mcp_settings.json";

/// The files of all hosts, the user's own first.
const FILES: &[Row] = &[
    own(Host::ClaudeDesktop, &[(Settings, "Claude/claude_desktop_config.json")]),
    Row {
        variables: &[("CLAUDE_CONFIG_DIR", ".claude.json")],
        sign: Some(".claude"),
        ..own(Host::ClaudeCode, &[(Home, ".claude.json")])
    },
    own(Host::Cursor, &[(Home, ".cursor/mcp.json")]),
    own(Host::VsCode, &[(Settings, "Code/User/mcp.json")]),
    own(Host::VsCode, &[(Home, ".vscode-server/data/User/mcp.json")]),
    own(Host::VsCodeInsiders, &[(Settings, "Code - Insiders/User/mcp.json")]),
    own(Host::VsCodium, &[(Settings, "VSCodium/User/mcp.json")]),
    own(Host::Windsurf, &[(Home, ".codeium/windsurf/mcp_config.json")]),
    Row {
        variables: &[("GEMINI_CLI_HOME", ".gemini/settings.json")],
        ..own(Host::GeminiCli, &[(Home, ".gemini/settings.json")])
    },
    Row { variables: &[("CODEX_HOME", "config.toml")], ..own(Host::Codex, &[(Home, ".codex/config.toml")]) },
    own(Host::Zed, &[(WindowsSettings, "Zed/settings.json"), (Config, "zed/settings.json")]),
    Row {
        variables: &[("OPENCODE_CONFIG", "")],
        // A file in the first place hides one in the second.
        ..own(Host::OpenCode, &[(Config, "opencode/opencode.jsonc"), (Config, "opencode/opencode.json")])
    },
    own(Host::Goose, &[(WindowsSettings, "Block/goose/config/config.yaml"), (Config, "goose/config.yaml")]),
    own(Host::LmStudio, &[(Home, ".lmstudio/mcp.json"), (Home, ".cache/lm-studio/mcp.json")]),
    Row {
        variables: &[
            ("CLINE_MCP_SETTINGS_PATH", ""),
            ("CLINE_DATA_DIR", "settings/cline_mcp_settings.json"),
            ("CLINE_DIR", CLINE_FILE),
        ],
        sign: Some(".cline"),
        ..own(
            Host::Cline,
            &[
                (Home, ".cline/data/settings/cline_mcp_settings.json"),
                (Settings, "Code/User/globalStorage/saoudrizwan.claude-dev/settings/cline_mcp_settings.json"),
            ],
        )
    },
    own(Host::Continue, &[(Home, ".continue/config.yaml")]),
    of_project(Host::ClaudeCode, &[(Project, ".mcp.json")]),
    of_project(Host::Cursor, &[(Project, ".cursor/mcp.json")]),
    of_project(Host::VsCode, &[(Project, ".vscode/mcp.json")]),
    of_project(Host::GeminiCli, &[(Project, ".gemini/settings.json")]),
    of_project(Host::Codex, &[(Project, ".codex/config.toml")]),
    of_project(Host::Zed, &[(Project, ".zed/settings.json")]),
    of_project(Host::OpenCode, &[(Project, "opencode.jsonc"), (Project, "opencode.json")]),
];

/// Returns every candidate, the user's own files first.
#[must_use]
pub fn candidates(environment: &Environment) -> Vec<Candidate> {
    let mut found: Vec<Candidate> = Vec::new();
    let of_files = FILES.iter().filter_map(|row| row.candidate(environment));
    for candidate in of_files.flat_map(|candidate| all_of(environment, candidate)) {
        // In the home folder, the project's files are the user's own.
        let is_own = candidate.project && found.iter().any(|own| !own.project && own.path == candidate.path);
        if !is_own {
            found.push(candidate);
        }
    }
    found
}

/// The most profiles or packages of one host.
const MAX_FOLDERS: usize = 64;

/// Returns a candidate, with those of the host's profiles. The candidate of a packaged program is that of its package.
fn all_of(environment: &Environment, candidate: Candidate) -> Vec<Candidate> {
    match candidate.host {
        Host::VsCode | Host::VsCodeInsiders | Host::VsCodium if !candidate.project => {
            let profiles = profiles(&candidate);
            std::iter::once(candidate).chain(profiles).collect()
        }
        Host::ClaudeDesktop if environment.platform == Platform::Windows => {
            let packages = packages(environment, &candidate);
            if packages.is_empty() { vec![candidate] } else { packages }
        }
        _ => vec![candidate],
    }
}

/// Returns the candidates of the profiles of VS Code. A profile that uses the servers of the default profile has none, unless its file exists.
fn profiles(default: &Candidate) -> Vec<Candidate> {
    let Some(user) = default.path.parent() else { return Vec::new() };
    let folder = user.join("profiles");
    let names = names_in(&folder);
    if names.is_empty() {
        return Vec::new();
    }
    let storage = read(&user.join("globalStorage/storage.json"));
    let has_own_servers = |name: &str| {
        let listed = storage.as_ref().and_then(|storage| storage["userDataProfiles"].as_array());
        let profile = listed.and_then(|listed| listed.iter().find(|profile| profile["location"] == name));
        profile.is_some_and(|profile| profile["useDefaultFlags"]["mcp"] != true)
    };
    let candidate = |name: String| {
        let path = folder.join(&name).join("mcp.json");
        let installed = path.symlink_metadata().is_ok() || has_own_servers(&name);
        Candidate { path, installed, ..default.clone() }
    };
    names.into_iter().take(MAX_FOLDERS).map(candidate).collect()
}

/// Returns the candidates of the packages of Claude Desktop, which do not use the file of a plain installation.
fn packages(environment: &Environment, plain: &Candidate) -> Vec<Candidate> {
    let local = environment.variable("LOCALAPPDATA").map(PathBuf::from);
    let local = local.or_else(|| environment.home.as_ref().map(|home| home.join("AppData").join("Local")));
    let Some(folder) = local.map(|local| local.join("Packages")) else { return Vec::new() };
    let of_package = |name: &String| Candidate {
        path: folder.join(name).join("LocalCache/Roaming/Claude/claude_desktop_config.json"),
        installed: true,
        ..plain.clone()
    };
    claude_packages(&names_in(&folder)).take(MAX_FOLDERS).map(of_package).collect()
}

/// Returns the packages of Claude Desktop among the names in the folder of all packages. Such a name ends with the id of its publisher.
fn claude_packages(names: &[String]) -> impl Iterator<Item = &String> {
    let is_claude = |name: &&String| {
        let (package, publisher) = name.split_once('_').unwrap_or_default();
        package.eq_ignore_ascii_case("Claude")
            && !publisher.is_empty()
            && publisher.bytes().all(|byte| byte.is_ascii_alphanumeric())
    };
    names.iter().filter(is_claude)
}

/// Returns the names of the folders in a folder, in order.
fn names_in(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).into_iter().flatten().filter_map(Result::ok);
    let folders = entries.filter(|entry| entry.path().is_dir());
    let mut names: Vec<_> = folders.filter_map(|entry| entry.file_name().into_string().ok()).collect();
    names.sort();
    names
}

impl Row {
    fn candidate(&self, environment: &Environment) -> Option<Candidate> {
        let named = self.variables.iter().find_map(|(variable, path)| {
            let folder = environment.absolute(environment.variable(variable)?);
            Some(if path.is_empty() { folder } else { folder.join(path) })
        });
        let in_folder = |path: &PathBuf| path.parent().is_some_and(Path::is_dir);
        let is_named = named.is_some();
        let path = named.or_else(|| {
            let paths: Vec<_> = self
                .paths
                .iter()
                .filter_map(|(base, path)| Some(base.folder(environment)?.join(path)))
                .collect();
            let first = paths
                .iter()
                .find(|path| path.is_file())
                .or_else(|| paths.iter().find(|path| in_folder(path)));
            first.or(paths.first()).cloned()
        })?;
        let has_sign = match self.sign {
            Some(sign) => environment.home.as_ref().is_some_and(|home| home.join(sign).is_dir()),
            None => !self.project && in_folder(&path),
        };
        // A link that leads nowhere is a file of the host, too.
        let installed = path.symlink_metadata().is_ok() || is_named || has_sign;
        Some(Candidate { host: self.host, path, project: self.project, installed })
    }
}

impl Base {
    fn folder(self, environment: &Environment) -> Option<PathBuf> {
        let home = environment.home.clone();
        match self {
            Home => home,
            Settings => settings(environment),
            WindowsSettings if environment.platform == Platform::Windows => settings(environment),
            WindowsSettings => None,
            Config if environment.platform == Platform::Linux => settings(environment),
            Config => home.map(|home| home.join(".config")),
            Project => Some(environment.cwd.clone()),
        }
    }
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
    fn in_the_home_folder_a_file_is_the_user_s_own() {
        let environment = |cwd: &str| Environment {
            cwd: cwd.into(),
            home: Some("/home/u".into()),
            config_dir: None,
            state_dir: None,
            platform: Platform::Linux,
            variables: std::collections::BTreeMap::new(),
        };
        let of_cursor = |cwd: &str| {
            candidates(&environment(cwd)).iter().filter(|found| found.host == Host::Cursor).count()
        };
        assert_eq!((of_cursor("/home/u"), of_cursor("/srv")), (1, 2));
    }

    #[test]
    fn each_platform_has_its_paths() {
        expect![[r#"
            Claude Desktop: /home/u/.config/Claude/claude_desktop_config.json
            Claude Code: /home/u/.claude.json
            Cursor: /home/u/.cursor/mcp.json
            VS Code: /home/u/.config/Code/User/mcp.json
            VS Code: /home/u/.vscode-server/data/User/mcp.json
            VS Code Insiders: /home/u/.config/Code - Insiders/User/mcp.json
            VSCodium: /home/u/.config/VSCodium/User/mcp.json
            Windsurf: /home/u/.codeium/windsurf/mcp_config.json
            Gemini CLI: /home/u/.gemini/settings.json
            Codex: /home/u/.codex/config.toml
            Zed: /home/u/.config/zed/settings.json
            opencode: /home/u/.config/opencode/opencode.jsonc
            Goose: /home/u/.config/goose/config.yaml
            LM Studio: /home/u/.lmstudio/mcp.json
            Cline: /home/u/.cline/data/settings/cline_mcp_settings.json
            Continue: /home/u/.continue/config.yaml
            Claude Code: /srv/.mcp.json
            Cursor: /srv/.cursor/mcp.json
            VS Code: /srv/.vscode/mcp.json
            Gemini CLI: /srv/.gemini/settings.json
            Codex: /srv/.codex/config.toml
            Zed: /srv/.zed/settings.json
            opencode: /srv/opencode.jsonc"#]]
        .assert_eq(&places(Platform::Linux, &[]).join("\n"));
        let claude = places(Platform::Linux, &[("CLAUDE_CONFIG_DIR", "/etc/claude")]).swap_remove(1);
        assert_eq!(claude, "Claude Code: /etc/claude/.claude.json");
        for (variable, value, expected) in [
            ("GEMINI_CLI_HOME", "/g", "Gemini CLI: /g/.gemini/settings.json"),
            ("CODEX_HOME", "/c", "Codex: /c/config.toml"),
            ("OPENCODE_CONFIG", "/o.json", "opencode: /o.json"),
            ("CLINE_DIR", "/cl", "Cline: /cl/data/settings/cline_mcp_settings.json"),
        ] {
            let found = places(Platform::Linux, &[(variable, value)]);
            assert!(found.iter().any(|place| place == expected), "{found:?}");
        }
        let on_windows = places(Platform::Windows, &[("APPDATA", "/r")]).join("\n");
        assert!(on_windows.contains("Goose: /r/Block/goose/config/config.yaml"), "{on_windows}");
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

    #[test]
    fn profiles_of_vs_code_with_their_own_servers_are_candidates() {
        let folder = tempfile::tempdir().unwrap();
        let user = folder.path().join(".config/Code/User");
        for name in ["profiles/a", "profiles/b", "profiles/c", "profiles/d", "globalStorage"] {
            fs::create_dir_all(user.join(name)).unwrap();
        }
        fs::write(user.join("profiles/c/mcp.json"), "{}").unwrap();
        let storage = r#"{"userDataProfiles": [
            {"location": "a", "name": "Work"}, {"location": "b", "useDefaultFlags": {"mcp": true}},
            {"location": "c", "useDefaultFlags": {"mcp": true}}, 7]}"#;
        fs::write(user.join("globalStorage/storage.json"), storage).unwrap();
        let environment = Environment {
            cwd: "/srv".into(),
            home: Some(folder.path().to_owned()),
            config_dir: None,
            state_dir: None,
            platform: Platform::Linux,
            variables: std::collections::BTreeMap::new(),
        };
        let found = candidates(&environment);
        let of_profile = |name: &str| {
            let path = user.join(format!("profiles/{name}/mcp.json"));
            found.iter().find(|found| found.host == Host::VsCode && found.path == path).unwrap()
        };
        let installed = ["a", "b", "c", "d"].map(|name| of_profile(name).installed);
        assert_eq!(installed, [true, false, true, false]);
    }

    #[test]
    fn a_package_of_claude_desktop_has_its_own_file() {
        let names = [
            "AnthropicClaude_1",
            "Claude_pzs8sxrjxfjjc",
            "Claude",
            "Claude_",
            "ClaudeX_a",
            "Claude_a_b",
            "claude_0abc",
        ];
        let names = names.map(str::to_owned);
        assert_eq!(Vec::from_iter(claude_packages(&names)), ["Claude_pzs8sxrjxfjjc", "claude_0abc"]);

        let folder = tempfile::tempdir().unwrap();
        let packages = folder.path().join("Packages");
        let environment = Environment {
            cwd: "/srv".into(),
            home: Some("/home/u".into()),
            config_dir: None,
            state_dir: None,
            platform: Platform::Windows,
            variables: [("LOCALAPPDATA".to_owned(), folder.path().to_str().unwrap().to_owned())].into(),
        };
        let files = || {
            let found =
                candidates(&environment).into_iter().filter(|found| found.host == Host::ClaudeDesktop);
            found.map(|found| (found.path, found.installed)).collect::<Vec<_>>()
        };
        let plain = "/home/u/AppData/Roaming/Claude/claude_desktop_config.json";
        assert_eq!(files(), [(plain.into(), false)]);
        fs::create_dir_all(packages.join("Claude_a")).unwrap();
        let of = |name: &str| {
            (packages.join(name).join("LocalCache/Roaming/Claude/claude_desktop_config.json"), true)
        };
        assert_eq!(files(), [of("Claude_a")]);
        fs::create_dir_all(packages.join("Claude_b")).unwrap();
        assert_eq!(files(), [of("Claude_a"), of("Claude_b")]);
    }
}
