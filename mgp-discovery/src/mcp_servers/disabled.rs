//! The servers of a project's `.mcp.json` that are disabled in Claude Code.

use super::{Host, candidates, comments, document::MAX_SIZE, projects};
use crate::locate::Environment;
use mgp_types::json::RawObject;
use std::{
    collections::BTreeSet,
    fs::File,
    io::Read,
    path::{Path, PathBuf},
};

/// The key of the list, in the settings and in the entry of a project.
pub(super) const DISABLED_IN_MCP_JSON: &str = "disabledMcpjsonServers";

/// Returns the names of the servers of the project's `.mcp.json` that are disabled in Claude Code.
///
/// The names are read from its user or project settings, and from the entry of the project in the user's own file. An unreadable file
/// disables no server.
#[must_use]
pub fn disabled_in_project(environment: &Environment) -> BTreeSet<String> {
    let settings = settings(environment).filter_map(|path| read(&path));
    let in_settings = settings.flat_map(|file| projects::names(&file, DISABLED_IN_MCP_JSON));
    let own = candidates(environment).into_iter();
    let own = own.filter(|found| found.host == Host::ClaudeCode && !found.project);
    let own = own.filter_map(|found| read(&found.path));
    in_settings.chain(own.flat_map(|file| projects::disabled(&file, &environment.cwd))).collect()
}

/// Returns the paths of the settings.
fn settings(environment: &Environment) -> impl Iterator<Item = PathBuf> {
    let own = environment.variable("CLAUDE_CONFIG_DIR").map(|folder| environment.absolute(folder));
    let own = own.or_else(|| environment.home.as_ref().map(|home| home.join(".claude")));
    let of_project = environment.absolute(".claude");
    let of_project = ["settings.json", "settings.local.json"].map(|name| of_project.join(name));
    own.map(|folder| folder.join("settings.json")).into_iter().chain(of_project)
}

fn read(path: &Path) -> Option<RawObject> {
    if !path.is_file() {
        return None;
    }
    let mut bytes = Vec::new();
    File::open(path).ok()?.take(MAX_SIZE as u64 + 1).read_to_end(&mut bytes).ok()?;
    if bytes.len() > MAX_SIZE {
        return None;
    }
    let text = String::from_utf8_lossy(&bytes);
    RawObject::parse(comments::plain(text.trim_start_matches('\u{feff}'))).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::locate::Platform;

    #[test]
    fn each_file_of_claude_code_can_switch_a_server_off() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        for name in ["home/.claude", "project/.claude", "own"] {
            std::fs::create_dir_all(path(name)).unwrap();
        }
        let kept = serde_json::json!({ "projects": {
            path("project").to_str().unwrap(): { DISABLED_IN_MCP_JSON: ["entry"], "disabledMcpServers": ["any"] },
            "/elsewhere/project": { DISABLED_IN_MCP_JSON: ["elsewhere"] },
        } });
        for (name, text) in [
            ("home/.claude.json", kept.to_string()),
            ("home/.claude/settings.json", format!(r#"{{"{DISABLED_IN_MCP_JSON}": ["user"]}}"#)),
            (
                "project/.claude/settings.json",
                format!("// ours\n{{\"{DISABLED_IN_MCP_JSON}\": [\"shared\",]}}"),
            ),
            (
                "project/.claude/settings.local.json",
                format!(r#"{{"{DISABLED_IN_MCP_JSON}": ["local", "user"]}}"#),
            ),
            ("own/settings.json", format!(r#"{{"{DISABLED_IN_MCP_JSON}": ["moved"]}}"#)),
        ] {
            std::fs::write(path(name), text).unwrap();
        }
        let mut environment = Environment {
            cwd: path("project"),
            home: Some(path("home")),
            config_dir: None,
            state_dir: None,
            platform: Platform::Linux,
            variables: std::collections::BTreeMap::new(),
        };
        let names = |environment: &Environment| Vec::from_iter(disabled_in_project(environment));
        assert_eq!(names(&environment), ["any", "entry", "local", "shared", "user"]);
        let moved = path("own").to_str().unwrap().to_owned();
        environment.variables = [("CLAUDE_CONFIG_DIR".to_owned(), moved)].into();
        assert_eq!(names(&environment), ["local", "moved", "shared", "user"]);
        // Not JSON.
        std::fs::write(path("project/.claude/settings.local.json"), "{").unwrap();
        assert_eq!(names(&environment), ["moved", "shared"]);
    }
}
