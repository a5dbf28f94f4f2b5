//! The form of modules: `mod.rs` and `lib.rs` only list, and every module opens with a line of docs.

use super::Finding;
use crate::rust_code::{RustCode, find_word};
use crate::tree::{File, Tree};

/// Finds functions in a `mod.rs` or `lib.rs`.
pub(super) fn no_logic(tree: &Tree) -> Vec<Finding> {
    let lists = tree.rust().filter(|file| matches!(file.name(), "mod.rs" | "lib.rs"));
    lists.flat_map(functions).collect()
}

fn functions(file: &File) -> Vec<Finding> {
    let code = RustCode::parse(&file.text).without_tests();
    let places = find_word(&code.bare, "fn").filter(|at| {
        // `fn(` is a type.
        let is_type = !code.bare.get(at + 2..).is_some_and(|rest| rest.starts_with(char::is_whitespace));
        // The compiler requires an attribute's function at the root of its crate.
        let is_attribute = code.bare[..*at].trim_end().ends_with("#[proc_macro_attribute]\npub");
        !is_type && !is_attribute
    });
    places.map(|at| Finding::on_line(&file.path, file.line_at(at), "holds a function")).collect()
}

/// Finds modules that do not begin with a line of `//!`.
pub(super) fn openings(tree: &Tree) -> Vec<Finding> {
    let silent = tree.rust().filter(|file| file.path.contains("src/") && !file.text.starts_with("//!"));
    silent.map(|file| Finding::on_line(&file.path, 1, "does not start with `//!`")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_function_in_a_list_of_modules_is_found() {
        let tree = Tree::of(&[
            ("a/src/lib.rs", "//! fn a() {}\nmod b;\npub fn c() {}\n"),
            ("a/src/b/mod.rs", "type F = fn(u8);\n#[cfg(test)]\nmod t { fn x() {} }\n"),
            ("a/src/b/c.rs", "fn d() {}\n"),
            ("m/src/lib.rs", "//! m\n#[proc_macro_attribute]\npub fn d() {}\n"),
        ]);
        assert_eq!(no_logic(&tree), [Finding::on_line("a/src/lib.rs", 3, "holds a function")]);
    }

    #[test]
    fn a_module_without_an_opening_line_is_found() {
        let tree = Tree::of(&[
            ("a/src/lib.rs", "mod b;\n"),
            ("a/src/b.rs", "//! B.\n"),
            ("a/tests/c.rs", "fn d() {}"),
        ]);
        assert_eq!(openings(&tree), [Finding::on_line("a/src/lib.rs", 1, "does not start with `//!`")]);
    }
}
