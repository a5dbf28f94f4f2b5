//! Judges programs that build or test a project.

use super::{
    build_options::{self, OptionForm},
    finding::Finding,
    judge::ScriptJudge,
    options,
    paths::judge_write,
    variables,
};
use crate::validator::{
    shell::{OPAQUE, Word},
    table::{self, Words},
};
use serde::Deserialize;
use std::sync::LazyLock;

/// The words of `builds.toml`.
static TABLE: LazyLock<Table> = LazyLock::new(|| table::parse(include_str!("builds.toml")));

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Table {
    goals: Words,
    programs: Words,
}

/// Options that are followed by a file or folder that is written.
const OUTPUTS: &[&str] =
    &["-o", "--output", "--out-dir", "--outDir", "--outfile", "--prefix", "--target-dir"];

/// Parts of options that name a file for a report.
const REPORTS: &[&str] = &["xml", "report", "cache", "log", "cov", "profile"];

impl ScriptJudge<'_> {
    /// Judges the arguments of a program that builds a project.
    pub(super) fn build(&mut self, name: &str, arguments: &[Word]) {
        let mut writes = false;
        self.build_options(name, arguments);
        if ["npx", "bunx", "pnpx"].contains(&name) {
            // The program after it is judged separately.
            return;
        }
        for word in arguments {
            let text = word.text.as_str();
            if std::mem::take(&mut writes) {
                self.builds_file(word);
                continue;
            }
            writes = OUTPUTS.contains(&text);
            let (option, value) = text.split_once('=').unwrap_or((text, ""));
            if OUTPUTS.contains(&option) && !value.is_empty() {
                self.builds_file(&word.with_text(value));
                continue;
            }
            if let Some(file) = text.strip_prefix("-o").filter(|file| file.starts_with(['/', '~', '.'])) {
                self.note(judge_write(&word.with_text(file)));
            }
            if !option.starts_with('-') && text.contains('=') {
                if option.ends_with('!') {
                    self.doubt("a variable that make sets by a command");
                }
                let option = option.trim_end_matches([':', '+', '?', '!']);
                self.note(variables::judge(option, &Word::literal(value), true));
            }
            let report = option.starts_with('-') && REPORTS.iter().any(|part| option.contains(part));
            if !report && (text.contains("/tmp/") || text.contains("/dev/shm/") || text.starts_with('~')) {
                self.doubt("a program in a file outside the folder");
            }
            if text.contains("://") && !["://localhost", "://127.0.0.1"].iter().any(|own| text.contains(own))
            {
                self.doubt("something from the network");
            }
            if runs(name, text) {
                self.note(Some(Finding::doubt(format!("an argument of {name} that may run something"))));
            }
        }
        let operands = options::operands(arguments, "");
        let first = operands.first().map_or("", |word| word.text.as_str());
        if ["exec", "try-repo", "e"].contains(&first) && name != "bundle" {
            self.note(Some(Finding::doubt(format!("a subcommand of {name} that may run something"))));
        }
        let sends = |word: &&Word| {
            let task = word.text.rsplit(':').next().unwrap_or_default();
            ["publish", "deploy", "site-deploy", "upload"].iter().any(|sends| task.starts_with(sends))
                || ["drop", "reset", "destroy", "wipe", "purge", "rollback"]
                    .iter()
                    .any(|part| task.ends_with(part))
                    && word.text.contains(':')
                || word.text.starts_with("db:schema:load")
        };
        if operands.iter().take(3).any(sends) {
            self.note(Some(Finding::doubt(format!("a task of {name} that may send or remove something"))));
        }
        if name == "json.tool"
            && let Some(target) = operands.get(1)
        {
            self.write(target);
        }
        let odd = match name {
            "meson" => {
                !["setup", "compile", "test", "configure", "introspect", "dist", "init", ""].contains(&first)
            }
            "nx" | "turbo" => {
                ["add", "migrate", "g", "generate", "connect", "login", "import", "init", "link", "gen"]
                    .contains(&first)
            }
            "swift" => {
                first == "package"
                    && operands.iter().any(|word| ["plugin", "config"].contains(&word.text.as_str()))
            }
            "sbt" => {
                operands.iter().any(|word| word.text.starts_with("console") || word.text.starts_with("apply"))
            }
            "go" => {
                first == "run"
                    && operands.get(1).is_some_and(|word| {
                        let top = word.text.split('/').next().unwrap_or_default();
                        top.contains('.') && !top.starts_with('.') && !top.ends_with(".go")
                    })
            }
            "dotnet" => operands
                .iter()
                .any(|word| [".proj", ".dll", ".targets"].iter().any(|end| word.text.ends_with(end))),
            "mocha" | "doctest" | "coverage" => {
                operands.iter().any(|word| super::loaded::INERT.iter().any(|end| word.text.ends_with(end)))
            }
            "pytest" => {
                arguments.iter().any(|word| word.text.starts_with("ignore::") && word.text.contains('.'))
            }
            _ => false,
        };
        if odd {
            self.note(Some(Finding::doubt(format!("an argument of {name} that may run something"))));
        }
        let script = arguments.iter().position(|word| word.text == "-m" || word.text.ends_with(".py"));
        if let Some(at) = script.filter(|_| name == "coverage" && first == "run" || name == "cProfile") {
            self.run([&[Word::literal("python3")], &arguments[at..]].concat());
        }
        let moved = arguments.iter().any(|word| word.text.starts_with("--target-dir"));
        if name == "cargo" && first == "clean" && moved {
            self.doubt("a recursive delete");
        }
        let plugin =
            arguments.windows(2).any(|pair| pair[0].text == "-p" && !pair[1].text.starts_with("no:"));
        let glued = arguments.iter().any(|word| word.text.starts_with("-p") && word.text.len() > 2);
        if name.starts_with("py") && name.contains("test") && (plugin || glued) {
            self.doubt("a plugin of pytest");
        }
    }
}

