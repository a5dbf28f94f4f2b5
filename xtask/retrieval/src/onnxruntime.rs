//! ONNX Runtime, from PyPI: its wheel contains the library for sentence models.

use std::{
    fs,
    path::{Path, PathBuf},
};
use xtask_install::{PipFolder, lock};

/// The package, in one exact version, with the version of the library that `ort` was made for.
const PACKAGE: &str = "onnxruntime==1.31.1";

/// Installs the library if it is missing, and returns its path.
pub(crate) fn run() -> Result<String, String> {
    let folder = PipFolder::of_tool("onnxruntime");
    let path = folder.path();
    fs::create_dir_all(path).map_err(|error| format!("failed to make {}: {error}", path.display()))?;
    let _alone = lock(path)?;
    let runtime = tokio::runtime::Runtime::new().map_err(|error| error.to_string())?;
    runtime.block_on(folder.ensure(&[PACKAGE]))?;
    let found = library(path).map(|library| library.display().to_string());
    found.ok_or_else(|| {
        format!("{PACKAGE} has no library in {}: expected one in onnxruntime/capi", path.display())
    })
}

/// Returns the library in a folder of Python packages.
fn library(folder: &Path) -> Option<PathBuf> {
    let entries = fs::read_dir(folder.join("onnxruntime").join("capi")).ok()?;
    let is_library = |path: &PathBuf| {
        let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        name.starts_with("libonnxruntime.") || name == "onnxruntime.dll"
    };
    entries.flatten().map(|entry| entry.path()).find(is_library)
}
