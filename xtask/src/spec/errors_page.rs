//! `docs/errors.md` against the table of error codes.

use std::{fs, path::Path};

use mgp_types::error::error_table;

const PAGE: &str = "docs/errors.md";

/// Compares the page with the table, or writes the page.
///
/// # Errors
/// A page that differs, or one that cannot be read or written.
pub(super) fn check(root: &Path, write: bool) -> Result<(), String> {
    let path = root.join(PAGE);
    if write {
        return fs::write(&path, error_table()).map_err(|error| format!("failed to write {PAGE}: {error}"));
    }
    let page = fs::read_to_string(&path).map_err(|error| format!("failed to read {PAGE}: {error}"))?;
    if page == error_table() {
        return Ok(());
    }
    Err(format!("{PAGE} differs from the table of error codes: run `cargo xtask spec --write`"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_that_differs_fails_until_it_is_written() {
        let root = std::env::temp_dir().join(format!("xtask-spec-{}", std::process::id()));
        fs::create_dir_all(root.join("docs")).unwrap();
        assert!(check(&root, false).unwrap_err().contains("failed to read docs/errors.md"));
        fs::write(root.join(PAGE), "# Old\n").unwrap();
        assert!(check(&root, false).unwrap_err().contains("run `cargo xtask spec --write`"));
        check(&root, true).unwrap();
        assert_eq!(check(&root, false), Ok(()));
        fs::remove_dir_all(&root).unwrap();
    }
}
