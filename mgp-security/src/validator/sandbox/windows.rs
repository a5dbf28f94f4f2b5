//! Commands of Windows.

use crate::validator::shell::Word;

/// Returns whether a command of Windows removes folders or formats a drive.
pub(super) fn harms(name: &str, arguments: &[Word]) -> bool {
    let has = |option: &str| arguments.iter().any(|word| word.text.to_ascii_lowercase().starts_with(option));
    match name.strip_suffix(".exe").or(name.strip_suffix(".com")).unwrap_or(name) {
        "rd" | "rmdir" | "del" | "erase" => has("/s"),
        "remove-item" | "ri" => has("-r"),
        "format" => arguments.iter().any(|word| {
            let drive = word.text.trim_end_matches(['\\', '/']);
            matches!(drive.as_bytes(), [letter, b':'] if letter.is_ascii_alphabetic())
        }),
        "cmd" | "powershell" | "pwsh" => name.ends_with(".exe"),
        _ => false,
    }
}