impl ScriptJudge<'_> {
    /// Judges the options of a program that builds, and the paths in its arguments.
    fn build_options(&mut self, name: &str, arguments: &[Word]) {
        let runs_another = ["npx", "bunx", "pnpx"].contains(&name);
        let (mut rest, mut passed_on) = (arguments.iter(), false);
        let described = build_options::is_described(name);
        let passes_on =
            ["npm", "pnpm", "yarn", "bun", "uv", "poetry", "nx", "turbo", "make", "cargo", "go", "dotnet"]
                .contains(&name);
        while let Some(word) = rest.next() {
            let text = word.text.as_str();
            if self.names_outside(name, &self.seen_from_start(text)) {
                self.doubt("a file or folder outside the project");
            }
            if runs_another && !text.starts_with('-') {
                break;
            }
            if text.starts_with('@') && !["npx", "npm", "pnpm", "yarn", "bun"].contains(&name) {
                self.note(Some(Finding::doubt(format!("a file of options of {name}"))));
            }
            let jobs = text.starts_with("-j") && !word.splits;
            if described
                && word.may_be_option()
                && word.known().is_none()
                && !jobs
                && text.starts_with(['-', OPAQUE])
            {
                self.doubt("an argument that may turn out to be an option");
            }
            passed_on |= text == "--";
            if !described || !text.starts_with('-') || text.len() < 2 {
                continue;
            }
            let one_dash = text.strip_prefix('-').filter(|rest| name == "go" && rest.starts_with('-'));
            match build_options::known(name, one_dash.unwrap_or(text)) {
                Some(OptionForm::Valued) => {
                    let value = rest.clone().next().map_or("", |value| value.text.as_str());
                    if is_module(text, value) {
                        self.doubt("a module or a program that an option names");
                    }
                    if rest
                        .next()
                        .is_some_and(|value| self.names_outside(name, &self.seen_from_start(&value.text)))
                    {
                        self.doubt("a file or folder outside the project");
                    }
                }
                Some(OptionForm::Alone)
                    if text.split_once('=').is_some_and(|(option, value)| is_module(option, value)) =>
                {
                    self.doubt("a module or a program that an option names");
                }
                Some(OptionForm::Alone) => {}
                None if passes_on && passed_on && build_options::is_known_anywhere(text) => {}
                None => self.note(Some(Finding::doubt(format!("an option of {name} that is not known")))),
            }
        }
    }

    /// Returns whether an argument, or a part of it, is a path outside the project.
    fn names_outside(&self, name: &str, text: &str) -> bool {
        let target = name.starts_with("bazel") && text.trim_start_matches('-').starts_with("//");
        let property =
            name == "dotnet" && text.starts_with('/') && text.contains(':') && !text[1..].contains('/');
        let header = ["-I/usr/", "-L/usr/", "-I/opt/", "-L/opt/", "-isystem/usr/"]
            .iter()
            .any(|start| text.starts_with(start));
        if target || property || header || text.contains("://") {
            return false;
        }
        let glued =
            text.strip_prefix('-').filter(|rest| !rest.starts_with('-')).and_then(|rest| rest.get(1..));
        text.split(['=', ':', ',']).chain(glued).any(|part| {
            let part = part.trim_start_matches(['\'', '"', ' ']);
            let outside = part.starts_with('~')
                || part.starts_with("..") && !part.starts_with("...")
                || part.starts_with('/');
            let free = ["/tmp/", "/var/tmp/", "/dev/null"].iter().any(|free| part.starts_with(free));
            let somebodys = part.starts_with("/home") || part.starts_with("/Users");
            let own = part.starts_with('/') && self.is_project(part) && (self.root().is_some() || !somebodys);
            outside && !free && !own
        })
    }
}

