//! The profile of a project's folder, which the operator names. Files inside it may be built, tested and removed. Files outside it, or
//! that run outside it later, may not be changed.

use super::{
    finding::Finding,
    judge::{Run, ScriptJudge},
    loaded::{INERT, is_loaded},
    paths::normal,
    secrets,
};
use crate::validator::{
    shell::{OPAQUE, Word},
    table::{self, Words},
};
use serde::Deserialize;
use std::sync::LazyLock;

/// The words of `project.toml`.
static TABLE: LazyLock<Table> = LazyLock::new(|| table::parse(include_str!("project.toml")));

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Table {
    scripted: Words,
    later: Words,
}

/// Prefixes of these names.
const LATER_STARTS: &[&str] = &["compose.y", "docker-compose", "lefthook"];

/// Suffixes of these names.
const LATER_ENDS: &[&str] =
    &[".code-workspace", ".sublime-project", ".desktop", ".plist", ".pth", ".service", ".tf", ".tfrc"];

/// Parts of the names of scripts that act outside the project.
const ELSEWHERE: &[&str] = &["deploy", "install", "provision", "publish", "release", "upload"];

impl<'a> ScriptJudge<'a> {
    /// Returns the folder of the project, without a trailing slash, if the operator names one.
    pub(super) fn root(&self) -> Option<&'a str> {
        let root = self.settings().project.as_deref()?.trim_end_matches('/');
        root.starts_with('/').then_some(root)
    }

    /// Returns whether a folder is the project, or in it. If the operator names no project, a folder that looks like one counts.
    pub(super) fn is_project(&self, folder: &str) -> bool {
        match self.root() {
            Some(root) if folder.starts_with('/') => {
                below(&normal(folder), root).is_some_and(|rest| rest.is_empty() || secrets::is_project(rest))
            }
            _ => secrets::is_project(folder),
        }
    }

    /// Returns a program with the paths in the project relative to it.
    pub(super) fn in_project(&self, mut run: Run) -> Run {
        let Some(root) = self.root() else { return run };
        let name = |word: &Word| word.text.rsplit('/').next().unwrap_or_default().to_ascii_lowercase();
        if run.words.iter().any(|word| TABLE.scripted.contains(&&*name(word))) {
            return run;
        }
        let targets = run.redirects.iter_mut().map(|redirect| &mut redirect.target);
        for word in run.words.iter_mut().chain(targets) {
            if let Some(text) = as_it_stands_to(root, &word.text) {
                *word = word.with_text(text);
            }
        }
        run
    }

    /// Returns the doubt about a file outside the project that is written or removed.
    pub(super) fn outside(&self, path: &str) -> Option<Finding> {
        let root = self.root().filter(|_| path.starts_with('/'))?;
        let is_free = ["/tmp/", "/var/tmp/", "/dev/"].iter().any(|free| path.starts_with(free));
        (!is_free && below(path, root).is_none()).then(|| Finding::doubt("a file outside the folder"))
    }

    /// Returns whether a program runs a file by its name or path. Files of the project that only run when the project is built and tested
    /// do not count.
    pub(super) fn runs_by_itself(&self, path: &str) -> bool {
        let Some(root) = self.root() else { return is_loaded(path) };
        let path = below(path, root).unwrap_or(path);
        if is_inside(path) { runs_later(path) } else { is_loaded(path) }
    }

    /// Returns whether a word names a script of the project, which may be run there.
    pub(super) fn is_own_script(&self, word: &Word) -> bool {
        let Some(text) = word.known().filter(|_| !word.pattern && !word.splits) else { return false };
        let text = text.trim_start_matches("./");
        let plain = |part: &str| !part.is_empty() && !part.starts_with('.');
        let lower = text.to_ascii_lowercase();
        self.begins_in_project()
            && !text.starts_with('-')
            && is_inside(text)
            && text.split('/').all(plain)
            && !ELSEWHERE.iter().any(|part| lower.contains(part))
            && !INERT.iter().any(|end| lower.ends_with(end))
    }

    /// Notes a recursive delete of paths with a name in the folder. It is allowed in the project.
    pub(super) fn removes_all_of(&mut self, what: &'static str) {
        if self.reading || !self.begins_in_project() {
            self.doubt(what);
        }
    }

    /// Returns whether the operator names the project, and all possible folders of the script are in it.
    fn begins_in_project(&self) -> bool {
        self.root().is_some() && self.folders.iter().all(|folder| self.is_project(folder))
    }
}

/// Returns the rest of a path below a folder, which is empty for the folder itself.
fn below<'p>(path: &'p str, folder: &str) -> Option<&'p str> {
    let rest = path.strip_prefix(folder)?;
    if rest.is_empty() { Some(rest) } else { rest.strip_prefix('/') }
}

/// Returns a path in a folder, or an argument whose value is one, relative to the folder; `None` for any other text.
fn as_it_stands_to(folder: &str, text: &str) -> Option<String> {
    let relative = |path: &str| {
        let path = normal(path);
        let rest = below(&path, folder)?;
        Some(if rest.is_empty() { ".".to_owned() } else { format!("./{rest}") })
    };
    if text.starts_with('/') {
        return relative(text);
    }
    let (name, value) = text.split_once('=').filter(|(_, value)| value.starts_with('/'))?;
    Some(format!("{name}={}", relative(value)?))
}

/// Returns whether a path stays in the folder in which it begins.
fn is_inside(path: &str) -> bool {
    !path.starts_with(['/', '~']) && !path.contains(OPAQUE) && !path.split('/').any(|part| part == "..")
}

