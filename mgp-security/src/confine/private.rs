//! The private folder of a server, and the variables of a confined process.

use super::{Profile, Reach};
use std::{
    ffi::OsString,
    fs::{DirBuilder, Permissions, set_permissions},
    io,
    os::unix::fs::{DirBuilderExt, PermissionsExt},
    path::{Path, PathBuf},
};

/// The variables by which programs find a proxy. `NODE_USE_ENV_PROXY` makes Node use the others.
const PROXIES: [&str; 6] =
    ["HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "http_proxy", "https_proxy", "all_proxy"];

/// The variables that set the number of retries of package runners. Without a network, they would retry until the server's start times
/// out, and the reason would never be reported.
const TRY_ONCE: [&str; 3] = ["npm_config_fetch_retries", "PIP_RETRIES", "UV_HTTP_RETRIES"];

/// Makes a private folder that only its user can open. Returns the folder for temporary files in it.
pub(super) fn make_private(folder: &Path) -> io::Result<PathBuf> {
    const OWN: u32 = 0o700;
    let temporary = folder.join("tmp");
    DirBuilder::new().recursive(true).mode(OWN).create(&temporary)?;
    set_permissions(folder, Permissions::from_mode(OWN))?;
    Ok(temporary)
}

/// Returns the variables of a process whose temporary files are in a folder, and whose proxy has a port on the loopback address.
pub(super) fn variables(
    profile: &Profile,
    temporary: Option<&Path>,
    proxy: Option<u16>,
) -> Vec<(&'static str, OsString)> {
    let mut variables = Vec::new();
    if let (Some(home), Some(temporary)) = (&profile.private_folder, temporary) {
        variables.extend([("HOME", home.into()), ("TMPDIR", temporary.into())]);
    }
    if let Some(port) = proxy {
        let url = OsString::from(format!("http://127.0.0.1:{port}"));
        variables.extend(PROXIES.map(|name| (name, url.clone())));
        variables.push(("NODE_USE_ENV_PROXY", "1".into()));
    }
    if profile.network.reach == Reach::None {
        variables.extend(TRY_ONCE.map(|name| (name, "0".into())));
    }
    variables
}
