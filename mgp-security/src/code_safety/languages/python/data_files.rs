//! Data files, by their names.

use crate::code_safety::languages::working_folder::is_in_working_folder;

/// The extensions of data files, which no program runs. YAML, TOML and INI are not among them: most such files are settings, which name
/// commands.
const DATA: [&str; 39] = [
    "txt", "log", "md", "rst", "csv", "tsv", "json", "jsonl", "ndjson", "geojson", "xml", "html", "htm",
    "css", "png", "jpg", "jpeg", "gif", "svg", "bmp", "webp", "pdf", "xlsx", "xls", "docx", "pptx",
    "parquet", "feather", "npy", "npz", "bin", "dat", "data", "out", "tex", "wav", "mp3", "mp4", "tmp",
];

/// Returns whether a path leads to a data file of the working folder, which no program runs or reads by itself.
pub(super) fn is_data(path: &str) -> bool {
    let path = path.to_ascii_lowercase();
    let file = path.rsplit('/').next().unwrap_or_default();
    let Some((name, ending)) = file.rsplit_once('.').filter(|_| is_in_working_folder(&path)) else {
        return false;
    };
    DATA.contains(&ending) && !is_list_of_packages(name)
}

/// Returns whether a name is that of a list of packages, or of a file that CMake runs.
fn is_list_of_packages(name: &str) -> bool {
    ["requirements", "constraints", "cmakelists", "conanfile"].iter().any(|list| name.contains(list))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn data_files_and_files_that_programs_read_differ() {
        for path in ["out.txt", "./a/b.json", "a.CSV", "settings.txt", "tsconfig.csv"] {
            assert!(is_data(path), "{path}");
        }
        for path in [
            "a.py",
            "b/run",
            "tox.ini",
            "any.yaml",
            "b.config.json",
            "tsconfig.base.json",
            "mcp.json",
            "dev-requirements.txt",
            "../a.txt",
            "a.txt.sh",
        ] {
            assert!(!is_data(path), "{path}");
        }
    }
}
