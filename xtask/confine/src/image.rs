//! The image in which the hostile program runs in a container.

use std::{
    collections::BTreeSet,
    error::Error,
    path::Path,
    process::{Command, Stdio},
};

/// The name of the image.
pub(crate) const IMAGE: &str = "localhost/mgp-confine:latest";

/// Returns the engine that the gateway uses too: podman if it works, and otherwise docker.
pub(crate) fn engine() -> Result<&'static str, Box<dyn Error>> {
    let works = |engine: &&str| {
        let info = Command::new(engine).arg("info").stdout(Stdio::null()).stderr(Stdio::null()).status();
        info.is_ok_and(|status| status.success())
    };
    ["podman", "docker"].into_iter().find(works).ok_or_else(|| "neither podman nor docker works here".into())
}

/// Makes the image, which holds only the libraries of a program.
pub(crate) fn make(engine: &str, program: &str) -> Result<(), Box<dyn Error>> {
    let listed = Command::new("ldd").arg(program).output()?;
    let listed = String::from_utf8(listed.stdout)?;
    let libraries: Vec<_> =
        listed.split_ascii_whitespace().filter(|word| word.starts_with('/')).map(str::to_owned).collect();
    // Without entries of their own, docker creates these folders closed to a program that has no capability.
    let folders: BTreeSet<_> =
        libraries.iter().flat_map(|library| Path::new(library).ancestors().skip(1)).collect();
    let mut tar = Command::new("tar");
    tar.args(["--create", "--dereference", "--no-recursion", "--file=-"])
        .args(folders)
        .args(&libraries)
        .stdout(Stdio::piped())
        .stderr(Stdio::null());
    let mut tar = tar.spawn()?;
    let archive = tar.stdout.take().ok_or("tar has no output")?;
    let imported =
        Command::new(engine).args(["import", "-", IMAGE]).stdin(archive).stdout(Stdio::null()).status()?;
    match tar.wait()?.success() && imported.success() {
        true => Ok(()),
        false => Err(format!("{engine} cannot import the image").into()),
    }
}

/// Removes the image.
pub(crate) fn remove(engine: &str) {
    let _ = Command::new(engine).args(["rmi", IMAGE]).stdout(Stdio::null()).stderr(Stdio::null()).status();
}
