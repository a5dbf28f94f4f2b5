//! Judges programs that build or test a project.

use super::{finding::Finding, judge::ScriptJudge, options, paths::judge_write, variables};
use crate::validator::shell::Word;

/// Options that are followed by a file or folder that is written.
const OUTPUTS: &[&str] =
    &["-o", "--output", "--out-dir", "--outDir", "--outfile", "--prefix", "--target-dir"];

/// Parts of options that name a file for a report.
const REPORTS: &[&str] = &["xml", "report", "cache", "log", "cov", "profile"];

/// Beginnings of Maven's goals that run nothing but the plugins everybody uses.
const GOALS: &[&str] = &[
    "dependency:",
    "spring-boot:",
    "versions:display",
    "help:",
    "compiler:",
    "surefire:",
    "failsafe:",
    "spotless:",
    "checkstyle:",
    "jacoco:",
];

/// Parts of settings of CMake that name a program or a script.
const PROGRAMS: &[&str] =
    &["COMPILER", "LAUNCHER", "TOOLCHAIN", "INCLUDE", "LINKER", "PROGRAM", "COMMAND", "EXECUTABLE"];

impl ScriptJudge<'_> {
    /// Judges the arguments of a program that builds a project.
    pub(super) fn build(&mut self, name: &str, arguments: &[Word]) {
        let mut writes = false;
        for word in arguments {
            let text = word.text.as_str();
            if std::mem::take(&mut writes) {
                self.note(judge_write(word));
                continue;
            }
            writes = OUTPUTS.contains(&text);
            let (option, value) = text.split_once('=').unwrap_or((text, ""));
            if OUTPUTS.contains(&option) && !value.is_empty() {
                self.note(judge_write(&word.with_text(value)));
                continue;
            }
            if let Some(file) = text.strip_prefix("-o").filter(|file| file.starts_with(['/', '~', '.'])) {
                self.note(judge_write(&word.with_text(file)));
            }
            if !option.starts_with('-') && text.contains('=') {
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

/// Returns whether an argument may make a program run something that is not the project's.
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
                    && !GOALS.iter().any(|goal| text.starts_with(goal)))
        }
        "gradle" | "gradlew" => has(&["javaagent"]),
        "sbt" => has(&["eval", "set ", "!"]),
        "cmake" => {
            let (setting, value) = text.split_once('=').unwrap_or((text, ""));
            let named = ["clang", "gcc", "g++", "cc", "c++", "ccache", "sccache", "icx", "icpx"];
            let plain = value.trim_end_matches(|c: char| c.is_ascii_digit() || matches!(c, '-' | '+'));
            text.starts_with("-P")
                || text.starts_with("-E")
                || (setting.starts_with("-D")
                    && PROGRAMS.iter().any(|part| setting.contains(part))
                    && !named.iter().any(|name| name.trim_end_matches('+') == plain))
        }
        "dotnet" => {
            let property = ["-p:", "/p:", "--property"].iter().any(|start| text.starts_with(start));
            (property && has(&["Event", "Command", "Target", "Import", "Exec", "Tool"]))
                || (text.trim_start_matches(['-', '/']).starts_with('l') && text.contains(".dll"))
        }
        _ => false,
    }
}
