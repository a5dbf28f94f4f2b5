//! Uses of everyday programs with unexpected effects.

use super::{
    judge::Run,
    oddities::{exports, names_environment, runs_command},
};

/// Returns the doubt about a use of a program.
pub(super) fn doubt(name: &str, run: &Run) -> Option<&'static str> {
    let arguments = &run.words[1..];
    let any = |test: &dyn Fn(&str) -> bool| arguments.iter().any(|word| test(&word.text));
    let patterns = || arguments.iter().filter(|word| word.pattern);
    let tells = any(&|text| ["-l", "-t", "-c", "--list", "--test", "--stdout"].contains(&text));
    let doubt = match name {
        "set" if arguments.is_empty() => "the whole environment",
        "set" if any(&exports) => "variables that are exported by themselves",
        "test" | "[" if any(&|text| text.contains('[') && text.contains('=') && text.len() > 2) => {
            "an index that sets a variable"
        }
        "printenv"
            if any(&|text| {
                ["TOKEN", "SECRET", "API_KEY", "PASSWORD"].iter().any(|part| text.contains(part))
            }) =>
        {
            "a secret in the environment"
        }
        "xmllint"
            if any(&|text| {
                text.contains("://")
                    || ["--xinclude", "--loaddtd", "--valid", "--dtdvalid", "--schema", "--catalogs", "--net"]
                        .contains(&text)
            }) =>
        {
            "files or addresses that a document names"
        }
        "yq" if any(&|text| text == "-s" || text.starts_with("--split")) => "files that are written",
        "rpm" if any(&|text| text.contains("://")) => "something from the network",
        "systemctl" | "docker" | "podman"
            if any(&|text| text.contains("Environment") || text.contains(".Env")) =>
        {
            "the environment of other processes"
        }
        "yq" if any(&|text| ["env(", "load", "$", "envsubst"].iter().any(|part| text.contains(part))) => {
            "a program of yq that is not followed"
        }
        "truncate"
            if patterns().next().is_some()
                || any(&|text| {
                    text.starts_with("-s-") || text.starts_with("-1") || text.starts_with("--size=-")
                }) =>
        {
            "many files that are cut off"
        }
        "tee" if patterns().next().is_some() => "many files that are overwritten",
        "gzip" | "bzip2" | "xz" | "zstd"
            if !tells
                && (any(&|text| text == "-r" || text == "--rm")
                    || patterns().any(|word| !word.text.ends_with(".log"))) =>
        {
            "many files that are replaced"
        }
        "zip"
            if any(&|text| {
                text == "-d" || text.starts_with('-') && !text.starts_with("--") && text.contains('m')
            }) =>
        {
            "files that are moved into or out of an archive"
        }
        "mkdir" if any(&|text| text == "-m" || text.starts_with("--mode") || text.starts_with("-m")) => {
            "rights that are set"
        }
        "ps" if any(&|text| text == "e" || text.contains("environ") || text == "eww") => {
            "the environment of other processes"
        }
        "dmesg" if any(&|text| text.starts_with("--console")) => "a change of the system's log",
        "ptx" if any(&|text| text.starts_with("-G") || text.starts_with("--trad")) => {
            "a file that is written"
        }
        "ionice" if any(&|text| text == "-p" || text.starts_with("-p")) => "a change of another process",
        "info" if any(&|text| text == "-o") => "a file that is written",
        "journalctl" if any(&|text| text.starts_with("--cursor-file")) => "a file that is written",
        "ack" if any(&|text| text.starts_with("--ackrc")) => "a file of options",
        "ps" if arguments
            .first()
            .is_some_and(|word| !word.text.starts_with('-') && word.text.contains('e')) =>
        {
            "the environment of other processes"
        }
        "jq" | "gojq" if any(&names_environment) => "the whole environment",
        "less" | "more" | "most" | "man" if any(&runs_command) => "a command of a pager",
        _ => return None,
    };
    Some(doubt)
}