/// Returns whether the value of an option that names a reporter, a format or a browser is a file.
fn is_module(option: &str, value: &str) -> bool {
    ["-R", "--reporter", "-f", "--format", "--formatter", "--browser", "-b"].contains(&option)
        && value.starts_with(['.', '/'])
}

/// Returns whether an argument may make a program run code from outside the project.
fn runs(name: &str, text: &str) -> bool {
    let has = |parts: &[&str]| parts.iter().any(|part| text.contains(part));
    match name {
        "go" => has(&["-extld"]),
        "gcc" | "g++" | "cc" | "c++" | "clang" | "clang++" | "ld" => {
            (text.starts_with("-W") && has(&["plugin", "dynamic-linker"]))
                || (text.starts_with("-fuse-ld=") && text.contains('/'))
                || text.starts_with('@')
        }
        "javac" => text.starts_with("-Xplugin"),
        "mvn" | "mvnw" => {
            has(&["exec.", "javaagent"])
                || (text.contains(':')
                    && !text.starts_with('-')
                    && !TABLE.goals.iter().any(|goal| text.starts_with(goal)))
        }
        "gradle" | "gradlew" => has(&["javaagent"]),
        "sbt" => has(&["eval", "set ", "!"]),
        "cmake" => {
            let (setting, value) = text.split_once('=').unwrap_or((text, ""));
            let named = ["clang", "gcc", "g++", "cc", "c++", "ccache", "sccache", "icx", "icpx"];
            let plain = value.trim_end_matches(|c: char| c.is_ascii_digit() || matches!(c, '-' | '+'));
            text.starts_with("-P")
                || text.starts_with("-E")
                || (setting.contains("FLAGS") && value.contains(['/', '@']) || value.contains("plugin"))
                || ((setting.starts_with("-D") || setting.starts_with("CMAKE_"))
                    && TABLE.programs.iter().any(|part| setting.contains(part))
                    && !named.iter().any(|name| name.trim_end_matches('+') == plain))
        }
        "dotnet" => {
            let property = ["-p:", "/p:", "--property"].iter().any(|start| text.starts_with(start));
            (property
                && has(&["Event", "Command", "Target", "Import", "Exec", "Tool", "Props", "File", "Path"]))
                || (text.trim_start_matches(['-', '/']).starts_with('l') && text.contains(".dll"))
        }
        _ => false,
    }
}
