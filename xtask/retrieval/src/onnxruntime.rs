//! ONNX Runtime, from PyPI: its wheel holds the library that sentence models need.

use std::{
    fs,
    path::{Path, PathBuf},
};
use tokio::process::Command;
use xtask_install::{lock, run as install, workspace};

/// The package, in one exact version. Its library is of the version that `ort` was made for.
const PACKAGE: &str = "onnxruntime==1.31.1";

/// Installs the library where it is missing, and says where it is.
pub(crate) fn run() -> Result<String, String> {
    let folder = workspace::target().join("tools").join("onnxruntime");
    fs::create_dir_all(&folder).map_err(|error| format!("failed to make {}: {error}", folder.display()))?;
    let _alone = lock(&folder)?;
    if let Some(library) = library(&folder) {
        return Ok(library.display().to_string());
    }
    let mut pip = Command::new("python3");
    pip.args(["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-deps", "--target"]);
    pip.arg(&folder).arg(PACKAGE);
    let runtime = tokio::runtime::Runtime::new().map_err(|error| error.to_string())?;
    runtime.block_on(install(pip, "pip install onnxruntime"))?;
    let found = library(&folder).map(|library| library.display().to_string());
    found.ok_or_else(|| {
        format!("{PACKAGE} has no library in {}: expected one in onnxruntime/capi", folder.display())
    })
}

/// The library in a folder of Python packages.
fn library(folder: &Path) -> Option<PathBuf> {
    let entries = fs::read_dir(folder.join("onnxruntime").join("capi")).ok()?;
    let is_library = |path: &PathBuf| {
        let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        name.starts_with("libonnxruntime.") || name == "onnxruntime.dll"
    };
    entries.flatten().map(|entry| entry.path()).find(is_library)
}