/// Returns whether a file runs outside the project later, by its name or path. Hidden files are judged separately.
fn runs_later(path: &str) -> bool {
    let (folders, name) = path.rsplit_once('/').unwrap_or(("", path));
    let lower = name.to_ascii_lowercase();
    // Hooks have no extension: `src/hooks/useUser.ts` is not one.
    let is_hook = !name.contains('.') && folders.split('/').any(|part| part.eq_ignore_ascii_case("hooks"));
    is_hook
        || TABLE.later.iter().any(|later| later.eq_ignore_ascii_case(name))
        || LATER_STARTS.iter().any(|start| lower.starts_with(start))
        || LATER_ENDS.iter().any(|end| lower.ends_with(end))
}

#[cfg(test)]
mod tests {
    use crate::{
        profile::{ConfiguredTool, ToolFacts, assess},
        validator::{Input, Leaf, Sandbox, Validator, Verdict},
    };
    use mgp_types::{
        context::TrustLevel,
        json::RawJson,
        mcp::Tool,
        tool_security::{SandboxSettings, ValidatorName},
    };

    /// Returns the verdict on a command, where the operator names the project or not.
    fn verdict(command: &str, project: Option<&str>) -> &'static str {
        let sandbox = SandboxSettings { project: project.map(str::to_owned), ..Default::default() };
        let configured =
            ConfiguredTool { validator: Some(ValidatorName::Sandbox), sandbox, ..Default::default() };
        let tool = Tool::new("run", RawJson::empty_object());
        let profile = assess(&ToolFacts::new(&tool, TrustLevel::Trusted, &[], &configured));
        match Sandbox.check(&Input::new(&[Leaf::new("/command", command)], &profile)) {
            Verdict::Pass => "passes",
            Verdict::Ask(_) => "is asked about",
            Verdict::Refuse(_) => "is refused",
        }
    }

    fn check(rows: &[(&str, &str, &str)]) {
        for (command, without, with) in rows {
            assert_eq!(verdict(command, None), *without, "{command}");
            for project in ["/home/ann/proj", "/home/ann/proj/"] {
                assert_eq!(verdict(command, Some(project)), *with, "{command} in {project}");
            }
        }
    }

    #[test]
    fn paths_inside_the_project_may_be_built_tested_and_removed() {
        check(&[
            ("rm -rf src/old", "is asked about", "passes"),
            ("rm -rf /home/ann/proj/dist", "is refused", "passes"),
            ("rm -rf /home/ann/proj/src/../lib", "is refused", "passes"),
            ("bash run_all.sh", "is asked about", "passes"),
            ("./run_all.sh", "is asked about", "passes"),
            ("/home/ann/proj/run_all.sh", "is asked about", "passes"),
            ("echo x > Makefile", "is asked about", "passes"),
            ("echo x > /home/ann/proj/package.json", "is asked about", "passes"),
            ("sed -i s/a/b/ /home/ann/proj/Makefile", "is asked about", "passes"),
            ("cd /home/ann/proj && npm test", "passes", "passes"),
        ]);
    }

    #[test]
    fn paths_outside_the_project_may_not_be_changed() {
        check(&[
            ("rm -rf /home/ann/other/dist", "is refused", "is refused"),
            ("rm -rf /home/ann/project2", "is refused", "is refused"),
            ("rm -rf /home/ann/proj", "is refused", "is refused"),
            ("rm -rf /home/ann/proj/../other", "is refused", "is refused"),
            ("rm -rf ../other", "is refused", "is refused"),
            ("cd /home/ann/other && npm test", "passes", "is asked about"),
            ("cd /workspace/other && npm test", "passes", "is asked about"),
            ("cd /home/ann/other && rm -rf lib", "is asked about", "is asked about"),
            ("echo x > /workspace/y.txt", "passes", "is asked about"),
            ("bash /home/ann/other/run_all.sh", "is asked about", "is asked about"),
        ]);
    }

    #[test]
    fn files_that_run_outside_the_project_later_are_refused() {
        check(&[
            ("echo x > .git/hooks/pre-commit", "is refused", "is refused"),
            ("rm -rf /home/ann/proj/.git", "is refused", "is refused"),
            ("echo x > .github/workflows/ci.yml", "is asked about", "is asked about"),
            ("echo x > .vscode/tasks.json", "is asked about", "is asked about"),
            ("echo x > /home/ann/proj/Jenkinsfile", "is asked about", "is asked about"),
            ("echo x > tools/hooks/pre-push", "is asked about", "is asked about"),
            ("echo x > CLAUDE.md", "is asked about", "is asked about"),
            ("echo x > sub/.gitattributes", "is asked about", "is asked about"),
            ("echo x > docker-compose.yml", "is asked about", "is asked about"),
            ("echo x > .venv/bin/activate", "is asked about", "is asked about"),
            ("echo x > team.code-workspace", "passes", "is asked about"),
            ("echo x > bitbucket-pipelines.yml", "passes", "is asked about"),
            ("bash deploy.sh", "is asked about", "is asked about"),
        ]);
    }

    #[test]
    fn a_script_written_by_the_call_itself_is_doubtful() {
        check(&[
            ("echo x > t.sh && bash t.sh", "is asked about", "is asked about"),
            ("echo x > t.sh && ./t.sh", "is asked about", "is asked about"),
        ]);
    }

    #[test]
    fn a_script_in_another_language_is_not_a_project_path() {
        for command in ["sed /app/e notes.txt", "find . -exec sed /app/e {} \\;"] {
            assert_eq!(verdict(command, Some("/app")), verdict(command, None), "{command}");
            assert_ne!(verdict(command, Some("/app")), "passes", "{command}");
        }
    }
}
