//! Loads ONNX Runtime.

use super::OnnxError;
use ort::environment::Environment;
use std::sync::OnceLock;

/// The file name of the library if `ORT_DYLIB_PATH` is not set. The system searches for it by its own rules.
const LIBRARY: &str = if cfg!(target_os = "windows") {
    "onnxruntime.dll"
} else if cfg!(target_os = "macos") {
    "libonnxruntime.dylib"
} else {
    "libonnxruntime.so"
};

/// Loads ONNX Runtime, once for the whole program: from the file that `ORT_DYLIB_PATH` names, or otherwise from the system's
/// search path.
///
/// # Errors
/// Returns [`OnnxError::Runtime`] if the library cannot be loaded. Using the library would then panic.
pub(crate) fn load_runtime() -> Result<Environment, OnnxError> {
    static LOADED: OnceLock<Result<Environment, (String, String)>> = OnceLock::new();
    let load = || {
        let library = std::env::var("ORT_DYLIB_PATH").ok().filter(|path| !path.is_empty());
        let library = library.unwrap_or_else(|| LIBRARY.to_owned());
        let one_line = |text: String| text.replace('\n', " ");
        let found = match ort::init_from(&library) {
            Ok(builder) => {
                builder.with_name("mgp").with_telemetry(false).build().map_err(|error| error.to_string())
            }
            Err(error) => Err(error.to_string()),
        };
        found.map_err(|reason| (library, one_line(reason)))
    };
    LOADED.get_or_init(load).clone().map_err(|(library, reason)| OnnxError::Runtime { library, reason })
}
