//! The inputs in `fuzz/corpus/`, which targets must pass.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::{
    fs,
    path::{Path, PathBuf},
};
use xtask_fuzz::TARGETS;

fn corpus() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/corpus")
}

fn entries(folder: &Path) -> Vec<PathBuf> {
    let read = fs::read_dir(folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    let mut paths: Vec<_> = read.map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    paths
}

fn passes_its_kept_inputs(name: &str) {
    let (_, run) = TARGETS.iter().find(|(known, _)| *known == name).unwrap();
    for input in entries(&corpus().join(name)) {
        // Shown if the target panics on it.
        println!("{}", input.display());
        run(&fs::read(&input).unwrap());
    }
}

macro_rules! targets {
    ($($target:ident)*) => {
        const TESTED: &[&str] = &[$(stringify!($target)),*];

        $(mod $target {
            #[test]
            fn passes_its_kept_inputs() {
                super::passes_its_kept_inputs(stringify!($target));
            }
        })*
    };
}

targets! {
    challenge code_safety config conform frames initialize json_rpc jws network_restricted oauth_metadata param_headers public_registry
    readonly request_state sandbox sse stateless uri_templates
}

#[test]
fn each_target_is_tested() {
    assert_eq!(TESTED, TARGETS.iter().map(|(name, _)| *name).collect::<Vec<_>>());
}

#[test]
fn each_target_has_a_folder_with_one_to_thirty_inputs() {
    let folders = entries(&corpus());
    let named: Vec<_> = folders.iter().map(|folder| folder.file_name().unwrap().to_str().unwrap()).collect();
    assert_eq!(named, TARGETS.iter().map(|(name, _)| *name).collect::<Vec<_>>());
    for folder in folders {
        let kept = entries(&folder).len();
        assert!((1..=30).contains(&kept), "{}: {kept} inputs are kept, expected 1 to 30", folder.display());
    }
}
