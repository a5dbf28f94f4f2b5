//! The program itself: where `PATH` finds it.

use super::{
    context::{Context, word},
    finding::{Finding, Kind, Remedy},
    servers::is_executable,
};
use std::{
    env, fs,
    path::{Path, PathBuf},
};

/// The most other programs that one finding names.
const MAX_NAMED: usize = 5;

pub(super) fn check(context: &Context) -> Vec<Finding> {
    let search_path = context.search_path();
    let name = format!("mgp{}", env::consts::EXE_SUFFIX);
    let mut found: Vec<PathBuf> = Vec::new();
    for folder in env::split_paths(&search_path).filter(|folder| folder.is_absolute()) {
        let path = folder.join(&name);
        if is_executable(&path) && !found.contains(&path) {
            found.push(path);
        }
    }
    let others: Vec<_> = found.iter().filter(|path| !is_same(path, context)).collect();
    if found.is_empty() {
        let problem = "the program mgp is not in PATH, so the commands of these texts are not found";
        return vec![Finding::new(Kind::ProgramNotInPath, problem, Remedy::Command(on_path(context)))];
    }
    let Some(other) = others.first() else { return Vec::new() };
    let named: Vec<_> = found.iter().take(MAX_NAMED).map(|path| path.display().to_string()).collect();
    let problem = format!(
        "PATH has another program mgp than this one, {}: {}; a shell runs the first",
        context.program.display(),
        named.join(", ")
    );
    let command = match other.parent().is_some_and(|folder| folder.ends_with(".cargo/bin")) {
        true => "cargo uninstall mgp".to_owned(),
        false => format!("rm {}", word(other)),
    };
    vec![Finding::new(Kind::ProgramTwice, problem, Remedy::Command(command))]
}

/// Returns whether a path leads to this program, to a copy of it, or to a script that starts it, as the packages of npm have.
fn is_same(path: &PathBuf, context: &Context) -> bool {
    let size = |path: &PathBuf| fs::metadata(path).map(|found| found.len()).ok();
    path.canonicalize().is_ok_and(|real| real == context.program || starts(&real, &context.program))
        || (size(path) == size(&context.program)
            && fs::read(path)
                .ok()
                .is_some_and(|other| fs::read(&context.program).is_ok_and(|own| own == other)))
}

/// Returns whether a script of a package of npm starts a program: both are in one folder of packages.
fn starts(script: &Path, program: &Path) -> bool {
    let folder: PathBuf = script.iter().take_while(|part| *part != "node_modules").collect();
    folder != script && program.starts_with(folder.join("node_modules"))
}

/// Returns the command that puts this program into `PATH`.
fn on_path(context: &Context) -> String {
    let own = context.environment.home.as_ref().map(|home| home.join(".local/bin"));
    let search_path = context.search_path();
    match own.filter(|own| env::split_paths(&search_path).any(|folder| folder == *own)) {
        Some(own) => format!("ln -s {} {}", word(&context.program), word(&own.join("mgp"))),
        None => {
            let folder = context.program.parent().unwrap_or(&context.program);
            format!("export PATH=\"$PATH:\"{}", word(folder))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_script_of_npm_starts_the_program_of_its_folder() {
        let starts = |script: &str, program: &str| starts(Path::new(script), Path::new(program));
        let program = "/usr/lib/node_modules/@mgp-rs/linux-x64/bin/mgp";
        assert!(starts("/usr/lib/node_modules/mgp-rs/bin/mgp.js", program));
        assert!(!starts("/home/ann/node_modules/mgp-rs/bin/mgp.js", program));
        assert!(!starts("/usr/bin/mgp", program));
    }
}
