//! Runs the tests, which print a row each, and end with their number.

use crate::{
    browser::{chromium, packages},
    gateway::{Gateway, HOME},
    hostile::{ATTACKS, GROUP},
};
use std::{path::Path, process::Stdio, time::Duration};
use tokio::process::Command;
use xtask_install::{ProgramFeatures, build_programs, is_strict, program_path, workspace};

/// The folder of the tests.
const TESTS: &str = "xtask/console/browser";
/// The folder of the pictures.
const PICTURES: &str = "docs/console";
/// The time limit of all tests.
const LIMIT: Duration = Duration::from_secs(30 * 60);

/// Runs the tests. With `screens`, also renews the pictures of the pages.
pub(crate) async fn run(screens: bool) -> Result<(), String> {
    let Some(chromium) = chromium() else {
        return without("Chromium is not installed: `apt-get install chromium`");
    };
    let modules = match packages().await {
        Ok(modules) => modules,
        Err(error) => return without(&error),
    };
    build_programs(ProgramFeatures::All).await?;
    let gateway = Gateway::start().await?;
    let folder = workspace::root();
    let mut tests = Command::new("node");
    tests
        .arg(folder.join(TESTS).join("main.mjs"))
        .env("CONSOLE_MODULES", &modules)
        .env("CONSOLE_CHROMIUM", &chromium)
        .env("CONSOLE_MGP", program_path("mgp"))
        .env("CONSOLE_CONFIG", &gateway.config)
        .env("CONSOLE_STATE", &gateway.state)
        .env("CONSOLE_FOLDER", gateway.folder())
        .env("CONSOLE_GROUPS", ATTACKS.len().div_ceil(GROUP).to_string())
        .envs(HOME.map(|name| (name, gateway.folder())))
        .env("MGP_KEYRING", "off")
        .env_remove("MGP_STORE_URL")
        .stdin(Stdio::null())
        .kill_on_drop(true);
    if screens {
        tests.env("CONSOLE_SCREENS", pictures(&folder)?);
    }
    let ended = tokio::time::timeout(LIMIT, tests.status()).await;
    let status = ended.map_err(|_| format!("the tests took longer than {LIMIT:?}"))?;
    let status = status.map_err(|error| format!("failed to run node: {error}"))?;
    if status.success() { Ok(()) } else { Err("tests of the console failed".to_owned()) }
}

fn pictures(root: &Path) -> Result<std::path::PathBuf, String> {
    let folder = root.join(PICTURES);
    std::fs::create_dir_all(&folder)
        .map_err(|error| format!("failed to create {}: {error}", folder.display()))?;
    Ok(folder)
}

/// Ends without the tests: a failure in CI.
fn without(why: &str) -> Result<(), String> {
    if is_strict() {
        return Err(why.to_owned());
    }
    println!("skipped, because {why}\n\n0 passed, 0 failed, 1 skipped");
    Ok(())
}
