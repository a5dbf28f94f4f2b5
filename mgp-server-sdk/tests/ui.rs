//! Compiles each wrong handler of `tests/ui` and compares what the compiler says of it with the file beside it.
//!
//! The compiler is run as cargo runs it, against the crate as this test was linked with: nothing is built for it.
//! `UPDATE_EXPECT=1` writes the files anew.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use expect_test::expect_file;
use serde_json::Value;
use std::{
    env, fs,
    path::{Path, PathBuf},
    process::{Command, Output},
};

/// The folder of this test's binary, which holds all that it was linked with.
fn dependencies() -> PathBuf {
    env::current_exe().unwrap().parent().unwrap().to_path_buf()
}

/// Returns the last build of the crate that has the macros, if this test has them. Builds with fewer features may be newer.
fn library() -> PathBuf {
    let files = fs::read_dir(dependencies()).unwrap().map(|entry| entry.unwrap().path());
    let is_library = |path: &PathBuf| {
        let name = path.file_name().unwrap().to_string_lossy();
        name.starts_with("libmgp_server_sdk-") && name.ends_with(".rlib")
    };
    let mut libraries: Vec<_> = files.filter(is_library).collect();
    libraries.sort_by_key(|path| fs::metadata(path).unwrap().modified().unwrap());
    let has_all =
        |library: &PathBuf| cfg!(not(feature = "macros")) || compile("uses_macros", library).status.success();
    libraries.into_iter().rev().find(has_all).expect("cargo builds the library before its tests")
}

fn compiler() -> Command {
    let beside_cargo = env::var_os("CARGO").map(|cargo| Path::new(&cargo).with_file_name("rustc"));
    Command::new(beside_cargo.filter(|path| path.exists()).unwrap_or_else(|| "rustc".into()))
}

/// Runs the compiler on a file, against a build of the crate.
fn compile(name: &str, library: &Path) -> Output {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/ui");
    let mut dependency = std::ffi::OsString::from("dependency=");
    dependency.push(dependencies());
    let mut library_flag = std::ffi::OsString::from("mgp_server_sdk=");
    library_flag.push(library);
    compiler()
        .args(["--edition=2024", "--crate-type=lib", "--emit=metadata", "--error-format=json", "-o"])
        .arg(env::temp_dir().join(format!(
            "mgp_server_sdk_ui_{}_{}.rmeta",
            name.replace('/', "_"),
            std::process::id()
        )))
        .arg("-L")
        .arg(dependency)
        .arg("--extern")
        .arg(library_flag)
        .arg(folder.join(format!("{name}.rs")))
        .output()
        .unwrap()
}

/// Returns what the compiler says of a file: of each error the message, its place, and the notes that say what it is about and what to do.
fn errors_of(name: &str) -> String {
    let output = compile(name, &library());
    let told = String::from_utf8(output.stderr).unwrap();
    assert!(!output.status.success(), "{name} compiles");
    let diagnostics = told.lines().map(|line| serde_json::from_str::<Value>(line).expect(line));
    let errors = diagnostics.filter(|told| told["level"] == "error" && told["spans"] != Value::Array(vec![]));
    errors.map(|error| short(&error)).collect::<Vec<_>>().join("\n")
}

fn short(error: &Value) -> String {
    let mut text = format!("error: {}\n", error["message"].as_str().unwrap());
    for span in error["spans"].as_array().unwrap().iter().filter(|span| span["is_primary"] == true) {
        let source = span["text"][0]["text"].as_str().unwrap_or_default().trim();
        if !source.is_empty() {
            text.push_str(&format!("  at: {source}\n"));
        }
        if let Some(label) = span["label"].as_str() {
            text.push_str(&format!("  label: {label}\n"));
        }
    }
    for note in error["children"].as_array().unwrap() {
        let message = note["message"].as_str().unwrap();
        // The way to the error, and where the compiler writes what is too long for a line.
        let of_the_way =
            ["required for", "required by", "the full name for the type", "consider using `--verbose`"];
        let about_the_error = !of_the_way.iter().any(|start| message.starts_with(start));
        if note["level"] == "note" && about_the_error {
            text.push_str(&format!("  note: {message}\n"));
            let labels = note["spans"].as_array().unwrap().iter().filter_map(|span| span["label"].as_str());
            labels.for_each(|label| text.push_str(&format!("    label: {label}\n")));
        }
    }
    text
}

macro_rules! wrong_handlers {
    ($($test:ident: $file:literal,)+) => {$(
        #[test]
        fn $test() {
            expect_file![concat!("ui/", $file, ".stderr")].assert_eq(&errors_of($file));
        }
    )+};
}

wrong_handlers! {
    an_argument_that_cannot_be_deserialized_is_named: "not_deserialize",
    an_argument_without_a_schema_is_named: "no_schema",
    a_structured_result_without_a_schema_is_named: "no_result_schema",
    a_plain_function_whose_answer_is_no_result_is_told_so: "plain_answer",
    state_that_cannot_be_cloned_is_named: "state_not_clone",
    an_error_that_cannot_be_displayed_is_named: "wrong_error",
    an_argument_that_is_no_extractor_is_named: "not_an_extractor",
    an_answer_that_is_no_result_is_named: "wrong_answer",
    too_many_arguments_are_told_with_the_limit: "too_many_arguments",
    a_future_that_is_not_send_is_told_with_what_it_holds: "not_send",
    debug_handler_points_at_the_argument: "debug_handler",
    debug_handler_says_that_it_checks_no_generic_function: "debug_handler_generic",
}

#[cfg(feature = "macros")]
wrong_handlers! {
    a_tool_without_a_description_is_told_so: "macros/no_description",
    an_option_that_is_no_setter_is_named: "macros/wrong_option",
    an_item_that_no_attribute_fits_is_told_so: "macros/wrong_item",
    a_server_that_cannot_be_one_is_told_why: "macros/wrong_server",
    an_argument_of_an_attributes_function_is_named_where_it_stands: "macros/wrong_types",
}
